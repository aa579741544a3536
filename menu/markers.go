package menu

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// remarks are what the prose between two picks, or behind the last one, says about them. Only words
// at the start of a sentence count.
type remarks struct {
	corrected bool // what came before is replaced: "Wait,", "Final answer:"
	withdrawn bool // what came before is taken back
	invented  bool // a turn of somebody else was made up: "Observation:"
	kept      bool // a correction leaves it open, or the text says that what came before holds: "Wait, is that right?"

	judged int // sentences that were read whole
}

// says reports whether anything was said.
func (r remarks) says() bool { return r.corrected || r.withdrawn || r.invented }

// remarksIn reads the prose stretches of a text.
func remarksIn(text string, spoken []span) remarks {
	var r remarks
	for at, quoted := range sentencesOf(text, spoken) {
		r.sentence(at.of(text), quoted)
	}
	return r
}

// sentencesOf are the sentences of prose stretches, and whether each stands inside a quotation that began before it.
func sentencesOf(text string, spoken []span) iter.Seq2[span, bool] {
	return func(yield func(span, bool) bool) {
		for _, part := range spoken {
			quoted := false
			for from := part.from; from < part.to; {
				at := span{from, from + nextSentence(text[from:part.to])}
				if !yield(at, quoted) {
					return
				}
				quoted = quotedAfter(at.of(text), quoted)
				if line := at.of(text); line == "\n" || line == "\r\n" {
					quoted = false // a new paragraph
				}
				from = at.to
			}
		}
	}
}

// quotedAfter reports whether a quotation is open behind a sentence.
func quotedAfter(sentence string, quoted bool) bool {
	if strings.Count(sentence, `"`)%2 == 1 {
		quoted = !quoted
	}
	if isASCII(sentence) {
		return quoted
	}
	for _, r := range sentence {
		switch r {
		case '“': // which ends a German quotation
			quoted = !quoted
		case '„', '«', '「', '『':
			quoted = true
		case '”', '»', '」', '』':
			quoted = false
		}
	}
	return quoted
}

const (
	maxOpening = 160  // bytes at the start of a sentence that are looked at
	maxMarker  = 64   // bytes of the longest marker
	maxJudged  = 1000 // sentences that are read for more than their first words
)

// sentence looks at the first words. In quotes they are somebody's words, and replace nothing.
func (r *remarks) sentence(text string, quoted bool) {
	asks := isQuestion(text)
	text = text[:min(len(text), maxOpening)]
	words := text[opening(text):]
	if words == "" {
		return
	}
	var small [maxMarker]byte
	lower := small[:0]
	list := markersAt(words)
	for i := range list {
		m := &list[i]
		if len(words) < len(m.text) || words[1]|0x20 != m.text[1]|0x20 && m.text[1] < utf8.RuneSelf {
			continue // most are told apart by their second byte
		}
		if len(lower) == 0 {
			lower = appendLower(lower, words[:min(len(words), maxMarker)])
		}
		if string(lower[:min(len(lower), len(m.text))]) == m.text && m.ends(words[len(m.text):]) {
			r.corrected = r.corrected || m.means.corrected && !quoted && !isQuoted(text[:len(text)-len(words)])
			r.withdrawn = r.withdrawn || m.means.withdrawn
			r.invented = r.invented || m.means.invented
			if m.means.invented {
				r.judge(text)
			}
			if m.means.corrected {
				r.kept = r.kept || asks || keeps(text)
			}
			return
		}
	}
	r.judge(text)
}

// judge looks at a whole sentence, which takes longer than to look for a marker.
func (r *remarks) judge(text string) {
	if r.judged++; r.judged <= maxJudged {
		r.withdrawn = r.withdrawn || denies(text)
		r.kept = r.kept || affirms(text)
	}
}

