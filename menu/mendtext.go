package menu

import (
	"strings"
	"unicode/utf8"
)

// quote is a kind of quotation mark around a text.
type quote struct {
	size    int    // bytes of the opening mark
	closers string // marks that close it
	inside  string // marks that may not stand inside: it would not be certain which one closes it
	plain   bool   // JSON's own
}

// quoteAt is the quotation mark that opens a text here.
func quoteAt(text string) (quote, bool) {
	r, size := utf8.DecodeRuneInString(text)
	q := quote{size: size}
	switch r {
	case '"':
		q.closers, q.plain = `"`, true
	case '\'', '`', '＂':
		q.closers = string(r)
	case '“', '”', '‟':
		q.closers, q.inside = "”", "“„‟"
	case '„':
		q.closers, q.inside = "“”", "„‟"
	case '‘', '’':
		q.closers, q.inside = "’", "‘‚"
	case '‚':
		q.closers, q.inside = "‘’", "‚"
	default:
		return quote{}, false
	}
	return q, true
}

// markdown are the characters that writers of Markdown escape, and nobody else.
const markdown = "_#~`"

// str copies a text. Its end has to be certain: what follows the closing mark is held against JSON by who called.
func (d *mender) str() bool {
	q, _ := quoteAt(d.text[d.pos:])
	if !q.plain {
		d.took.add(OtherQuotes)
	}
	t := texted{mender: d, quote: q}
	d.out = append(d.out, '"')
	d.pos += q.size
	from := len(d.out)
	for d.pos < len(d.text) {
		start := d.pos
		for d.pos < len(d.text) && plainText[d.text[d.pos]] {
			d.pos++
		}
		d.out = append(d.out, d.text[start:d.pos]...)
		if d.pos == len(d.text) {
			break
		}
		r, size := utf8.DecodeRuneInString(d.text[d.pos:])
		switch {
		case strings.ContainsRune(q.closers, r):
			d.pos += size
			d.out = append(d.out, '"')
			return t.sound(string(d.out[from : len(d.out)-1]))
		case strings.ContainsRune(q.inside, r):
			return d.fail("it is not certain which quotation mark ends a text")
		case r == '\\':
			if !t.escape() {
				return false
			}
		case r == '"':
			d.out = append(d.out, `\"`...)
			d.pos++
		case r == '\n' || r == '\r' || r == '\t':
			d.out = appendEscaped(d.out, r)
			d.pos++
			d.took.add(RawBreak)
		case r < ' ':
			return d.fail("a control character stands in a text")
		default:
			d.out = append(d.out, d.text[d.pos:d.pos+size]...)
			d.pos += size
		}
	}
	return d.cut()
}

// plainText are the bytes that stand for themselves whatever the quotation mark.
var plainText = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c < 0x80 && c != '"' && c != '\'' && c != '`' && c != '\\'
	}
	return is
}()

func appendEscaped(b []byte, r rune) []byte {
	switch r {
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	}
	return append(b, `\t`...)
}

// texted is one text on its way through a mender.
type texted struct {
	*mender
	quote quote
	known bool // an escape of JSON stood in it
	odd   bool // another one
}

// sound refuses a text in which escapes of JSON and others are mixed: nobody knows which of them were meant.
func (t *texted) sound(inside string) bool {
	switch {
	case t.known && t.odd:
		return t.fail("escapes of JSON and others are mixed in a text; write \\\\ for a backslash")
	case strings.HasPrefix(inside, bareEscape):
		return t.fail("a control character stands in a text")
	case t.odd:
		t.took.add(OddEscape)
	}
	return true
}

// escape copies the escape at pos. One that JSON does not have is a backslash that was meant, as in a path or a
// pattern, or one that Markdown puts before a mark.
func (t *texted) escape() bool {
	rest := t.text[t.pos+1:]
	if rest == "" {
		t.pos = len(t.text)
		return t.cut()
	}
	c := rest[0]
	switch {
	case c == '\'' && strings.Contains(t.quote.closers, "'"):
		t.known = true
		t.out = append(t.out, '\'')
		t.pos += 2
		return true
	case c == '"' || strings.IndexByte(`\/bfnrtu`, c) >= 0:
		k := skimmer{text: t.text, pos: t.pos}
		n, ok := k.escape(t.pos)
		if !ok {
			t.short = k.end == short
			return t.fail(k.why)
		}
		t.known = true
		t.out = append(t.out, t.text[t.pos:t.pos+n]...)
		t.pos += n
		return true
	case c == '\'' || strings.IndexByte(markdown, c) >= 0:
		t.out = append(t.out, c)
	case isOddLetter(c):
		t.out = append(t.out, '\\', '\\', c)
	default:
		return t.fail("an escape in a text is none of JSON's; write \\\\ for a backslash")
	}
	t.odd = true
	t.pos += 2
	return true
}

// isOddLetter knows the letters behind a backslash that no language with escapes gives a meaning of its own.
func isOddLetter(c byte) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return letter && strings.IndexByte("xvaeUNoO", c) < 0
}
