package decide

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Digests of answers and arguments are keyed: a plain hash of an account number is the account number.

// textDigest tells answers apart as they came. It is how a refused answer is known again.
func (e *Engine) textDigest(a Answer) string { return e.mac("answer", a.Text, a.Call, plain(a.Args)) }

// pickDigest tells picks apart by what they do: option and canonical arguments, not the words around them.
func (e *Engine) pickDigest(option string, b registry.Bound) string {
	return e.mac("pick", option, string(b.Canonical()))
}

// plain is a JSON text without blanks, and with sorted keys, where it can be read; else as it is.
func plain(raw json.RawMessage) string {
	v, err := validate.Decode(raw)
	if err != nil {
		return string(raw)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(b)
}

func (e *Engine) mac(parts ...string) string { return sum(hmac.New(sha256.New, e.store.Key()), parts) }

// sum hashes parts so that no two lists of parts give one input.
func sum(h hash.Hash, parts []string) string {
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
