package config

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scalar reads plain or quoted text that starts here; within brackets flow is true.
func (r *reader) scalar(parent int, flow bool) *node {
	p := r.pos()
	switch c := r.peek(0); c {
	case '"', '\'':
		n := r.node(text, p)
		n.quoted = true
		n.text = r.quoted(c, parent, p)
		return n
	}
	if why, fix := r.cantStart(flow); why != "" {
		r.fail(p, why, fix)
		return r.node(null, p)
	}
	s := r.plain(parent, flow)
	n := r.node(resolve(s), p)
	n.text = s
	if (n.kind == number || n.kind == odd) && len(s) > maxNumber {
		r.fail(p, fmt.Sprintf("a number of more than %d characters", maxNumber), "Put it in quotes if it is text")
	}
	return n
}

// cantStart says why plain text can't start with what stands here; "" when it can.
func (r *reader) cantStart(flow bool) (why, fix string) {
	const quotes = "Put the text in quotes"
	switch c := r.peek(0); c {
	case '&', '*':
		return "anchors and aliases (& and *) are not read", "Write the value out, or put the text in quotes"
	case '!':
		return "tags (!) are not read", quotes
	case '@', '`':
		return "text can't start with " + string(c), quotes
	case '#':
		return "text can't start with #", quotes + ", or put a blank before # for a comment"
	case '%':
		if r.i == r.bol {
			return "directives (%) are not read", "Remove the line"
		}
		return "text can't start with " + string(c), quotes
	case ',', ']', '}':
		return "unexpected " + string(c), quotes + ", or look for a bracket that is closed too early"
	case '|', '>':
		if flow {
			return "a block of text can't stand within brackets", quotes
		}
		return "text can't start with " + string(c), quotes
	case '?':
		if ends(r.peek(1)) {
			return "complex keys (?) are not read", "Write name: value"
		}
	case '-':
		if ends(r.peek(1)) {
			return "a list with dashes can't stand here", "Write [a, b], or put the text in quotes"
		}
	}
	return "", ""
}

// plain reads text without quotes. Lines that follow deeper than parent go on with it.
func (r *reader) plain(parent int, flow bool) string {
	first := r.plainLine(flow)
	if r.peek(0) != '\n' || r.eof() {
		return first
	}
	var b bytes.Buffer
	b.WriteString(first)
	for r.bad == nil && r.plainGoesOn(parent, flow, &b) {
		b.WriteString(r.plainLine(flow))
		if !flow && r.peek(0) == ':' {
			r.fail(r.pos(), "a key inside the text that starts above it", "Put the text above in quotes, or indent this line like the key it belongs to")
		}
	}
	return b.String()
}

// plainLine reads plain text up to what ends it on this line, without the white space before that.
func (r *reader) plainLine(flow bool) string {
	start, end := r.i, r.i
	for !r.eof() {
		c := r.peek(0)
		if c == '\n' || c == '#' && r.i > start && blank(r.src[r.i-1]) || flow && flowMark(c) {
			break
		}
		if next := r.peek(1); c == ':' && (ends(next) || flow && flowMark(next)) {
			break
		}
		if r.i++; !blank(c) {
			end = r.i
		}
	}
	s := r.src[start:end]
	if r.peek(0) == '#' {
		r.comment() // ends the text, whatever follows
	}
	return s
}

// plainGoesOn looks whether the next line goes on with the text, and writes the fold.
func (r *reader) plainGoesOn(parent int, flow bool, b *bytes.Buffer) bool {
	if r.peek(0) != '\n' || r.remark == r.i {
		return false
	}
	save := *r
	lines := r.emptyLines()
	c := r.peek(0)
	if r.eof() || c == '#' || r.indent() <= parent || r.anyMarker() || flow && (flowMark(c) || c == ':') {
		*r = save
		return false
	}
	if !flow && r.dash() {
		r.fail(r.pos(), "a list below a text", "Remove the text above, or put it in quotes together with this line")
		return false
	}
	fold(b, lines)
	return true
}

