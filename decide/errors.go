package decide

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// DecisionError says that no valid pick came: the answers were spent and nothing was taken instead.
type DecisionError struct {
	Kind     validate.Kind // of the last refusal
	Problems []validate.Problem
	Attempts int
	Replies  []string // as given, oldest first, each cut to 16 KiB; "" for those that may have held a secret argument
}

func (e *DecisionError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no valid pick in %d %s; the last was %s", e.Attempts, plural(e.Attempts, "answer", "answers"), e.Kind)
	for _, p := range e.Problems {
		b.WriteString("; ")
		b.WriteString(p.String())
	}
	return b.String()
}

// Why an answer came to nothing, beside *validate.Error, *registry.Refused and *DecisionError.
var (
	// ErrNoTurn says that the handle names no turn that the caller can answer: there is none, it is another
	// principal's, another channel's or another configuration's. Which of these is not told.
	ErrNoTurn = errors.New("no such turn")

	// ErrPaused says that the principal has named too many unknown turns of late.
	ErrPaused = errors.New("too many unknown turns were named; wait a minute")

	// ErrNotTaken says that the round was answered before, by another pick or reply. The answer never runs.
	ErrNotTaken = errors.New("not taken: the round was answered before")

	// ErrExpired says that the turn's time was over, or that what it offered changed too often.
	ErrExpired = errors.New("the turn has expired")
)

// ErrChanged says that an option or the decision changed between the ask and the answer.
var ErrChanged = errors.New("what can be picked has changed since it was asked")

// StoreError says that the store could not be read or written, so that nothing was run, or that nothing more is known to have run.
type StoreError struct {
	Doing string // what was being done, like "opening a turn on settle"
	Err   error  // of the store; it may say where that is, and is not for strangers
}

func (e *StoreError) Error() string { return e.Doing + ": " + e.Err.Error() }

func (e *StoreError) Unwrap() error { return e.Err }

// Fix is what a client is told. Of the store's own words it has those that the store has for strangers.
func (e *StoreError) Fix() string {
	why := "the server's log says why"
	var public interface{ Public() string }
	if errors.As(e.Err, &public) {
		why = public.Public()
	}
	return fmt.Sprintf("The store can't be used now, for %s: %s. Try it again later.", e.Doing, folded(why))
}

// unwrapped is the error of the store within a *StoreError about something else.
func unwrapped(err error) error {
	var outer *StoreError
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}

// refusedKind is the kind of an error that has no word of its own.
const refusedKind = "refused"

// Kind names an error of this package in one word, the same in a result and in a trace: the kind of a *validate.Error, a
// *registry.Refused or the last refusal of a *DecisionError; gated for a *StoreError; full, no_turn, not_taken, expired, changed, cancelled; "refused"
// for anything else, "" for nil.
func Kind(err error) string {
	var invalid *validate.Error
	var no *registry.Refused
	var spent *DecisionError
	var full *FullError
	var unstored *StoreError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &invalid):
		return string(invalid.Kind)
	case errors.As(err, &no):
		return no.Kind
	case errors.As(err, &spent):
		return string(spent.Kind)
	case errors.As(err, &full):
		return "full"
	case errors.As(err, &unstored):
		return "gated"
	case errors.Is(err, ErrNoTurn), errors.Is(err, ErrPaused):
		return "no_turn"
	case errors.Is(err, ErrNotTaken):
		return "not_taken"
	case errors.Is(err, ErrExpired):
		return "expired"
	case errors.Is(err, ErrChanged):
		return "changed"
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "cancelled"
	}
	return refusedKind
}

// recordable is an error in the form that a row keeps.
func recordable(err error) *problem {
	var invalid *validate.Error
	if errors.As(err, &invalid) {
		return &problem{Kind: invalid.Kind, Subject: invalid.Subject, Problems: invalid.Problems}
	}
	var no *registry.Refused
	if errors.As(err, &no) {
		return &problem{Kind: validate.BadArgs, Subject: no.Method, Refused: no.Kind, Message: no.Message}
	}
	return &problem{Kind: validate.BadArgs, Message: err.Error()}
}

// err is the recorded error again.
func (p *problem) err() error {
	switch {
	case p == nil:
		return nil
	case p.Refused != "":
		return &registry.Refused{Kind: p.Refused, Method: p.Subject, Message: p.Message}
	case p.Problems != nil:
		return &validate.Error{Kind: p.Kind, Subject: p.Subject, Problems: p.Problems}
	}
	return errors.New(p.Message)
}

// failure is the *DecisionError of a turn whose answers are spent.
func (t *turn) failure() *DecisionError {
	e := &DecisionError{}
	for _, a := range t.refusals() {
		e.Attempts++
		e.Replies = append(e.Replies, a.Reply)
		if a.Problem != nil {
			e.Kind, e.Problems = a.Problem.Kind, a.Problem.Problems
		}
	}
	return e
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
