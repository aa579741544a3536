package config

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// reader reads the part of YAML that a configuration needs: block and flow maps and lists, plain, quoted and block
// text, comments, one document. What could surprise is refused with its place and the form to write instead:
// anchors, aliases, tags, merge keys, complex keys, further documents. Each byte is looked at a bounded number of
// times, whatever the text. After the first error the rest is not read, since its structure is unknown.
type reader struct {
	src    string
	i      int // the next byte
	line   int // of i, from 1
	bol    int // offset of the line's first byte
	mark   int // an offset on this line, and
	column int // its column, so that columns are counted once
	depth  int
	values int
	remark int // where the last comment ended
	kept   int // how much of the quoted text being read was escaped, and is not trimmed
	bad    *syntax
}

// readYAML reads one document. Its positions are those of the file.
func readYAML(data []byte) (*node, *syntax) {
	src, bad := plainText(data)
	if bad != nil {
		return nil, bad
	}
	r := &reader{src: src, line: 1, column: 1}
	r.content()
	if r.marker("---") {
		r.i += len("---")
		r.content()
	}
	if r.eof() {
		return &node{pos: Pos{1, 1}}, r.bad
	}
	n := r.block(-1)
	r.content()
	ended := r.bad == nil && r.marker("...")
	if ended {
		r.i += len("...")
		r.content()
	}
	if r.bad == nil && !r.eof() {
		r.trailing(ended)
	}
	return n, r.bad
}

// trailing says why there is text after the document.
func (r *reader) trailing(ended bool) {
	if ended {
		r.fail(r.pos(), "text after the end of the document", "Remove the line with ..., or what follows")
		return
	}
	if r.marker("---") || r.marker("...") {
		r.fail(r.pos(), "a second document starts here", "Keep one document in the file, remove what follows")
		return
	}
	r.fail(r.pos(), "this does not belong to what stands above it", "Indent it like the keys that it belongs to")
}

// fail notes the first error and moves to the end, which ends every loop.
func (r *reader) fail(p Pos, message, fix string) {
	if r.bad == nil {
		r.bad = &syntax{p, message, fix}
	}
	r.i = len(r.src)
}

func (r *reader) eof() bool { return r.i >= len(r.src) }

// peek is the byte at i+n, 0 behind the end.
func (r *reader) peek(n int) byte {
	if r.i+n >= len(r.src) {
		return 0
	}
	return r.src[r.i+n]
}

// pos is the place of the next byte.
func (r *reader) pos() Pos {
	r.column += utf8.RuneCountInString(r.src[r.mark:r.i])
	r.mark = r.i
	return Pos{r.line, r.column}
}

// newline steps over a line's end.
func (r *reader) newline() {
	r.i++
	r.line++
	r.bol, r.mark, r.column = r.i, r.i, 1
}

func (r *reader) indent() int { return r.i - r.bol }

func (r *reader) node(k kind, p Pos) *node {
	if r.values++; r.values > maxValues {
		r.fail(p, "the file holds more than 1,000,000 values", "Split it")
	}
	return &node{kind: k, pos: p}
}

// enter counts one level of nesting in; leave counts it out.
func (r *reader) enter(p Pos) bool {
	if r.depth++; r.depth > maxDepth {
		r.fail(p, fmt.Sprintf("more than %d levels of nesting", maxDepth), "Write it flatter")
	}
	return r.bad == nil
}

func (r *reader) leave() { r.depth-- }

func blank(c byte) bool { return c == ' ' || c == '\t' }

// ends reports whether c ends a word: white space, a line's end, or the end of the text.
func ends(c byte) bool { return blank(c) || c == '\n' || c == 0 }

// spaces steps over white space and a comment, on this line.
func (r *reader) spaces() {
	start := r.i
	for blank(r.peek(0)) {
		r.i++
	}
	if r.peek(0) == '#' && (r.i > start || r.i == r.bol) {
		r.comment()
	}
}

// comment steps over a comment.
func (r *reader) comment() {
	end := strings.IndexByte(r.src[r.i:], '\n')
	if end < 0 {
		end = len(r.src) - r.i
	}
	r.i += end
	r.remark = r.i
}

// content goes to the next thing that is neither white space nor comment.
func (r *reader) content() {
	fresh := r.i == r.bol // nothing but white space lies between the line's start and i
	for {
		r.spaces()
		if r.peek(0) != '\n' {
			break
		}
		r.newline()
		fresh = true
	}
	if !fresh || r.eof() {
		return
	}
	if tab := strings.IndexByte(r.src[r.bol:r.i], '\t'); tab >= 0 {
		r.fail(Pos{r.line, tab + 1}, "a tab in the indentation", "Indent with spaces")
	}
}

// marker reports whether a document marker stands here.
func (r *reader) marker(m string) bool {
	return r.i == r.bol && strings.HasPrefix(r.src[r.i:], m) && ends(r.peek(3))
}

func (r *reader) anyMarker() bool { return r.marker("---") || r.marker("...") }

func (r *reader) dash() bool { return r.peek(0) == '-' && ends(r.peek(1)) }