// fold writes what a line's end and the empty lines after it stand for.
func fold(b *bytes.Buffer, lines int) {
	if lines == 1 {
		b.WriteByte(' ')
		return
	}
	for range lines - 1 {
		b.WriteByte('\n')
	}
}

// quoted reads text in quotes, the opening one at p.
func (r *reader) quoted(quote byte, parent int, p Pos) string {
	var b bytes.Buffer
	r.kept = 0
	r.i++
	for !r.eof() {
		c := r.peek(0)
		switch {
		case c == '\n':
			r.quotedFold(&b, parent, p)
			continue
		case c == quote && quote == '\'' && r.peek(1) == quote:
			b.WriteByte(c)
			r.i += 2
			continue
		case c == quote:
			r.i++
			return b.String()
		case c == '\\' && quote == '"':
			r.escape(&b, parent, p)
			r.kept = b.Len()
			continue
		}
		b.WriteByte(c)
		r.i++
	}
	r.fail(p, "this quote is not closed", "Close it; a quote inside the text is written "+map[byte]string{'"': `\"`, '\'': "''"}[quote])
	return ""
}

// quotedFold reads the end of a line within quotes.
func (r *reader) quotedFold(b *bytes.Buffer, parent int, p Pos) {
	b.Truncate(max(r.kept, len(bytes.TrimRight(b.Bytes(), " \t"))))
	fold(b, r.emptyLines())
	if !r.eof() && (r.anyMarker() || r.indent() <= parent) {
		r.fail(p, "this quote is not closed before the next key", "Close it, or indent the lines of the text deeper than its key")
	}
}

// emptyLines steps over a line's end and the white space after it, also that of empty lines, and counts the line ends.
func (r *reader) emptyLines() int {
	lines := 0
	for r.peek(0) == '\n' && !r.eof() {
		r.newline()
		lines++
		for blank(r.peek(0)) {
			r.i++
		}
	}
	return lines
}

// escapes are the letters after a backslash and what they stand for.
var escapes = map[byte]string{
	'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// escape reads a backslash and what follows, within double quotes.
func (r *reader) escape(b *bytes.Buffer, parent int, p Pos) {
	c := r.peek(1)
	if s, ok := escapes[c]; ok {
		b.WriteString(s)
		r.i += 2
		return
	}
	switch c {
	case '\n':
		r.i++
		for n := r.emptyLines(); n > 1; n-- {
			b.WriteByte('\n')
		}
		if !r.eof() && (r.anyMarker() || r.indent() <= parent) {
			r.fail(p, "this quote is not closed before the next key", "Close it")
		}
		return
	case 'x', 'u', 'U':
		r.codePoint(b)
		return
	}
	r.fail(r.pos(), `unknown escape after a backslash`, `Write \\ for a backslash, or use single quotes`)
}

// codePoint reads \x41, \u0041, \U00000041, or a pair of surrogates.
func (r *reader) codePoint(b *bytes.Buffer) {
	p := r.pos()
	c, size := r.hex()
	if utf16.IsSurrogate(c) && strings.HasPrefix(r.src[min(r.i+size, len(r.src)):], `\u`) {
		r.i += size
		low, n := r.hex()
		c, size = utf16.DecodeRune(c, low), n
	}
	if size == 0 || c == 0 || c > utf8.MaxRune || utf16.IsSurrogate(c) || c == utf8.RuneError {
		r.fail(p, "no character has this number", `Write \u and four hexadecimal digits of a character, like \u00e9`)
		return
	}
	b.WriteRune(c)
	r.i += size
}

// hex reads the escape at i; size is its length, 0 when it is none.
func (r *reader) hex() (c rune, size int) {
	size = map[byte]int{'x': 4, 'u': 6, 'U': 10}[r.peek(1)]
	if r.i+size > len(r.src) {
		return 0, 0
	}
	n, err := strconv.ParseUint(r.src[r.i+2:r.i+size], 16, 31)
	if err != nil {
		return 0, 0
	}
	return rune(n), size
}
