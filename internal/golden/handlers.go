package golden

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Handlers turns the items of a line of shapes.jsonl into options: [[name, handler], ...] for a dict, [handler, ...]
// for a list. A handler's form says its kind, as in the original, where that is a matter of syntax: a pair with
// a schema, a pair with a description, a function, a name. What has two readings there is refused here, since
// our options name their kind: a class, a description that is no text, elements too many.
func Handlers(container string, items json.RawMessage) ([]registry.Option, error) {
	var handlers []json.RawMessage
	if err := json.Unmarshal(items, &handlers); err != nil {
		return nil, err
	}
	set := make([]option, 0, len(handlers))
	for i, raw := range handlers {
		read := listHandler
		if container == "dict" {
			read = dictHandler
		}
		o, err := read(raw)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		set = append(set, o)
	}
	return build(set, anything)
}

func dictHandler(raw json.RawMessage) (option, error) {
	var pair []json.RawMessage
	if err := json.Unmarshal(raw, &pair); err != nil {
		return option{}, err
	}
	var o option
	if err := json.Unmarshal(pair[0], &o.Name); err != nil {
		return option{}, err
	}
	handler := pair[1]
	tuple, isTuple := marked[[]json.RawMessage](handler, "$tuple")
	if isTuple && len(tuple) == 2 {
		if err := o.second(tuple[0], tuple[1]); err != nil {
			return o, err
		}
		handler = tuple[0]
	}
	if o.Kind == "schema" {
		return o, nil
	}
	if isTuple && len(tuple) != 2 {
		list, err := json.Marshal(tuple)
		o.Kind, o.Value = "value", list
		return o, err
	}
	return o, o.first(handler)
}

// second is the schema or the description of a pair.
func (o *option) second(first, second json.RawMessage) error {
	_, isFunction := marked[string](first, "$fn")
	if second[0] != '{' || isFunction {
		return o.describe(second)
	}
	o.Kind, o.Schema = "schema", second
	return o.describe(first)
}

func (o *option) first(handler json.RawMessage) error {
	if name, ok := marked[string](handler, "$type"); ok {
		return fmt.Errorf("the class %s is no handler", name)
	}
	if name, ok := marked[string](handler, "$fn"); ok {
		o.Kind, o.Function = "function", namedFunction(name)
		return nil
	}
	o.Kind, o.Value = "value", handler
	return nil
}

func listHandler(raw json.RawMessage) (option, error) {
	var o option
	parts, isTuple := marked[[]json.RawMessage](raw, "$tuple")
	if !isTuple {
		parts = []json.RawMessage{raw}
	}
	if len(parts) == 0 || len(parts) > 3 {
		return o, fmt.Errorf("a tuple of %d", len(parts))
	}
	name, isFunction := marked[string](parts[0], "$fn")
	switch {
	case isFunction:
		o.Name, o.Kind, o.Function = name, "function", namedFunction(name)
	case json.Unmarshal(parts[0], &o.Name) == nil:
		o.Kind = "text"
	default:
		return o, fmt.Errorf("%s is neither a function nor a name", parts[0])
	}
	if len(parts) > 1 {
		if err := o.describe(parts[1]); err != nil {
			return o, err
		}
	}
	if len(parts) < 3 || string(parts[2]) == "{}" {
		return o, nil
	}
	if isFunction || parts[2][0] != '{' {
		return o, errors.New("a schema is an object behind a name")
	}
	o.Kind, o.Schema = "schema", parts[2]
	return o, nil
}

func (o *option) describe(raw json.RawMessage) error {
	if json.Unmarshal(raw, &o.Description) != nil {
		return fmt.Errorf("the description %s is no text", raw)
	}
	return nil
}

// namedFunction is the function that {"$fn": name} stands for.
func namedFunction(name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name": %q, "doc": "Doc of %s.", "params": [{"name": "a", "type": "str"}]}`, name, name))
}

// marked reads the value of an object with one member of that name.
func marked[T any](raw json.RawMessage, key string) (T, bool) {
	var value T
	var object map[string]json.RawMessage
	if len(raw) == 0 || raw[0] != '{' || json.Unmarshal(raw, &object) != nil || len(object) != 1 || object[key] == nil {
		return value, false
	}
	return value, json.Unmarshal(object[key], &value) == nil
}
