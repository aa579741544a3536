package decide

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// turn is a row with its data read. It is changed only as a copy, on its way into a swap.
type turn struct {
	TurnRow
	body
}

// body is what stands in a row's data.
type body struct {
	Decision string          `json:"decision"`
	Digest   string          `json:"digest"` // of the decision, when the current ask was made
	Channel  Channel         `json:"channel"`
	Full     bool            `json:"full,omitempty"`
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	Opened   time.Time       `json:"opened"`
	Offer    []offer         `json:"offer"`
	Tries    int             `json:"tries"`            // answers that may still be refused before the turn ends, this one included
	Of       int             `json:"of"`               // tries in all, since the last accepted answer
	Drifts   int             `json:"drifts"`           // new offers that are still given for nothing
	Slips    int             `json:"slips,omitempty"`  // answers of this round that were free
	Ran      bool            `json:"ran,omitempty"`    // something ran, or may have run
	Origin   string          `json:"origin,omitempty"` // what closed the turn: answer, on_failure
	Attempts []attempt       `json:"attempts,omitempty"`
	Next     string          `json:"next,omitempty"` // the turn opened in the place of this expired one

	Trace       string `json:"trace,omitempty"`        // the record with which it began
	TraceParent string `json:"trace_parent,omitempty"` // of the request that opened it

	Opener string `json:"opener,omitempty"` // the process that opened it; "" = the store is nobody else's
	Owner  string `json:"owner,omitempty"`  // the process that runs it, or ran it last
}

// offer is one offered option, with what it would have run.
type offer struct {
	Option string `json:"option"`
	Digest string `json:"digest"`
	Again  bool   `json:"again,omitempty"`
}

// attempt is what became of one round.
type attempt struct {
	Round   int       `json:"round"`
	At      time.Time `json:"at"`
	Verdict verdict   `json:"verdict"`
	Text    string    `json:"text,omitempty"`   // digest of the answer as it came
	Pick    string    `json:"pick,omitempty"`   // digest of option and arguments, when the pick was taken
	Reply   string    `json:"reply,omitempty"`  // a refused answer, cut; "" where it may hold a secret
	Option  string    `json:"option,omitempty"` // what was picked, or tried
	Problem *problem  `json:"problem,omitempty"`
	Number  int       `json:"number,omitempty"` // which of the tries it was
	Call    string    `json:"call,omitempty"`   // id of the call of a write
	Outcome *outcome  `json:"outcome,omitempty"`
	Seen    *seen     `json:"seen,omitempty"` // of a call after which the turn goes on
}

type verdict string

const (
	refused verdict = "refused" // nothing ran
	drifted verdict = "drifted" // not looked at: what was offered has changed
	taken   verdict = "taken"   // it runs, or ran
)

// problem is an error that can be told again.
type problem struct {
	Kind     validate.Kind      `json:"kind,omitempty"`
	Subject  string             `json:"subject,omitempty"`
	Problems []validate.Problem `json:"problems,omitempty"`
	Refused  string             `json:"refused,omitempty"` // the kind of a *registry.Refused
	Message  string             `json:"message,omitempty"`
}

// outcome is what a run came to.
type outcome struct {
	At      time.Time        `json:"at"`
	Option  string           `json:"option"`
	Method  string           `json:"method"`
	Effect  registry.Effect  `json:"effect"`
	Kind    registry.Kind    `json:"kind"`
	State   registry.State   `json:"state"`
	Content []registry.Block `json:"content,omitempty"`
	Value   json.RawMessage  `json:"value,omitempty"`

	Structured json.RawMessage `json:"structured,omitempty"` // what a native call gives beside its content

	Error     string `json:"error,omitempty"`
	OnFailure bool   `json:"on_failure,omitempty"`
}

// The limits of a turn.
const (
	maxRounds = 20
	maxDrifts = 3
	freeSlips = 5
	maxReply  = trace.MaxText // bytes kept of a refused reply
	maxValue  = 64 << 10      // bytes of a result's value as JSON; a larger one is not kept beside its content
)

func unpack(r TurnRow) (*turn, error) {
	t := &turn{TurnRow: r}
	if err := json.Unmarshal(r.Data, &t.body); err != nil {
		return nil, fmt.Errorf("turn %s: reading its row: %w", r.ID, err)
	}
	return t, nil
}

func (t *turn) pack() (TurnRow, error) {
	data, err := json.Marshal(t.body)
	if err != nil {
		return TurnRow{}, fmt.Errorf("turn %s: writing its row: %w", t.ID, err)
	}
	r := t.TurnRow
	r.Data = data
	return r, nil
}

// clone shares no slice that is appended to or changed in place.
func (t *turn) clone() *turn {
	c := *t
	c.Offer = slices.Clone(t.Offer)
	c.Attempts = slices.Clone(t.Attempts)
	return &c
}

// handle names the current ask.
func (t *turn) handle() string { return handle(t.ID, t.Round) }

// attempt finds what became of a round; nil when it was never answered.
func (t *turn) attempt(round int) *attempt {
	for i := range t.Attempts {
		if t.Attempts[i].Round == round {
			return &t.Attempts[i]
		}
	}
	return nil
}

// last is the answer that closed the turn, or that is running.
func (t *turn) last() *attempt {
	if len(t.Attempts) == 0 {
		return nil
	}
	return &t.Attempts[len(t.Attempts)-1]
}

// counted is how many answers counted so far.
func (t *turn) counted() int {
	n := 0
	for _, a := range t.Attempts {
		if a.Verdict != drifted {
			n++
		}
	}
	return n
}

// refusals are the answers refused since the last one that was taken, oldest first.
func (t *turn) refusals() []attempt {
	var list []attempt
	for _, a := range t.Attempts {
		switch {
		case a.Verdict == refused:
			list = append(list, a)
		case a.Verdict == taken && (a.Outcome == nil || !a.Outcome.OnFailure):
			list = nil
		}
	}
	return list
}

// advance opens the next round.
func (t *turn) advance() {
	t.Round++
	t.Slips = 0
}

// spent reports whether there is no further round.
func (t *turn) spent() bool { return t.Round >= maxRounds }
