package menu

import (
	"strings"

	"github.com/mcp-decide/mcp-decide/validate"
)

// damaged handles an object or list that is no JSON. It is never repaired and never looked into:
// either its end is certain, or the rest of the reply belongs to it. One that is cut could have
// become a pick, whatever it says so far.
func (s *scanner) damaged(from int, st standing, k *skimmer) {
	end := len(s.text)
	if k.end == broken {
		end = balanced(s.text, from)
	}
	at := span{from, end}
	if k.end == short && st == stands || saysCall(at.of(s.text)) {
		s.choice.found(s.read.broken(at.of(s.text), k), found{standing: st, end: end, strategy: s.strategy()})
	} else {
		s.choice.unread(k)
	}
	s.skip(end, st, false)
}

// broken is the reading of an object that is damaged, as far as it could be read.
func (r *reader) broken(text string, k *skimmer) *reading {
	rd := &reading{text: text, damage: k.damaged()}
	problem := validate.Problem{Kind: validate.NoAction, Expected: "a JSON object", Hint: howToAnswer}
	if c, ok := callOf(k.text, k.members, maxWrappers); ok && c.conflict == "" && c.name.of(k.text)[0] == '"' {
		name := c.name.of(k.text)
		rd.name = unquoted(name[1 : len(name)-1])
		rd.option = r.find(rd.name)
	}
	switch {
	case rd.option != nil:
		problem.Kind, problem.Path = validate.BadArgs, "args"
	case rd.name != "":
		problem = r.unknown(rd.name)
	}
	rd.fail(problem)
	return rd
}

// damage is what is wrong with an object, and the text around the place. It is put into words only for
// the one that is reported.
type damage struct{ why, near string }

func (s *skimmer) damaged() damage {
	if s.end == short {
		return damage{why: s.why}
	}
	return damage{s.why, s.text[max(0, s.pos-24):min(len(s.text), s.pos+24)]}
}

func (d damage) String() string {
	switch {
	case d.why == "":
		return ""
	case d.near == "":
		return "one that was cut: " + d.why
	}
	return "one that is not JSON: " + d.why + ", at " + string(appendString(nil, fold(strings.ToValidUTF8(d.near, ""), 60)))
}

// balanced is where the brackets that open at from are closed again. They are counted twice, with
// and without regard to quotes: when the counts differ the end is uncertain, and it is the end of
// the text.
func balanced(text string, from int) int {
	open, bare := 0, 0
	bareEnd := -1
	quote := byte(0)
	for i := from; i < len(text); i++ {
		c := text[i]
		switch c {
		case '{', '[':
			bare++
		case '}', ']':
			if bare--; bare == 0 && bareEnd < 0 {
				bareEnd = i
			}
		}
		switch {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{' || c == '[':
			open++
		case c == '}' || c == ']':
			if open--; open == 0 {
				if i == bareEnd {
					return i + 1
				}
				return len(text)
			}
		}
	}
	return len(text)
}

// saysCall reports whether a damaged stretch has a key that a pick could have.
func saysCall(text string) bool {
	for _, key := range [...]string{"call", "action", "function", "tool", "decision", "name"} {
		for rest := text; ; {
			i := strings.Index(rest, key)
			if i < 0 {
				break
			}
			rest = rest[i+len(key):]
			if isKeyEnd(rest) {
				return true
			}
		}
	}
	return false
}

// isKeyEnd reports whether a colon follows, behind a quote of any kind and what may be cut.
func isKeyEnd(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 24)], "_s\\\"'`”’＂ \n\t")
	return rest == "" || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") || strings.HasPrefix(rest, "=")
}
