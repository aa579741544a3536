package registry

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrTimeout is why a run failed, or why it is not known how it ended, when its time was over.
var ErrTimeout = errors.New("timeout")

// Refused is a call that was not run for a reason other than its arguments.
type Refused struct {
	Kind       string // not_found, denied, gated, approval_required, ceiling
	Method     string
	Message    string        // what to do about it, for the model
	RetryAfter time.Duration // when the same call may be sent again; 0 = not known
}

func (e *Refused) Error() string { return e.Method + ": " + e.Message }

// Fix is the message, for the model.
func (e *Refused) Fix() string { return e.Message }

// MethodError is all that is wrong with one method.
type MethodError struct {
	Name  string
	Flaws []Flaw // at least one
}

// Flaw is one thing that is wrong with a method.
type Flaw struct {
	Path    string // params.limit.enum[1]; "" = the method as a whole
	Message string // what is wrong, and what to do about it
}

func (e *MethodError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "method %q: ", e.Name)
	for i, f := range e.Flaws {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.String())
	}
	return b.String()
}

func (f Flaw) String() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// NotStarted marks the error of a Run that is sure to have started nothing: the program is missing, the connection
// was refused. The call then counts as not run.
func NotStarted(err error) error { return &notStarted{err} }

// Uncertain marks the error of a Run that can't tell whether it did what it was asked for: the program was killed, the
// connection was lost after the request was sent. For a method that only reads it is an error like others.
func Uncertain(err error) error { return &uncertain{err} }

type notStarted struct{ error }

func (e *notStarted) Unwrap() error { return e.error }

type uncertain struct{ error }

func (e *uncertain) Unwrap() error { return e.error }
