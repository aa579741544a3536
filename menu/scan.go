package menu

import (
	"strings"
)

// A scanner goes over a reply once, from left to right, and hands what it finds to a chooser:
// objects that are picks, with how they stand in the text, and the text around them. It skips
// thinking, quotes and code, and never looks inside an object.
type scanner struct {
	text      string
	pos       int
	first     int // the first byte that shows
	line      int // start of the line that seen is on
	seen      int // how far line starts were looked for
	next      int // the last line end that was looked for
	plain     int // 1 + start of the last line that is known to be no quote
	floor     floor
	fence     fence
	mending   int                  // bytes that were looked at for damage to mend
	form      string               // the call format of the object that is looked at
	turned    int                  // behind the last end of a turn that had no pick; 0 = there was none
	recipient string               // whom a harmony message addresses that has named it with its role
	enclosing map[string]enclosing // elements that are open
	past      [2]moment            // behind the last marks, see repeats
	read      *reader
	choice    *chooser
}

// floor is the last thing that was not prose. What stands between it and an object decides how
// the object stands.
type floor struct {
	at       int
	standing standing // of the thing itself
	carries  bool     // what follows on the next line stands as the thing did: a tag, not an object
	form     string   // the call format of an object right behind it
}

// stops are the bytes at which something other than prose can start.
var stops = [256]bool{'{': true, '[': true, '(': true, '<': true, '`': true, '~': true, markByte: true}

func (s *scanner) run() {
	s.first = len(s.text) - len(trimUnseenLeft(s.text))
	repeats := len(s.text) >= manyMarks && s.read.steps == nil && s.choice.heard == nil
	for s.pos < len(s.text) {
		if repeats {
			s.repeats()
		}
		from := s.pos
		for s.pos < len(s.text) && !stops[s.text[s.pos]] {
			s.pos++
		}
		s.choice.speak(from, s.pos, s.fence.open)
		if s.pos == len(s.text) {
			return
		}
		if s.quote() {
			continue
		}
		if s.choice.finds > maxFinds {
			return
		}
		switch s.text[s.pos] {
		case '{':
			s.brace()
		case '[':
			s.bracket()
		case '(':
			s.paren()
		case '<':
			s.angle()
		case markByte:
			s.diamond()
		default:
			s.ticks()
		}
	}
}

// quote skips the rest of a line that starts with ">": whatever stands in it is quoted.
func (s *scanner) quote() bool {
	line := s.lineStart(s.pos)
	s.choice.start = s.pos
	if s.plain == line+1 {
		return false
	}
	start := s.text[line:min(s.pos, line+maxIndent)]
	if s.floor.at > line || !strings.HasPrefix(trimUnseenLeft(start), ">") {
		s.plain = line + 1
		return false
	}
	end := s.lineEnd(s.pos)
	if saysCall(s.text[s.pos:end]) {
		s.choice.quotes = true
	}
	if s.buried(end) {
		return true
	}
	s.note(Quotation, line, end, "a line that starts with >")
	s.skip(end, stands, false)
	return true
}

const maxIndent = 100 // bytes before the first character of a line that is looked at

// pass goes over n bytes that are prose after all.
func (s *scanner) pass(n int) {
	s.choice.speak(s.pos, s.pos+n, s.fence.open)
	s.pos += n
}

// skip goes over what stands up to end and is not prose.
func (s *scanner) skip(end int, st standing, carries bool) {
	s.floor = floor{at: end, standing: st, carries: carries}
	s.pos = end
	if !carries {
		s.choice.heard.hold()
	}
}

// lineStart is the start of the line that at stands on; at never goes back.
func (s *scanner) lineStart(at int) int {
	if at > s.seen {
		if i := strings.LastIndexByte(s.text[s.seen:at], '\n'); i >= 0 {
			s.line = s.seen + i + 1
		}
		s.seen = at
	}
	return s.line
}

// lineEnd is the end of the line that at stands on; at never goes back.
func (s *scanner) lineEnd(at int) int {
	if s.next < at || s.next == 0 {
		s.next = len(s.text)
		if i := strings.IndexByte(s.text[at:], '\n'); i >= 0 {
			s.next = at + i
		}
	}
	return s.next
}

func (s *scanner) brace() {
	if n := proseBraces(s.text[s.pos:]); n > 0 {
		s.pass(n)
		return
	}
	from := s.pos
	st := s.standing(from)
	s.form = s.formAt(from)
	k := skimmer{text: s.text, pos: from}
	if !k.value() {
		s.damaged(from, st, &k)
		return
	}
	s.skip(k.pos, st, false)
	s.object(span{from, k.pos}, k.members, st)
}

// object judges an object that was read whole.
func (s *scanner) object(at span, members []member, st standing) {
	rd, ok := s.read.read(s.text, at, members)
	if !ok {
		s.note(Data, at.from, at.to, noCall)
		return
	}
	s.judge(rd, at, st)
}

