package decide

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Every error has one word, also wrapped.
func TestKind(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"":          nil,
		"bad_args":  validate.NewError("x", validate.Problem{Kind: validate.BadArgs}),
		"ceiling":   &registry.Refused{Kind: "ceiling"},
		"no_action": &DecisionError{Kind: validate.NoAction},
		"full":      &FullError{},
		"no_turn":   ErrNoTurn,
		"not_taken": ErrNotTaken,
		"expired":   ErrExpired,
		"changed":   ErrChanged,
		"cancelled": context.Canceled,
		refusedKind: errDisk,
	} {
		if got := Kind(err); got != want {
			t.Errorf("%v is %q, want %q", err, got, want)
		}
		if err == nil {
			continue
		}
		if got := Kind(fmt.Errorf("opening: %w", err)); got != want {
			t.Errorf("%v, wrapped, is %q, want %q", err, got, want)
		}
	}
	if got := Kind(errors.Join(ErrPaused)); got != "no_turn" {
		t.Errorf("paused is %q", got)
	}
}
