package registry

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-decide/mcp-decide/validate"
)

// Func is the body of a method. Its arguments are checked, have their defaults filled
// in and hold the hidden values too; numbers are json.Number. It returns text (a string),
// content blocks ([]Block or Block), JSON as it stands (json.RawMessage), or any value that
// encodes to JSON; nil is the empty text.
type Func func(ctx context.Context, args Args) (any, error)

// Args are the arguments of one call, by parameter name.
type Args map[string]any

// Kind says what picking a method means.
type Kind string

// The kinds of option. The zero value counts as Function.
const (
	Function Kind = "function" // runs something
	Value    Kind = "value"    // returns a fixed value
	Form     Kind = "schema"   // returns {"decision": name, ...the filled fields}
)

// Offer says where a method can be reached.
type Offer string

// The offers. The zero value counts as OfferNative.
const (
	OfferNative Offer = "native" // a tool of its own; may be an option of decisions too
	OfferMenu   Offer = "menu"   // no tool: only through decisions and find_options
	OfferBoth   Offer = "both"   // a tool, and found by find_options too
)

// Method is the only description of a method. Fill the exported fields and hand it to
// a Registry; from then on it is not changed.
type Method struct {
	Name         string // how it is called; see CheckName
	Title        string // for people; "" = made from the name
	Summary      string // one line: what it does and when to pick it; required
	Description  string // more, for the native tool; "" = the summary alone
	Kind         Kind
	Effect       Effect // "" = Destructive; Value and Form methods are always Read
	Idempotent   bool   // a second equal call changes nothing further
	OpenWorld    bool   // talks to systems outside this machine
	Params       []Param
	Returns      *Param // the shape of the result; nil = not declared, no output schema
	Offer        Offer
	Toolsets     []string
	Timeout      time.Duration   // 0 = 30 s; at most 10 min
	ResultCap    int             // characters; 0 = 30,000
	Approval     *Approval       // nil = none needed
	StopOnCancel bool            // a write whose caller has gone is stopped too (on_cancel: stop)
	Off          string          // why the method can't run now, e.g. a missing secret; "" = it can
	Source       string          // what runs, in one line, for people and the digest: "run: wc -w"
	Constant     json.RawMessage // the value of a Value method
	Run          Func

	schema  []byte           // input schema, declared order, visible parameters only
	output  []byte           // output schema; nil without Returns
	checker *validate.Schema // of schema
	digest  string
}

// Approval says when a person has to agree first.
type Approval struct {
	If     json.RawMessage // {"amount": {"minimum": 50}}: asks when all of it holds, or can't be evaluated; nil = always
	Reason string
}

// Option is one entry of a menu: a method under the name and description by which it is offered.
type Option struct {
	Name        string // what a pick names
	Description string // "" = the method's summary
	Method      *Method
	Again       bool // then: again; the turn goes on after it. Read methods only
}

// Caller is who asks.
type Caller struct {
	ID    string // the principal: os:1000, token:desk
	Roles []string
}
