package menu

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tagKind is what a tag may be; one name may be several.
type tagKind uint16

const (
	thinkingTag tagKind = 1 << iota
	answerTag
	placeTag  // a pick may stand behind it
	callTag   // a call in a format of tags
	vendorTag // a part of one
	endTag    // ends a turn
	roleTag   // opens one
	replyTag  // what a tool says
)

// tagKinds are the kinds of all names that mean something.
var tagKinds = kindsOf(map[tagKind]string{
	thinkingTag: "think thinking thought thoughts reasoning scratchpad reflection analysis antthinking ant_thinking inner_monologue inner_thoughts chain_of_thought cot longcat_think",
	answerTag:   "answer final_answer final",
	placeTag:    "tool_call tool_calls function_call function_calls tool_use output response result json pick call decision toolcall",
	callTag:     "function invoke",
	vendorTag:   "parameter arg_key arg_value tool_name parameters",
	endTag:      "s end_of_turn eos",
	roleTag:     "start_of_turn",
	replyTag:    "tool_response function_response function_results tool_result",
})

func kindsOf(words map[tagKind]string) map[string]tagKind {
	kinds := map[string]tagKind{}
	for kind, names := range words {
		for _, name := range strings.Fields(names) {
			kinds[name] |= kind
		}
	}
	return kinds
}

var (
	endTokens = set("im_end eot_id eom_id end endoftext end_of_text return call end_of_turn end_of_sentence eos eot end_of_turn_token")
	roleMarks = set("im_start start start_header_id")
	speakers  = set("user human system observation tool ipython customer")
	vendors   = set("tool_sep tool_call_argument_begin")
)

const (
	maxTag     = 200 // bytes of a tag or a token
	maxTagName = 40
)

// angle handles tags, control tokens and comments. Anything else is prose.
func (s *scanner) angle() {
	rest := s.text[s.pos:]
	if strings.HasPrefix(rest, "<!--") {
		s.think(strings.Index(rest, "-->"), len("-->"))
		return
	}
	if strings.HasPrefix(rest, "<"+dsml) || strings.HasPrefix(rest, "</"+dsml) {
		s.dsmlTag()
		return
	}
	if name, n := token(rest); n > 0 {
		s.token(name, n)
		return
	}
	t := tagAt(rest)
	switch kind := t.kind(); {
	case t.size == 0:
		if !s.spacedThinking() {
			s.pass(1)
		}
	case kind&placeTag != 0:
		if !s.wrapped(t) {
			s.place(t)
		}
	case kind&thinkingTag != 0 && t.closing:
		s.forget(t.size)
	case kind&thinkingTag != 0:
		end, n := closing(rest, t)
		s.think(end, n)
	case kind&callTag != 0 && !t.closing:
		s.tagged()
	case kind&vendorTag != 0 && !t.closing:
		s.vendor()
	case t.endsTurn():
		s.endOfTurn(t.size)
	case kind&roleTag != 0 && !t.closing:
		s.role(t.size)
	case kind&replyTag != 0 && !t.closing:
		end, n := closing(rest, t)
		s.madeUp(end, n)
	case kind&answerTag != 0:
		s.place(t)
	default:
		if kind == 0 {
			s.enclose(t.name, t.closing)
		}
		s.pass(1)
	}
}

// think skips thinking that ends in a mark of n bytes at end, counted from here. It never was
// part of the reply: what follows stands as what came before it did.
func (s *scanner) think(end, n int) {
	to := len(s.text)
	if end >= 0 {
		to = s.pos + end
	}
	if s.buried(to) {
		return
	}
	if end < 0 {
		s.choice.unclosed = true
		s.note(Thinking, s.pos, len(s.text), "it never ends, so all behind its start is thinking")
		s.pos = len(s.text)
		return
	}
	st := s.standing(s.pos)
	s.note(Thinking, s.pos, s.pos+end+n, "")
	s.skip(s.pos+end+n, st, true)
}

// buried looks for an end of the turn in what would be skipped up to end, behind a pick, and stops there. If that was the end, what
// follows is not the reply's; if it was quoted, it is. A correction makes all the difference, so neither is guessed.
func (s *scanner) buried(end int) bool {
	if s.choice.pick == nil {
		return false
	}
	for at := s.pos; at < end; at++ {
		i := strings.IndexByte(s.text[at:end], '<')
		if i < 0 {
			return false
		}
		if at += i; endsTurn(s.text[at:]) {
			s.note(TurnEnd, at, at, "inside of what is skipped, behind a pick")
			s.choice.tangled = true
			s.pos = len(s.text)
			return true
		}
	}
	return false
}

// endsTurn reports whether a token or tag that ends a turn follows, with blanks before it.
func endsTurn(text string) bool {
	text = strings.TrimLeft(text, " \t")
	if !strings.HasPrefix(text, "<") {
		return false
	}
	if name, n := token(text); n > 0 {
		return endTokens[name]
	}
	return tagAt(text).endsTurn()
}

// forget handles a closing mark without an opening one: all before it was thinking.
func (s *scanner) forget(n int) {
	s.choice.forget()
	s.read.steps.forget(s.pos + n)
	s.fence = fence{}
	s.skip(s.pos+n, stands, true)
}

