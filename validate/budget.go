package validate

import (
	"strings"
	"unicode/utf8"
)

// maxRepeated is how much of what was read, in characters, one Fix repeats in all. More of it helps nobody to mend it, and a model
// that reads its own faulty answer again is apt to repeat it.
const maxRepeated = 200

// budget is what may still be repeated.
type budget struct{ left int }

// take is the problem with no more of what was read in it than may still be repeated. A place is named in full.
func (b *budget) take(p Problem) Problem {
	p.Read = b.quotation(p.Read)
	if p.Hint = b.hint(p.Hint); p.Read == "" {
		return p // the example is the schema's own
	}
	if n := utf8.RuneCountInString(p.Example); n > b.left {
		p.Example = ""
	} else {
		b.left -= n
	}
	return p
}

// quotation cuts what is quoted in a text: what stands between its first and its last quotation mark, or behind "the number".
func (b *budget) quotation(text string) string {
	from, to := strings.IndexByte(text, '"')+1, strings.LastIndexByte(text, '"')
	if number, ok := strings.CutPrefix(text, "the number "); ok {
		from, to = len(text)-len(number), len(text)
	}
	if from == 0 || to < from {
		return text
	}
	inside := text[from:to]
	n := utf8.RuneCountInString(inside)
	if n <= b.left {
		b.left -= n
		return text
	}
	short := "…"
	if b.left > 1 {
		short = cut(inside, b.left)
	}
	if at := strings.LastIndexByte(short, '\\'); at >= 0 && len(short)-at <= len(`\u0000…`) {
		short = short[:at] + "…" // not in the middle of an escape
	}
	b.left = 0
	return text[:from] + short + text[to:]
}

// hint leaves out advice that quotes more than is left. It names a key that was read, and without the key it says nothing.
func (b *budget) hint(text string) string {
	from, to := strings.IndexByte(text, '"'), strings.LastIndexByte(text, '"')
	if !strings.HasPrefix(text, "The key ") || from < 0 {
		return text
	}
	n := utf8.RuneCountInString(text[from:to])
	if n > b.left {
		return ""
	}
	b.left -= n
	return text
}
