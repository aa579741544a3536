package menu

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold makes foreign text one harmless line of at most max characters. Line breaks, tabs and
// runs of blanks become one blank; control, format and other invisible characters are shown as
// escapes; what is too long ends in an ellipsis. A text that starts like a line of a menu or
// an ask, or that holds what reads as a pick, stands behind the mark "| ".
func Fold(text string, max int) string {
	if isPlainLine(text, max) && !imitates(text) {
		return text
	}
	line := fold(text, max)
	if !imitates(line) {
		return line
	}
	return fold(quoteMark+line, max)
}

// quoteMark stands before foreign text that looks like our own. The reader takes no pick from
// a line that starts with it.
const quoteMark = "| "

// Quote makes foreign text safe to stand in a prompt: every line starts with "> ", control and
// format characters are shown as escapes. Every line break of Unicode ends a line.
func Quote(text string) string {
	b := make([]byte, 0, len(text)+len(text)/16+2)
	b = append(b, "> "...)
	last := rune(0)
	for _, r := range text {
		switch {
		case r == '\n' && last == '\r': // one break
		case isBreak(r):
			b = append(b, "\n> "...)
		case r == '\t':
			b = append(b, '\t')
		default:
			b = appendVisible(b, last, r)
		}
		last = r
	}
	return string(b)
}

func isBreak(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// fold is Fold without the mark.
func fold(text string, max int) string {
	if max <= 0 {
		return ""
	}
	var b []byte
	used, fits := 0, 0 // characters; bytes that leave room for the ellipsis
	blank, last := false, rune(0)
	for _, r := range text {
		if isBreak(r) || unicode.IsSpace(r) {
			blank, last = used > 0, ' '
			continue
		}
		start := len(b)
		if blank {
			b = append(b, ' ')
		}
		b = appendVisible(b, last, r)
		width := utf8.RuneCount(b[start:])
		if used+width > max {
			return string(append(b[:fits], "…"...))
		}
		if used += width; used < max {
			fits = len(b)
		}
		blank, last = false, r
	}
	return string(b)
}

// appendVisible writes r so that it shows. The second character of a mark like <|im_end|> is
// escaped too: chat templates of local models read such marks wherever they stand.
func appendVisible(b []byte, last, r rune) []byte {
	mark := last == '<' && (r == '|' || r == '｜')
	if unicode.IsPrint(r) && !isInvisible(r) && !mark {
		return utf8.AppendRune(b, r)
	}
	return appendEscape(b, r)
}

// appendEscape writes r as a JSON string would, in one or two \u escapes.
func appendEscape(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return fmt.Appendf(b, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
	}
	return fmt.Appendf(b, `\u%04x`, r)
}

// isInvisible knows the letters, marks and symbols that print as nothing: fillers, the
// grapheme joiner, the empty braille cell, variation selectors. The one that makes an emoji
// colourful is left alone.
func isInvisible(r rune) bool {
	if r < 0x34f {
		return false
	}
	switch r {
	case 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0:
		return true
	}
	return r >= 0x180b && r <= 0x180f || r >= 0xfe00 && r <= 0xfe0e || r >= 0xe0000 && r <= 0xe0fff
}

// isPlainLine reports whether fold would change nothing: most descriptions.
func isPlainLine(text string, max int) bool {
	if len(text) > max {
		return false
	}
	last := byte(' ')
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && last == ' ' || c == '|' && last == '<' {
			return false
		}
		last = c
	}
	return last != ' ' || text == ""
}

// imitates reports whether a folded line could be taken for one of ours: a signature, a Call
// line, a quote, a fence, an effect mark, the first words of an outcome, or a pick inside.
func imitates(line string) bool {
	if line == "" {
		return false
	}
	switch line[0] {
	case '>', '{', '[', '`', '~':
		return true
	}
	if i := strings.IndexByte(line, '['); i >= 0 && hasEffectMark(line[i:]) {
		return true
	}
	if i := strings.IndexByte(line, '{'); i >= 0 && holdsObject(line[i:]) {
		return true
	}
	return startsLikeSignature(line) || startsLikeOurs(line)
}

func hasEffectMark(line string) bool {
	line = strings.ToLower(line)
	for _, mark := range []string{"[read]", "[write]", "[destructive]"} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// holdsObject reports whether some brace is followed by a quote, as in a pick.
func holdsObject(line string) bool {
	for {
		i := strings.IndexByte(line, '{')
		if i < 0 {
			return false
		}
		line = strings.TrimLeft(line[i+1:], " {\\")
		if r, _ := utf8.DecodeRuneInString(line); isQuote(r) {
			return true
		}
	}
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’«»＂", r) }

// startsLikeSignature reports whether the line starts with a name and an open bracket.
func startsLikeSignature(line string) bool {
	for i, r := range line {
		if r == '(' {
			return i > 0
		}
		if !isNameRune(r) {
			return false
		}
	}
	return false
}

// nameBytes are the ASCII characters of names.
var nameBytes = func() (is [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") {
		is[c] = true
	}
	return is
}()

func isNameRune(r rune) bool {
	if r < utf8.RuneSelf {
		return nameBytes[r]
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)) && !isInvisible(r)
}

// ourStarts are the first words of the lines that this program writes around a menu and of an outcome, by their first letter.
var ourStarts = map[byte][]string{
	'a': {"already done", "already answered", "a new turn", "an example of the form"},
	'i': {"it is not known", "its result is not recorded", "it is still running", "it ran and failed"},
	'l': {"look at what it would"},
	'n': {"not run", "not taken", "nothing has run", "nothing ran", "nothing was changed"},
	'o': {"other options:"},
	'p': {"pick 1 of", "pick exactly one", "pick again:", "pick_read", "pick_write", "pick_destructive"},
	'r': {"ran "},
	's': {"still running", "send the same answer", "send the next answer"},
	't': {
		"took ", "to pick", "that was answer", "this answer was", "this did not count", "this call was made before",
		"the args of", "the turn goes on", "the turn is over", "the decision \"", "there is no such turn", "too many unknown turns",
	},
	'y': {"you answered:"},
}

func startsLikeOurs(line string) bool {
	switch line[0] | 0x20 {
	case 'c':
		return startsLikeCall(line)
	case 't':
		if startsLikeTurn(line) {
			return true
		}
	}
	for _, start := range ourStarts[line[0]|0x20] {
		if hasPrefixFold(line, start) {
			return true
		}
	}
	return false
}

// startsLikeCall knows "Call:".
func startsLikeCall(line string) bool {
	if !hasPrefixFold(line, "call") {
		return false
	}
	rest := strings.TrimLeft(line[len("call"):], " ")
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")
}

// startsLikeTurn knows "Turn k7m2 has expired", and leaves "Turn the lights on" alone.
func startsLikeTurn(line string) bool {
	if !hasPrefixFold(line, "turn ") {
		return false
	}
	_, rest, _ := strings.Cut(line[len("turn "):], " ")
	return hasPrefixFold(rest, "has expired") || hasPrefixFold(rest, "is over") || hasPrefixFold(rest, "is still open")
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
