package registry

import (
	"iter"
	"maps"
	"slices"

	"github.com/mcp-decide/mcp-decide/validate"
)

// node is what reading arguments has to know of a place in them: which keys belong there, which of them are optional,
// hidden or secret, and what stands below. A nil node is a place of which nothing is known.
type node struct {
	fields   []field // of an object, in declared order
	byName   map[string]int
	defaults []int // the fields that have one
	closed   bool  // other keys are left out
	items    *node // of a list
	secret   bool  // masked with all that is below
	veiled   bool  // something in it is secret
	hides    bool  // something in it is filled in by the host
}

// field is one key of an object.
type field struct {
	name     string
	required bool
	hidden   bool
	nullable bool // null is a value of its own, though the field is optional
	fallback any  // the default, decoded; nil = none
	node     *node
}

// nodeOf makes the node of a closed object with these members.
func nodeOf(params []Param) (*node, error) {
	n := &node{closed: true, byName: make(map[string]int, len(params))}
	for i := range params {
		p := &params[i]
		f := field{name: p.Name, required: p.Required(), hidden: p.Hidden()}
		var err error
		if f.node, err = nodeOfParam(p); err != nil {
			return nil, err
		}
		if p.Default != nil {
			if f.fallback, err = validate.Decode(p.Default); err != nil {
				return nil, err
			}
		}
		n.add(f)
	}
	return n, nil
}

func nodeOfParam(p *Param) (n *node, err error) {
	switch {
	case p.Schema != nil:
		v, err := validate.Decode(p.Schema)
		if err != nil {
			return nil, err
		}
		n = nodeOfSchema(v)
	case p.Type == Object && p.Fields != nil:
		n, err = nodeOf(p.Fields)
	case p.Type == Array && p.Items != nil:
		var items *node
		if items, err = nodeOfParam(p.Items); items != nil {
			n = &node{items: items, veiled: items.veiled, hides: items.hides}
		}
	}
	if p.Secret {
		if n == nil {
			n = &node{}
		}
		n.secret, n.veiled = true, true
	}
	return n, err
}

// nodeOfSchema reads as much out of a whole JSON Schema as is plain: properties, required, items and
// additionalProperties: false. Where words like patternProperties stand beside them, keys are left to the
// schema.
func nodeOfSchema(v any) *node {
	schema, _ := v.(map[string]any)
	if items, ok := schema["items"].(map[string]any); ok && schema["prefixItems"] == nil {
		if below := nodeOfSchema(items); below != nil {
			return &node{items: below}
		}
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil
	}
	required, _ := schema["required"].([]any)
	n := &node{byName: make(map[string]int, len(properties))}
	n.closed = schema["additionalProperties"] == false && schema["patternProperties"] == nil
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		n.add(field{
			name:     name,
			required: slices.Contains(required, any(name)),
			nullable: takesNull(properties[name]),
			node:     nodeOfSchema(properties[name]),
		})
	}
	return n
}

// takesNull reports whether a schema may take null. Only a type that excludes it is looked at.
func takesNull(schema any) bool {
	word, _ := schema.(map[string]any)
	switch t := word["type"].(type) {
	case string:
		return t == "null"
	case []any:
		return slices.Contains(t, any("null"))
	}
	return true
}

func (n *node) add(f field) {
	n.byName[f.name] = len(n.fields)
	if f.fallback != nil && !f.hidden {
		n.defaults = append(n.defaults, len(n.fields))
	}
	n.fields = append(n.fields, f)
	n.veiled = n.veiled || f.node != nil && f.node.veiled
	n.hides = n.hides || f.hidden || f.node != nil && f.node.hides
}

// field is the field of that name; nil when there is none.
func (n *node) field(name string) *field {
	if n == nil {
		return nil
	}
	i, ok := n.byName[name]
	if !ok {
		return nil
	}
	return &n.fields[i]
}

// present goes over the fields that an object has, in declared order. It takes as long as the shorter of the two, and
// the object may be changed meanwhile.
func (n *node) present(v map[string]any) iter.Seq[*field] {
	return func(yield func(*field) bool) {
		if len(v) >= len(n.fields) {
			for i := range n.fields {
				if _, ok := v[n.fields[i].name]; ok && !yield(&n.fields[i]) {
					return
				}
			}
			return
		}
		var found []int
		for key := range v {
			if i, ok := n.byName[key]; ok {
				found = append(found, i)
			}
		}
		slices.Sort(found)
		for _, i := range found {
			if !yield(&n.fields[i]) {
				return
			}
		}
	}
}

// fill puts the defaults of absent fields in, at every depth of a value that is there.
func (n *node) fill(v any) {
	if n == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, i := range n.defaults {
			f := &n.fields[i]
			if _, ok := v[f.name]; !ok {
				v[f.name] = clone(f.fallback)
			}
		}
		for f := range n.present(v) {
			f.node.fill(v[f.name])
		}
	case []any:
		if n.items == nil {
			return
		}
		for _, item := range v {
			n.items.fill(item)
		}
	}
}

// clone copies a decoded JSON value. What is no JSON value is passed on as it is.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			out[key] = clone(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = clone(value)
		}
		return out
	}
	return v
}
