package trace

import (
	"context"
	"encoding/json"
	"time"
)

// Record is one call or one answer, written once, after the fact.
type Record struct {
	ID       string          `json:"id"`
	Time     time.Time       `json:"time"`
	Took     time.Duration   `json:"took_ns"`
	Path     string          `json:"path"` // native, menu, command
	Caller   string          `json:"caller"`
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
	Strategy  string `json:"strategy,omitempty"`   // how the pick was found; "" = none was
	Form      string `json:"form,omitempty"`       // the call format that it was found in
	Attempt   int    `json:"attempt,omitempty"`    // which of its round of tries it was, from 1; 0 = it counted as none
	Refused   string `json:"refused,omitempty"`    // the kind of why an answer that counted was refused; "" = it was taken
	OnFailure bool   `json:"on_failure,omitempty"` // it was the last one, and the option of the decision's on_failure was taken instead
}

// Recorder takes records. It must not block for long: a record of a read may be dropped,
// never waited for.
type Recorder interface {
	Record(ctx context.Context, r Record)
}
