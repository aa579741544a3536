package menu

import "strings"

// An element is a pair of tags that none of the forms of picks has, or of tokens that say where something starts and ends:
// <ticket>...</ticket>, <|START_THINKING|>...<|END_THINKING|>. What stands inside is quoted, thought or drafted, as its name says, and no
// pick, unless the name says that the answer is inside. Only the closing tag tells, so a pick is given up when that comes.
type enclosing struct {
	at     int  // where it opens
	picked bool // something stood as a pick before it
}

// carriers are the words of names that say that the answer stands inside, or how it is laid out.
var carriers = set("action call calls tool answer output response reply pick choice selection decision result json final solution execute assistant function command object option " +
	"my the next model agent xml root body code pre div p span b strong em i u center html")

// carries reports whether a name consists of those words.
func carries(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
		if !carriers[word] {
			return false
		}
	}
	return true
}

const maxEnclosing = 100 // names of elements that are open at once

// enclose notes that an element of a name opens or ends here. Of those that have the same name the first counts.
func (s *scanner) enclose(name string, ends bool) {
	if carries(name) {
		return
	}
	e, open := s.enclosing[name]
	switch {
	case ends && open:
		delete(s.enclosing, name)
		s.choice.enclosed(e)
	case !ends && !open && len(s.enclosing) < maxEnclosing:
		if s.enclosing == nil {
			s.enclosing = make(map[string]enclosing)
		}
		s.enclosing[name] = enclosing{s.pos, s.choice.pick != nil}
	}
}

// encloseToken is enclose for <|START_THINKING|>, <|begin_of_thought|> and what ends them.
func (s *scanner) encloseToken(name string) {
	for _, mark := range [...]struct {
		text string
		ends bool
	}{{"start_", false}, {"begin_of_", false}, {"begin_", false}, {"end_of_", true}, {"end_", true}} {
		if rest, ok := strings.CutPrefix(name, mark.text); ok {
			s.enclose(rest, mark.ends)
			return
		}
	}
}

// enclosed gives up the picks inside an element that has ended: they are mentions. What the name says is not certain, so that another
// pick behind it is none either.
func (c *chooser) enclosed(e enclosing) {
	switch {
	case c.pick == nil || c.at.from < e.at:
	case e.picked, c.earlier != nil, c.inside != nil && !same(c.inside, c.pick):
		c.tangled = true
	default:
		c.mentions, c.inside = true, c.pick
		c.names.add(c.pick)
		c.pick, c.talked, c.later, c.marked = nil, nil, false, false
		c.spoken, c.fenced = c.spoken[:0], c.fenced[:0]
	}
}

// spacedThinking skips <seed:think> and the like: thinking in tags with a name space. false = no such tag stands here.
func (s *scanner) spacedThinking() bool {
	near := s.text[s.pos:min(len(s.text), s.pos+maxTagName)]
	end := strings.IndexByte(near, '>')
	space, name, ok := strings.Cut(near[:max(end, 0)], ":")
	space = strings.TrimPrefix(strings.TrimPrefix(space, "<"), "/")
	if !ok || !isName(space) || tagKinds[strings.ToLower(name)]&thinkingTag == 0 {
		return false
	}
	return s.mark("<"+space+":"+name+">", "</"+space+":"+name+">")
}
