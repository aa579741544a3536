package decide

import (
	"encoding/json"
	"errors"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Outcome is what an opening or an answer came to.
type Outcome struct {
	Handle    string // of the current ask; of the answered round when there is none
	Decision  string
	State     State
	Text      string            // what the picker reads first: the ask, the problem, what ran
	Options   []registry.Option // what is offered now; nil when the turn is closed
	Option    string            // what was picked or, for OnFailure, taken
	Method    string
	Result    *registry.Result // of what ran; nil when nothing did. Recorded outcomes hold Content, State, Err and, up to 64 KiB, Value alone
	Attempts  int              // answers counted so far
	Recorded  bool             // the outcome of an earlier equal answer; nothing ran now
	OnFailure bool             // the decision's on_failure was taken
	Problem   error            // why nothing ran: *validate.Error, *registry.Refused, *DecisionError, ErrNoTurn...; nil when something ran or was opened
}

// State is where a turn is.
type State string

// The states of a turn.
const (
	Open      State = "open"
	Parked    State = "parked"
	Running   State = "running"
	Done      State = "done"
	Failed    State = "failed"
	Unknown   State = "unknown"
	NotRun    State = "not_run"
	Denied    State = "denied"
	Exhausted State = "exhausted"
	Expired   State = "expired"
)

// Channel says who answers a round. A round is answered from its own channel alone.
type Channel string

// The channels.
const (
	Host    Channel = "host"    // the client's model, by the pick tools
	Command Channel = "command" // a person or script at the command line
	Model   Channel = "model"   // a picker inside
)

// Opening asks for a turn.
type Opening struct {
	Decision *Decision
	Inputs   json.RawMessage
	Caller   registry.Caller
	Channel  Channel
	Full     bool // the ask holds the inputs in full, quoted, instead of naming them
}

// Answer is a reply to one round. Exactly one of Text and Call is set; Args belong to Call.
type Answer struct {
	Handle   string // k7m2-1
	Decision string // of which the turn has to be; "" = of any
	Text     string // a reply in prose that ends in one pick
	Call     string // the option picked
	Args     json.RawMessage
	Reason   string // why, as the picker said; recorded, not compared
	Cut      bool   // the caller knows that the reply was cut by a token limit, so that it is read more strictly
	Caller   registry.Caller
	Channel  Channel
	Ceiling  registry.Effect // of the pick tool it came through; "" = none
}

// open is the outcome of a turn that waits for an answer, with the ask.
func (t *turn) open(v *View, text string) Outcome {
	out := t.outcome(text)
	out.Handle = t.handle()
	if d, ok := v.Decision(t.Decision); ok && t.State == Open {
		out.Options = v.Offered(d)
	}
	return out
}

// outcome is the outcome of a turn as it stands.
func (t *turn) outcome(text string) Outcome {
	return Outcome{Handle: t.handle(), Decision: t.Decision, State: t.State, Text: text, Attempts: t.counted()}
}

// told puts a recorded run into an outcome.
func (o *outcome) told(out Outcome) Outcome {
	out.Option, out.Method, out.OnFailure, out.Recorded = o.Option, o.Method, o.OnFailure, true
	out.Result = &registry.Result{State: o.State, Content: o.Content}
	if o.Error != "" {
		out.Result.Err = errors.New(o.Error)
	}
	if o.Value != nil {
		out.Result.Value = o.Value
	}
	return out
}
