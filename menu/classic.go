package menu

import (
	"github.com/mcp-decide/mcp-decide/registry"
)

// appendClassic writes an option as the original did: every parameter alike, optional or not,
// and a Call line with a value of each type. Descriptions are folded and names escaped, which
// the original did not do; listed values are JSON literals.
func appendClassic(b []byte, o *registry.Option) []byte {
	b = appendName(b, o.Name)
	b = append(b, '(')
	first := true
	for p := range visible(o) {
		if !first {
			b = append(b, ", "...)
		}
		first = false
		b = append(append(appendName(b, p.Name), ": "...), classicType(readable(p))...)
	}
	b = append(b, ")\n"...)
	if text := Fold(description(o), maxSummary); text != "" {
		b = append(append(append(b, indent...), text...), '\n')
	}
	for p := range visible(o) {
		b = appendClassicParam(b, readable(p))
	}
	b = append(b, indent+"Call: "...)
	b = appendClassicCall(b, o)
	return append(b, '\n')
}

func appendClassicParam(b []byte, p *registry.Param) []byte {
	b = append(b, indent...)
	b = appendParamName(b, p.Name)
	if p.Description != "" {
		b = append(append(b, ": "...), Fold(p.Description, maxSummary)...)
	}
	for i, v := range p.Enum {
		if i == 0 {
			b = append(b, " (options: "...)
		} else {
			b = append(b, ", "...)
		}
		b = appendLiteral(b, v)
	}
	if len(p.Enum) > 0 {
		b = append(b, ')')
	}
	return append(b, '\n')
}

func appendClassicCall(b []byte, o *registry.Option) []byte {
	b = append(b, `{"call": `...)
	b = appendString(b, o.Name)
	first := true
	for p := range visible(o) {
		if first {
			b = append(b, `, "args": {`...)
		} else {
			b = append(b, ", "...)
		}
		first = false
		b = append(appendString(b, p.Name), ": "...)
		b = appendClassicValue(b, p, 0)
	}
	if !first {
		b = append(b, '}')
	}
	return append(b, '}')
}

func classicType(p *registry.Param) string {
	switch p.Type {
	case registry.String:
		return "str"
	case registry.Integer:
		return "int"
	case registry.Number:
		return "float"
	case registry.Boolean:
		return "bool"
	case registry.Array:
		return "list"
	case registry.Object:
		return "dict"
	}
	return "any"
}

func appendClassicValue(b []byte, p *registry.Param, depth int) []byte {
	p = readable(p)
	switch p.Type {
	case registry.String:
		return append(b, `"<str>"`...)
	case registry.Integer:
		return append(b, '0')
	case registry.Number:
		return append(b, "0.0"...)
	case registry.Boolean:
		return append(b, "false"...)
	case registry.Array:
		return appendClassicList(b, p.Items, depth)
	case registry.Object:
		return appendClassicObject(b, p.Fields, depth)
	}
	return append(b, "null"...)
}

func appendClassicList(b []byte, item *registry.Param, depth int) []byte {
	b = append(b, '[')
	if item != nil && depth < maxLevel {
		b = appendClassicValue(b, item, depth+1)
	}
	return append(b, ']')
}

func appendClassicObject(b []byte, fields []registry.Param, depth int) []byte {
	b = append(b, '{')
	for i := range fields {
		if depth == maxLevel {
			break
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendString(b, fields[i].Name), ": "...)
		b = appendClassicValue(b, &fields[i], depth+1)
	}
	return append(b, '}')
}