// judge hands on a reading of an object: a line of the menu, or what stands or is mentioned.
func (s *scanner) judge(rd *reading, at span, st standing) {
	if st == stands && (rd.echo || s.isLabelled(at.from) && s.read.isCopy(rd)) {
		s.choice.copied(rd, at, isMenuLine(s.text[s.lineStart(at.from):at.from], rd.name))
		return
	}
	f := found{standing: st, end: at.to, strategy: s.strategy(), form: s.form}
	if st == stands {
		f.standing, f.took = s.after(at)
	}
	s.choice.found(rd, f)
}

// isMenuLine reports whether a label before a copied call is more than an answer has: the indent of a menu, or the name of the option.
func isMenuLine(label, name string) bool {
	return strings.HasPrefix(label, " ") || strings.HasPrefix(label, "\t") || name != "" && strings.Contains(label, name)
}

// formAt is the call format of an object that starts at a place: the one that a tag right before it opens.
func (s *scanner) formAt(at int) string {
	if s.floor.form != "" && isBlank(s.text[s.floor.at:at]) {
		return s.floor.form
	}
	return ""
}

// strategy is that of an object which stands here.
func (s *scanner) strategy() Strategy {
	if s.form != "" {
		return Format
	}
	if s.fence.open {
		return InFence
	}
	return InProse
}

// carried judges a call that another form than an object carries. It is given as the object that means the same, in strict JSON:
// {"call": name, "args": {...}}; form is the name of the format, and at where it stands in the reply. ok is false when it is no call
// that can be read.
func (s *scanner) carried(at span, object, form string, st standing, took ...Liberty) (ok bool) {
	k := skimmer{text: object}
	if !k.value() {
		return false
	}
	rd, ok := s.read.read(object, span{0, k.pos}, k.members)
	if !ok {
		return false
	}
	s.choice.found(rd, found{standing: st, from: at.from, end: at.to, strategy: Format, form: form, took: took})
	return true
}

// isLabelled reports whether the label "Call:" stands before a place.
func (s *scanner) isLabelled(at int) bool {
	const label = "call:"
	before := trimUnseenRight(s.text[max(0, at-2*len(label)):at])
	return len(before) >= len(label) && strings.EqualFold(before[len(before)-len(label):], label)
}

// bracket reads a list of objects, and the marks in square brackets.
func (s *scanner) bracket() {
	n := 1
	for s.pos+n < len(s.text) && s.text[s.pos+n] == '[' {
		n++
	}
	if n > 1 { // only the innermost can hold objects, or be a mark
		s.pass(n - 1)
		return
	}
	if s.squareMark() || s.literalList() {
		return
	}
	next := skimmer{text: s.text, pos: s.pos + 1}
	next.space()
	if next.pos >= len(s.text) || s.text[next.pos] != '{' || proseBraces(s.text[next.pos:]) > 0 {
		s.pass(1)
		return
	}
	from := s.pos
	st := s.standing(from)
	s.form = s.formAt(from)
	k := skimmer{text: s.text, pos: from}
	if !k.value() {
		s.damaged(from, st, &k)
		return
	}
	s.skip(k.pos, st, false)
	if st == stands {
		st, _ = s.after(span{from, k.pos})
	}
	for _, item := range k.items {
		one := skimmer{text: s.text, pos: item.from}
		one.value()
		rd, ok := s.read.read(s.text, item, one.members)
		if !ok {
			s.note(Data, item.from, item.to, noCall)
			continue
		}
		s.choice.found(rd, found{standing: st, from: item.from, end: item.to, strategy: s.strategy(), form: s.form})
	}
}

// proseBraces is the length of a run of braces that opens no object, as in "Dear {name}"; 0 when
// one may be meant.
func proseBraces(text string) int {
	n := 0
	for n < len(text) && n < 300 && (text[n] == '{' || n > 0 && (text[n] == ' ' || text[n] == '\n')) {
		n++
	}
	rest := trimUnseenLeft(text[n:min(len(text), n+100)])
	if n == 300 || opensObject(rest, n == len(text)) {
		return 0
	}
	return max(1, strings.LastIndexByte(text[:n], '{')+1)
}

// opensObject reports whether the text behind a brace could be the inside of an object.
func opensObject(rest string, atEnd bool) bool {
	if rest == "" {
		return atEnd
	}
	rest = strings.TrimPrefix(rest, `\`)
	for i, r := range rest {
		if i == 0 && (isQuote(r) || strings.ContainsRune("}/#,:", r)) {
			return true
		}
		if isNameRune(r) {
			continue
		}
		rest = strings.TrimLeft(rest[i:], " ")
		return i > 0 && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") || strings.HasPrefix(rest, "="))
	}
	return false
}
