package validate

import "encoding/json"

// Schema is a compiled JSON Schema, safe for concurrent use.
type Schema struct{}

// Compile reads one JSON Schema (draft 2020-12) and refuses, with a JSON Pointer to
// the place, what must not be used: text that is not strict JSON, references to
// files or the network, unknown keywords that are near misses of known ones, bad
// patterns, and schemas whose static cost is over the limits of this package.
func Compile(schema []byte) (*Schema, error) { panic("not written yet") }

// Check returns every problem of a decoded value (see Decode), paths rooted at
// root ("args"); nil when there is none. An integer is a JSON number without
// fraction or exponent within 64 bits, judged by its text. It never panics.
func (s *Schema) Check(root string, v any) []Problem { panic("not written yet") }

// Decode reads one strict JSON value: no duplicate keys, no trailing text, depth at most
// 200, numbers as json.Number with at most 40 characters and an exponent within 308.
// Objects are map[string]any, lists []any. The error is an *Error of kind BadArgs
// that names the offset.
func Decode(raw json.RawMessage) (any, error) { panic("not written yet") }

// Nearest returns the allowed word that word is most likely a slip of, or "" when
// none is near: equal after folding case, blanks, dashes and underscores, or within a
// small edit distance, and then only when exactly one is that near.
func Nearest(word string, allowed []string) string { panic("not written yet") }
