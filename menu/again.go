package menu

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

const (
	maxAgain    = 8000 // characters of one text
	maxProblems = 3500 // characters of what was wrong
	maxPrompt   = 1500 // characters of the prompt when it is repeated
	maxTail     = 1000 // characters of how to pick
	maxOthers   = 400  // characters of the names of other options
	maxSchema   = 4000 // characters of a schema; a longer one helps nobody
)

// Again is the text after a pick that did not fit: what was wrong, the prompt again, the option that was tried with the schema of its
// arguments or, when tried is nil because none was recognised, the whole menu, and how to pick. From the second time on
// a worked example stands there too, see Example.
//
// It has at most 8,000 characters: a long menu is written compact, a very long one as names alone. Of the reply itself no more than
// what the problem quotes is repeated, and the last line is always ours.
func Again(a Ask, attempt, of int, tried *registry.Option, problem error) string {
	head := notRun(a, attempt, of, tried, problem) + "\n" + problems(problem)
	if prompt := repeated(a.Prompt); prompt != "" {
		head += "\n\n" + prompt
	}
	foot := otherOptions(a.Options, tried) + worked(a.Options, attempt, tried) + howToPick(a)
	room := maxAgain - utf8.RuneCountInString(head) - utf8.RuneCountInString(foot) - 2
	body := shortened(a, tried, room)
	return head + "\n\n" + body + schemaOf(tried, room-utf8.RuneCountInString(body)) + foot
}

// notRun is the first line. It names the kind of what was wrong where there is one.
func notRun(a Ask, attempt, of int, tried *registry.Option, problem error) string {
	line := fmt.Sprintf("Not run. Pick %d of %d", attempt, of)
	if turn := turnOf(a.Title); turn != "" {
		line += " for " + turn
	}
	kind := ""
	var invalid *validate.Error
	if errors.As(problem, &invalid) {
		kind = " (" + string(invalid.Kind) + ")"
	}
	if tried == nil {
		return line + " was not taken" + kind + ":"
	}
	return line + " does not fit " + string(appendName(nil, tried.Name)) + kind + ":"
}

// schemaOf is the line with the JSON Schema of the arguments, if there are any and the line fits.
func schemaOf(tried *registry.Option, room int) string {
	if tried == nil || tried.Method == nil || len(tried.Method.Visible()) == 0 {
		return ""
	}
	line := "The args of " + string(appendName(nil, tried.Name)) + " as JSON Schema: " + string(appendLiteral(nil, tried.Method.InputSchema())) + "\n\n"
	if utf8.RuneCountInString(line) > min(room, maxSchema) {
		return ""
	}
	return line
}

// otherOptions names the options beside the one that was tried.
func otherOptions(options []registry.Option, tried *registry.Option) string {
	if tried == nil {
		return ""
	}
	rest := make([]registry.Option, 0, len(options))
	for i := range options {
		if options[i].Name != tried.Name {
			rest = append(rest, options[i])
		}
	}
	if len(rest) == 0 {
		return ""
	}
	return optionNames("Other options: ", rest, maxOthers) + ".\n\n"
}

// worked is the line with the example, "" when none is shown. The words before it make a mention of it, for who answers with
// the line as it stands.
func worked(options []registry.Option, attempt int, tried *registry.Option) string {
	p, ok := Example(options, attempt, tried)
	if !ok {
		return ""
	}
	return `An example of the form, with values that are not this task's: {"call": ` + string(appendString(nil, p.Name)) + `, "args": ` + string(p.Args) + "}\n\n"
}

// turnOf is "turn k7m2-1" of the title "handle_ticket, turn k7m2-1", else the whole title.
func turnOf(title string) string {
	if _, turn, ok := strings.Cut(title, ", turn "); ok {
		title = "turn " + turn
	}
	return Fold(title, maxTitle)
}

// problems are the lines that say what was wrong, whole ones up to the bound.
func problems(problem error) string {
	if problem == nil {
		return "- no reason was given"
	}
	var fix interface{ Fix() string }
	if !errors.As(problem, &fix) {
		return "- " + Fold(problem.Error(), maxSummary)
	}
	text := visibleText(fix.Fix())
	var invalid *validate.Error
	if !errors.As(problem, &invalid) {
		return "- " + Fold(text, maxProblems-2)
	}
	return wholeLines(text, maxProblems)
}

// wholeLines cuts text behind the last line that fits, and counts the lines left out.
func wholeLines(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	lines := strings.Split(text, "\n")
	used, n := 0, 0
	for ; n < len(lines); n++ {
		if used += utf8.RuneCountInString(lines[n]) + 1; used > max-len("\n- … and 99999 more problems") {
			break
		}
	}
	if n == 0 {
		return fold(lines[0], max)
	}
	return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n- … and %d more problems", len(lines)-n)
}

// repeated is the prompt again, for a picker that keeps no conversation; cut when it is long.
func repeated(prompt string) string {
	prompt = visibleText(prompt)
	if utf8.RuneCountInString(prompt) <= maxPrompt {
		return prompt
	}
	const rest = "\n(The rest stands in the first ask.)"
	return strings.TrimRight(head(prompt, maxPrompt-len(rest)), "\n") + rest
}

// head is the first max characters of text.
func head(text string, max int) string {
	for i := range text {
		if max == 0 {
			return text[:i]
		}
		max--
	}
	return text
}

// shortened is the fullest form of the tried option, or of the menu, that fits.
func shortened(a Ask, tried *registry.Option, room int) string {
	options := a.Options
	if tried != nil {
		options = []registry.Option{*tried}
	}
	styles := []Style{a.Style, Compact}
	if tried != nil && a.Style == Compact {
		styles[0] = Full // what the menu left out may be what was missing
	}
	for _, style := range styles {
		text := Render(style, options) + "\n"
		if style == Compact {
			text += compactForm + "\n\n"
		}
		if utf8.RuneCountInString(text) <= room {
			return text
		}
	}
	return optionNames("The options are: ", options, room-len(compactForm)-4) + ".\n\n" + compactForm + "\n\n"
}

// optionNames lists names up to max characters, the rest counted.
func optionNames(before string, options []registry.Option, max int) string {
	b := []byte(before)
	used := len(before)
	for i := range options {
		name := appendName(nil, options[i].Name)
		if used += utf8.RuneCount(name) + 2; used > max-len(" and 99999 more") {
			return strings.TrimSuffix(string(b), ", ") + fmt.Sprintf(" and %d more", len(options)-i)
		}
		b = append(append(b, name...), ", "...)
	}
	return strings.TrimSuffix(string(b), ", ")
}

// howToPick is the tail. A tail that is missing is replaced, so that no text of others ends ours.
func howToPick(a Ask) string {
	tail := visibleText(a.Tail)
	if tail == "" {
		return "Answer with one JSON object alone: a call, and its args if it has any, with every value filled in."
	}
	return head(tail, maxTail)
}
