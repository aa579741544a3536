package menu

import (
	"encoding/json"
	"strconv"

	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	maxType   = 240 // bytes of one type in a signature; beyond, its fields have lines of their own
	maxDepth  = 4   // levels of one type in a signature
	maxListed = 60  // bytes of listed values in a signature
	maxValue  = 60  // bytes of a default value
)

// appendSignature writes name(a: type, b?: type = default) [effect].
func appendSignature(b []byte, o *registry.Option) []byte {
	b = appendName(b, o.Name)
	b = append(b, '(')
	first := true
	for p := range visible(o) {
		if !first {
			b = append(b, ", "...)
		}
		first = false
		b, _ = appendField(b, p, 0)
	}
	b = append(b, ") ["...)
	b = append(b, effect(o)...)
	return append(b, ']')
}

// visible are the parameters that a picker sees.
func visible(o *registry.Option) func(yield func(*registry.Param) bool) {
	return func(yield func(*registry.Param) bool) {
		if o.Method == nil {
			return
		}
		for i := range o.Method.Params {
			p := &o.Method.Params[i]
			if !p.Hidden() && !yield(p) {
				return
			}
		}
	}
}

// effect is what picking the option may do. A fixed value and a form do nothing.
func effect(o *registry.Option) registry.Effect {
	m := o.Method
	if m != nil && (m.Kind == registry.Value || m.Kind == registry.Form) {
		return registry.Read
	}
	if m == nil {
		return registry.Destructive
	}
	return m.Effect.Or()
}

// appendField writes one parameter or field of a type. spelled reports that its type stands
// there in full, listed values aside.
func appendField(b []byte, p *registry.Param, depth int) (_ []byte, spelled bool) {
	b = appendName(b, p.Name)
	if !p.Required() {
		b = append(b, '?')
	}
	b = append(b, ": "...)
	b, spelled = appendType(b, p, depth)
	if p.Default != nil && !p.Secret {
		b = append(b, " = "...)
		b = appendShort(b, p.Default, maxValue)
	}
	return b, spelled
}

// appendType writes a type, or its plain name when it is too long or too deep.
func appendType(b []byte, p *registry.Param, depth int) (_ []byte, spelled bool) {
	start := len(b)
	p = readable(p)
	switch {
	case len(p.Enum) > 0:
		return appendUnion(b, p.Enum), true
	case p.Type == registry.Array && p.Items != nil:
		b, spelled = appendList(b, p.Items, depth)
	case p.Type == registry.Object && p.Fields != nil:
		b, spelled = appendObject(b, p.Fields, depth)
	default:
		return append(b, plainType(p)...), true
	}
	if len(b)-start > maxType {
		return append(b[:start], plainType(p)...), false
	}
	return b, spelled
}

func plainType(p *registry.Param) string {
	if p.Type == registry.Any {
		return "any"
	}
	return string(p.Type)
}

func appendList(b []byte, item *registry.Param, depth int) (_ []byte, spelled bool) {
	if depth == maxDepth {
		return append(b, "array"...), false
	}
	item = readable(item)
	if len(item.Enum) < 2 {
		b, spelled = appendType(b, item, depth+1)
		return append(b, "[]"...), spelled
	}
	b = append(b, '(')
	b = appendUnion(b, item.Enum)
	return append(b, ")[]"...), true
}

func appendObject(b []byte, fields []registry.Param, depth int) (_ []byte, spelled bool) {
	if depth == maxDepth {
		return append(b, "object"...), false
	}
	all := true
	b = append(b, '{')
	for i := range fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b, spelled = appendField(b, &fields[i], depth+1)
		all = all && spelled
	}
	return append(b, '}'), all
}

// appendUnion writes listed values: "a" | "b", the long tail counted.
func appendUnion(b []byte, values []json.RawMessage) []byte {
	n := fitting(values)
	for i, v := range values[:n] {
		if i > 0 {
			b = append(b, " | "...)
		}
		b = appendLiteral(b, v)
	}
	switch {
	case n == len(values):
		return b
	case n == 0:
		b = append(b, "… "...)
		b = strconv.AppendInt(b, int64(len(values)), 10)
		return append(b, " values"...)
	}
	b = append(b, " | … "...)
	b = strconv.AppendInt(b, int64(len(values)-n), 10)
	return append(b, " more"...)
}

// fitting is how many of the listed values a signature shows.
func fitting(values []json.RawMessage) int {
	used := 0
	for i, v := range values {
		if used += len(v) + len(" | "); used > maxListed {
			return i
		}
	}
	return len(values)
}
