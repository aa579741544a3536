package validate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxQuote = 60 // characters of input in one quotation

// Quote writes foreign text in quotes on one line, as problems do: nothing in it commands a terminal or hides, and what
// is over 60 characters is cut and counted.
func Quote(text string) string { return quote(text) }

// quote writes foreign text as one JSON string that adds no line and no invisible
// character to what is printed. What is over 60 characters is cut and counted.
func quote(s string) string {
	short := cut(s, maxQuote)
	if len(short) == len(s) {
		return `"` + escaped(s) + `"`
	}
	return fmt.Sprintf(`"%s" (%d characters)`, escaped(short), utf8.RuneCountInString(s))
}

// cut shortens s to max characters, the last of them an ellipsis.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	n := 0
	keep := 0
	for i := range s {
		if n == max-1 {
			keep = i
		}
		if n == max {
			return s[:keep] + "…"
		}
		n++
	}
	return s
}

// escaped is the inside of a JSON string that holds s.
func escaped(s string) string {
	if plainText(s, `"\`) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		default:
			writeVisible(&b, r)
		}
	}
	return b.String()
}

// printable is s with everything invisible as \u escapes, without quotes: for text of a
// schema that stands in a sentence.
func printable(s string) string {
	if plainText(s, "") {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		writeVisible(&b, r)
	}
	return b.String()
}

func plainText(s, special string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' || strings.IndexByte(special, s[i]) >= 0 {
			return false
		}
	}
	return true
}

// writeVisible escapes controls, formats (bidi, zero width, tags) and every blank but the
// plain one: none of them shows, and each can make text look like other text.
func writeVisible(b *strings.Builder, r rune) {
	switch {
	case unicode.IsPrint(r):
		b.WriteRune(r)
	case r > 0xffff:
		r -= 0x10000
		fmt.Fprintf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	default:
		fmt.Fprintf(b, `\u%04x`, r)
	}
}
