package trace

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// What records keep of the words of others: arguments, replies, outputs, reasons, and what failed runs said.
const (
	ContentFull = "full" // as they are
	ContentHash = "hash" // keyed digests: equal texts have equal ones
	ContentNone = "none" // nothing
)

// Content is a Recorder that hands records on to next with as much of the words of others as mode says, "" for all of them. Kinds, states, names, times and numbers
// stay in every mode. The digests are made with key.
func Content(mode string, key []byte, next Recorder) (Recorder, error) {
	switch mode {
	case "", ContentFull:
		return next, nil
	case ContentHash:
		if len(key) == 0 {
			return nil, errors.New("records with digests need a key")
		}
		return content{next, key}, nil
	case ContentNone:
		return content{next, nil}, nil
	}
	return nil, fmt.Errorf("records can't be kept with the content %q; there are full, hash and none", mode)
}

type content struct {
	next Recorder
	key  []byte // of the digests; nil = there are none
}

// Record hands on what may be kept of r.
func (c content) Record(ctx context.Context, r Record) {
	r.Args = c.args(r.Args)
	for _, text := range []*string{&r.Reply, &r.Output, &r.Reason} {
		*text = c.of(*text)
	}
	if !IsKind(r.Error) {
		r.Error = c.of(r.Error)
	}
	r.Dropped = c.dropped(r.Dropped)
	if c.key == nil {
		r.ReplyDigest, r.Menu = "", ""
	}
	c.next.Record(ctx, r)
}

// of is what is kept of a text. Nobody can make a digest who does not have the key: a plain hash of an account number is the account number.
func (c content) of(text string) string {
	if text == "" || c.key == nil {
		return ""
	}
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte("record\x00"))
	h.Write([]byte(text))
	return "hmac-sha256:" + base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// dropped is what is kept of the keys that were left out: somebody made them up.
func (c content) dropped(paths []string) []string {
	if c.key == nil || len(paths) == 0 {
		return nil
	}
	kept := make([]string, len(paths))
	for i, path := range paths {
		kept[i] = c.of(path)
	}
	return kept
}

func (c content) args(args json.RawMessage) json.RawMessage {
	kept := c.of(string(args))
	if kept == "" {
		return nil
	}
	return json.RawMessage(`"` + kept + `"`) // of letters that need no escape
}

// IsKind reports whether the error of a record is one of our words, and not what somebody said.
func IsKind(word string) bool { return slices.Contains(kinds, word) }

var kinds = Kinds()

// Kinds are the words for why something was refused. Any other error in a record is free text.
func Kinds() []string {
	return []string{
		"no_action", "unknown_call", "bad_args", "ambiguous", "missing_required", "type_mismatch", "enum_violation", // of what was given
		"not_found", "denied", "gated", "ceiling", "approval_required", // of the door
		"full", "no_turn", "not_taken", "expired", "changed", "cancelled", "refused", // of a turn
	}
}
