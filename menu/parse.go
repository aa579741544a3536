package menu

import (
	"encoding/json"

	"github.com/mcp-decide/mcp-decide/registry"
)

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

const maxPlaceholder = 64
