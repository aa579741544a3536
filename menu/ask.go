package menu

import (
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Ask is one question to a picker.
type Ask struct {
	Title   string // "handle_ticket, turn k7m2-1"; "" = none
	Prompt  string // the decision's prompt; put values in with Quote
	Options []registry.Option
	Style   Style
	Tail    string // how to pick, and until when
}

// String is the text of the ask: title, prompt, an empty line, the menu, an empty line, the tail.
func (a Ask) String() string {
	menu := Render(a.Style, a.Options)
	var b strings.Builder
	b.Grow(len(menu) + len(a.Title) + len(a.Prompt) + len(a.Tail) + 2*len(compactForm))
	if a.Title != "" {
		b.WriteString(Fold(a.Title, maxTitle) + "\n")
	}
	if prompt := visibleText(a.Prompt); prompt != "" {
		b.WriteString(prompt + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	b.WriteString(menu)
	if a.Style == Compact {
		b.WriteString("\n" + compactForm + "\n")
	}
	if tail := visibleText(a.Tail); tail != "" {
		b.WriteString("\n" + tail + "\n")
	}
	return b.String()
}

const (
	maxTitle = 200 // characters

	// compactForm stands below a menu without Call lines.
	compactForm = `A pick has the form {"call": "<option>", "args": {"<parameter>": <value>}}, without args when there are none.`
)

// visibleText is text of several lines in which everything shows. Line ends are made one
// kind, empty lines at both ends go.
func visibleText(text string) string {
	b := make([]byte, 0, len(text))
	last := rune(0)
	for _, r := range text {
		switch {
		case r == '\n' && last == '\r':
		case isBreak(r):
			b = append(b, '\n')
		case r == '\t':
			b = append(b, '\t')
		default:
			b = appendVisible(b, last, r)
		}
		last = r
	}
	return strings.Trim(string(b), "\n")
}
