package menu

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcp-decide/mcp-decide/registry"
)

// readable returns p itself or, when p is a whole JSON Schema, a parameter that says what the
// common words of that schema say. Words that have no place in a Param stay Keywords.
func readable(p *registry.Param) *registry.Param {
	if p.Schema == nil {
		return p
	}
	q := fromSchema(p.Name, p.Schema, 0)
	q.Optional, q.Default, q.Secret = p.Optional, p.Default, p.Secret
	q.From, q.Fill = p.From, p.Fill
	if p.Description != "" {
		q.Description = p.Description
	}
	q.Placeholder = p.Placeholder
	return &q
}

// fromSchema reads one schema. What can't be read is any value.
func fromSchema(name string, raw json.RawMessage, depth int) registry.Param {
	p := registry.Param{Name: name}
	words := members(raw)
	var required []string
	for _, w := range words {
		switch w.Name {
		case "type":
			p.Type = schemaType(w.Value)
		case "description":
			_ = json.Unmarshal(w.Value, &p.Description) // not a text: no description
		case "enum":
			_ = json.Unmarshal(w.Value, &p.Enum)
		case "const":
			p.Enum = []json.RawMessage{w.Value}
		case "default":
			p.Default = w.Value
		case "required":
			_ = json.Unmarshal(w.Value, &required)
		case "items":
			if depth < maxLevel {
				item := fromSchema("", w.Value, depth+1)
				p.Items = &item
			}
		case "properties":
			if depth < maxLevel {
				p.Fields = schemaFields(w.Value, depth+1)
			}
		default:
			p.Keywords = append(p.Keywords, w)
		}
	}
	for i := range p.Fields {
		f := &p.Fields[i]
		f.Optional = !slices.Contains(required, f.Name)
	}
	return p
}

func schemaFields(raw json.RawMessage, depth int) []registry.Param {
	fields := []registry.Param{}
	for _, w := range members(raw) {
		fields = append(fields, fromSchema(w.Name, w.Value, depth))
	}
	return fields
}

// schemaType is the one type of a value that is not null; any value when there are several.
func schemaType(raw json.RawMessage) registry.Type {
	var several []registry.Type
	if json.Unmarshal(raw, &several) != nil {
		several = make([]registry.Type, 1)
		_ = json.Unmarshal(raw, &several[0]) // neither form: any value
	}
	found := registry.Any
	for _, t := range several {
		switch t {
		case registry.String, registry.Integer, registry.Number, registry.Boolean, registry.Array, registry.Object:
			if found != registry.Any {
				return registry.Any
			}
			found = t
		}
	}
	return found
}

// members are the members of an object in the order in which they are written.
func members(raw json.RawMessage) []registry.Keyword {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var all []registry.Keyword
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return all
		}
		all = append(all, registry.Keyword{Name: name, Value: value})
	}
	return all
}
