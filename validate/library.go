package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// address names the document inside the library. Nothing is ever read from it.
const address = "schema://document"

// engine is a document compiled by the library.
type engine struct {
	root *jsonschema.Schema
	at   map[string]*jsonschema.Schema // by JSON Pointer
}

// compile hands a document to the library. The document was read and found sound before: its
// references point into it, its patterns compile, its size is bounded.
func compile(doc map[string]any) (e *engine, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &SchemaError{[]Fault{{Message: "it can't be compiled"}}}
		}
	}()
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("writing the schema again: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is fetched or opened") }
	for name := range jsonschema.Formats {
		c.Formats[name] = formatNamed(name)
	}
	c.RegisterExtension("integer", nil, integerRule{})
	if err := c.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, uncompiled(err)
	}
	root, err := c.Compile(address)
	if err != nil {
		return nil, uncompiled(err)
	}
	e = &engine{root: root, at: map[string]*jsonschema.Schema{}}
	e.index(root)
	return e, nil
}

// uncompiled words an error of the library. Its own text would name the address.
func uncompiled(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		text := strings.ReplaceAll(err.Error(), address, "")
		return &SchemaError{[]Fault{{Message: printable(cut(text, 300))}}}
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	return &SchemaError{[]Fault{{
		Pointer: pointerOf(invalid.InstanceLocation),
		Message: printable(cut(invalid.Message, 300)),
	}}}
}

// index notes every schema that a value can be taken through, by its place.
func (e *engine) index(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	_, fragment, _ := strings.Cut(s.Location, "#")
	at := pointerOf(fragment)
	if e.at[at] != nil {
		return
	}
	e.at[at] = s
	for _, sub := range []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.Items2020,
		s.Contains, s.UnevaluatedItems, s.UnevaluatedProperties} {
		e.index(sub)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		for _, sub := range list {
			e.index(sub)
		}
	}
	for _, sub := range s.Properties {
		e.index(sub)
	}
	for _, sub := range s.PatternProperties {
		e.index(sub)
	}
	for _, sub := range s.DependentSchemas {
		e.index(sub)
	}
	for _, sub := range s.Dependencies {
		if sub, ok := sub.(*jsonschema.Schema); ok {
			e.index(sub)
		}
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		e.index(sub)
	}
}

// pointerOf turns a place in the library's notation into a JSON Pointer.
func pointerOf(place string) string {
	tokens := strings.Split(place, "/")
	for i, token := range tokens {
		tokens[i] = escapePointer(unescapeLibrary(token))
	}
	return strings.Join(tokens, "/")
}

// integerRule makes "integer" mean what it means to every method here: a JSON number
// without fraction or exponent, within 64 bits. The library alone takes 3.0, and 1e300.
type integerRule struct{}

const notInteger = "not an integer"

func (integerRule) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	if set := typesOf(m["type"]); set&anInteger == 0 || set&aFloat != 0 {
		return nil, nil
	}
	return integerRule{}, nil
}

func (integerRule) Validate(c jsonschema.ValidationContext, v any) error {
	if n, ok := v.(json.Number); ok && !isInteger(n.String()) {
		return c.Error("type", notInteger)
	}
	return nil
}