// lineEnd makes sure that nothing but a comment follows on this line.
func (r *reader) lineEnd(after string) {
	r.spaces()
	if r.eof() || r.peek(0) == '\n' {
		return
	}
	r.fail(r.pos(), "unexpected text after "+after, "Start a new line, or put the whole text in quotes")
}

// block reads the value that starts on a line of its own, deeper than parent.
func (r *reader) block(parent int) *node {
	r.content()
	if r.eof() || r.anyMarker() || r.indent() <= parent {
		return r.node(null, r.pos())
	}
	return r.head(parent, true)
}

// head reads the value that starts here. Where it may be a map or a list in block form, block is true.
func (r *reader) head(parent int, block bool) *node {
	p := r.pos()
	switch c := r.peek(0); {
	case r.dash():
		if !block {
			r.fail(p, "a list can't start on the line of its key", "Start it on the next line, or write [a, b]")
			return r.node(null, p)
		}
		return r.sequence(r.indent())
	case c == '|' || c == '>':
		return r.blockText(parent)
	case c == '[' || c == '{':
		n := r.flow(parent)
		if r.spaces(); r.peek(0) == ':' {
			r.fail(p, "a list or a map can't be a key", "Write a name as key")
		}
		r.lineEnd("the closing bracket")
		return n
	}
	column := r.indent()
	n := r.scalar(parent, false)
	if r.bad != nil || !r.colon() {
		if n.quoted {
			r.lineEnd("the closing quote")
		}
		return n
	}
	if !block {
		r.fail(r.pos(), "a second colon in one line", "Put the text in quotes, or start the map on the next line")
		return n
	}
	return r.mapping(column, n)
}

// colon reports whether the colon of a key comes next, and goes to it.
func (r *reader) colon() bool {
	at := r.i
	for blank(r.peek(0)) {
		r.i++
	}
	if r.peek(0) == ':' && ends(r.peek(1)) {
		return true
	}
	r.i = at
	return false
}

// mapping reads the entries of a map in block form that stand at a column; first is its first key, read already.
func (r *reader) mapping(column int, first *node) *node {
	n := r.node(mapping, first.pos)
	if !r.enter(first.pos) {
		return n
	}
	defer r.leave()
	for key := first; key != nil && r.bad == nil; key = r.nextKey(column) {
		if !r.checkKey(key) {
			break
		}
		r.i++ // the colon
		n.keys = append(n.keys, entry{key.text, key.pos, r.entryValue(column)})
	}
	return n
}

// nextKey reads the next key at the column, nil when the map ends here.
func (r *reader) nextKey(column int) *node {
	r.content()
	if r.eof() || r.anyMarker() || r.indent() < column {
		return nil
	}
	p := r.pos()
	if r.indent() > column {
		r.fail(p, fmt.Sprintf("indented by %d, the keys above it by %d", r.indent(), column), "Indent the keys of one map alike")
		return nil
	}
	if r.dash() {
		r.fail(p, "a list entry among the keys of a map", "Indent it below its key, or write a key")
		return nil
	}
	key := r.scalar(column, false)
	if r.bad == nil && !r.colon() {
		r.fail(p, "expected a key, like name: value", "Write a colon and a space behind the key, or indent the line as text of the value above")
	}
	return key
}

func (r *reader) checkKey(key *node) bool {
	switch {
	case key.pos.Line != r.line:
		r.fail(key.pos, "a key of several lines", "Write the key on one line")
	case len(key.text) > maxKey:
		r.fail(key.pos, fmt.Sprintf("a key of more than %d bytes", maxKey), "Write a shorter key")
	case key.text == "" && !key.quoted:
		r.fail(key.pos, "a key is missing before the colon", "Write one, or put the text in quotes")
	case key.text == "<<" && !key.quoted:
		r.fail(key.pos, "merge keys are not read", "Write the keys out")
	}
	return r.bad == nil
}

// entryValue reads what follows the colon of a key at the column.
func (r *reader) entryValue(column int) *node {
	r.spaces()
	p := r.pos()
	if !r.eof() && r.peek(0) != '\n' {
		return r.head(column, false)
	}
	r.content()
	if !r.eof() && r.indent() == column && r.dash() && !r.anyMarker() {
		return r.sequence(column)
	}
	n := r.block(column)
	if n.kind == null && !n.quoted {
		n.pos = p
	}
	return n
}

// sequence reads the entries of a list in block form whose dashes stand at a column.
func (r *reader) sequence(column int) *node {
	p := r.pos()
	n := r.node(list, p)
	if !r.enter(p) {
		return n
	}
	defer r.leave()
	for r.bad == nil && r.nextDash(column) {
		r.i++
		r.spaces()
		if r.eof() || r.peek(0) == '\n' {
			n.items = append(n.items, r.block(column))
			continue
		}
		n.items = append(n.items, r.head(column, true))
	}
	return n
}

// nextDash goes to the next dash at the column; false when the list ends here.
func (r *reader) nextDash(column int) bool {
	r.content()
	if r.eof() || r.anyMarker() || r.indent() < column {
		return false
	}
	if r.indent() > column {
		r.fail(r.pos(), fmt.Sprintf("indented by %d, the list above it by %d", r.indent(), column), "Indent the entries of one list alike")
		return false
	}
	return r.dash()
}
