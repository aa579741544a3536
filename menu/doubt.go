package menu

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// doubtIn is the word in the last clause of a label by which the object is not, or not surely, what the model picks;
// "" when there is none.
func doubtIn(words string) string {
	words = strings.ReplaceAll(strings.ToLower(words), "’", "'")
	words = strings.TrimRight(words, ".…")
	clause := words
	if i := strings.LastIndexAny(words, ".,;!?。！？；，"); i >= 0 {
		_, n := utf8.DecodeRuneInString(words[i:])
		clause = words[i+n:]
	}
	if abbreviation := exampleAt(words); abbreviation != "" {
		return abbreviation
	}
	if only := strings.TrimSpace(clause); only == "no" && clause != words || only == "instead" {
		return "" // "Wait, no:" turns down what came before
	}
	return doubtInClause(clause)
}

// isDoubtful reports whether doubtIn finds a word.
func isDoubtful(words string) bool { return doubtIn(words) != "" }

// exampleAt is the abbreviation of "for example" with which words end, their last full stop trimmed.
func exampleAt(words string) string {
	tail := strings.ReplaceAll(words[max(0, len(words)-8):], " ", "")
	for _, short := range [...]string{"e.g", "z.b"} {
		if before, ok := strings.CutSuffix(tail, short); ok {
			if last, _ := utf8.DecodeLastRuneInString(before); !unicode.IsLetter(last) {
				return short
			}
		}
	}
	return ""
}

// doubtInClause is doubtIn for one clause, in lower case.
func doubtInClause(clause string) string {
	last := ""
	for word := range strings.FieldsFuncSeq(clause, isNoWord) {
		switch {
		case doubts[word], strings.HasSuffix(word, "n't"), strings.HasPrefix(word, "n'"):
			return word
		case last == "" && openingDoubts[word]:
			return word
		case optionWords[last] && utf8.RuneCountInString(word) == 1, last == "like" && word != "to":
			return last
		case (last == "format" || last == "form") && (word == "is" || word == "would"):
			return last
		case isElided(word) && doubts[word[strings.IndexByte(word, '\'')+1:]]:
			return word
		}
		last = word
	}
	if last == "like" {
		return last
	}
	return doubtfulStretch(clause)
}

// isElided knows "d'exemple" and "l'exemple".
func isElided(word string) bool {
	i := strings.IndexByte(word, '\'')
	return i == 1 || i == 2 && word[0] == 'q'
}

// doubtfulStretch finds the doubts that are no single words.
func doubtfulStretch(clause string) string {
	for _, phrase := range spacedDoubts {
		if strings.Contains(clause, phrase) && hasWords(clause, phrase) {
			return phrase
		}
	}
	if isASCII(clause) {
		return ""
	}
	if strings.HasSuffix(strings.TrimSpace(clause), "例") {
		return "例"
	}
	for _, phrase := range unspacedDoubts {
		if strings.Contains(clause, phrase) {
			return phrase
		}
	}
	for _, word := range unspacedOptions {
		_, rest, ok := strings.Cut(clause, word)
		if r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(rest, isInline)); ok && strings.ContainsRune(optionMarks, r) {
			return word
		}
	}
	return ""
}

// optionMarks follow the word for an option when there are several.
const optionMarks = "abcdefghij0123456789ａｂｃｄ１２３４一二三四五甲乙丙丁①②③④⑤"

