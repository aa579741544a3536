package config

import "strings"

// blockText reads text that starts with | or > and stands below, deeper than parent.
func (r *reader) blockText(parent int) *node {
	n := r.node(text, r.pos())
	n.quoted = true
	folded := r.peek(0) == '>'
	r.i++
	chomp, indent, ok := r.blockHeader()
	if !ok {
		r.fail(n.pos, "unexpected text after | or >", "Start the text on the next line")
		return n
	}
	if indent > 0 {
		indent += max(parent, 0)
	}
	lines, open := r.blockLines(parent, indent)
	n.text = blockJoin(lines, folded, chomp)
	if open {
		n.text = strings.TrimSuffix(n.text, "\n")
	}
	return n
}

// blockHeader reads what may stand after | or >: how to treat the end (- or +) and the indentation (1 to 9).
func (r *reader) blockHeader() (chomp byte, indent int, ok bool) {
	for range 2 {
		switch c := r.peek(0); {
		case (c == '-' || c == '+') && chomp == 0:
			chomp = c
			r.i++
		case c >= '1' && c <= '9' && indent == 0:
			indent = int(c - '0')
			r.i++
		}
	}
	if !ends(r.peek(0)) {
		return 0, 0, false
	}
	r.spaces()
	return chomp, indent, r.eof() || r.peek(0) == '\n'
}

// blockLines reads the lines of a block without their indentation; 0 takes that of its first line. It stops at the
// end of the last line of the block, as other values do. Where the file ends in the middle of the last line, open is
// true: the text then has no line's end either.
func (r *reader) blockLines(parent, indent int) (lines []string, open bool) {
	widest := 0 // of the empty lines before the first line of text
	for !r.eof() {
		save := *r
		r.newline()
		for r.peek(0) == ' ' && (indent == 0 || r.indent() < indent) {
			r.i++
		}
		empty := r.eof() || r.peek(0) == '\n'
		if !empty && indent == 0 && r.indent() > parent {
			indent = r.indent()
			if widest > indent {
				r.fail(r.pos(), "the first line of the text is indented less than the empty line above it", "Remove the spaces from the empty line")
				break
			}
		}
		if empty && indent == 0 {
			widest = max(widest, r.indent())
		}
		if !empty && (indent == 0 || r.indent() < indent || r.anyMarker()) {
			*r = save
			break
		}
		if r.eof() {
			break // the last line's end, not one more line
		}
		end := len(r.src)
		if n := strings.IndexByte(r.src[r.i:], '\n'); n >= 0 {
			end = r.i + n
		}
		lines = append(lines, r.src[r.i:end])
		open = end == len(r.src)
		r.i = end
	}
	return lines, open
}

// blockJoin makes one text of the lines.
func blockJoin(lines []string, folded bool, chomp byte) string {
	n := len(lines)
	for n > 0 && lines[n-1] == "" {
		n--
	}
	var b strings.Builder
	for i, line := range lines[:n] {
		b.WriteString(line)
		switch {
		case i == n-1:
		case folded && foldsInto(lines, i, n):
			b.WriteByte(' ')
		case folded && eatsBreak(lines, i, n):
		default:
			b.WriteByte('\n')
		}
	}
	switch {
	case chomp == '+':
		if n > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat("\n", len(lines)-n))
	case chomp == 0 && n > 0:
		b.WriteByte('\n')
	}
	return b.String()
}

// flush reports whether a line of a folded block is text that is not indented further, so that it folds.
func flush(line string) bool { return line != "" && !blank(line[0]) }

// foldsInto: the break between two lines of text is a blank.
func foldsInto(lines []string, i, n int) bool { return flush(lines[i]) && i+1 < n && flush(lines[i+1]) }

// eatsBreak: of the breaks between two lines of text with empty lines between them, the first is left out.
func eatsBreak(lines []string, i, n int) bool {
	if !flush(lines[i]) {
		return false
	}
	for i++; i < n && lines[i] == ""; i++ {
	}
	return i < n && flush(lines[i])
}
