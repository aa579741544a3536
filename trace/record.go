package trace

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Record is one call or one answer, written once, after the fact. What is empty is left out of its JSON form, so that records of earlier versions
// read as those of this one.
type Record struct {
	ID       string          `json:"id"`
	Time     time.Time       `json:"time"`
	Took     time.Duration   `json:"took_ns"`
	Path     string          `json:"path"` // native, menu, command
	Caller   string          `json:"caller"`
	Config   string          `json:"config,omitempty"` // the configuration that it happened under; a caller is somebody under one alone
	Method   string          `json:"method,omitempty"`
	Decision string          `json:"decision,omitempty"`
	Turn     string          `json:"turn,omitempty"` // the handle, with the round
	Option   string          `json:"option,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"` // as bound, without hidden values, secret ones masked
	Dropped  []string        `json:"dropped,omitempty"`
	State    string          `json:"state"`           // done, failed, unknown, refused, exhausted, opened, ...
	Error    string          `json:"error,omitempty"` // the kind, and for a failed run what it said
	Repaired bool            `json:"repaired,omitempty"`
	Cut      int             `json:"cut,omitempty"`    // characters of the result left out
	Reason   string          `json:"reason,omitempty"` // why, as the picker said; folded to one line

	// Of an answer alone.
	Strategy    string `json:"strategy,omitempty"`     // how the pick was found; "" = none was
	Form        string `json:"form,omitempty"`         // the call format that it was found in
	Attempt     int    `json:"attempt,omitempty"`      // which of its round of tries it was, from 1; 0 = it counted as none
	Refused     string `json:"refused,omitempty"`      // the kind of why an answer that counted was refused; "" = it was taken
	OnFailure   bool   `json:"on_failure,omitempty"`   // it was the last one, and the option of the decision's on_failure was taken instead
	Reply       string `json:"reply,omitempty"`        // as it came, cut to MaxText; "" where it may hold a secret
	ReplyDigest string `json:"reply_digest,omitempty"` // of the whole reply, keyed: equal ones have equal digests

	// Of an opening, and of an answer after which the turn is open.
	Menu string `json:"menu,omitempty"` // keyed digest of the text that was given to pick from

	// Of what ran.
	Call    string        `json:"call,omitempty"`        // the id of the call of a write
	RunTook time.Duration `json:"run_took_ns,omitempty"` // the run alone, without what stands around it
	Output  string        `json:"output,omitempty"`      // what its caller was told, as text, cut to MaxText, hidden and secret values as ***

	// Of a model that was asked.
	Model     string `json:"model,omitempty"`
	TokensIn  int    `json:"tokens_in,omitempty"`
	TokensOut int    `json:"tokens_out,omitempty"`

	// Where it belongs; see Scope.
	Parent      string `json:"parent,omitempty"`       // the record in whose run it happened
	Root        string `json:"root,omitempty"`         // the record with which all of it began: the opening of the turn, or the outermost call; "" = this one
	Era         string `json:"era,omitempty"`          // the protocol version of the client's request
	Request     string `json:"request,omitempty"`      // what the client asked for, as "tools/call pick_read"; "" = no MCP client did
	TraceParent string `json:"trace_parent,omitempty"` // the request's place in a trace of its client, in W3C form
}

// MaxText is how many bytes of a reply or an output a record keeps.
const MaxText = 16 << 10

// Recorder takes records. It must not block for long: a record of a read may be dropped,
// never waited for.
type Recorder interface {
	Record(ctx context.Context, r Record)
}

// TurnOf is the id of the turn that a handle like k7m2-1 names, without the round.
func TurnOf(handle string) string {
	if at := strings.LastIndexByte(handle, '-'); at >= 0 {
		return handle[:at]
	}
	return handle
}

// Ran reports whether something was run for the record, or was to be: its state is then that of the run.
func (r Record) Ran() bool {
	switch r.State {
	case "done", "failed", "unknown", "not_run", "running":
		return r.Method != ""
	}
	return false
}
