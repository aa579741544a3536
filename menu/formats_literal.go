package menu

import (
	"strings"
	"unicode/utf8"
)

// A literal reads calls as Python writes them: name(key=value, ...), all values literals. It writes the arguments as a JSON object.
// Of Python it knows what has one reading: no calculation, no tuple, no text that goes on behind another, no escape that JSON and
// Python would read differently.
type literal struct {
	text  string
	pos   int
	depth int
	out   []byte
}

// startsArguments reports whether name(key= or name() stands at pos.
func startsArguments(text string, pos int) bool {
	name := nameAt(text, pos)
	return name != "" && opensArguments(text, pos+len(name), true)
}

// opensArguments reports whether an open bracket and key= stand at pos, or the closing bracket if there may be no arguments.
func opensArguments(text string, pos int, none bool) bool {
	if !strings.HasPrefix(text[pos:], "(") {
		return false
	}
	l := literal{text: text, pos: pos + 1}
	l.space()
	if none && l.is(')') {
		return true
	}
	key := nameAt(text, l.pos)
	l.pos += len(key)
	l.space()
	return key != "" && l.is('=') && !strings.HasPrefix(text[l.pos:], "==")
}

// call reads one call at pos.
func (l *literal) call() (name string, ok bool) {
	name = nameAt(l.text, l.pos)
	l.pos += len(name)
	if name == "" || !l.take('(') {
		return "", false
	}
	l.out = append(l.out, '{')
	for first := true; !l.is(')'); first = false {
		if !first {
			l.out = append(l.out, ',')
		}
		if !l.argument() {
			return name, false
		}
		if !l.take(',') && !l.is(')') {
			return name, false
		}
	}
	l.pos++
	l.out = append(l.out, '}')
	return name, true
}

func (l *literal) argument() bool {
	key := nameAt(l.text, l.pos)
	l.pos += len(key)
	l.space()
	if key == "" || !l.take('=') {
		return false
	}
	l.out = append(appendText(l.out, key), ':')
	ok := l.value()
	l.space()
	return ok
}

func (l *literal) space() {
	k := skimmer{text: l.text, pos: l.pos}
	k.space()
	l.pos = k.pos
}

func (l *literal) is(c byte) bool { return l.pos < len(l.text) && l.text[l.pos] == c }

// take passes a character and the blanks behind it.
func (l *literal) take(c byte) bool {
	if !l.is(c) {
		return false
	}
	l.pos++
	l.space()
	return true
}

func (l *literal) value() bool {
	if l.pos >= len(l.text) {
		return false
	}
	switch c := l.text[l.pos]; {
	case c == '"' || c == '\'':
		return l.str()
	case c == '[':
		return l.items('[', ']', l.value)
	case c == '{':
		return l.items('{', '}', l.pair)
	case c == '-' || isDigit(c):
		return l.number()
	}
	return l.word()
}

// items reads a list or a dict.
func (l *literal) items(open, closing byte, item func() bool) bool {
	if l.depth++; l.depth > maxNesting {
		return false
	}
	l.take(open)
	l.out = append(l.out, open)
	for first := true; !l.is(closing); first = false {
		if !first {
			l.out = append(l.out, ',')
		}
		if !item() {
			return false
		}
		l.space()
		if !l.take(',') && !l.is(closing) {
			return false
		}
	}
	l.pos++
	l.depth--
	l.out = append(l.out, closing)
	return true
}

func (l *literal) pair() bool {
	if !l.is('"') && !l.is('\'') || !l.str() {
		return false
	}
	l.space()
	if !l.take(':') {
		return false
	}
	l.out = append(l.out, ':')
	return l.value()
}

func (l *literal) number() bool {
	k := skimmer{text: l.text, pos: l.pos}
	if !k.number() || nameLength(l.text[k.pos:min(len(l.text), k.pos+4)]) > 0 {
		return false
	}
	l.out = append(l.out, l.text[l.pos:k.pos]...)
	l.pos = k.pos
	return true
}