// vendor stops at a call in a form that is not read here. Its arguments must not be taken for a
// pick, so nothing behind it is read.
func (s *scanner) vendor() {
	s.choice.vendor = true
	s.note(Damage, s.pos, len(s.text), "a call in a form that is not read here, and all behind it")
	s.pos = len(s.text)
}

func (s *scanner) endOfTurn(n int) {
	if s.choice.any() || s.choice.finds > 0 || s.choice.odd.why != "" {
		s.note(TurnEnd, s.pos, s.pos+n, "nothing behind it is read")
		s.choice.ended = true
		s.pos = len(s.text)
		return
	}
	s.note(Tag, s.pos, s.pos+n, "the end of a turn that has no pick")
	s.skip(s.pos+n, s.standing(s.pos), true)
	s.turned = s.pos
}

// role handles the opening of a turn; one of somebody else is made up.
func (s *scanner) role(n int) {
	rest := strings.TrimLeft(s.text[s.pos+n:], " ")
	written := rest[:letters(rest)]
	end := len(s.text) - len(rest) + len(written)
	s.recipient = ""
	if word := strings.ToLower(written); word != "assistant" && word != "model" {
		s.choice.invented = true
		s.note(Remark, s.pos, end, remarks{invented: true}.words())
	} else {
		s.note(Tag, s.pos, end, "the model's own turn")
	}
	if near := s.text[end:min(len(s.text), end+maxTag)]; !s.choice.invented {
		if i := strings.IndexAny(near, "<\n"); i > 0 && near[i] == '<' && recipient(near[:i]) != "" {
			s.recipient = recipient(near[:i])
			end += i
		}
	}
	st := s.standing(s.pos)
	if s.turned > 0 && isBlank(s.text[s.turned:s.pos]) {
		st = stands // whatever the turn before it ended with
	}
	s.skip(end, st, true)
}

// letters is how many bytes of letters text begins with, about 20 at most.
func letters(text string) int {
	for i, r := range text {
		if i >= 20 || !unicode.IsLetter(r) {
			return i
		}
	}
	return len(text)
}

// place handles a tag behind which a pick may stand.
func (s *scanner) place(t tag) {
	st := s.standing(s.pos)
	if t.kind()&answerTag != 0 && !t.closing && st == stands {
		s.choice.marked = true
		s.note(Tag, s.pos, s.pos+t.size, "opens the answer: what follows counts")
	} else {
		s.note(Tag, s.pos, s.pos+t.size, "")
	}
	s.skip(s.pos+t.size, st, true)
	if t.name == "tool_call" && !t.closing {
		s.floor.form = formHermes
	}
}

func (s *scanner) token(name string, n int) {
	switch {
	case vendors[name], name == "message" && s.recipient != "":
		s.vendor()
	case name == "tool_call_begin":
		s.tokenCall(n)
	case name == "tool_outputs_begin":
		const end = "<｜tool▁outputs▁end｜>"
		s.madeUp(strings.Index(s.text[s.pos:], end), len(end))
	case name == "python_tag":
		s.pythonTag(n)
	case endTokens[name]:
		s.endOfTurn(n)
	case roleMarks[name]:
		s.role(n)
	case speakers[name]:
		s.choice.invented = true
		s.note(Remark, s.pos, s.pos+n, remarks{invented: true}.words())
		s.skip(s.pos+n, s.standing(s.pos), true)
	case name == "channel":
		s.channel(n)
	default:
		s.encloseToken(name)
		s.note(Tag, s.pos, s.pos+n, "a control token")
		s.skip(s.pos+n, s.standing(s.pos), true)
	}
}

// channel handles a harmony message: analysis is thinking, whoever it addresses; commentary to somebody is a call; the rest is
// the reply. The one it is addressed to may have been named with the role.
func (s *scanner) channel(n int) {
	rest := s.text[s.pos:]
	end := strings.Index(rest[:min(len(rest), n+maxTag)], "<|message|>")
	if end < 0 {
		s.pass(1)
		return
	}
	header := rest[n:end]
	body := rest[end:]
	to := cmp.Or(recipient(header), s.recipient)
	s.recipient = ""
	switch {
	case strings.HasPrefix(strings.TrimSpace(header), "analysis"):
		stop := nextToken(body[1:])
		if stop >= 0 {
			stop += end + 1
		}
		s.think(stop, 0)
	case to != "" && strings.HasPrefix(strings.TrimSpace(header), "commentary"):
		s.harmonyCall(to, s.pos+end+len("<|message|>"))
	case to != "", strings.Contains(header, "to="):
		s.vendor()
	default:
		s.note(Tag, s.pos, s.pos+end+len("<|message|>"), "a channel of the reply")
		s.skip(s.pos+end+len("<|message|>"), s.standing(s.pos), true)
	}
}

// nextToken is the place of the next control token.
func nextToken(text string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], "<|")
		if i < 0 {
			return -1
		}
		from += i
		if _, n := token(text[from:]); n > 0 {
			return from
		}
		from += 2
	}
}

