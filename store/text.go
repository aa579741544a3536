package store

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// PostgreSQL takes no text that holds NUL or is no UTF-8. What strangers say (keys of calls, names, ids that they made up) may be such
// a text. So in all stores these bytes are written as the sign escape and two digits, and so is the sign itself.
const escape = 0x01

func isPlain(s string) bool {
	return strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, escape) < 0 && utf8.ValidString(s)
}

// plain is a text as it is stored.
func plain(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == 0 || r == escape || r == utf8.RuneError && n == 1 {
			b.WriteByte(escape)
			b.WriteString(hex.EncodeToString([]byte{s[0]}))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// unplain is the text that was stored as s.
func unplain(s string) string {
	before, rest, found := strings.Cut(s, string(rune(escape)))
	if !found {
		return s
	}
	b := []byte(before)
	for found {
		if len(rest) < 2 {
			return s // not ours
		}
		one, err := hex.DecodeString(rest[:2])
		if err != nil {
			return s
		}
		b = append(b, one...)
		before, rest, found = strings.Cut(rest[2:], string(rune(escape)))
		b = append(b, before...)
	}
	return string(b)
}

// plainArgs are the arguments of a statement with their texts as they are stored.
func plainArgs(args []any) []any {
	is := func(a any) bool {
		s, ok := a.(string)
		return ok && !isPlain(s)
	}
	if !slices.ContainsFunc(args, is) {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = plain(s)
		}
	}
	return args
}
