package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// Type is a JSON Schema type name. The zero value is any JSON value.
type Type string

// The JSON types.
const (
	Any     Type = ""
	String  Type = "string"
	Integer Type = "integer" // a JSON number without fraction or exponent, within 64 bits
	Number  Type = "number"
	Boolean Type = "boolean"
	Array   Type = "array"
	Object  Type = "object"
)

// Param describes one parameter, one field of an object or the items of a list.
type Param struct {
	Name        string
	Type        Type
	Description string
	Enum        []json.RawMessage // the allowed values as JSON literals, already of Type; nil = all
	Default     json.RawMessage   // nil = none; a parameter with a default is optional
	Optional    bool              // false = required, unless it has a default
	Placeholder string            // an example of a value, shown to people and models
	Multiline   bool
	Secret      bool            // masked in traces and logs
	Label       string          // for forms
	From        string          // where the server takes the value from: "caller.id"; such a parameter is hidden
	Fill        Fill            // gives a hidden value; nil with From set = one of the registry's own sources
	Items       *Param          // of an Array; nil = any items
	Fields      []Param         // of an Object, in order; nil = an open object, empty = the empty object
	Keywords    []Keyword       // further JSON Schema words, in declared order: minimum, pattern, ...
	Schema      json.RawMessage // a whole JSON Schema instead of all that (json_schema)
}

// Keyword is one JSON Schema word as it was written.
type Keyword struct {
	Name  string
	Value json.RawMessage
}

// Fill gives the value of a hidden parameter for one call. The value reaches the
// method's Run and nothing else.
type Fill func(ctx context.Context, c Caller) (any, error)

// Hidden reports whether the host fills the parameter. No model sees or sets it.
func (p *Param) Hidden() bool { return p.From != "" || p.Fill != nil }

// Required reports whether a caller has to give the parameter.
func (p *Param) Required() bool { return !p.Optional && p.Default == nil && !p.Hidden() }

// clone copies a parameter with all below it. It ends for parameters that are within the bounds alone: one may
// contain itself.
func (p Param) clone() Param {
	p.Enum = cloneTexts(p.Enum)
	p.Default = bytes.Clone(p.Default)
	p.Schema = bytes.Clone(p.Schema)
	p.Keywords = slices.Clone(p.Keywords)
	for i := range p.Keywords {
		p.Keywords[i].Value = bytes.Clone(p.Keywords[i].Value)
	}
	if p.Items != nil {
		items := p.Items.clone()
		p.Items = &items
	}
	p.Fields = cloneParams(p.Fields)
	return p
}

func cloneParams(params []Param) []Param {
	out := slices.Clone(params)
	for i := range out {
		out[i] = out[i].clone()
	}
	return out
}

func cloneTexts(texts []json.RawMessage) []json.RawMessage {
	out := slices.Clone(texts)
	for i := range out {
		out[i] = bytes.Clone(out[i])
	}
	return out
}
