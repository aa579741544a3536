package decide

import (
	"github.com/mcp-decide/mcp-decide/validate"
)

// DecisionError says that no valid pick came: the answers were spent and nothing was taken instead.
type DecisionError struct {
	Kind     validate.Kind // of the last refusal
	Problems []validate.Problem
	Attempts int
	Replies  []string // as given, oldest first, each cut to 16 KiB
}

func (e *DecisionError) Error() string { panic("not written yet") }
