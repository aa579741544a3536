package menu

import "strings"

// denies reports whether a sentence behind a pick takes it back, asks for leave first, or says that it was never meant. It has to
// be about the pick: explanations are full of "not", and what is left for later says nothing. Its first words are enough.
func denies(sentence string) bool {
	words := plainWords(sentence)
	n := strings.Count(words, " ") - 1
	switch {
	case n == 0:
		return false
	case n <= maxShortRemark && isShortDenial(words):
		return true
	case startsStretch(words, contrasts) && hasStretch(words, faults):
		return true
	case isQuestion(sentence) && (hasStretch(words, leaves) || hasStretch(words, offers) && hasStretch(words, deeds)):
		return true
	}
	for clause := range strings.FieldsFuncSeq(sentence, isClauseEnd) {
		if clauseDenies(plainWords(clause)) {
			return true
		}
	}
	return false
}

const maxShortRemark = 4 // words: "not this one", "(for example)"

func isClauseEnd(r rune) bool { return strings.ContainsRune(",.;:!?()[]—–", r) }

func isQuestion(sentence string) bool {
	sentence = strings.TrimRight(sentence, " \t\r\n*_)\"'")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？")
}

// isShortDenial knows "Wrong.", "(example)", "well, no", "not this one" and not "no problem" or "not urgent".
func isShortDenial(words string) bool {
	negated, small := strings.HasSuffix(words, " no "), true
	if negated || strings.HasPrefix(words, " if ") {
		return true
	}
	for word := range strings.FieldsSeq(words) {
		if shortDenials[word] {
			return true
		}
		negated = negated || word == "not"
		small = small && smallWords[word]
	}
	return negated && small
}

// clauseDenies knows what a clause may say about a pick: "this is only an example", "I will not run it", "do not run the above".
func clauseDenies(clause string) bool {
	switch {
	case clause == " no ", startsStretch(clause, commands), startsStretch(clause, afterthoughts):
		return true
	case startsStretch(clause, pointers):
		return hasStretch(clause, turnedDown)
	case !hasStretch(clause, negations):
		return hasStretch(clause, referents) && hasStretch(clause, turnedDown)
	}
	return hasStretch(clause, referents) || hasStretch(clause, selves) && hasStretch(clause, acts)
}

