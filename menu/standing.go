package menu

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// standing says whether an object in a reply is meant or only talked about.
type standing int

const (
	stands    standing = iota // starts its line, or follows a label that ends in a colon
	mention                   // part of a sentence
	doubted                   // the words before it say that it is none
	others                    // the words before it are somebody else's
	enclosed                  // in brackets of the prose
	continued                 // the text behind it goes on with the sentence
	distant                   // far into its line
)

const maxLabel = 400 // bytes before an object that are looked at

// standing judges what starts at a place by the text before it.
func (s *scanner) standing(at int) standing {
	if s.fence.open && s.fence.standing != stands {
		return s.fence.standing
	}
	line := s.lineStart(at)
	before := s.text[max(line, s.floor.at):at]
	sameLine := s.floor.at > line
	if sameLine && s.floor.standing != stands {
		return s.floor.standing
	}
	if len(before) > maxLabel {
		return distant
	}
	if s.floor.carries && isBlank(s.text[s.floor.at:at]) {
		return s.floor.standing
	}
	if strings.ContainsAny(before, refusals) {
		return doubted
	}
	label := strings.TrimFunc(trimMarks(trimUnseen(before)), isMark)
	if label != "" {
		return labelStanding(label)
	}
	if bare := strings.TrimLeft(before, " \t"); bare == "+" || bare == "-" {
		return mention // a line of a patch
	}
	if sameLine {
		return stands
	}
	return lineAbove(s.text[max(s.floor.at, line-maxLabel, 0):line])
}

// lineAbove judges by the last line of text. It counts as a label when it ends in a colon. A line
// right above that ends in the middle of a sentence goes on with the object. An open bracket shows
// that what follows is inside something.
func lineAbove(text string) standing {
	adjacent := !strings.HasSuffix(strings.ReplaceAll(text[max(0, len(text)-8):], "\r", ""), "\n\n")
	text = trimUnseenRight(text)
	if bare := strings.TrimRight(text, "*"); bare != text && strings.HasSuffix(bare, "/") {
		return others // a comment in code: /*
	}
	text = strings.TrimRightFunc(text, func(r rune) bool { return r == '*' || r == '_' })
	if text == "" {
		return stands
	}
	last, _ := utf8.DecodeLastRuneInString(text)
	text = text[strings.LastIndexByte(text, '\n')+1:]
	switch {
	case last != '`' && strings.TrimFunc(trimUnseen(text), isQuote) == "", strings.Trim(trimUnseen(text), "<") == "":
		return mention // a line of quotes: """
	case frames(text), strings.ContainsAny(text, refusals):
		return others
	case isQuestion(text) && asksAbout(text):
		return doubted
	case strings.ContainsRune("([{=（［「『【", last):
		return enclosed
	case last == ':' || last == '：':
		return labelStanding(strings.TrimFunc(trimMarks(trimUnseen(text)), isMark))
	case adjacent && !strings.ContainsRune(".!?;)}]`\"。！？；）」』", last) && isDoubtful(strings.TrimRight(text, ",，- ")):
		return doubted
	case announces(text) && isDoubtful(strings.Trim(text, "#*_()[] .\t\r")):
		return doubted
	}
	return stands
}

// labelStanding judges the words before an object. They must end in a colon and not say that
// the object is an example, a quotation, or turned down.
func labelStanding(label string) standing {
	words, ok := strings.CutSuffix(label, ":")
	if !ok {
		if words, ok = strings.CutSuffix(label, "："); !ok {
			return mention
		}
	}
	words = strings.TrimRightFunc(words, isMark)
	last, _ := utf8.DecodeLastRuneInString(words)
	switch {
	case words == "" || isQuote(last) || last == '」' || last == '』':
		return mention
	case strings.Count(words, "(") > strings.Count(words, ")"), strings.Count(words, "[") > strings.Count(words, "]"), strings.Count(words, "（") > strings.Count(words, "）"), strings.ContainsAny(words, "{}|"):
		return enclosed
	case isRole(words):
		return others
	case isDoubtful(words), isConditional(words):
		return doubted
	}
	return stands
}

// trimMarks takes bullets, numbers and arrows from the start of a line.
func trimMarks(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, arrow := range [...]string{"-->", "==>", "->", "=>"} {
		line = strings.TrimPrefix(line, arrow)
	}
	line = strings.TrimLeftFunc(line, isMark)
	digits := 0
	for digits < len(line) && isDigit(line[digits]) {
		digits++
	}
	if digits > 0 && digits < 4 && digits < len(line) && (line[digits] == '.' || line[digits] == ')') {
		line = line[digits+1:]
	}
	return strings.TrimLeftFunc(line, isMark)
}

// isMark knows what may stand before a pick without being a word: bullets, bold marks, emoji.
func isMark(r rune) bool {
	if strings.ContainsRune(" \t\r*_#+-•·–—→⇒`\\", r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r > 0x7f {
		return true
	}
	return r == 0xfe0f || r == 0x200d || unseenRune(r)
}

func unseenRune(r rune) bool {
	switch r {
	case 0, 0xa0, 0xfeff, 0x200b, 0x200c, 0x202f, 0x2060, 0x3000:
		return true
	}
	return false
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// after judges an object that stands by what follows it. A surplus brace is a liberty when
// nothing stood before the object, and else a sign that the object is inside something.
func (s *scanner) after(at span) (standing, liberties) {
	next := skimmer{text: s.text[:min(len(s.text), at.to+maxLabel)], pos: at.to}
	next.space()
	for strings.HasPrefix(next.text[next.pos:], "</") {
		t := tagAt(next.text[next.pos:])
		if t.kind()&placeTag == 0 {
			break
		}
		at.to = next.pos + t.size
		next.pos = at.to
		next.space()
	}
	rest := next.text[next.pos:]
	if strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]") {
		if behind := strings.TrimLeft(rest, "} \t\r\n"); strings.HasPrefix(behind, "?") || strings.HasPrefix(behind, "？") || rest[0] == '}' && goesOn(behind[:min(len(behind), 40)]) {
			return doubted, nil
		}
		if rest[0] == '}' && (at.from <= s.first || s.fence.open && isBlank(s.text[s.fence.from:at.from])) {
			return stands, liberties{SurplusBrace}
		}
		return enclosed, nil
	}
	line, _, _ := strings.Cut(next.text[at.to:], "\n")
	if i := strings.IndexAny(line, "{[<}]"); i >= 0 && (line[i] == '}' || line[i] == ']') {
		return enclosed, nil // as in {...}.5}
	}
	if strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "？") {
		return doubted, nil
	}
	if first, _ := utf8.DecodeRuneInString(rest); strings.ContainsRune(refusals, first) {
		return doubted, nil
	}
	if strings.HasPrefix(rest, ",") && startsCallKeyOrArguments(rest[1:]) || startsCondition(rest[:min(len(rest), 40)]) && strings.Count(s.text[at.to:next.pos], "\n") < 2 {
		return continued, nil
	}
	if breaks := strings.Count(s.text[at.to:next.pos], "\n"); breaks > 0 || rest == "" || rest[0] == '{' {
		if first, _ := utf8.DecodeRuneInString(rest); breaks == 1 && unicode.IsLower(first) && goesOn(rest[:min(len(rest), 40)]) {
			return continued, nil
		}
		return stands, nil
	}
	rest = strings.TrimLeftFunc(rest[:min(len(rest), 40)], func(r rune) bool { return isMark(r) && r != '-' || strings.ContainsRune(",，、", r) })
	if goesOn(rest) {
		return continued, nil
	}
	return stands, nil
}
