package config

// flow reads a map or list in brackets. Its lines stand deeper than parent.
func (r *reader) flow(parent int) *node {
	p := r.pos()
	isMap := r.peek(0) == '{'
	n := r.node(list, p)
	closing := byte(']')
	if isMap {
		n.kind, closing = mapping, '}'
	}
	if !r.enter(p) {
		return n
	}
	defer r.leave()
	r.i++
	for first := true; ; first = false {
		r.flowContent(p)
		if r.bad != nil {
			return n
		}
		if r.peek(0) == closing {
			r.i++
			return n
		}
		if !first {
			r.comma(p, closing)
			if r.peek(0) == closing {
				r.i++
				return n
			}
		}
		if r.bad != nil {
			return n
		}
		if isMap {
			r.flowEntry(n, parent)
		} else {
			n.items = append(n.items, r.flowItem(parent))
		}
	}
}

// flowContent goes to the next content within brackets, which must come before the file ends.
func (r *reader) flowContent(open Pos) {
	r.content()
	if r.bad == nil && (r.eof() || r.anyMarker()) {
		r.fail(open, "this bracket is not closed", "Close it")
	}
}

func (r *reader) comma(open Pos, closing byte) {
	if r.peek(0) != ',' {
		r.fail(r.pos(), "expected a comma or "+string(closing), "Part the entries with commas, put text with brackets, commas or colons in quotes")
		return
	}
	r.i++
	r.flowContent(open)
	if r.peek(0) == ',' {
		r.fail(r.pos(), "two commas with nothing between them", "Remove one")
	}
}

// flowEntry reads one key: value of a map in brackets.
func (r *reader) flowEntry(n *node, parent int) {
	key := r.flowScalarKey(parent)
	if r.bad != nil {
		return
	}
	if !r.flowColon(key.quoted) {
		r.fail(key.pos, "a key without a value in a map", "Write key: value, or use square brackets for a list")
		return
	}
	if r.checkKey(key) {
		n.keys = append(n.keys, entry{key.text, key.pos, r.flowValue(parent)})
	}
}

func (r *reader) flowScalarKey(parent int) *node {
	if c := r.peek(0); c == '[' || c == '{' {
		r.fail(r.pos(), "a list or a map can't be a key", `Write a name as key, or put a text with braces in quotes, like "{name}"`)
	}
	return r.scalar(parent, true)
}

// flowColon reports whether the colon of a key comes next, and goes to it.
func (r *reader) flowColon(quoted bool) bool {
	at := r.i
	for blank(r.peek(0)) {
		r.i++
	}
	if c := r.peek(1); r.peek(0) == ':' && (quoted || ends(c) || flowMark(c)) {
		return true
	}
	r.i = at
	return false
}

// flowValue reads what follows the colon of a key within brackets.
func (r *reader) flowValue(parent int) *node {
	r.i++
	r.content()
	p := r.pos()
	switch r.peek(0) {
	case ',', '}', ']', 0:
		return r.node(null, p)
	}
	return r.flowNode(parent)
}

func (r *reader) flowNode(parent int) *node {
	if c := r.peek(0); c == '[' || c == '{' {
		return r.flow(parent)
	}
	return r.scalar(parent, true)
}

// flowItem reads one entry of a list in brackets: a value, or a lone key: value, which is a map of one key.
func (r *reader) flowItem(parent int) *node {
	n := r.flowNode(parent)
	if r.bad != nil || !r.flowColon(n.quoted) {
		return n
	}
	if !n.scalar() {
		r.fail(n.pos, "a list or a map can't be a key", "Write a name as key")
		return n
	}
	pair := r.node(mapping, n.pos)
	if r.checkKey(n) {
		pair.keys = []entry{{n.text, n.pos, r.flowValue(parent)}}
	}
	return pair
}

// flowMark reports whether c has a meaning within brackets.
func flowMark(c byte) bool { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' }
