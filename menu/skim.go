package menu

// A skimmer reads strict JSON without decoding it: it finds out where a value ends, or where and
// why it can't be read. Between tokens it also passes what replies carry and nobody sees (byte
// order marks, NUL, zero-width characters, colour codes), and a bare <word> counts as a value.
type skimmer struct {
	text    string
	pos     int
	depth   int
	end     ending
	why     string   // what is wrong at pos, for the model
	members []member // of the outermost object, as far as they were read
	items   []span   // the objects of the outermost list
	count   int      // of all its items
}

// ending says how a value ended.
type ending int

const (
	whole  ending = iota
	broken        // not JSON from pos on
	short         // the text ended inside
)

// span is a stretch of text.
type span struct{ from, to int }

func (s span) of(text string) string { return text[s.from:s.to] }

// member is one key and its value. The key stands without its quotes, as it was written.
type member struct{ key, value span }

const (
	maxNesting = 200
	maxMembers = 1 << 16 // of one object; more is no pick and no argument
)

// value reads one value at pos, and stops behind it.
func (s *skimmer) value() bool {
	if s.pos >= len(s.text) {
		return s.cut()
	}
	switch c := s.text[s.pos]; {
	case c == '{':
		return s.object()
	case c == '[':
		return s.list()
	case c == '"':
		_, ok := s.str()
		return ok
	case c == '-' || isDigit(c):
		return s.number()
	case c == '<':
		return s.placeholder()
	}
	return s.word()
}

func (s *skimmer) fail(why string) bool {
	s.end, s.why = broken, why
	return false
}

func (s *skimmer) cut() bool {
	s.end, s.why = short, "the reply ends inside it"
	return false
}

func (s *skimmer) open() bool {
	s.pos++
	if s.depth++; s.depth > maxNesting {
		return s.fail("it is nested more than 200 deep")
	}
	s.space()
	return true
}

func (s *skimmer) object() bool {
	if !s.open() {
		return false
	}
	for first := true; ; first = false {
		if s.pos >= len(s.text) {
			return s.cut()
		}
		if first && s.text[s.pos] == '}' {
			break
		}
		if !s.member() {
			return false
		}
		if done, ok := s.next('}'); !ok {
			return false
		} else if done {
			break
		}
	}
	s.pos++
	s.depth--
	return true
}

func (s *skimmer) member() bool {
	switch s.text[s.pos] {
	case '"':
	case '}':
		return s.fail("a comma stands before a closing brace")
	default:
		return s.fail("a key must be a text in double quotes")
	}
	key, ok := s.str()
	if !ok {
		return false
	}
	s.space()
	if s.pos >= len(s.text) {
		return s.cut()
	}
	if s.text[s.pos] != ':' {
		return s.fail("there is no colon after a key")
	}
	s.pos++
	s.space()
	from := s.pos
	if !s.value() {
		return false
	}
	if s.depth == 1 {
		if s.members == nil {
			s.members = make([]member, 0, 4)
		}
		if len(s.members) == maxMembers {
			return s.fail("it has too many members")
		}
		s.members = append(s.members, member{key, span{from, s.pos}})
	}
	return true
}

func (s *skimmer) list() bool {
	if !s.open() {
		return false
	}
	for first := true; ; first = false {
		if s.pos >= len(s.text) {
			return s.cut()
		}
		if first && s.text[s.pos] == ']' {
			break
		}
		from := s.pos
		if !s.value() {
			return false
		}
		if s.depth == 1 {
			s.count++
		}
		if s.depth == 1 && s.text[from] == '{' {
			s.items = append(s.items, span{from, s.pos})
		}
		if done, ok := s.next(']'); !ok {
			return false
		} else if done {
			break
		}
	}
	s.pos++
	s.depth--
	return true
}

// next passes the comma to the next element, or stops at the closing character.
func (s *skimmer) next(closing byte) (done, ok bool) {
	s.space()
	if s.pos >= len(s.text) {
		return false, s.cut()
	}
	switch s.text[s.pos] {
	case closing:
		return true, true
	case ',':
		s.pos++
		s.space()
		return false, true
	}
	return false, s.fail("a comma or a closing bracket is missing")
}

// inText are the bytes that stand for themselves in a text.
var inText = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return is
}()

// str reads a text; the span is its inside.
func (s *skimmer) str() (span, bool) {
	from := s.pos + 1
	for i := from; i < len(s.text); {
		for i < len(s.text) && inText[s.text[i]] {
			i++
		}
		if i == len(s.text) {
			break
		}
		c := s.text[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return span{from, i}, true
		case c == '\\':
			n, ok := s.escape(i)
			if !ok {
				return span{}, false
			}
			i += n
		default:
			s.pos = i
			return span{}, s.fail("a line break or control character stands in a text; write \\n")
		}
	}
	s.pos = len(s.text)
	return span{}, s.cut()
}

// escape gives the length of the escape at i.
func (s *skimmer) escape(i int) (n int, ok bool) {
	if i+1 >= len(s.text) {
		return 0, s.cut()
	}
	switch s.text[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if j >= len(s.text) {
				return 0, s.cut()
			}
			if !isHex(s.text[j]) {
				s.pos = i
				return 0, s.fail("an escape in a text is none of JSON's")
			}
		}
		return 6, true
	}
	s.pos = i
	return 0, s.fail("an escape in a text is none of JSON's; write \\\\ for a backslash")
}

func (s *skimmer) number() bool {
	i := s.pos
	if s.text[i] == '-' {
		i++
	}
	from := i
	i = s.digits(i)
	if i == from || i > from+1 && s.text[from] == '0' {
		return s.fail("a number is not written as in JSON")
	}
	if i < len(s.text) && s.text[i] == '.' {
		from, i = i+1, s.digits(i+1)
		if i == from {
			return s.fail("a number is not written as in JSON")
		}
	}
	if i < len(s.text) && (s.text[i] == 'e' || s.text[i] == 'E') {
		i++
		if i < len(s.text) && (s.text[i] == '+' || s.text[i] == '-') {
			i++
		}
		from, i = i, s.digits(i)
		if i == from {
			return s.fail("a number is not written as in JSON")
		}
	}
	s.pos = i
	return true
}

func (s *skimmer) digits(i int) int {
	for i < len(s.text) && isDigit(s.text[i]) {
		i++
	}
	return i
}

func (s *skimmer) word() bool {
	rest := s.text[s.pos:]
	for _, word := range [...]string{"true", "false", "null"} {
		if len(rest) >= len(word) && rest[:len(word)] == word {
			s.pos += len(word)
			return true
		}
		if len(rest) < len(word) && word[:len(rest)] == rest {
			return s.cut()
		}
	}
	return s.fail("a value is not written as in JSON")
}

func (s *skimmer) placeholder() bool {
	n := bareplaceholder(s.text[s.pos:])
	if n == 0 {
		return s.fail("a value is not written as in JSON")
	}
	s.pos += n
	return true
}

// space passes blanks and what does not show.
func (s *skimmer) space() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			s.pos++
		case c > ' ' && c < 0x7f:
			return
		default:
			n := unseen(s.text[s.pos:])
			if n == 0 {
				return
			}
			s.pos += n
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
