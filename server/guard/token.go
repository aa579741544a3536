package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Token lets a caller in.
type Token struct {
	Name   string   // the caller is "token:" + Name
	Secret string   // 16 to 4,096 visible ASCII characters
	Roles  []string // of the caller
}

// Lengths of a secret, in bytes.
const (
	minSecret = 16
	maxSecret = 4096
)

// principal is a caller and what the guard keeps about it.
type principal struct {
	pass passed
	own  *counts // nil = no share is kept
}

// counts are what a principal has in flight.
type counts struct {
	requests atomic.Int64
	bytes    atomic.Int64 // of their bodies
}

// credentials are the tokens, without their secrets.
type credentials struct {
	digests    [][sha256.Size]byte
	principals []*principal
}

// newCredentials checks tokens. Counters of names that before knows go on.
func newCredentials(tokens []Token, maxBody int64, before *credentials) (*credentials, error) {
	if len(tokens) == 0 {
		return nil, errors.New("no token is given, so nobody could get in: give one, or say that everybody may")
	}
	c := &credentials{}
	names := map[string]bool{}
	secrets := map[[sha256.Size]byte]string{}
	for _, t := range tokens {
		if err := t.check(); err != nil {
			return nil, err
		}
		digest := sha256.Sum256([]byte(t.Secret))
		if names[t.Name] {
			return nil, fmt.Errorf("token %q: the name stands twice; one caller has one token", t.Name)
		}
		if other, taken := secrets[digest]; taken {
			return nil, fmt.Errorf("token %q: its secret is that of %q too, so nobody could tell them apart", t.Name, other)
		}
		names[t.Name], secrets[digest] = true, t.Name

		caller := registry.Caller{ID: "token:" + t.Name, Roles: append([]string(nil), t.Roles...)}
		c.digests = append(c.digests, digest)
		c.principals = append(c.principals, &principal{passed{&caller, maxBody}, before.counts(caller.ID)})
	}
	return c, nil
}

// String and LogValue leave the secret out, wherever a token is written.
func (t Token) String() string       { return "token " + t.Name }
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

// GoString is String for the verb that would show all fields.
func (t Token) GoString() string { return t.String() }

// MarshalText keeps the secret out of JSON too.
func (t Token) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// check never quotes the secret.
func (t Token) check() error {
	if t.Name == "" || len(t.Name) > 128 || strings.ContainsFunc(t.Name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fmt.Errorf("token %q: its name must have 1 to 128 characters, without blanks", t.Name)
	}
	if len(t.Secret) < minSecret {
		return fmt.Errorf("token %q: its secret has %d characters, at least %d are needed; make one with: openssl rand -hex 32", t.Name, len(t.Secret), minSecret)
	}
	if len(t.Secret) > maxSecret {
		return fmt.Errorf("token %q: its secret has %d characters, at most %d are taken", t.Name, len(t.Secret), maxSecret)
	}
	for i, b := range []byte(t.Secret) {
		if b <= ' ' || b > '~' {
			return fmt.Errorf("token %q: character %d of its secret can't stand in a header; visible ASCII is expected, without blanks and line ends", t.Name, i+1)
		}
	}
	return nil
}

// counts returns those of a caller; new ones if it is not known.
func (c *credentials) counts(id string) *counts {
	if c != nil {
		for _, p := range c.principals {
			if p.pass.caller.ID == id {
				return p.own
			}
		}
	}
	return &counts{}
}

// find compares with every token, whichever matches, so that the time tells nothing. The empty secret belongs to nobody.
func (c *credentials) find(secret string) *principal {
	sum := sha256.Sum256([]byte(secret))
	at := -1
	for i := range c.digests {
		at = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], c.digests[i][:]), i, at)
	}
	if at < 0 {
		return nil
	}
	return c.principals[at]
}

// bearer returns the token of a request: from Authorization, and only if that stands once. sent tells whether
// there was one, right or not.
func bearer(r *http.Request) (secret string, sent bool) {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return "", len(values) > 1
	}
	scheme, rest, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return strings.TrimLeft(rest, " "), true
}

// challenge says how to get in: where tokens come from if that is known, and whether the one that was sent is wrong.
func (g *Guard) challenge(sent bool) string {
	var params []string
	if sent {
		params = append(params, `error="invalid_token"`)
	}
	if g.metadata != nil {
		params = append(params, `resource_metadata="`+g.metadata.url+`"`)
	}
	if len(params) == 0 {
		return "Bearer"
	}
	return "Bearer " + strings.Join(params, ", ")
}
