package menu

import (
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// keyFences are the languages of fences that hold key lines and never JSON.
var keyFences = set("yaml yml")

// keyFence reads the fence that opens here with n marks and size bytes of language when it holds key lines:
//
//	call: refund
//	args:
//	  order_id: A-17
//
// It must be closed, since nothing else shows where the lines end, and hold nothing else. false = it holds something else.
func (s *scanner) keyFence(n int, char byte, size int, st standing) bool {
	from := s.pos + n + size
	language := strings.ToLower(strings.TrimSpace(s.text[s.pos+n : from]))
	mayHold := keyFences[language] || (language == "" || dataFences[language]) && startsKeyLine(s.text[from:min(len(s.text), from+maxIndent)])
	if s.fence.open || !mayHold || !endsLine(s.text[from:]) {
		return false
	}
	inside, end := s.linesOfFence(from, char, n)
	if end < 0 {
		s.foreign(n, char)
		return true
	}
	name, ok := keyedCall(inside)
	if !ok {
		s.foreign(n, char)
		return true
	}
	rd := s.read.keyed(inside, name)
	s.choice.found(rd, found{standing: st, from: s.pos, end: end, strategy: KeyLines})
	s.skip(end, st, false)
	return true
}

// startsKeyLine reports whether text starts with a line break and a call key whose value is no JSON object or list.
func startsKeyLine(text string) bool {
	key, value, ok := keyLine(strings.Trim(firstLine(strings.TrimLeft(text, " \t\r\n")), " \t\r"))
	return ok && slices.Contains(callKeys, key) && (value == "" || strings.IndexByte("{[<", value[0]) < 0)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// linesOfFence are the lines inside a fence that opened on the line of from, and where the line that closes it ends: one of nothing but
// marks. end is -1 when there is none.
func (s *scanner) linesOfFence(from int, char byte, n int) (inside string, end int) {
	start := min(s.lineEnd(from)+1, len(s.text))
	for at := start; at < len(s.text); {
		line := firstLine(s.text[at:])
		if closing := closesFence(line, char, n); closing > 0 && strings.IndexByte(line[:closing], '>') < 0 {
			return s.text[start:at], at + closing
		}
		at += len(line) + 1
	}
	return "", -1
}

// keyedCall is what the first line with a call key says that is not indented more than the first line of all.
func keyedCall(inside string) (name string, ok bool) {
	base := -1
	for line := range strings.SplitSeq(inside, "\n") {
		text := strings.TrimLeft(line, " ")
		if bare := strings.TrimRight(text, " \t\r"); bare == "" {
			continue
		} else if base < 0 {
			base = len(line) - len(text)
		} else if len(line)-len(text) > base {
			continue
		}
		if key, value, ok := keyLine(strings.TrimRight(text, " \t\r")); ok && slices.Contains(callKeys, key) {
			return value, true
		}
	}
	return "", false
}

// keyLine splits "key: value" or "key:".
func keyLine(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	if !ok || !isName(key) || value != "" && value[0] != ' ' {
		return "", "", false
	}
	return key, strings.Trim(value, " "), true
}

// keyed makes a reading of key lines by writing them as the JSON object that means the same. written is the option's name as it stands there.
func (r *reader) keyed(inside, written string) *reading {
	raw, why := keyScalar(written, &registry.Param{Type: registry.String, Optional: true})
	if why != "" || raw[0] != '"' {
		return r.unfit(inside, "", "lines of keys with a call that is no name")
	}
	name := unquoted(raw[1 : len(raw)-1])
	top, why := keyTree(inside)
	if why != "" {
		return r.unfit(inside, name, why)
	}
	w := keyWriter{option: r.named(name)}
	if w.top(top); w.why != "" {
		return r.unfit(inside, name, w.why)
	}
	object := string(w.b)
	k := skimmer{text: object}
	if !k.value() {
		return r.unfit(inside, name, "lines of keys: "+k.why)
	}
	rd, ok := r.read(object, span{0, k.pos}, k.members)
	if !ok {
		return r.unfit(inside, name, "lines of keys without a call")
	}
	return rd
}

// unfit is the reading of key lines that can't be read.
func (r *reader) unfit(inside, name, why string) *reading {
	rd := &reading{text: inside, name: name, option: r.named(name)}
	problem := validate.Problem{Kind: validate.NoAction, Expected: "a JSON object", Read: why, Hint: howToAnswer}
	if rd.option != nil {
		problem.Kind, problem.Path, problem.Expected = validate.BadArgs, "args", `lines of "key: value"`
	}
	rd.fail(problem)
	return rd
}
