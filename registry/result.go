package registry

import (
	"cmp"
	"errors"
	"time"
)

const maxErrorText = 2000 // characters of a failure that a client gets

// result is what the run comes to in that state.
func (c *run) result(end ending, state State) Result {
	m := c.request.Method
	r := Result{Method: m, Bound: c.bound, State: state, Start: c.start, Took: time.Since(c.start)}
	switch state {
	case Done:
		r.Value, r.Content, r.Structured, r.Cut = end.value, end.shown.content, end.shown.structured, end.shown.cut
	case Running:
		r.Content = []Block{Text(m.Name + " is still running; it goes on to its end without being waited for.")}
	default:
		r.Err = c.why(end)
		r.Content = []Block{Text(c.failed(state, cmp.Or(end.text, r.Err.Error())))}
	}
	return r
}

// why is the error of a run that did not end well: what Run said, or that its time was over.
func (c *run) why(end ending) error {
	var doubt *uncertain
	if end.over != nil && (isContextError(end.err) || errors.As(end.err, &doubt)) {
		return c.late(end.err)
	}
	return end.err
}

// failed is the text that a client gets of a failure.
func (c *run) failed(state State, text string) string {
	text = OneLine(text, maxErrorText)
	name := c.request.Method.Name
	switch state {
	case NotRun:
		return name + " was not run: " + text
	case Unknown:
		return "It is not known whether " + name + " took effect: " + text
	}
	return name + " failed: " + text
}

// failure is an error whose text may be shown: it holds no hidden and no secret value. What it wraps may be asked
// for, not printed.
type failure struct {
	text  string
	cause error
}

func (e *failure) Error() string { return e.text }
func (e *failure) Unwrap() error { return e.cause }

// publicText is what an error says of itself to strangers; "" when it makes no difference.
func publicText(err error) string {
	var public interface{ Public() string }
	if errors.As(err, &public) {
		return public.Public()
	}
	return ""
}
