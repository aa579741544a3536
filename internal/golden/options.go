package golden

import (
	"encoding/json"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// optionSet is an option set as the README describes it.
type optionSet struct {
	Options []option
}

type option struct {
	Name, Kind, Description string
	Function, Value, Schema json.RawMessage
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
	return build(set.Options, hide)
}

func build(set []option, hide hiding) ([]registry.Option, error) {
	made := make([]registry.Option, 0, len(set))
	seen := map[string]bool{}
	for _, o := range set {
		if seen[o.Name] {
			return nil, fmt.Errorf("option %q is given twice", o.Name)
		}
		seen[o.Name] = true
		m, err := o.method(hide)
		if err != nil {
			return nil, fmt.Errorf("option %q: %w", o.Name, err)
		}
		made = append(made, registry.Option{Name: o.Name, Description: o.Description, Method: &m})
	}
	return made, nil
}

func (o option) method(hide hiding) (registry.Method, error) {
	m := registry.Method{Name: o.Name, Effect: registry.Read, Offer: registry.OfferMenu}
	switch o.Kind {
	case "function":
		return makeFunction(o.Function, hide)
	case "value":
		m.Kind = registry.Value
		m.Constant = o.Value
		if o.Value == nil {
			m.Constant = json.RawMessage("null")
		}
		return m, nil
	case "text":
		text, err := json.Marshal(o.Name)
		m.Kind = registry.Value
		m.Constant = text
		return m, err
	case "schema":
		shapes, err := Shape(o.Schema)
		if err != nil {
			return m, err
		}
		m.Kind = registry.Form
		m.Params, err = registry.ParseParams(shapes)
		return m, err
	}
	return m, fmt.Errorf("no kind %q", o.Kind)
}
