package registry

import (
	"context"
	"encoding/json"
	"time"
)

// Request is one call at the door.
type Request struct {
	Method  *Method         // from the snapshot that the request took at its start
	Args    json.RawMessage // as read; nil, empty or null = none
	Caller  Caller
	Ceiling Effect                             // the most the call may do; "" = no ceiling. It holds for nested calls too
	Approve func(context.Context, Bound) error // nil: a call that needs approval is refused
	Intent  func(context.Context, Bound) error // before a write or destructive run; an error means not run
	Done    func(Result)                       // when the run has ended, once, even if the caller has gone
}

// Bound are arguments that passed every check.
type Bound struct {
	Args    Args     // with defaults, without hidden values
	Dropped []string // paths of unknown keys that were left out
	hidden  Args     // reaches Run only
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
	Start      time.Time
	Took       time.Duration
}

// Call is the door: every way to run a method goes through it. An error means that nothing
// ran: *validate.Error, *Refused or a cancelled context. A run that failed is in Result.Err.
func Call(ctx context.Context, r Request) (Result, error) { panic("not written yet") }

// Check does what Call does first, and nothing else: reads the arguments, drops unknown keys, checks
// all of it, fills in defaults. Hidden values are not filled.
func (m *Method) Check(args json.RawMessage) (Bound, error) { panic("not written yet") }

// Refused is a call that was not run for a reason other than its arguments.
type Refused struct {
	Kind    string // not_found, denied, gated, approval_required, ceiling
	Method  string
	Message string // what to do about it, for the model
}

func (e *Refused) Error() string { return e.Method + ": " + e.Message }
