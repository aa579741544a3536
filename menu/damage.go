package menu

import (
	"strings"

	"github.com/mcp-decide/mcp-decide/validate"
)

// damaged handles an object or list that is no JSON. It is mended when there is one way to read it, and else never looked into:
// either its end is certain, or the rest of the reply belongs to it. One that is cut could have become a pick, whatever it says
// so far.
func (s *scanner) damaged(from int, st standing, k *skimmer) {
	if s.isSignature(from) {
		s.copiedSignature()
		return
	}
	m, why, ok := s.mended(from)
	if ok && (m.text[0] == '[' || s.mendedObject(from, m, st)) {
		if m.text[0] == '[' {
			s.mendedList(from, m, st)
		}
		return
	}
	end := len(s.text)
	if k.end == broken {
		end = balanced(s.text, from)
	}
	at := span{from, end}
	if k.end == short && st == stands || saysCall(at.of(s.text)) {
		s.choice.found(s.read.broken(at.of(s.text), k, why), found{standing: st, end: end, strategy: s.strategy()})
	} else {
		s.choice.unread(k)
		s.read.steps.damaged(at, k)
	}
	s.skip(end, st, false)
}

// mended mends what stands at from. All tries together may pass over the reply a few times, and no more.
func (s *scanner) mended(from int) (mended, damage, bool) {
	if s.mending > mendings*len(s.text)+1<<16 {
		return mended{}, damage{}, false
	}
	m, why, ok := mend(s.text, from)
	s.mending += m.end - from
	if ok && m.closed > 0 && !s.fence.open && startsFence(trimUnseenLeft(s.text[m.end:])) {
		return m, damage{why: "a fence mark stands in it, and no fence is open"}, false
	}
	return m, why, ok
}

func startsFence(text string) bool {
	return strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
}

const mendings = 4 // passes over a reply in search of damage that can be mended

// mendedObject judges an object that was mended; ok is false when it is cut and says no call yet.
func (s *scanner) mendedObject(from int, m mended, st standing) (ok bool) {
	rd, ok := s.read.readMended(m)
	if rd == nil || !ok && m.closed > 0 {
		return false
	}
	s.skip(m.end, st, false)
	if !ok {
		s.note(Data, from, m.end, noCall)
		return true
	}
	s.judge(rd, span{from, m.end}, st)
	return true
}

func (s *scanner) mendedList(from int, m mended, st standing) {
	k := skimmer{text: m.text}
	s.skip(m.end, st, false)
	if !k.value() {
		return
	}
	if st == stands {
		st, _ = s.after(span{from, m.end})
	}
	for _, item := range k.items {
		part := m
		part.text = item.of(m.text)
		if rd, ok := s.read.readMended(part); ok {
			s.choice.found(rd, found{standing: st, end: m.end, strategy: s.strategy()})
		}
	}
}

// readMended makes a reading of an object that was mended. ok is false when it is data, and rd nil when it
// can't be read after all.
func (r *reader) readMended(m mended) (rd *reading, ok bool) {
	k := skimmer{text: m.text}
	if !k.value() {
		return nil, false
	}
	rd = &reading{text: m.text, took: m.took, mend: &m}
	return rd, r.fill(rd, m.text, k.members)
}

// isWhole reports whether closing braces were put in only where they can't hide anything: the arguments were closed, or all of
// them are there, or a fence or a tag shows that nothing was to come. When the last value is itself an object, the missing
// brace may be its own, and what it holds may belong elsewhere.
func (r *reader) isWhole(rd *reading) bool {
	m := rd.mend
	if m == nil || m.closed == 0 {
		return true
	}
	written := len(m.text) - m.closed
	own := written - len(strings.TrimRight(m.text[:written], "}"))
	switch {
	case r.how.Cut, len(r.took) > 0:
		return false
	case rd.call.endsArguments(written):
		return own <= 1
	case own > 0:
		return false
	}
	return m.done || len(rd.absent()) == 0
}

// endsArguments reports whether the arguments stand under a key of their own and end before that place.
func (c *call) endsArguments(before int) bool {
	given := false
	for _, key := range argumentKeys {
		for v := range c.values(key) {
			if v.to > before {
				return false
			}
			given = given || c.text[v.from] == '{' || c.text[v.from] == '"'
		}
	}
	return given
}

// broken is the reading of an object that is damaged, as far as it could be read.
func (r *reader) broken(text string, k *skimmer, why damage) *reading {
	rd := &reading{text: text, damage: why}
	if why.why == "" {
		rd.damage = k.damaged()
	}
	problem := validate.Problem{Kind: validate.NoAction, Expected: "a JSON object", Hint: howToAnswer}
	if c, ok := callOf(k.text, k.members, maxWrappers); ok && c.conflict == "" && c.name.of(k.text)[0] == '"' {
		name := c.name.of(k.text)
		rd.name = unquoted(name[1 : len(name)-1])
		rd.option = r.named(rd.name)
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
