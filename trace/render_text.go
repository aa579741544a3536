package trace

import (
	"fmt"
	"strings"
	"unicode"
)

// quote writes foreign text so that no line of it can be taken for one of ours: each starts with "> ", what does not print
// is shown as an escape, and so is the second character of marks like <|im_end|>, which chat templates read wherever they
// stand. This package imports nothing of the project, so it has its own.
func quote(b *strings.Builder, text string) {
	b.WriteString("> ")
	last := rune(0)
	for _, r := range text {
		switch {
		case r == '\n' && last == '\r': // one break
		case isBreak(r):
			b.WriteString("\n> ")
		case r == '\t':
			b.WriteByte('\t')
		case shows(r) && !(last == '<' && (r == '|' || r == '｜')):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
		last = r
	}
	b.WriteByte('\n')
}

func isBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// shows reports whether a character can be seen, or is a blank.
func shows(r rune) bool {
	switch {
	case r < 0x34f:
		return unicode.IsPrint(r)
	case r == 0x34f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return false // fillers and other letters without ink
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0000 && r <= 0xe0fff:
		return false // selectors and tags
	}
	return unicode.IsPrint(r)
}

// escape writes a character as JSON would.
func escape(r rune) string {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Sprintf(`\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// foldName makes a name safe inside a line of ours. Names that a method can have stay as they are.
func foldName(name string) string {
	var b strings.Builder
	n := 0
	for _, r := range name {
		if n++; n > 64 {
			b.WriteString("…")
			break
		}
		if strings.ContainsRune("_-.", r) || shows(r) && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(escape(r))
	}
	return b.String()
}
