package menu

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxHeard  = 64 << 10 // bytes of prose in which phrases are looked for; who says more has not picked by a phrase
	maxPhrase = 1000     // bytes of a phrase, which has at most 200 characters
)

// hearing is all the prose of a reply, for phrases. All of its methods may be called on nil, which keeps nothing.
type hearing struct {
	spans []span
	size  int
	held  bool // something is in the reply beside prose and thinking, or it is too long
}

// listen makes a hearing where phrases may count: some are known, and the reply is whole and as it was written.
func (r *reader) listen() *hearing {
	if len(r.how.Phrases) == 0 || r.how.Cut || len(r.took) > 0 {
		return nil
	}
	return &hearing{}
}

func (h *hearing) add(from, to int) {
	if h == nil || h.held {
		return
	}
	if h.size += to - from; h.size > maxHeard {
		h.held, h.spans = true, nil
		return
	}
	h.spans = joined(h.spans, from, to)
}

// hold notes that there is something beside prose.
func (h *hearing) hold() {
	if h != nil {
		h.held = true
	}
}

// forgotten is the hearing from here on: all before was thinking.
func (h *hearing) forgotten() *hearing {
	if h != nil {
		*h = hearing{spans: h.spans[:0]}
	}
	return h
}

// byPhrase is the pick of a reply in which nothing was found and whose last sentence says a phrase, and nothing by which it might not
// mean it. ok is false when there is none.
func (c *chooser) byPhrase(r *reader) (_ Pick, ok bool, _ error) {
	if c.heard == nil || c.heard.held || c.invented || c.unclosed {
		return Pick{}, false, nil
	}
	prose := c.heard.prose(c.text)
	option := r.meant(&prose)
	if option == "" {
		return Pick{}, false, nil
	}
	object := `{"call": ` + string(appendString(nil, option)) + `, "args": {}}`
	k := skimmer{text: object}
	k.value()
	rd, ok := r.read(object, span{0, k.pos}, k.members)
	if !ok || rd.name != option {
		return Pick{}, false, nil
	}
	at := found{from: c.heard.place(prose.context), end: c.heard.spans[len(c.heard.spans)-1].to, strategy: ByPhrase}
	r.steps.found(c.text, rd, at, first)
	pick, err := r.taken(rd, at)
	return pick, true, err
}

// spokenProse is the prose of a reply, joined where thinking was left out of it, and where its last words start. What starts a sentence
// for sure is less than what may: behind "e.g. " words may go on that make a phrase doubtful, and a phrase before it may not be the last word.
type spokenProse struct {
	text     string
	context  int // the last sentence, with all that may belong to it
	sentence int // ... with what surely does
	line     int // the last line
}

func (h *hearing) prose(text string) spokenProse {
	var b strings.Builder
	for i, part := range h.spans {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part.of(text))
	}
	p := spokenProse{text: b.String()}
	ends := struct{ context, sentence, line int }{-1, -1, -1} // behind an end: a start if a word follows
	letters, last := 0, rune(0)
	for i, r := range p.text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			p.context, p.sentence, p.line = max(p.context, ends.context), max(p.sentence, ends.sentence), max(p.line, ends.line)
		}
		n := i + utf8.RuneLen(r)
		if rest := p.text[n:]; r == '\n' {
			ends.line = n
		} else if endsSentence(r, rest) {
			ends.sentence = n
			if r != '.' || letters > 3 || strings.ContainsRune(`)"”»*）`, last) {
				ends.context = n
				next, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(rest, isBetween))
				if unicode.IsLower(next) {
					ends.context = -1
				}
			}
		}
		if letters++; !unicode.IsLetter(r) {
			letters = 0
		}
		last = r
	}
	return p
}

// endsSentence reports whether r may end a sentence before rest.
func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？', '｡':
		return true
	case '.', '!', '?', '…':
		next, _ := utf8.DecodeRuneInString(rest)
		return rest == "" || isBetween(next)
	}
	return false
}

// isBetween knows what may stand between sentences.
func isBetween(r rune) bool { return r == '*' || unicode.IsSpace(r) }

// place is where a byte of the joined prose stands in the reply.
func (h *hearing) place(at int) int {
	for _, part := range h.spans {
		if n := part.to - part.from; at < n {
			return part.from + at
		} else {
			at -= n + 1
		}
	}
	return h.spans[len(h.spans)-1].to
}

// meant is the option whose phrase the last sentence says and means, "" when there is none.
func (r *reader) meant(prose *spokenProse) string {
	option, rest := r.said(prose)
	if option == "" || !isAssertion(prose.text[prose.context:]) || !isOwn(prose.text, prose.context) || isUnsure(rest) || !r.isFree(option) {
		return ""
	}
	all := folded(prose.text)
	for _, p := range r.how.Phrases {
		if p.Option != option && wordsAt(all, p.words(), 0) >= 0 {
			return ""
		}
	}
	return option
}

// isFree reports whether an option is offered and needs no arguments.
func (r *reader) isFree(option string) bool {
	o := r.find(option)
	if o == nil || o.Name != option {
		return false
	}
	for _, p := range fieldsOf(o) {
		if p.Required() {
			return false
		}
	}
	return true
}