var literalWords = map[string]string{"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}

func (l *literal) word() bool {
	word := nameAt(l.text, l.pos)
	value, ok := literalWords[word]
	l.out = append(l.out, value...)
	l.pos += len(word)
	return ok
}

// str reads a text in single or double quotes, on one line.
func (l *literal) str() bool {
	quote := l.text[l.pos]
	l.pos++
	l.out = append(l.out, '"')
	for l.pos < len(l.text) {
		switch c := l.text[l.pos]; {
		case c == quote:
			l.pos++
			l.out = append(l.out, '"')
			return true
		case c == '\\':
			if !l.escape() {
				return false
			}
		case c < ' ':
			return false
		case c == '"':
			l.out = append(l.out, `\"`...)
			l.pos++
		default:
			l.out = append(l.out, c)
			l.pos++
		}
	}
	return false
}

// escape copies an escape that means the same in Python and in JSON.
func (l *literal) escape() bool {
	k := skimmer{text: l.text, pos: l.pos}
	if strings.HasPrefix(l.text[l.pos:], `\'`) {
		l.out = append(l.out, '\'')
		l.pos += 2
		return true
	}
	n, ok := k.escape(l.pos)
	if !ok || l.text[l.pos+1] == '/' {
		return false
	}
	l.out = append(l.out, l.text[l.pos:l.pos+n]...)
	l.pos += n
	return true
}

const notLiteral = "it is no call with literal values alone"

// literalCall is one call of several.
type literalCall struct {
	draft draft
	at    span
}

// literals reads calls from at on, with sep between them, "" = one call, and each of closings behind the last. Without any the line
// has to end there, or a tag or token to follow.
func (s *scanner) literals(form string, at int, sep string, closings ...string) {
	d := s.draft(form)
	var calls []literalCall
	l := literal{text: s.text, pos: at}
	for {
		from := l.pos
		l.out = nil
		name, ok := l.call()
		if !ok {
			if len(calls) == 0 {
				d.call(name, s.read)
			}
			s.lose(&d, notLiteral)
			return
		}
		if bare, ok := strings.CutSuffix(name, ".call"); ok && form == formLlama && s.read.find(name) == nil {
			name = bare // as Llama calls the tools that it was taught
		}
		one := d
		one.call(name, s.read)
		one.args = l.out
		calls = append(calls, literalCall{one, span{from, l.pos}})
		l.space()
		if sep == "" || !l.take(sep[0]) {
			break
		}
	}
	if !l.closes(closings) {
		if len(calls) == 1 {
			d.name, d.option = calls[0].draft.name, calls[0].draft.option
		}
		s.lose(&d, "something stands behind it, or what closes it is missing")
		return
	}
	st := s.skipped(&d, l.pos)
	for _, c := range calls {
		c.draft.took = d.took
		s.give(&c.draft, c.at, st)
	}
}

// closes passes what has to stand behind the last call and the blanks behind it.
func (l *literal) closes(closings []string) bool {
	for _, closing := range closings {
		l.space()
		if !strings.HasPrefix(l.text[l.pos:], closing) {
			return false
		}
		l.pos += len(closing)
	}
	return len(closings) > 0 || l.pos == len(l.text) || l.is('<') || endsLineBefore(l.text, l.pos)
}

// endsLineBefore reports whether blanks with a line break among them stand before a place.
func endsLineBefore(text string, at int) bool {
	near := text[max(0, at-maxIndent):at]
	return strings.IndexByte(near[len(strings.TrimRight(near, " \t\r\n")):], '\n') >= 0
}

// opensCall reports whether a call starts at pos, where nothing else is to be expected: one with key= or without arguments, or one of
// an option, whatever is in its brackets.
func (s *scanner) opensCall(pos int) bool { return startsArguments(s.text, pos) || s.opensOption(pos) }

func (s *scanner) opensOption(pos int) bool {
	name := nameAt(s.text, pos)
	return name != "" && strings.HasPrefix(s.text[pos+len(name):], "(") && s.read.find(name) != nil
}

// literalIn reads one call that stands alone inside e.
func (s *scanner) literalIn(e element, at int) { s.literals(formLiteral, at, "", "</"+e.written+">") }

// literalList reads [name(key=value), ...]. ok is false when no such list stands here.
func (s *scanner) literalList() (ok bool) {
	at := s.blankEnd(s.pos + 1)
	if !startsArguments(s.text, at) && (!s.opensOption(at) || s.standing(s.pos) != stands) {
		return false
	}
	s.literals(formLiteral, at, ",", "]")
	return true
}

// paren handles an open bracket: the one of a call that stands alone on its lines, or alone in a fence. Only the name of an option
// makes it one, and only with arguments: a name with empty brackets is how people write about functions.
func (s *scanner) paren() {
	if !s.bareCall() {
		s.pass(1)
	}
}

func (s *scanner) bareCall() bool {
	if last := s.text[max(0, s.pos-1)]; last < utf8.RuneSelf && !nameBytes[last] {
		return false
	}
	from := max(s.lineStart(s.pos), s.floor.at, s.pos-maxCallName)
	name := lastName(s.text[from:s.pos])
	if name == "" || !opensArguments(s.text, s.pos, false) || s.read.find(name) == nil {
		return false
	}
	d := draft{form: formLiteral, from: s.pos - len(name)}
	if d.standing = s.standing(d.from); d.standing != stands {
		return false
	}
	d.call(name, s.read)
	l := literal{text: s.text, pos: d.from}
	if _, ok := l.call(); ok && s.standsAlone(d.from, l.pos) {
		d.args = l.out
		s.hand(&d, l.pos)
		return true
	}
	// It may be meant, and can't be told from code that is talked about.
	s.choice.found(s.read.lost(&d, s.text[d.from:l.pos], notLiteral), found{standing: mention, from: d.from, end: l.pos, form: d.form})
	return false
}

// lastName is the name at the end of text.
func lastName(text string) string {
	for i := len(text); ; i-- {
		if i == 0 || text[i-1] < 0x80 && !nameBytes[text[i-1]] {
			return text[i:][:nameLength(text[i:])]
		}
	}
}

// standsAlone reports whether nothing but marks stands on the lines of a stretch, and nothing on those above and below, except a
// label that ends in a colon; or nothing else in its fence.
func (s *scanner) standsAlone(from, to int) bool {
	below := s.text[to:]
	if s.fence.open {
		mark := strings.Repeat(string(s.fence.char), s.fence.length)
		return isBlank(s.text[s.floor.at:from]) && s.floor.carries && strings.HasPrefix(trimUnseenLeft(below), mark)
	}
	line := s.lineStart(s.pos)
	if s.floor.at > line && !isBlank(s.text[s.floor.at:from]) {
		return false
	}
	above := strings.ReplaceAll(strings.TrimRight(s.text[max(line-maxLabel, s.floor.at, 0):max(line, s.floor.at)], " \t"), "\r", "")
	if !isBlank(above) && !strings.HasSuffix(above, "\n\n") && !strings.HasSuffix(strings.TrimRight(above, " *_\n"), ":") {
		return false
	}
	rest, below, _ := strings.Cut(below[:min(len(below), maxIndent)], "\n")
	rest, below = strings.TrimLeftFunc(rest, isMark), strings.TrimLeft(below, " \t\r")
	return strings.HasPrefix(rest, "<") || rest == "" && (below == "" || strings.IndexByte("\n<`", below[0]) >= 0)
}

// callFences are the languages of fences that hold a call of a tool and nothing else.
var callFences = set("tool_code tool_call")

// callFence reads calls that are all there is in a fence for calls, opened by n characters and a language. ok is false when it
// holds something else: what that is, others say.
func (s *scanner) callFence(n int, char byte, language string) (ok bool) {
	mark := strings.Repeat(string(char), n)
	at := s.blankEnd(s.pos + n + len(language))
	if s.opensCall(at) {
		s.literals(formLiteral, at, "", mark)
		return true
	}
	if !strings.HasPrefix(s.text[at:], "[") {
		return false
	}
	if at = s.blankEnd(at + 1); !s.opensCall(at) {
		return false
	}
	s.literals(formLiteral, at, ",", "]", mark)
	return true
}
