package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Func is the body of a method. Its arguments are checked, have their defaults filled
// in and hold the hidden values too; numbers are json.Number. It returns text (a string),
// content blocks ([]Block or Block), JSON as it stands (json.RawMessage), or any value that
// encodes to JSON; nil is the empty text. An error means that it ran and failed, unless it is marked
// with NotStarted or Uncertain. When ctx ends it has a quarter of a second to end too.
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
	Rate         Rate            // how often each caller may call it; the zero value = the engine's own rate
	Approval     *Approval       // nil = none needed
	StopOnCancel bool            // a write whose caller has gone is stopped too (on_cancel: stop)
	Expose       trace.Expose    // what its callers' model calls see of its run; "" = io where a model picked it, else full
	RenderRange  *trace.Range    // how much of what happened before its own model calls see; nil = all
	Off          string          // why the method can't run now, e.g. a missing secret; "" = it can
	Source       string          // what runs, in one line, for people and the digest: "run: wc -w"
	Pin          string          // what else decides what runs, for the digests alone: its settings
	Found        string          // where this machine has what runs, for Digest alone: a program's place
	Constant     json.RawMessage // the value of a Value method
	Run          Func

	// Refuse says what else is wrong with arguments that fit the schema, so that whoever gave them can mend it
	// before anything runs; nil = nothing. It sees no hidden values and changes nothing.
	Refuse func(Args) []validate.Problem

	made    *made         // of what the method takes and gives back
	fillers []filler      // of the hidden parameters
	digest  func() string // nil = not prepared
	kept    *kept         // how menus show it
}

// clone is m with nothing in it that could be changed later, and nothing of what Prepare makes but what it may share.
func (m Method) clone() *Method {
	if of := markOf(&m); m.shared(of) {
		m.Params, m.Returns = m.made.filled(m.Params), m.made.returns
	} else {
		m.made = &made{of: of}
		m.Params = cloneParams(m.Params)
		if m.Returns != nil {
			returns := m.Returns.clone()
			m.Returns = &returns
		}
	}
	if m.Approval != nil {
		approval := *m.Approval
		approval.If = bytes.Clone(approval.If)
		m.Approval = &approval
	}
	m.Toolsets = slices.Clone(m.Toolsets)
	m.RenderRange = m.RenderRange.Clone()
	m.Constant = bytes.Clone(m.Constant)
	m.fillers, m.digest = nil, nil
	m.kept = &kept{of: &m}
	return &m
}

// ready reports whether the method was prepared.
func (m *Method) ready() bool { return m != nil && m.digest != nil }

// guarded reports whether a run of the method is held to its end: it may change something, or a
// person had to agree to it. Only other runs are cancelled with their caller.
func (m *Method) guarded() bool { return m.Effect != Read || m.Approval != nil }

// InputSchema is the JSON Schema of the visible parameters, closed, in declared order.
func (m *Method) InputSchema() json.RawMessage {
	if !m.ready() {
		return nil
	}
	return m.made.schema
}

// OutputSchema is the JSON Schema of the result, nil when none is declared.
func (m *Method) OutputSchema() json.RawMessage {
	if !m.ready() {
		return nil
	}
	return m.made.output
}

// Digest changes when anything changes that decides what runs and who may; wording does not count.
func (m *Method) Digest() string {
	if !m.ready() {
		return ""
	}
	return m.digest()
}

// RunDigest changes when anything changes that decides what a call runs and with what, as the author wrote it. Unlike Digest it leaves
// out what can be compared by itself or binds nothing (the effect, who has to agree, how long a run may take, whether it may run again), where
// the program was found, and what a value or schema method returns: that is text, and nothing runs. The method need not be prepared.
func (m *Method) RunDigest() string { return runDigestOf(m) }

// Veiled reports whether something in the arguments is secret or filled in by the host. What a caller writes for such a method is not kept as it
// came: it may hold a secret, in whatever place. One that was not prepared counts as veiled.
func (m *Method) Veiled() bool {
	return !m.ready() || m.made.root.veiled || m.made.root.hides
}

// Visible are the parameters that a caller sees, in declared order. Don't change them.
func (m *Method) Visible() []Param {
	if !m.ready() {
		return nil
	}
	return m.made.visible
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
