package decide

import (
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
	Replies  []string // as given, oldest first, each cut to 16 KiB
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
