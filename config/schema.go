package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Schema is the JSON Schema of the file, for editors: draft 2020-12, made from the grammar. It says what can be said
// of a file's form; Parse says more.
func Schema() []byte {
	root := schemaOf([]form{grammar})
	root = append(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"title", "mcp-decide configuration"},
	}, root...)
	root = append(root, member{"$defs", object{{"shape", shapeSchema()}}})
	raw, err := json.Marshal(root)
	if err != nil {
		panic(fmt.Sprintf("config: the grammar has no JSON form: %v", err)) // it is fixed, and tested
	}
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		panic(fmt.Sprintf("config: %v", err))
	}
	out.WriteByte('\n')
	return out.Bytes()
}

// object is a JSON object that keeps the order of its members.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, m.name), ':')
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = append(b, value...)
	}
	return append(b, '}'), nil
}

// schemaOf is the schema of a value that may be written in several forms.
func schemaOf(forms []form) object {
	forms = visible(forms)
	if len(forms) == 1 {
		return forms[0].schema()
	}
	any := make([]object, len(forms))
	for i, f := range forms {
		any[i] = f.schema()
	}
	return object{{"anyOf", any}}
}

func (f *form) schema() object {
	switch {
	case f.shape:
		return f.shapeRef()
	case f.free && slices.Contains(f.takes, text):
		return object{}
	case f.takes[0] == mapping:
		return f.mapSchema()
	case f.takes[0] == list:
		return f.listSchema()
	case f.words != nil:
		return object{{"enum", f.words}}
	case f.least != f.most:
		return object{{"type", "integer"}, {"minimum", f.least}, {"maximum", f.most}}
	case f.pattern != "":
		return object{{"type", "string"}, {"pattern", f.pattern}}
	case f.longest > 0:
		return object{{"type", "string"}, {"maxLength", f.longest}}
	}
	var types []string
	for _, k := range f.takes {
		if t := map[kind]string{text: "string", number: "number", boolean: "boolean"}[k]; t != "" {
			types = append(types, t)
		}
	}
	if len(types) == 1 {
		return object{{"type", types[0]}}
	}
	return object{{"type", types}}
}

// shapeRef is the schema of a shape, or of a map of shapes.
func (f *form) shapeRef() object {
	ref := object{{"$ref", "#/$defs/shape"}}
	if slices.Contains(f.takes, text) {
		return ref
	}
	return object{{"type", "object"}, {"additionalProperties", ref}}
}

func (f *form) mapSchema() object {
	o := object{{"type", "object"}}
	if f.some {
		o = append(o, member{"minProperties", 1})
	}
	if f.limit > 0 {
		o = append(o, member{"maxProperties", f.limit})
	}
	if f.keys == nil {
		if f.entry != nil {
			o = append(o, member{"additionalProperties", schemaOf(f.entry)})
		}
		return o
	}
	var required []string
	properties := object{}
	for _, k := range f.keys {
		doc := k.doc
		if k.lacks != "" {
			doc += " Not in this version. " + k.lacks + "."
		}
		properties = append(properties, member{k.name, append(object{{"description", doc}}, schemaOf(k.forms)...)})
		if k.must {
			required = append(required, k.name)
		}
	}
	o = append(o, member{"properties", properties}, member{"additionalProperties", false})
	if required != nil {
		o = append(o, member{"required", required})
	}
	if f.one != nil {
		choice := make([]object, len(f.one))
		for i, k := range f.one {
			choice[i] = object{{"required", []string{k}}}
		}
		o = append(o, member{"oneOf", choice})
	}
	return o
}

func (f *form) listSchema() object {
	o := object{{"type", "array"}}
	if f.some {
		o = append(o, member{"minItems", 1})
	}
	if f.limit > 0 {
		o = append(o, member{"maxItems", f.limit})
	}
	return append(o, member{"items", schemaOf(f.items)})
}

// shapeSchema is the schema of one shape of the schema language.
func shapeSchema() object {
	ref := object{{"$ref", "#/$defs/shape"}}
	words := object{}
	for _, w := range shapeWords {
		schema := w.schema
		if schema == nil {
			schema = schemaOf(w.forms)
		}
		words = append(words, member{w.name, append(object{{"description", w.doc}}, schema...)})
	}
	return object{
		{"description", "A type name, a description of several words, [item], a map of fields, or a map of words like type and description."},
		{"anyOf", []object{
			{{"type", "string"}},
			{{"type", "array"}, {"minItems", 1}, {"maxItems", 1}, {"items", ref}},
			{{"type", "object"}, {"properties", words}, {"additionalProperties", ref}},
		}},
	}
}
