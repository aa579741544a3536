package golden

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// optionSet is an option set as the README describes it.
type optionSet struct {
	Container string
	Options   []struct {
		Name, Kind  string
		Description string
		Function    json.RawMessage
		Value       json.RawMessage
		Schema      json.RawMessage
	}
}

// Options turns an option set, {"container", "options"}, into options in order. Functions are as
// Function makes them. The methods are not prepared: hand *o.Method to registry.Prepare, or to a
// Registry, to run them. Errors are what ours refuses: a duplicate name, a bad schema, a
// variadic function.
func Options(raw json.RawMessage) ([]registry.Option, error) {
	return options(raw, anything)
}

// OptionsWith is Options with hidden parameters filled from the context, an object of values by
// parameter name; see FunctionWith.
func OptionsWith(raw, context json.RawMessage) ([]registry.Option, error) {
	fill, err := fromContext(context)
	if err != nil {
		return nil, err
	}
	return options(raw, fill)
}

func options(raw json.RawMessage, hide hiding) ([]registry.Option, error) {
	var set optionSet
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("option set: %w", err)
	}
	made := make([]registry.Option, 0, len(set.Options))
	seen := map[string]bool{}
	for _, o := range set.Options {
		if seen[o.Name] {
			return nil, fmt.Errorf("option %q is given twice", o.Name)
		}
		seen[o.Name] = true
		m, err := method(o.Name, o.Kind, o.Function, o.Value, o.Schema, hide)
		if err != nil {
			return nil, fmt.Errorf("option %q: %w", o.Name, err)
		}
		made = append(made, registry.Option{Name: o.Name, Description: o.Description, Method: &m})
	}
	return made, nil
}

func method(name, kind string, function, value, schema json.RawMessage, hide hiding) (registry.Method, error) {
	m := registry.Method{Name: name, Effect: registry.Read, Offer: registry.OfferMenu}
	switch kind {
	case "function":
		return makeFunction(function, hide)
	case "value":
		m.Kind = registry.Value
		m.Constant = value
		if value == nil {
			m.Constant = json.RawMessage("null")
		}
		return m, nil
	case "text":
		text, err := json.Marshal(name)
		m.Kind = registry.Value
		m.Constant = text
		return m, err
	case "schema":
		shapes, err := Shape(schema)
		if err != nil {
			return m, err
		}
		m.Kind = registry.Form
		m.Params, err = registry.ParseParams(shapes)
		return m, err
	}
	return m, fmt.Errorf("no kind %q", kind)
}