// hasWords reports whether a phrase stands in a clause as whole words. One that ends in an apostrophe goes on.
func hasWords(clause, phrase string) bool {
	for from := 0; ; {
		i := strings.Index(clause[from:], phrase)
		if i < 0 {
			return false
		}
		from += i
		before, _ := utf8.DecodeLastRuneInString(clause[:from])
		behind, _ := utf8.DecodeRuneInString(clause[from+len(phrase):])
		if isNoWord(before) && (isNoWord(behind) || strings.HasSuffix(phrase, "'")) {
			return true
		}
		from += len(phrase)
	}
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isNoWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

// isRole reports whether a label is, or starts with, the name of somebody else and a colon.
func isRole(words string) bool {
	if strings.HasPrefix(words, "@") || isTime(words) {
		return true // a line of a chat or a log
	}
	if i := strings.IndexAny(words, ":："); i >= 0 {
		words = words[:i]
	}
	return roles[strings.ToLower(strings.TrimFunc(words, isMark))]
}

// goesOn reports whether text behind an object makes it a part of its sentence: "is wrong".
func goesOn(text string) bool {
	word := strings.ReplaceAll(strings.ToLower(text[:lettersOf(text)]), "’", "'")
	if verbs[word] || strings.HasSuffix(word, "n't") {
		return true
	}
	if word == "no" { // "no es", and not "no further action"
		rest := strings.TrimLeftFunc(text[len(word):], isInline)
		return verbs[strings.ToLower(rest[:lettersOf(rest)])]
	}
	for _, verb := range unspacedVerbs {
		if strings.HasPrefix(word, verb) {
			return true
		}
	}
	return false
}

// The doubts, roles and verbs of all languages.
var (
	doubts        = wordsOf(func(l *language) string { return l.doubts })
	openingDoubts = wordsOf(func(l *language) string { return l.opening })
	optionWords   = wordsOf(func(l *language) string { return l.options })
	verbs         = wordsOf(func(l *language) string { return l.verbs })

	spacedDoubts, unspacedDoubts = stretchesOf(func(l *language) string { return l.phrases })
	_, unspacedOptions           = stretchesOf(func(l *language) string { return strings.ReplaceAll(l.options, " ", "|") })
	_, unspacedVerbs             = stretchesOf(func(l *language) string { return strings.ReplaceAll(l.verbs, " ", "|") })

	roles = func() map[string]bool {
		all := map[string]bool{}
		for _, l := range languages {
			for _, who := range strings.Split(l.turns+"|"+l.roles, "|") {
				all[who] = who != ""
			}
		}
		return all
	}()
)

// stretchesOf collects lists that are separated by "|", by whether their script sets blanks between words.
func stretchesOf(list func(*language) string) (spaced, unspaced []string) {
	for i := range languages {
		for _, text := range strings.Split(list(&languages[i]), "|") {
			first, _ := utf8.DecodeRuneInString(text)
			switch {
			case text == "":
			case isUnspaced(first):
				unspaced = append(unspaced, text)
			default:
				spaced = append(spaced, text)
			}
		}
	}
	return spaced, unspaced
}

// announces reports whether a line stands for what is below it, however far: a heading, a line in brackets or bold, or a sentence that
// says so.
func announces(line string) bool {
	line = strings.TrimSpace(line)
	if line == "" {
		return false
	}
	switch line[0] {
	case '#':
		return true
	case '(':
		return strings.HasSuffix(line, ")")
	case '[':
		return strings.HasSuffix(line, "]")
	case '*':
		marked := strings.Trim(line, "*") // its end is without marks already
		return line[1:] != "" && line[1] != ' ' && !strings.Contains(marked, "*")
	}
	return hasStretch(plainWords(line[max(0, len(line)-maxOpening):]), announcements)
}

var announcements = stretches("following|below|here is|here's")

// isConditional reports whether the last sentence of a label starts with a condition: "If the customer agrees, send".
func isConditional(words string) bool {
	if i := strings.LastIndexAny(words, ".!?;"); i >= 0 {
		words = words[i+1:]
	}
	plain := plainWords(words)
	return startsStretch(plain, conditions) && !startsStretch(plain, repetitions)
}

var (
	conditions  = stretches("if|unless|once|when|whenever|assuming|in case|as soon as|provided|until|should the|should they|depending")
	repetitions = stretches("once more|once again")
)

// refusals are signs that turn down what they stand beside.
const refusals = "❌❎✗✘🚫⛔"

// isTime reports whether words start with a time of day, perhaps in brackets.
func isTime(words string) bool {
	words = strings.TrimLeft(words, "[( ")
	hour, rest, ok := strings.Cut(words[:min(len(words), 6)], ":")
	return ok && len(hour) < 3 && isDigits(hour) && len(rest) >= 2 && isDigits(rest[:2])
}

// frames reports whether a line opens a part that is somebody else's: "--- ticket 88 ---", "-----BEGIN TICKET-----", or the head of a
// mail.
func frames(line string) bool {
	line = strings.TrimSpace(line)
	if field, _, ok := strings.Cut(line, ":"); ok && mailFields[strings.ToLower(field)] {
		return true
	}
	if len(line) < 6 || strings.IndexByte("-=+*~<", line[0]) < 0 || line[:3] != strings.Repeat(line[:1], 3) {
		return false
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(line), isNoWord) {
		if !carriers[word] {
			return true
		}
	}
	return false
}

var mailFields = set("from to subject date cc von an betreff datum de objet asunto assunto")

// asksAbout reports whether a question above a pick is about it, and no question that the pick answers.
func asksAbout(question string) bool {
	words := plainWords(question)
	if !isASCII(question) || hasStretch(words, pronouns) {
		return true
	}
	return denies(question)
}

var pronouns = stretches("this|that|it|das|dies|esto|ça|cela|isto|isso")

// startsCondition reports whether a text goes on with the sentence of an object as a condition, so that it is not meant as it stands.
func startsCondition(text string) bool {
	text = strings.TrimLeft(text, "( ,\t")
	return text != "" && text[0] >= 'a' && text[0] <= 'z' && startsStretch(plainWords(text), behindConditions)
}

var behindConditions = stretches("if|unless|once|when|until|after|before|provided|assuming|pending|only")

// startsCallKeyOrArguments reports whether a call key or one for arguments follows: the brace before it stood too early.
func startsCallKeyOrArguments(text string) bool {
	text = trimUnseenLeft(text[:min(len(text), maxIndent)])
	q, ok := quoteAt(text)
	if !ok {
		return false
	}
	key := text[q.size:]
	end := strings.IndexAny(key, q.closers)
	if end < 0 {
		return false
	}
	return slices.Contains(argumentKeys, key[:end]) || slices.Contains(callKeys, key[:end])
}
