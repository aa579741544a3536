package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-decide/mcp-decide/registry"
)

// function is a function as the README describes it.
type function struct {
	Name   string
	Doc    string
	Params []param
	Input  map[string]meta
}

type param struct {
	Name, Type, Kind string
	Default          json.RawMessage
}

type meta struct {
	Description, Placeholder string
	Options                  []json.RawMessage
	Hidden, Multiline        bool
}

// injected are the names of parameters that the original fills with its runtime.
var injected = []string{"runtime", "exec_runtime", "review_runtime"}

// Function turns a function into a method that reads and returns its arguments, hidden ones included,
// as an object. Any hidden parameter is filled: the injected ones with {"$runtime": true}, the others with a
// text that names them. The summary is the first paragraph of the doc, folded, and empty without a doc (the
// registry wants one); the description is the whole doc when it says more.
//
// Where ours is better than the original by its own account the method is ours: Optional is not required, Union
// is a schema of both types, Literal an enum, NoneType the value null, an enum on a list one of its items. A
// class without a JSON form, like Color, is any value. *args, **kwargs, positional-only parameters and
// metadata of unknown parameters are errors.
func Function(raw json.RawMessage) (registry.Method, error) {
	return makeFunction(raw, anything)
}

// FunctionWith is Function with hidden parameters filled from the context, an object of values by parameter
// name; null and absent are empty. A hidden parameter that is not in it keeps its default or, without one, has
// a From that no registry can fill, so that registering the method is an error.
func FunctionWith(raw, context json.RawMessage) (registry.Method, error) {
	fill, err := fromContext(context)
	if err != nil {
		return registry.Method{}, err
	}
	return makeFunction(raw, fill)
}

func makeFunction(raw json.RawMessage, hide hiding) (registry.Method, error) {
	var f function
	if err := json.Unmarshal(raw, &f); err != nil {
		return registry.Method{}, fmt.Errorf("function: %w", err)
	}
	m := registry.Method{Name: f.Name, Effect: registry.Read, Run: echo}
	m.Summary, m.Description = readDoc(f.Doc)
	for _, name := range slices.Sorted(maps.Keys(f.Input)) {
		if !slices.ContainsFunc(f.Params, func(p param) bool { return p.Name == name }) {
			return m, fmt.Errorf("function %s: metadata of %q, which is no parameter", f.Name, name)
		}
	}
	for _, p := range f.Params {
		made, err := makeParam(p, f.Input[p.Name], hide)
		if err != nil {
			return m, fmt.Errorf("function %s: %w", f.Name, err)
		}
		m.Params = append(m.Params, made)
	}
	return m, nil
}

// echo returns the arguments.
func echo(_ context.Context, args registry.Args) (any, error) { return map[string]any(args), nil }

// readDoc gives the first paragraph in one line, and the whole text if there is more.
func readDoc(doc string) (summary, description string) {
	doc = strings.TrimSpace(doc)
	var first []string
	for line := range strings.Lines(doc) {
		if strings.TrimSpace(line) == "" {
			description = doc
			break
		}
		first = append(first, strings.Fields(line)...)
	}
	return strings.Join(first, " "), description
}

func makeParam(p param, in meta, hide hiding) (registry.Param, error) {
	switch p.Kind {
	case "var_positional", "var_keyword", "positional_only":
		return registry.Param{}, fmt.Errorf("parameter %q: %s can't be called by name", p.Name, p.Kind)
	}
	text, optional, err := readType(p.Type)
	if err != nil {
		return registry.Param{}, fmt.Errorf("parameter %q: %w", p.Name, err)
	}
	name := p.Name
	if optional {
		name += "?"
	}
	made, err := registry.ParseShape(name, text.with(p.Default, in))
	if err != nil {
		return made, err
	}
	if in.Hidden || slices.Contains(injected, p.Name) {
		hide(&made)
	}
	return made, nil
}

// hiding makes a parameter a hidden one.
type hiding func(*registry.Param)

func anything(p *registry.Param) {
	*p = registry.Param{Name: p.Name}
	fillWith(p, "filled "+p.Name)
}

func fromContext(raw json.RawMessage) (hiding, error) {
	values := map[string]any{}
	if len(raw) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&values); err != nil {
			return nil, fmt.Errorf("context: %w", err)
		}
	}
	return func(p *registry.Param) {
		value, ok := values[p.Name]
		switch {
		case ok:
			fillWith(p, value)
		case p.Default != nil:
			fillWith(p, p.Default)
		case slices.Contains(injected, p.Name):
			fillWith(p, nil)
		default:
			p.From = "context." + p.Name
		}
	}, nil
}

func fillWith(p *registry.Param, value any) {
	if slices.Contains(injected, p.Name) {
		*p = registry.Param{Name: p.Name}
		value = map[string]any{"$runtime": true}
	}
	p.Fill = func(context.Context, registry.Caller) (any, error) { return value, nil }
}

// with adds what the metadata and the default say to the meta form of a type.
func (t metaForm) with(value json.RawMessage, in meta) json.RawMessage {
	if in.Description != "" {
		t.add("description", quote(in.Description))
	}
	if in.Placeholder != "" {
		t.add("placeholder", quote(in.Placeholder))
	}
	if in.Multiline {
		t.add("multiline", []byte("true"))
	}
	if value != nil {
		t.add("default", value)
	}
	if len(in.Options) > 0 {
		t.addEnum(in.Options)
	}
	return t.text()
}

func quote(s string) []byte {
	quoted, _ := jsontext.AppendQuote(nil, s)
	return quoted
}
