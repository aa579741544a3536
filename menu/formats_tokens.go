package menu

import "strings"

const (
	noArguments = "its argument object is damaged or missing"
	noName      = "its name is not whole"
	noEnd       = "something stands behind its arguments"
)

// mistral reads name[ARGS]{...} behind the mark [TOOL_CALLS], which has n bytes. ok is false when no such call begins there: what
// follows may be a list of objects, or prose.
func (s *scanner) mistral(n int) (ok bool) {
	at := s.blankEnd(s.pos + n)
	name := nameAt(s.text, at)
	behind := at + len(name)
	next := s.blankEnd(behind)
	if name == "" || isProse(s.text, behind, next) {
		return false
	}
	d := s.draft(formMistral)
	if next == len(s.text) {
		s.lose(&d, noName)
		return true
	}
	d.call(name, s.read)
	if rest, ok := strings.CutPrefix(s.text[next:], "[CALL_ID]"); ok {
		next = len(s.text) - len(rest)
		next += len(nameAt(s.text, next))
		if !strings.HasPrefix(s.text[next:], "[ARGS]") {
			s.lose(&d, noArguments)
			return true
		}
	}
	if strings.HasPrefix(s.text[next:], "[ARGS]") {
		next = s.blankEnd(next + len("[ARGS]"))
	}
	end, ok := s.argumentsAt(&d, next)
	if !ok {
		s.lose(&d, noArguments)
		return true
	}
	s.hand(&d, end)
	return true
}

// isProse reports whether a word goes on as prose does: it is followed by a mark, or by another word.
func isProse(text string, behind, next int) bool {
	switch {
	case next == len(text):
		return false
	case next == behind:
		return strings.IndexByte(":,;!?'", text[next]) >= 0
	}
	return text[next] != '[' && text[next] != '{'
}

// tokenCall reads the calls of DeepSeek and Kimi, whose names stand between control tokens. The first one has n bytes.
func (s *scanner) tokenCall(n int) {
	d := s.draft(formKimi)
	from := s.pos + n
	near := s.text[from:min(len(s.text), from+maxCallName)]
	i := strings.IndexByte(near, '<')
	if i < 0 {
		s.lose(&d, noName)
		return
	}
	head := trimUnseen(near[:i])
	name, size := token(s.text[from+i:])
	at := s.blankEnd(from + i + size)
	switch name {
	case "tool_sep":
		d.form = formDeepSeek
		s.deepSeek(&d, head, at)
	case "tool_call_argument_begin":
		s.kimi(&d, head, at)
	default:
		s.lose(&d, noName)
	}
}

// kimi reads the arguments of functions.name:0.
func (s *scanner) kimi(d *draft, id string, at int) {
	if i := strings.LastIndexByte(id, ':'); i > 0 && isDigits(id[i+1:]) {
		id = id[:i]
	}
	if id == "" || nameLength(id) != len(id) {
		s.lose(d, noName)
		return
	}
	d.call(s.read.functionName(id), s.read)
	s.argumentsAndToken(d, at)
}

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// deepSeek reads name{...}, whose name was before the separator at which head ended, or "function", and behind it the name on a
// line of its own and the arguments in a fence.
func (s *scanner) deepSeek(d *draft, head string, at int) {
	if !strings.HasPrefix(s.text[at:], "{") {
		if head != "function" {
			s.lose(d, noArguments)
			return
		}
		head = nameAt(s.text, at)
		at = s.blankEnd(at + len(head))
	}
	if head == "" || nameLength(head) != len(head) || at == len(s.text) {
		s.lose(d, noName)
		return
	}
	d.call(head, s.read)
	rest, fenced := strings.CutPrefix(s.text[at:], "```")
	if !fenced {
		s.argumentsAndToken(d, at)
		return
	}
	at = s.blankEnd(len(s.text) - len(strings.TrimPrefix(rest, "json")))
	end, ok := s.argumentsAt(d, at)
	if end = s.blankEnd(end); !ok || !strings.HasPrefix(s.text[end:], "```") {
		s.lose(d, noArguments)
		return
	}
	s.untilToken(d, end+len("```"))
}

func (s *scanner) argumentsAndToken(d *draft, at int) {
	end, ok := s.argumentsAt(d, at)
	if !ok {
		s.lose(d, noArguments)
		return
	}
	s.untilToken(d, end)
}

// untilToken hands over a call behind whose arguments nothing may stand but a control token. Where the text ends there, the token
// is one that the server of the model has left out.
func (s *scanner) untilToken(d *draft, end int) {
	at := s.blankEnd(end)
	name, n := token(s.text[at:])
	switch {
	case name == "tool_call_end":
		end = at + n
	case at < len(s.text) && n == 0 && tagAt(s.text[at:]).size == 0:
		s.lose(d, noEnd)
		return
	}
	s.hand(d, end)
}

// pythonTag handles the mark of n bytes behind which Llama writes an object, or calls as in Python.
func (s *scanner) pythonTag(n int) {
	at := s.blankEnd(s.pos + n)
	if s.opensCall(at) {
		s.literals(formLlama, at, ";")
		return
	}
	s.note(Tag, s.pos, s.pos+n, "a control token")
	s.skip(s.pos+n, s.standing(s.pos), true)
	s.floor.form = formLlama
}

// madeUp skips what the model wrote in the name of a tool, up to a mark of n bytes at end, counted from here. A pick behind it rests on
// what no tool has said. Without its end nothing behind it is read.
func (s *scanner) madeUp(end, n int) {
	if end < 0 {
		s.vendor()
		return
	}
	s.choice.invented = true
	s.note(Remark, s.pos, s.pos+end+n, remarks{invented: true}.words())
	s.buried(s.pos + end)
	s.skip(s.pos+end+n, s.standing(s.pos), true)
}

// recipient is whom a harmony header addresses; "" = nobody.
func recipient(header string) string {
	_, to, ok := strings.Cut(header, "to=")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(to, " \t\n<"); end >= 0 {
		to = to[:end]
	}
	return to
}

// harmonyCall reads the body of a message to a function, which stands at body.
func (s *scanner) harmonyCall(to string, body int) {
	d := s.draft(formHarmony)
	d.call(s.read.functionName(to), s.read)
	s.argumentsAndToken(&d, s.blankEnd(body))
}

// dsmlTag handles a tag of DeepSeek's own mark-up.
func (s *scanner) dsmlTag() {
	if at := s.pos + len("</"+dsml); strings.HasPrefix(s.text[s.pos:], "</") {
		end := at + len(nameAt(s.text, at))
		if strings.HasPrefix(s.text[end:], ">") {
			end++
		}
		s.note(Tag, s.pos, end, "")
		s.skip(end, s.standing(s.pos), true)
		return
	}
	e, ok := elementAt(s.text, s.pos)
	switch {
	case ok && e.name == "invoke":
		s.tagged()
	case ok && (e.name == "function_calls" || e.name == "tool_calls"):
		s.note(Tag, s.pos, e.end, "")
		s.skip(e.end, s.standing(s.pos), true)
	default:
		s.vendor()
	}
}
