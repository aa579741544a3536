package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Request is one call at the door.
type Request struct {
	Method  *Method         // from the snapshot that the request took at its start
	Args    json.RawMessage // as read; nil, empty or null = none
	Caller  Caller
	Ceiling Effect                             // the most the call may do; "" = no ceiling. It holds for nested calls too
	Admit   func() error                       // counts a call whose arguments are right; an error means that it is not to run. nil = any number
	Approve func(context.Context, Bound) error // nil: a call that needs approval is refused
	Intent  func(context.Context, Bound) error // before a guarded run (see Call); an error means not run
	Done    func(Result)                       // when the run has ended, once, even if the caller has gone
	Late    func(Result)                       // when a run ends after Done was told that its state is Unknown
	Life    *Life                              // what a run hangs on that its caller has left; nil = nothing but its own time
	Log     *slog.Logger                       // nil = silent

	// Begin is called right before a run starts, with what it runs with, and gives the context that it runs in; nil = that of the caller. It
	// may keep the arguments, and does not change them.
	Begin func(context.Context, *Bound) context.Context
}

// State is how a call ended.
type State string

// The states of a call.
const (
	Done    State = "done"
	Failed  State = "failed"  // ran, ended, failed
	NotRun  State = "not_run" // shown not to have started
	Unknown State = "unknown" // may have run
	Running State = "running" // the caller left or waited long enough; the run goes on
)

// Result is what a run came to. Both paths give the same one for the same call.
type Result struct {
	Method     *Method
	Bound      Bound
	State      State
	Value      any             // what Run returned
	Content    []Block         // what a client gets, capped; for a failure its text
	Structured json.RawMessage // the value as JSON when the method declares Returns and is done
	Err        error           // why it failed
	Cut        int             // characters left out by the cap
	Pending    bool            // of Unknown: the run goes on, and Late will hear of its end
	Recorded   bool            // it is the result of an earlier equal call; nothing ran now
	Start      time.Time
	Took       time.Duration
}

// Call is the door: every way to run a method goes through it. An error means that nothing
// ran: *validate.Error, *Refused, a cancelled context, or what Admit, Approve or Intent said. A run
// that failed is in Result.Err.
//
// A run that may change something, or to which a person had to agree, is guarded: after Intent it
// no longer hangs on ctx. When ctx ends, Call returns the state Running, the run goes on within the
// method's own timeout and the request's Life, and Done is told of its end. Any other run is cancelled with ctx.
func Call(ctx context.Context, r Request) (Result, error) {
	m := r.Method
	if !m.ready() {
		return Result{}, errors.New("registry: the method of the call was not prepared")
	}
	if m.Off != "" {
		return Result{}, refused("gated", m, "%s can't run now: %s", m.Name, m.Off)
	}
	ceiling, err := r.ceiling(ctx)
	if err != nil {
		return Result{}, err
	}
	bound, err := m.check(r.Args, r.log())
	if err != nil {
		return Result{}, err
	}
	if r.Admit != nil {
		if err := r.Admit(); err != nil {
			return Result{}, err
		}
	}
	if bound.hidden, err = r.fill(ctx); err != nil {
		return Result{}, err
	}
	if m.asks(bound.Args, bound.hidden) {
		if err := r.approve(ctx, bound); err != nil {
			return Result{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("%s was not run: %w", m.Name, err)
	}
	if err := r.Life.enter(); err != nil {
		return Result{}, refused("gated", m, "%s was not run: %v", m.Name, err)
	}
	if m.guarded() && r.Intent != nil {
		if err := r.Intent(ctx, bound); err != nil {
			r.Life.leave()
			return Result{}, err
		}
	}
	return r.run(ctx, bound, ceiling), nil
}

// ceilingKey is the key of the context value that holds the ceiling of the call in which the code runs.
type ceilingKey struct{}

// ceiling is what the run and all calls in it may do: at most what the request and the calls around it
// allow, and no more than the method says of itself.
func (r *Request) ceiling(ctx context.Context) (Effect, error) {
	allowed := r.Ceiling.Or()
	if outer, ok := ctx.Value(ceilingKey{}).(Effect); ok {
		allowed = allowed.milder(outer)
	}
	if !allowed.known() {
		return "", refused("ceiling", r.Method, "%q is no effect, so nothing may run under it", allowed)
	}
	if effect := r.Method.Effect; !allowed.Covers(effect) {
		return "", refused("ceiling", r.Method, "%s is %s, and this call may do no more than %s; it needs a call that may do %s",
			r.Method.Name, effect, allowed, effect)
	}
	return r.Method.Effect, nil
}

// fill gives the hidden values.
func (r *Request) fill(ctx context.Context) (Args, error) {
	hidden, err := r.fillHidden(ctx)
	if err == nil {
		return hidden, nil
	}
	if gone := ctx.Err(); gone != nil {
		return nil, fmt.Errorf("%s was not run: %w", r.Method.Name, gone)
	}
	if errors.Is(err, errFull) || errors.Is(err, errStopping) {
		return nil, refused("gated", r.Method, "%s was not run: %v", r.Method.Name, err)
	}
	// The cause may quote the value, so it goes nowhere.
	r.log().Warn("hidden parameter not filled in", "method", r.Method.Name, "reason", err.Error())
	return nil, refused("gated", r.Method, "%v", err)
}

// approve asks whoever may say yes.
func (r *Request) approve(ctx context.Context, bound Bound) error {
	if r.Approve != nil {
		return r.Approve(ctx, bound)
	}
	message := r.Method.Name + " needs a person's approval, which can't be given here"
	if reason := r.Method.Approval.Reason; reason != "" {
		message += ": " + reason
	}
	return refused("approval_required", r.Method, "%s", message)
}

func (r *Request) log() *slog.Logger {
	if r.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return r.Log
}

func refused(kind string, m *Method, format string, args ...any) error {
	return &Refused{Kind: kind, Method: m.Name, Message: fmt.Sprintf(format, args...)}
}
