package decide

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Engine opens turns, takes answers and calls methods.
type Engine struct{}

// Options of an Engine. The zero value works.
type Options struct {
	Turns    Turns          // where turns live; nil = in memory
	Picker   Picker         // who answers at once for Make; nil = the host picks, by Open and Answer
	Recorder trace.Recorder // nil = nothing is recorded
	Log      *slog.Logger   // nil = silent
	Config   string         // the identity of the configuration: server name and file path
	LongIDs  bool           // turn ids of 128 random bits (HTTP) instead of short ones (stdio)
	Now      func() time.Time
	Random   func([]byte) // fills with random bytes; nil = crypto/rand
}

// New makes an engine over a registry.
func New(reg *registry.Registry, o Options) *Engine { panic("not written yet") }

// Add checks a decision against the registry and adds it.
func (e *Engine) Add(d Decision) error { panic("not written yet") }

// View is what one request sees: one snapshot of the registry and the decisions. Take one at
// the start of a request and hand it to every call.
type View struct {
	Methods *registry.Snapshot
	// unexported: decisions in order
}

// View takes the current view.
func (e *Engine) View() *View { panic("not written yet") }

// Decisions are all decisions in order.
func (v *View) Decisions() []*Decision { panic("not written yet") }

// Decision finds one by name.
func (v *View) Decision(name string) (*Decision, bool) { panic("not written yet") }

// Offered are a decision's options as a menu shows them in this view: an option whose method is off
// or gone is left out.
func (v *View) Offered(d *Decision) []registry.Option { panic("not written yet") }

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

// Answer is a reply to one round. Exactly one of Text and Call is set.
type Answer struct {
	Handle  string // k7m2-1
	Text    string // a reply in prose that ends in one pick
	Call    string // the option picked
	Args    json.RawMessage
	Reason  string // why, as the picker said; recorded, not compared
	Caller  registry.Caller
	Channel Channel
	Ceiling registry.Effect // of the pick tool it came through; "" = none
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

// Outcome is what an opening or an answer came to.
type Outcome struct {
	Handle    string // of the current ask; of the answered round when there is none
	Decision  string
	State     State
	Text      string            // what the picker reads first: the ask, the problem, what ran
	Options   []registry.Option // what is offered now; nil when the turn is closed
	Option    string            // what was picked or, for OnFailure, taken
	Method    string
	Result    *registry.Result // of what ran; nil when nothing did. Recorded outcomes hold Content, State, Value alone
	Attempts  int              // answers counted so far
	Recorded  bool             // the outcome of an earlier equal answer; nothing ran now
	OnFailure bool             // the decision's on_failure was taken
	Problem   error            // why nothing ran: *validate.Error, *registry.Refused, *DecisionError, ErrNoTurn...; nil when something ran or was opened
}

// Open opens a turn and returns its ask. The error means that nothing was opened.
func (e *Engine) Open(ctx context.Context, v *View, o Opening) (Outcome, error) {
	panic("not written yet")
}

// Answer takes one answer. A reply that can be mended is an Outcome with a Problem; the error is for a
// broken store or a cancelled context, and means that nothing is known to have changed.
func (e *Engine) Answer(ctx context.Context, v *View, a Answer) (Outcome, error) {
	panic("not written yet")
}

// Call runs a method by name: the native path. Its error means that nothing ran.
func (e *Engine) Call(ctx context.Context, v *View, c Call) (registry.Result, error) {
	panic("not written yet")
}

// Call asks for a method by name.
type Call struct {
	Method  string
	Args    json.RawMessage
	Caller  registry.Caller
	Ceiling registry.Effect
	Key     string // the client's key for "the same call again"; "" = each call is a new one
	Path    string // native or command, for the trace
}

// Picker answers an ask at once.
type Picker interface {
	Pick(ctx context.Context, ask string, offered []registry.Option) (reply string, err error)
}

// Make opens a turn on the options and lets the engine's Picker answer until it ends: a library's one call.
// What ran is in the outcome; a turn that came to nothing is a *DecisionError.
func (e *Engine) Make(ctx context.Context, prompt string, options ...Option) (Outcome, error) {
	panic("not written yet")
}

var _ = menu.Full
