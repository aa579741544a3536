package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// metaForm is a meta form of the schema language, in parts.
type metaForm []struct {
	word  string
	value []byte
}

func (t *metaForm) add(word string, value []byte) {
	*t = append(*t, struct {
		word  string
		value []byte
	}{word, value})
}

// addEnum puts the allowed values on the items of a list, else on the value.
func (t *metaForm) addEnum(values []json.RawMessage) {
	list := []byte("[" + string(bytes.Join(raws(values), []byte(","))) + "]")
	for i, part := range *t {
		if part.word == "items" {
			(*t)[i].value = append(append(bytes.TrimSuffix(part.value, []byte("}")), `,"enum":`...), append(list, '}')...)
			return
		}
	}
	t.add("enum", list)
}

func (t metaForm) text() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, part := range t {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quote(part.word))
		out.WriteByte(':')
		out.Write(part.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func raws(values []json.RawMessage) [][]byte {
	plain := make([][]byte, len(values))
	for i, v := range values {
		plain[i] = v
	}
	return plain
}

// readType maps a Python type expression to a meta form. Optional means that None is allowed, which
// is "not given" with us.
func readType(expression string) (t metaForm, optional bool, err error) {
	expression = strings.TrimSpace(expression)
	members := split(expression, '|')
	name, args, err := subscript(expression)
	if err != nil {
		return nil, false, err
	}
	switch {
	case len(members) > 1:
	case name == "Union":
		members = args
	case name == "Optional":
		members = append(args, "None")
	default:
		t, err = simpleType(name, args)
		return t, false, err
	}
	rest := slices.DeleteFunc(slices.Clone(members), func(m string) bool { return m == "None" })
	optional = len(rest) < len(members)
	if len(rest) == 1 {
		t, _, err = readType(rest[0])
		return t, optional, err
	}
	t, err = union(rest)
	return t, optional, err
}

// simpleType maps a name with its arguments. No name is str, as in the original.
func simpleType(name string, args []string) (metaForm, error) {
	var t metaForm
	switch name {
	case "str", "":
		t.add("type", quote("string"))
	case "int", "float", "bool":
		t.add("type", quote(name))
	case "list", "List", "tuple", "Tuple", "set":
		t.add("type", quote("array"))
		if len(args) > 0 {
			items, _, err := readType(args[0])
			if err != nil {
				return nil, err
			}
			t.add("items", items.text())
		}
	case "dict", "Dict":
		t.add("type", quote("object"))
		if len(args) == 2 {
			values, err := jsonType(args[1])
			if err != nil {
				return nil, err
			}
			t.add("additionalProperties", values)
		}
	case "Literal":
		t.add("enum", []byte("["+strings.ReplaceAll(strings.Join(args, ","), "'", `"`)+"]"))
	case "None", "NoneType":
		t.add("type", quote("any"))
		t.add("enum", []byte("[null]"))
	default:
		t.add("type", quote("any"))
	}
	return t, nil
}

// union is a schema of several types, which the schema language has no word for.
func union(members []string) (metaForm, error) {
	names := make([]string, len(members))
	for i, m := range members {
		name, ok := jsonNames[m]
		if !ok {
			return nil, fmt.Errorf("type %q in a union", m)
		}
		names[i] = string(quote(name))
	}
	var t metaForm
	t.add("json_schema", []byte(`{"type":[`+strings.Join(names, ",")+`]}`))
	return t, nil
}

var jsonNames = map[string]string{
	"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object",
}

func jsonType(name string) ([]byte, error) {
	known, ok := jsonNames[name]
	if !ok {
		return nil, fmt.Errorf("type %q of values", name)
	}
	return []byte(`{"type":"` + known + `"}`), nil
}

// subscript splits name[a, b] into the name and its arguments.
func subscript(expression string) (name string, args []string, err error) {
	name, rest, ok := strings.Cut(expression, "[")
	if !ok {
		return expression, nil, nil
	}
	inner, ok := strings.CutSuffix(rest, "]")
	if !ok {
		return "", nil, fmt.Errorf("type %q has no closing bracket", expression)
	}
	return name, split(inner, ','), nil
}

// split splits at a separator outside brackets, and trims the parts.
func split(s string, separator rune) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == separator && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + len(string(separator))
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}
