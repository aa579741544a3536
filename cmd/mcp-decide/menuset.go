package main

import (
	"cmp"
	"context"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/mcp-decide/mcp-decide/registry"
)

// menuSet are the options of menus by name, as a file of menus describes them for parse.
type menuSet map[string][]registry.Option

// menuOption is one option of such a file.
type menuOption struct {
	Name        string      `json:"name"`
	Kind        string      `json:"kind"` // function, value, schema
	Description string      `json:"description"`
	Params      []menuParam `json:"params"`
}

// menuParam is one parameter, field or item. Its type is a JSON type or one of str int float bool list dict.
type menuParam struct {
	Name     string               `json:"name"`
	Type     string               `json:"type"`
	Required *bool                `json:"required"`
	Enum     []stdjson.RawMessage `json:"enum"`
	Items    *menuParam           `json:"items"`
	Fields   []menuParam          `json:"fields"`
}

const menusForm = `an object with a menu by each name, like {"desk": {"options": [{"name": "done", "kind": "value"}]}}`

func readMenus(ctx context.Context, path string) (menuSet, error) {
	data, err := readFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("--menus: %w", err)
	}
	var file map[string]struct {
		Options []menuOption `json:"options"`
	}
	if err := json.Unmarshal(withoutMark(data), &file); err != nil {
		return nil, fmt.Errorf("--menus: %s: %s; a file of menus is %s", path, misread(err), menusForm)
	}
	if file == nil {
		return nil, fmt.Errorf("--menus: %s holds null; a file of menus is %s", path, menusForm)
	}
	menus := menuSet{}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		menus[name] = nil // a menu without options is one too
		seen := map[string]bool{}
		for _, o := range file[name].Options {
			option, err := o.option()
			if err != nil {
				return nil, fmt.Errorf("--menus: %s: menu %q: %w", path, name, err)
			}
			if seen[o.Name] {
				return nil, fmt.Errorf("--menus: %s: menu %q: the option %q stands there twice", path, name, o.Name)
			}
			seen[o.Name] = true
			menus[name] = append(menus[name], option)
		}
	}
	return menus, nil
}

// option makes a method of it that is read and checked, and never run.
func (o menuOption) option() (registry.Option, error) {
	m := registry.Method{
		Name:    o.Name,
		Summary: cmp.Or(o.Description, o.Name),
		Kind:    registry.Kind(o.Kind),
		Effect:  registry.Read,
	}
	for _, p := range o.Params {
		param, err := p.param()
		if err != nil {
			return registry.Option{}, fmt.Errorf("option %q: %w", o.Name, err)
		}
		m.Params = append(m.Params, param)
	}
	switch m.Kind {
	case registry.Value:
		m.Constant = stdjson.RawMessage("null")
	case registry.Form:
	case registry.Function, "":
		m.Run = func(context.Context, registry.Args) (any, error) { return nil, nil }
	default:
		return registry.Option{}, fmt.Errorf("option %q: the kind %q is none of function, value, schema", o.Name, o.Kind)
	}
	prepared, err := registry.Prepare(m)
	return registry.Option{Name: o.Name, Description: o.Description, Method: prepared}, err
}

func (p menuParam) param() (registry.Param, error) {
	out := registry.Param{
		Name:     p.Name,
		Enum:     p.Enum,
		Optional: p.Required != nil && !*p.Required,
	}
	t, ok := registry.TypeNamed(cmp.Or(p.Type, "any"))
	if !ok {
		return out, fmt.Errorf("%q: unknown type %q; write string, integer, number, boolean, array, object, any, or one of str, int, float, bool, list, dict", p.Name, p.Type)
	}
	out.Type = t
	if p.Items != nil {
		items, err := p.Items.param()
		if err != nil {
			return out, fmt.Errorf("%q: %w", p.Name, err)
		}
		out.Items = &items
	}
	for _, f := range p.Fields {
		field, err := f.param()
		if err != nil {
			return out, fmt.Errorf("%q: %w", p.Name, err)
		}
		out.Fields = append(out.Fields, field)
	}
	return out, nil
}
