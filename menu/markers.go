package menu

import (
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
}

var (
	corrections = []string{"wait,", "wait.", "wait!", "wait:", "wait -", "wait –", "wait —", "wait…", "actually,", "actually no",
		"actually -", "actually:", "correction:", "correction,", "correction.", "scratch that", "on second thought",
		"let me correct", "i made a mistake", "my mistake", "oops", "no wait", "no, wait", "hold on", "hmm, wait"}
	withdrawals = []string{"i take that back", "take that back", "never mind", "nevermind", "ignore that", "ignore the",
		"please ignore", "disregard", "please disregard", "cancel that", "that is wrong", "that's wrong", "this is wrong", "that was wrong", "don't run",
		"do not run", "don't execute", "do not execute", "no,", "no.", "no -", "on reflection", "strike that", "forget that",
		"that won't", "i retract", "sorry,"}
	finals = []string{"final answer", "my final answer", "the final answer", "final pick", "my final pick", "final choice",
		"my final choice", "final decision", "my final decision", "final"}
	turns = []string{"observation:", "user:", "human:", "customer:", "system:", "tool result:", "tool output:",
		"tool response:", "function result:", "result:"}
)

// phrase is one of the phrases above and what it means.
type phrase struct {
	text  string
	means remarks
	label bool // only as a label: with a colon or a line end behind it
}

// phrases are all of them by their first letter.
var phrases = func() map[byte][]phrase {
	all := map[byte][]phrase{}
	add := func(texts []string, means remarks, label bool) {
		for _, text := range texts {
			all[text[0]] = append(all[text[0]], phrase{text, means, label})
			if curly := strings.ReplaceAll(text, "'", "’"); curly != text {
				all[text[0]] = append(all[text[0]], phrase{curly, means, label})
			}
		}
	}
	add(corrections, remarks{corrected: true, withdrawn: true}, false)
	add(withdrawals, remarks{withdrawn: true}, false)
	add(finals, remarks{corrected: true}, true)
	add(turns, remarks{invented: true}, false)
	return all
}()

// remarksIn reads the prose stretches of a text.
func remarksIn(text string, spoken []span) remarks {
	var r remarks
	for _, part := range spoken {
		rest := part.of(text)
		for rest != "" {
			r.sentence(rest)
			rest = rest[nextSentence(rest):]
		}
	}
	return r
}

// sentence looks at the first words.
func (r *remarks) sentence(text string) {
	text = strings.TrimLeft(text[:min(len(text), 160)], " \t\r\n")
	text = strings.TrimLeftFunc(text, func(c rune) bool { return isMark(c) || isQuote(c) || c == '(' })
	if text == "" {
		return
	}
	for _, p := range phrases[text[0]|0x20] {
		if hasPrefixFold(text, p.text) && (!p.label || isLabelEnd(text[len(p.text):])) {
			r.corrected = r.corrected || p.means.corrected
			r.withdrawn = r.withdrawn || p.means.withdrawn
			r.invented = r.invented || p.means.invented
			return
		}
	}
}

// isLabelEnd reports whether a label ends here: "Final answer", then ":", "is:" or a line end.
func isLabelEnd(rest string) bool {
	rest = strings.TrimPrefix(strings.TrimLeft(rest, "*_ \t"), "is")
	rest = strings.TrimLeft(rest, "*_ \t\r")
	return rest == "" || rest[0] == ':' || rest[0] == '\n'
}

// nextSentence is where the next sentence or line starts.
func nextSentence(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\n':
			return i + 1
		case '.', '!', '?':
			if i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '*') {
				return i + 1
			}
		}
	}
	return len(text)
}

// isSilent reports whether the stretches hold no word.
func isSilent(text string, spoken []span) bool {
	for _, part := range spoken {
		for rest := part.of(text); rest != ""; {
			r, n := utf8.DecodeRuneInString(rest)
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return false
			}
			rest = rest[n:]
		}
	}
	return true
}
