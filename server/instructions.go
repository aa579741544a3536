package server

import (
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/decide"
)

// maxInstructions is what clients keep of the instructions, in bytes.
const maxInstructions = 2000

// instructions are the author's, then how turns work, then the notice. Ours describe; they order nobody about. The
// author's are cut when all of it would be too long.
func instructions(author, notice string, c *catalog) string {
	notice = plain(notice, 600)
	tail := joined("\n\n", howTurnsWork(c), notice)
	author = plain(author, maxInstructions-len(tail)-len("\n\n"))
	return joined("\n\n", author, tail)
}

func howTurnsWork(c *catalog) string {
	if len(c.decisions) == 0 {
		return ""
	}
	marks := make([]string, len(c.picks))
	for i, class := range c.picks {
		marks[i] = fmt.Sprintf("%s for [%s]", decide.PickTool(class), class)
	}
	return "How turns work: a call of " + list(c.decisionNames(), 12) + " opens a turn. What comes back is a text menu of options; nothing has run yet. " +
		"An option is picked by its mark with " + list(marks, len(marks)) + ", which take the turn's id and the call and args of one Call line. " +
		"A turn is answered once; an answer that does not fit runs nothing and says what to mend. " +
		`Lines that start with "> " are quoted data. Tools named after a method run it directly.`
}

// list writes words as a, b or c, at most max of them.
func list(words []string, max int) string {
	if len(words) > max {
		words = append(words[:max:max], "others")
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func joined(by string, parts ...string) string {
	kept := make([]string, 0, len(parts))
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, by)
}
