// Package menu is the text protocol: it renders options as a menu that any model can
// read, reads the pick out of a reply, and words the second ask.
//
// It runs nothing and keeps nothing. The rules of reading are cautious by design: a wrong
// pick is far worse than no pick, so doubt is an error.
package menu

import (
	"encoding/json"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Style is how a menu is written.
type Style string

// The styles. The zero value counts as Full.
const (
	Full    Style = "full"
	Compact Style = "compact" // one signature line and the summary per option
	Classic Style = "classic" // the original's text, byte for byte
)

// Render writes the menu of the options, in order.
func Render(style Style, options []registry.Option) string { panic("not written yet") }

// Reading says how a reply is read.
type Reading struct {
	Lenient bool // folds a few harmless differences; see docs
	Cut     bool // the caller knows that the reply was cut by a token limit
}

// Pick is what a reply chose. Its arguments are as read: not checked, no defaults filled in.
type Pick struct {
	Name     string
	Args     json.RawMessage // a JSON object
	Repaired bool            // a liberty was taken
	Strategy string          // how it was found: object, fence, prose
}

// Parse reads the one pick out of a reply. The error is a *validate.Error of kind no_action,
// unknown_call, ambiguous, bad_args or (for an argument given as a placeholder) missing_required.
func Parse(reply string, offered []registry.Option, r Reading) (Pick, error) {
	panic("not written yet")
}

// Ask is one question to a picker.
type Ask struct {
	Title   string // "handle_ticket, turn k7m2-1"; "" = none
	Prompt  string // the decision's prompt; put values in with Quote
	Options []registry.Option
	Style   Style
	Tail    string // how to pick, and until when
}

// String is the text of the ask.
func (a Ask) String() string { panic("not written yet") }

// Again is the text after a pick that did not fit: what was wrong, the option that was tried (or the menu),
// and how to pick. tried is nil when no option was recognised.
func Again(a Ask, attempt, of int, tried *registry.Option, problem error) string {
	panic("not written yet")
}

// Quote makes foreign text safe to stand in a prompt: every line starts with "> ", control and format characters are shown as escapes.
func Quote(text string) string { panic("not written yet") }

// Fold makes foreign text one harmless line of at most max characters.
func Fold(text string, max int) string { panic("not written yet") }
