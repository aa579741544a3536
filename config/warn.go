package config

import (
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// methodWarnings says what is allowed and probably not meant.
func (b *builder) methodWarnings(at *path, e entry, m *Method, kind string) {
	runs := kind != "value" && kind != "schema"
	if runs && kind != "" && !e.value.has("effect") {
		b.warn(e.pos, at.String(), "effect is missing, so it counts as destructive", "Write effect: read, write or destructive")
	}
	b.unread(at, e.value, kind)
	if kind == "http" {
		b.endpointWarnings(at, e.value, m)
	}
	key := "params"
	if kind == "schema" {
		key = "schema"
	}
	b.undescribed(at.key(key), e.value.get(key), m.Params)
}

// undescribed warns of parameters, and their fields, that a model has to guess.
func (b *builder) undescribed(at *path, n *node, params []registry.Param) {
	if n == nil || n.kind != mapping {
		return
	}
	for i := range params {
		p := &params[i]
		if p.Hidden() {
			continue
		}
		e := n.step(p.Name)
		if e.value == nil {
			continue
		}
		if p.Description == "" && p.Schema == nil {
			b.warn(e.pos, at.key(e.name).String(), "no description says what it is", fmt.Sprintf("Write %s: {%sdescription: …}", e.name, typed(p)))
		}
		fields := e.value
		if e.value.has("fields") {
			fields = e.value.get("fields")
		}
		b.undescribed(at.key(e.name), fields, p.Fields)
	}
}

func typed(p *registry.Param) string {
	if p.Type == registry.Any || p.Type == registry.String {
		return ""
	}
	return "type: " + string(p.Type) + ", "
}

// pastDecision warns of options that write and can be called without the decision.
func (b *builder) pastDecision(at *path, o *Option) {
	m := b.find(o.Method)
	if m == nil || b.effect(m) == registry.Read || m.Offer == registry.OfferMenu {
		return
	}
	b.warn(o.Pos, at.String(), fmt.Sprintf("%s is a tool too, so a model can go past the decision", m.Name), "Write offer: menu in the method "+m.Name)
}
