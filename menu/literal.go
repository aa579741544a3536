package menu

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// appendLiteral writes a JSON value in one line. What does not show is escaped inside its
// strings, so the literal still means the same value.
func appendLiteral(b []byte, raw json.RawMessage) []byte {
	if isPlainLine(string(raw), len(raw)) {
		return append(b, raw...)
	}
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return appendString(b, string(raw))
	}
	last := rune(0)
	for text := line.Bytes(); len(text) > 0; {
		r, size := utf8.DecodeRune(text)
		b = appendVisible(b, last, r)
		text, last = text[size:], r
	}
	return b
}

// appendString writes text as a JSON string in which everything shows.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	if isName(text) {
		return append(append(b, text...), '"')
	}
	last := rune(0)
	for _, r := range text {
		if r == '"' || r == '\\' {
			b = append(b, '\\', byte(r))
		} else {
			b = appendVisible(b, last, r)
		}
		last = r
	}
	return append(b, '"')
}

// appendName writes the name of an option or a parameter: as it is when it is made of letters,
// digits, '_', '-' and '.', as a JSON string otherwise.
func appendName(b []byte, name string) []byte {
	if isName(name) {
		return append(b, name...)
	}
	return appendString(b, name)
}

func isName(name string) bool {
	i := 0
	for i < len(name) && nameBytes[name[i]] {
		i++
	}
	for _, r := range name[i:] {
		if !isNameRune(r) {
			return false
		}
	}
	return name != ""
}

// appendShort is appendLiteral for a value that may be cut: one that is longer than max bytes
// is shown by its kind alone.
func appendShort(b []byte, raw json.RawMessage, max int) []byte {
	start := len(b)
	b = appendLiteral(b, raw)
	if len(b)-start <= max {
		return b
	}
	switch b[start] {
	case '[':
		return append(b[:start], "[…]"...)
	case '{':
		return append(b[:start], "{…}"...)
	}
	return append(b[:start], "…"...)
}