// opening is the length of what stands before the first word of a sentence.
func opening(text string) int {
	for i, r := range text {
		switch {
		case r < utf8.RuneSelf && openings[r]:
		case r > 0x3000 && r < 0xa000 && r != '「' && r != '『':
			return i // letters and signs of Chinese and Japanese
		case r < utf8.RuneSelf || unicode.IsLetter(r) || !isOpening(r):
			return i
		}
	}
	return len(text)
}

func isOpening(r rune) bool {
	return r == '\n' || isMark(r) || isQuote(r) || strings.ContainsRune("([（「『¡¿", r)
}

// openings are the ASCII characters of isOpening.
var openings = func() (is [utf8.RuneSelf]bool) {
	for c := range is {
		is[c] = isOpening(rune(c))
	}
	return is
}()

// appendLower writes text in lower case, each character in as many bytes as before.
func appendLower(b []byte, text string) []byte {
	for i, r := range text {
		if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r |= 0x20
			}
			b = append(b, byte(r))
			continue
		}
		switch lower := unicode.ToLower(r); {
		case r == utf8.RuneError || utf8.RuneLen(lower) != utf8.RuneLen(r):
			_, n := utf8.DecodeRuneInString(text[i:])
			b = append(b, text[i:i+n]...)
		default:
			b = utf8.AppendRune(b, lower)
		}
	}
	return b
}

// isQuoted reports whether what stands before the first word opens a quotation. A backtick is a mark like "**".
func isQuoted(before string) bool {
	return strings.ContainsFunc(before, func(r rune) bool { return r != '`' && isQuote(r) || r == '「' || r == '『' })
}

// marker is one of the markers of languages and what it means.
type marker struct {
	text  string
	means remarks
	end   markerEnd
}

// markerEnd is what has to follow a marker.
type markerEnd int

const (
	anything   markerEnd = iota
	wordEnds             // no further letter
	pause                // a comma, full stop, dash or the like
	label                // a colon, or the end of the line, perhaps behind "is"
	labelColon           // a colon, perhaps behind "is"
	speaks               // a colon, or the end of the line
)

func (m *marker) ends(rest string) bool {
	switch m.end {
	case wordEnds:
		next, _ := utf8.DecodeRuneInString(rest)
		last, _ := utf8.DecodeLastRuneInString(m.text)
		return isUnspaced(last) || !unicode.IsLetter(next) && !unicode.IsDigit(next)
	case pause:
		return isPause(rest)
	case label, labelColon:
		return isLabelEnd(rest, m.end == label)
	case speaks:
		return isTurnEnd(rest)
	}
	return true
}

// isTurnEnd reports whether the name of who speaks ends here: with a colon, perhaps behind a number or what stands in brackets, or with
// its line: "User:", "[Observation 2]:", "### Human".
func isTurnEnd(rest string) bool {
	rest = strings.TrimLeft(strings.TrimLeftFunc(rest, isInline), "0123456789#")
	rest = strings.TrimLeftFunc(rest, isInline)
	if i := strings.IndexAny(rest[:min(len(rest), maxMarker)], ")\n"); i > 0 && rest[0] == '(' && rest[i] == ')' {
		rest = rest[i+1:]
	}
	rest = strings.TrimLeft(rest, " \t\r*_`])")
	return rest == "" || rest[0] == '>' || rest[0] == '\n' || strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")
}

// markersAt are those that may start a text that is not empty.
func markersAt(text string) []marker {
	if c := text[0]; c < utf8.RuneSelf {
		return asciiMarkers[c]
	}
	first, _ := utf8.DecodeRuneInString(text)
	if first < 0x3000 {
		first = unicode.ToLower(first)
	}
	return markers[first]
}

// asciiMarkers are the markers whose first letter is an ASCII letter, in either case.
var asciiMarkers = func() (by [utf8.RuneSelf][]marker) {
	for first, list := range markers {
		if first < utf8.RuneSelf {
			by[first], by[unicode.ToUpper(first)] = list, list
		}
	}
	return by
}()

