// Package accept remembers what of a configuration file its user has agreed to have run, and says what a changed file would run
// beyond that. It neither reads a configuration nor turns anything off: cmd/mcp-decide does both.
package accept

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Surface is what a configuration lets run and by whom, as far as that can be wider or narrower than it was. Wording
// is not in it.
type Surface struct {
	Methods map[string]Method    `json:"methods"`
	Access  map[string]Principal `json:"access,omitempty"`
}

// Principal is what can be wider about who may call.
type Principal struct {
	Token string   `json:"token"` // the reference, never what it stands for: that may be renewed
	Roles []string `json:"roles,omitempty"`
}

// Method is what can be wider about one method.
type Method struct {
	Runs       string          `json:"runs"` // registry.Method.RunDigest
	Effect     registry.Effect `json:"effect"`
	Idempotent bool            `json:"idempotent,omitempty"`
	OpenWorld  bool            `json:"open_world,omitempty"`
	Approval   string          `json:"approval,omitempty"`  // "always", the condition as JSON, or "" = nobody has to agree
	Tool       bool            `json:"tool,omitempty"`      // it is a tool of its own
	Decisions  []string        `json:"decisions,omitempty"` // that offer it
}

// always is the approval rule without a condition.
const always = "always"

// NewSurface is a surface with nothing in it.
func NewSurface() Surface {
	return Surface{Methods: map[string]Method{}, Access: map[string]Principal{}}
}

// Add takes a method in, and the decisions that offer it.
func (s Surface) Add(m *registry.Method, decisions []string) {
	s.Methods[m.Name] = Method{
		Runs:       m.RunDigest(),
		Effect:     effectOf(m),
		Idempotent: m.Idempotent,
		OpenWorld:  m.OpenWorld,
		Approval:   approvalOf(m),
		Tool:       m.Offer != registry.OfferMenu,
		Decisions:  decisions,
	}
}

// effectOf is the effect that holds: values and forms only read, whatever they say.
func effectOf(m *registry.Method) registry.Effect {
	if m.Kind == registry.Value || m.Kind == registry.Form {
		return registry.Read
	}
	return m.Effect.Or()
}

func approvalOf(m *registry.Method) string {
	switch {
	case m.Approval == nil:
		return ""
	case m.Approval.If == nil:
		return always
	}
	return canonical(m.Approval.If)
}

// canonical is a JSON text with its keys sorted and its numbers as they were written.
func canonical(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// Admit takes a principal in, who shows what a reference stands for.
func (s Surface) Admit(principal, token string, roles []string) {
	s.Access[principal] = Principal{token, slices.Sorted(slices.Values(roles))}
}
