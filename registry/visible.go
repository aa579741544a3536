package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible shows characters that command a terminal, turn text around or hide it as escapes: \x1b,
// \u202e, \U000e0041. Line ends and tabs stay, and so do the joiners that scripts need. What is not UTF-8 becomes U+FFFD: a terminal
// may take a lone byte for a command.
func Visible(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, invisible) < 0 {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			b.WriteRune(r)
		case !invisible(r):
			b.WriteRune(r)
		default:
			writeEscape(&b, r)
		}
	}
	return b.String()
}

// OneLine is foreign text of at most max characters on one line: all that can't be seen is shown as Visible does, line
// ends and tabs as \n and \t. A text that was cut ends in "…".
func OneLine(text string, max int) string {
	short := cutText(text, max)
	var b strings.Builder
	for _, r := range short {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == ' ' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			writeEscape(&b, r)
		}
	}
	if len(short) < len(text) {
		b.WriteString("…")
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune) {
	switch {
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// VisibleJSON does the same to valid JSON. Such characters stand in its strings alone, where an escape means the
// character itself, so the value stays as it is. Blanks between values are JSON's own.
func VisibleJSON(raw json.RawMessage) json.RawMessage {
	s := string(raw)
	hidden := func(r rune) bool { return invisible(r) && r != '\r' }
	if strings.IndexFunc(s, hidden) < 0 {
		return raw
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return json.RawMessage(b.String())
}

func invisible(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0: // control characters
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags
		return true
	}
	return r == 0xfeff // a byte-order mark
}