// tag is <name ...> or </name>.
type tag struct {
	name    string // lower case
	closing bool
	size    int // 0 = no tag
}

// kind is 0 when it is no tag, or none that means anything.
func (t tag) kind() tagKind {
	if t.size == 0 {
		return 0
	}
	return tagKinds[t.name]
}

// endsTurn reports whether the tag ends a turn: </s>, <end_of_turn>.
func (t tag) endsTurn() bool { return t.kind()&endTag != 0 && (t.closing || t.name != "s") }

func tagAt(text string) tag {
	if !strings.HasPrefix(text, "<") {
		return tag{}
	}
	i := 1
	closing := strings.HasPrefix(text, "</")
	if closing {
		i = 2
	}
	from := i
	for i < len(text) && (isDigit(text[i]) || text[i] == '_' || text[i] == '-' || unicode.IsLetter(rune(text[i])) && text[i] < 0x80) {
		i++
	}
	for _, space := range namespaces {
		if i < len(text) && text[i] == ':' && strings.HasPrefix(text[from:], space) {
			from += len(space)
			i = from + len(nameAt(text, from))
		}
	}
	if i == from || i-from > maxTagName || i == len(text) || !strings.ContainsRune("> =\n\t/", rune(text[i])) {
		return tag{}
	}
	for end := i; end < min(len(text), i+maxTag); end++ {
		switch text[end] {
		case '>':
			return tag{strings.ToLower(text[from:i]), closing, end + 1}
		case '<':
			return tag{}
		}
	}
	return tag{}
}

// token is <|name|> or <｜name｜>. The name comes in lower case, its blocks as underscores.
func token(text string) (name string, size int) {
	open, end := "<|", "|>"
	if strings.HasPrefix(text, "<｜") {
		open, end = "<｜", "｜>"
	}
	inside, ok := strings.CutPrefix(text, open)
	if !ok {
		return "", 0
	}
	inside = inside[:min(len(inside), maxTag)]
	for n := range len(inside) {
		switch inside[n] {
		case '<', '\n':
			return "", 0
		case end[0]:
			if strings.HasPrefix(inside[n:], end) {
				name = strings.ToLower(strings.ReplaceAll(inside[:n], "▁", "_"))
				return name, len(open) + n + len(end)
			}
		}
	}
	return "", 0
}

// closing finds the closing tag of thinking that opens at the start of text, nesting counted.
func closing(text string, open tag) (at, size int) {
	depth := 1
	for from := open.size; ; {
		i := strings.IndexByte(text[from:], '<')
		if i < 0 {
			return -1, 0
		}
		from += i
		t := tagAt(text[from:])
		if t.name == open.name && t.size > 0 {
			if !t.closing {
				depth++
			} else if depth--; depth == 0 {
				return from, t.size
			}
		}
		from += max(1, t.size)
	}
}

// markByte is the first byte of ◁, in which some models put their tags.
const markByte = 0xe2

func (s *scanner) diamond() {
	if !strings.HasPrefix(s.text[s.pos:], "◁") || !s.mark("◁think▷", "◁/think▷") {
		_, n := utf8.DecodeRuneInString(s.text[s.pos:])
		s.pass(n)
	}
}

// squareMark handles [THINK] and the marks that Mistral models write.
func (s *scanner) squareMark() bool {
	if s.mark("[think]", "[/think]") {
		return true
	}
	rest := s.text[s.pos:]
	switch {
	case hasPrefixFold(rest, "[inst]"):
		s.choice.invented = true
		s.note(Remark, s.pos, s.pos+len("[inst]"), remarks{invented: true}.words())
		s.skip(s.pos+len("[inst]"), s.standing(s.pos), true)
	case hasPrefixFold(rest, "[args]"):
		s.vendor()
	case hasPrefixFold(rest, "[tool_calls]"):
		if s.mistral(len("[tool_calls]")) {
			return true
		}
		s.note(Tag, s.pos, s.pos+len("[tool_calls]"), "")
		s.skip(s.pos+len("[tool_calls]"), s.standing(s.pos), true)
		s.floor.form = formMistral
		if list, ok := strings.CutPrefix(trimUnseenLeft(s.text[s.pos:]), "["); ok && !strings.HasPrefix(trimUnseenLeft(list), "{") {
			s.vendor() // a list of something else
		}
	default:
		return false
	}
	return true
}

// mark handles one kind of thinking marks that are no tags.
func (s *scanner) mark(open, end string) bool {
	rest := s.text[s.pos:]
	if hasPrefixFold(rest, end) {
		s.forget(len(end))
		return true
	}
	if !hasPrefixFold(rest, open) {
		return false
	}
	depth := 1
	for from := len(open); ; from++ {
		i := strings.IndexByte(rest[from:], open[0])
		if i < 0 {
			s.think(-1, 0)
			return true
		}
		from += i
		if hasPrefixFold(rest[from:], open) {
			depth++
		} else if hasPrefixFold(rest[from:], end) {
			if depth--; depth == 0 {
				s.think(from, len(end))
				return true
			}
		}
	}
}