// plainWords are the words of a text in lower case, with one blank before and behind each, and "not" in full.
func plainWords(text string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for word := range strings.FieldsFuncSeq(strings.ReplaceAll(strings.ToLower(text), "’", "'"), isNoWord) {
		if base, ok := strings.CutSuffix(word, "n't"); ok && base != "" {
			b.WriteString(base)
			word = " not"
		}
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return b.String()
}

func hasStretch(words string, of []string) bool {
	for _, s := range of {
		if strings.Contains(words, s) {
			return true
		}
	}
	return false
}

// startsStretch reports whether words start with one of those, perhaps behind words that join sentences.
func startsStretch(words string, of []string) bool {
	for {
		for _, s := range of {
			if strings.HasPrefix(words, s) {
				return true
			}
		}
		first, rest, _ := strings.Cut(words[1:], " ")
		if !joints[first] {
			return false
		}
		words = " " + rest
	}
}

// stretches are whole words, separated by "|", with each of the endings.
func stretches(list string, endings ...string) []string {
	var all []string
	for _, text := range strings.Split(list, "|") {
		if len(endings) == 0 {
			all = append(all, " "+text+" ")
		}
		for _, ending := range endings {
			all = append(all, " "+text+" "+ending+" ")
		}
	}
	return all
}

var (
	shortDenials = set("wrong incorrect false never nope nah draft example instance theory hypothetical hypothetically illustration perhaps maybe guess unless cancelled " +
		"canceled withdrawn rejected retracted void redacted kidding jk psych stop abort cancel retract ignore disregard undo redo oops ooops whoops error mistake mistaken")
	smallWords = set("not this that it one the above i do sent send run to be correct right really yet or if as only just say answer pick call let's let me wo ca did does is was")
	joints     = set("but however and so yet note please kindly unfortunately well ok okay warning though still also or actually just sorry caveat ps nb")

	// What is said of a pick that was not meant.
	turnedDown = stretches("wrong|incorrect|mistake|mistaken|error|example|illustration|draft|hypothetical|invalid|placeholder|not right|not correct|not what|not my|not the|not meant|" +
		"not valid|not sent|not to be|not be|not final|not it|not ok|not run|never|what not")
	negations = stretches("not|never|cannot|unable|refuse|decline|ignore|disregard")
	referents = stretches("the above|above is|above was|answer above|call above|json above|pick above|my answer|my pick|my call|my choice|that call|that answer|that pick|this call|this answer|this pick")
	pointers  = stretches("this|that|which|these", "is", "was", "would", "will", "should", "are", "were", "wo", "does", "did", "has")
	selves    = stretches("i|i'm|i'd|i'll|let's|let us|let me|you can|you should|you may|we")
	acts      = stretches("do|run|send|execute|call|use|take|choose|pick|want|make|ignore|disregard|submit|submitting|sending|running|doing", "this", "that", "it", "so", "the above")

	// Orders not to act, conditions, second thoughts.
	commands      = stretches("do not|never|not", "run", "execute", "send", "call", "use", "do", "take", "apply")
	afterthoughts = stretches("only if|only when|only once|only after|unless|provided that|assuming|subject to|pending|if approved|if confirmed|delete that|delete this|" +
		"remove that|remove this|strike the|scratch the|undo the|cancel the above|ignore|let's not|let me not|please confirm|confirm before|let me know if i should|let me know whether|wait for approval|" +
		"wait for confirmation|before that|let me try again|let me start over|let me redo|let me fix that|i have to correct|i must correct|i need to correct|changed my mind|i changed my answer|" +
		"in hindsight|upon reflection|after reflection|come to think of it|thinking about it|second thoughts|just kidding|on the other hand|or maybe not|maybe not|oh no|that's wrong|" +
		"that's incorrect|that's a mistake|that's an example|that's just|that's only|that's not|it's wrong|it is wrong|it's incorrect|it is incorrect|it was wrong|it is a mistake|it's a mistake|" +
		"it is an example|it's an example|it's just an|it's only an|it is just an|it is only an|that's the example|that's what they want|that's what the customer")

	contrasts = stretches("but|however")
	faults    = stretches("wrong|incorrect|mistake|mistaken|invalid")

	// Questions for leave.
	leaves = stretches("is that|is this|is it", "right", "correct", "ok", "okay", "fine", "wrong")
	offers = stretches("do you want|would you like|may i|can i|could i|should i|shall i|want me to|are you sure|do i|should we|shall we")
	deeds  = stretches("proceed|go ahead|run|execute|continue|confirm|do this|do that|do it|do so|send this|send it|sure|or should|ask first|rather|instead")
)

// keeps reports whether a correction replaces nothing after all: it adds, or sends the reader back to what came before.
func keeps(sentence string) bool {
	return hasStretch(plainWords(sentence), additions) || affirms(sentence)
}

// affirms reports whether a sentence says that what came before holds.
func affirms(sentence string) bool {
	words := plainWords(sentence)
	return hasStretch(words, affirmations) && !hasStretch(words, turnedDown) && !hasStretch(words, negations)
}

var (
	additions    = stretches("also|both|additionally|in addition|as well|and then|after that|afterwards|two things|two calls|second step|added")
	affirmations = append(stretches("that|this|it|first|above|former|original|previous|one", "is right", "is correct", "is fine", "is ok", "is good", "was right", "was correct", "was fine", "stands", "holds", "looks right",
		"looks good", "is it", "is better"), stretches("see above|as above|the first one|the former|that's right|that's correct|that's fine|it's right|it's correct|it's fine|as before")...)
)