// said is the option of the first phrase that stands in the last sentence and goes on to the last line, and the sentence without it.
func (r *reader) said(prose *spokenProse) (option, rest string) {
	said := folded(prose.text[prose.context:])
	from := len(said) - len(folded(prose.text[prose.sentence:]))
	line := len(said) - len(folded(prose.text[prose.line:]))
	for _, p := range r.how.Phrases {
		phrase := p.words()
		for i := wordsAt(said, phrase, max(0, from)); i >= 0; i = wordsAt(said, phrase, i+1) {
			if i+len(phrase) > line {
				return p.Option, said[:i] + "\x00" + said[i+len(phrase):]
			}
		}
	}
	return "", ""
}

// words are what has to be said of a phrase: with any end of a sentence, or none.
func (p Phrase) words() string { return strings.TrimRight(folded(p.Text), ".!…。！｡ ") }

// folded is text in lower case, with one blank for each run of blanks and bold marks, and straight apostrophes.
func folded(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '*' || unicode.IsSpace(r) || unseenRune(r) }), " ")
}

// wordsAt is where a phrase stands in a text as whole words, from a place on; -1 when it does not.
func wordsAt(text, phrase string, from int) int {
	if len(phrase) > maxPhrase || !strings.ContainsFunc(phrase, unicode.IsLetter) {
		return -1
	}
	for from <= len(text) {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			break
		}
		from += i
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		rest := text[from+len(phrase):]
		behind, n := utf8.DecodeRuneInString(rest)
		after, _ := utf8.DecodeRuneInString(rest[n:])
		if !joins(before) && before != '.' && !joins(behind) && (behind != '.' || !joins(after)) {
			return from
		}
		_, n = utf8.DecodeRuneInString(phrase)
		from += n
	}
	return -1
}

// joins reports whether a character belongs to the word beside it.
func joins(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r != 0 && strings.ContainsRune("-_'/\\@#&+~$%", r)
}

// isAssertion reports whether a sentence is prose that says something: no question, no item of a list, nothing in quotes or brackets.
func isAssertion(sentence string) bool {
	if strings.ContainsAny(sentence, "?？¿()[]{}<>|=（）［］「」『』【】《》\"“”„«»`‘‚＂") {
		return false
	}
	last := rune(0)
	for i, r := range sentence {
		next, _ := utf8.DecodeRuneInString(sentence[i+utf8.RuneLen(r):])
		if (r == '\'' || r == '’') && !(unicode.IsLetter(last) && unicode.IsLetter(next)) {
			return false
		}
		last = r
	}
	for line := range strings.SplitSeq(sentence, "\n") {
		if isItem(strings.TrimSpace(line)) {
			return false
		}
	}
	return true
}

// isItem reports whether a line is one of a list, a heading or a quote.
func isItem(line string) bool {
	mark, rest, ok := strings.Cut(line, " ")
	if !ok || mark == "" {
		return strings.HasPrefix(line, ">")
	}
	switch r, _ := utf8.DecodeRuneInString(mark); {
	case r == '>' || r == '#' || r == '-' || r == '+' || r == '•' || r == '·' || r == '–':
		return rest != ""
	case mark == "*":
		return true
	}
	number := strings.TrimRight(mark, ".)")
	return number != mark && len(number) < 4 && strings.Trim(number, "0123456789abcdefghivx") == ""
}

// isOwn reports whether the last sentence of prose is the model's own, with all that stands before it taken into account: no quote or
// bracket is open, no line is quoted, nothing is taken back, nobody else speaks, and nothing looks like a call.
func isOwn(prose string, last int) bool {
	before := prose[:last]
	for _, pair := range [...][2]string{{"(", ")"}, {"[", "]"}, {"（", "）"}, {"«", "»"}, {"「", "」"}, {"『", "』"}} {
		if strings.Count(before, pair[0]) != strings.Count(before, pair[1]) {
			return false
		}
	}
	if (strings.Count(before, "“")+strings.Count(before, "”")+strings.Count(before, "„"))%2 != 0 || strings.Count(before, `"`)%2 != 0 || strings.Count(before, "`")%2 != 0 {
		return false
	}
	for line := range strings.SplitSeq(prose, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			return false
		}
	}
	remarks := remarksIn(prose, []span{{0, len(prose)}})
	return !remarks.withdrawn && !remarks.invented && !saysCall(prose)
}

// isUnsure reports whether what is left of a folded sentence without its phrase, for which NUL stands, makes it doubtful.
func isUnsure(rest string) bool {
	if before, behind, ok := strings.Cut(rest, ":"); ok {
		// Of labels only "Final answer:" is sure to be the model's.
		var label remarks
		label.sentence(rest, false)
		if !label.corrected || label.withdrawn || strings.Contains(before, "\x00") {
			return true
		}
		rest = behind
	}
	if strings.ContainsAny(rest, ":：") || strings.Contains(rest, "e.g") || strings.Contains(rest, "z.b") || strings.Contains(rest, "z. b") {
		return true
	}
	for clause := range strings.FieldsFuncSeq(rest, func(r rune) bool { return strings.ContainsRune(".,;!。，；！、…—–", r) }) {
		if doubtInClause(clause) != "" {
			return true
		}
		for word := range strings.FieldsFuncSeq(clause, isNoWord) {
			if unsure[word] {
				return true
			}
		}
		for _, stretch := range unspacedUnsure {
			if strings.Contains(clause, stretch) {
				return true
			}
		}
	}
	return false
}

var (
	unsure            = wordsOf(func(l *language) string { return l.unsure })
	_, unspacedUnsure = stretchesOf(func(l *language) string { return strings.ReplaceAll(l.unsure, " ", "|") })
)