// markers are all of them by their first letter, the longer ones first.
var markers = func() map[rune][]marker {
	all := map[rune][]marker{}
	add := func(list string, means remarks, end markerEnd) {
		for _, text := range strings.Split(list, "|") {
			m := marker{text, means, end}
			if base, ok := strings.CutSuffix(text, ","); ok {
				m.text, m.end = base, pause
			} else if base, ok := strings.CutSuffix(text, ":"); ok {
				m.text, m.end = base, label
				if means.withdrawn { // "Edit" alone may be a heading
					m.end = labelColon
				}
			}
			first, _ := utf8.DecodeRuneInString(text)
			all[first] = append(all[first], m)
			if curly := strings.ReplaceAll(m.text, "'", "’"); curly != m.text {
				m.text = curly
				all[first] = append(all[first], m)
			}
		}
	}
	for _, l := range languages {
		add(l.corrections, remarks{corrected: true, withdrawn: true}, wordEnds)
		add(l.finals, remarks{corrected: true}, label)
		add(l.withdrawals, remarks{withdrawn: true}, anything)
		for _, who := range []string{l.turns, l.roles, l.replies} {
			if who != "" {
				add(who, remarks{invented: true}, speaks)
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b marker) int { return len(b.text) - len(a.text) })
	}
	return all
}()

// isInline knows the blanks of a line and bold marks.
func isInline(r rune) bool { return strings.ContainsRune(" \t\r*_\u00a0\u202f\u3000", r) }

// isPause reports whether a pause follows: a comma, full stop, colon or dash, of any script.
func isPause(rest string) bool {
	bare := strings.TrimLeftFunc(rest, isInline)
	r, n := utf8.DecodeRuneInString(bare)
	if r == '-' {
		return len(bare) < len(rest) || strings.HasPrefix(bare, "--")
	}
	return n > 0 && strings.ContainsRune(",.!:;…—–，。！：；、．｡､", r)
}

// isLabelEnd reports whether a label ends here: "Final answer", then ":", "is:" or, if it may end with the line, that.
func isLabelEnd(rest string, line bool) bool {
	rest = strings.TrimLeftFunc(rest, isInline)
	if word := rest[:lettersOf(rest)]; copulas[strings.ToLower(word)] {
		rest = strings.TrimLeftFunc(rest[len(word):], isInline)
	}
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：") || line && (rest == "" || rest[0] == '\n')
}

// copulas may stand between a label and its colon.
var copulas = wordsOf(func(l *language) string { return l.is })

// wordsOf collects a list of words of all languages.
func wordsOf(list func(*language) string) map[string]bool {
	all := map[string]bool{}
	for i := range languages {
		for word := range strings.FieldsSeq(list(&languages[i])) {
			all[word] = true
		}
	}
	return all
}

// lettersOf is the length of the word at the start of text, apostrophes included.
func lettersOf(text string) int {
	for i, r := range text {
		if !unicode.IsLetter(r) && r != '\'' && r != '’' {
			return i
		}
	}
	return len(text)
}

// isUnspaced reports whether a letter is of a script that sets no blanks between words.
func isUnspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// nextSentence is where the next sentence or line starts. The full stops of Chinese and Japanese need no blank behind them.
func nextSentence(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			return i + 1
		case '.', '!', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '*') {
				return i + 1
			}
		case 0xe2, 0xe3, 0xef:
			if n := wideStop(text[i:]); n > 0 {
				return i + n
			}
		}
	}
	return len(text)
}

// wideStop is the length of a full stop that is no ASCII character at the start of text, 0 when there is none. An ellipsis needs
// a blank behind it.
func wideStop(text string) int {
	if len(text) < 3 {
		return 0
	}
	switch text[:3] {
	case "。", "！", "？", "｡", "．":
		return 3
	case "…":
		if len(text) > 3 && text[3] == ' ' {
			return 3
		}
	}
	return 0
}
