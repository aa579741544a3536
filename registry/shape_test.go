package registry

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/validate"
)

// Each row is one parameter x: its shape, and what its schema comes to. A name with ? stands for itself.
func TestParseShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ shape, want string }{
		{`"string"`, `{"type":"string"}`},
		{`"str"`, `{"type":"string"}`},
		{`"int"`, `{"type":"integer"}`},
		{`"float"`, `{"type":"number"}`},
		{`"bool"`, `{"type":"boolean"}`},
		{`"list"`, `{"type":"array","items":{}}`},
		{`"dict"`, `{"type":"object"}`},
		{`"any"`, `{}`},
		{`"The order's number."`, `{"type":"string","description":"The order's number."}`},
		{`"要润色的文本"`, `{"type":"string","description":"要润色的文本"}`},
		{`""`, `{"type":"string"}`},
		{`["integer"]`, `{"type":"array","items":{"type":"integer"}}`},
		{`[["Each one."]]`, `{"type":"array","items":{"type":"array","items":{"type":"string","description":"Each one."}}}`},
		{`{}`, `{"type":"string"}`},
		{`{"fields": {}}`, `{"type":"object","properties":{},"additionalProperties":false}`},
		{`{"b": "int", "a?": "str"}`, `{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"}},"required":["b"],"additionalProperties":false}`},
		{`{"fields": {"type": "str", "title?": ["str"]}}`, `{"type":"object","properties":{"type":{"type":"string"},"title":{"type":"array","items":{"type":"string"}}},"required":["type"],"additionalProperties":false}`},
		{`{"type": "number", "maximum": 9, "exclusiveMinimum": 0, "description": "How much."}`, `{"type":"number","description":"How much.","maximum":9,"exclusiveMinimum":0}`},
		{`{"placeholder": "A-1042", "pattern": "^[A-Z]-[0-9]+$", "label": "Order"}`, `{"type":"string","title":"Order","description":"e.g. A-1042","examples":["A-1042"],"pattern":"^[A-Z]-[0-9]+$"}`},
		{`{"type": "integer", "placeholder": 12, "description": "d"}`, `{"type":"integer","description":"d","examples":[12]}`},
		{`{"type": "number", "placeholder": "12"}`, `{"type":"number","description":"e.g. 12","examples":[12]}`},
		{`{"type": "number", "placeholder": "twelve"}`, `{"type":"number","description":"e.g. twelve"}`},
		{`{"examples": ["a"], "placeholder": "b"}`, `{"type":"string","description":"e.g. b","examples":["a"]}`},
		{`{"multiline": true, "secret": true}`, `{"type":"string"}`},
		{`{"default": 1.50, "type": "float"}`, `{"type":"number","default":1.50}`},
		{`{"default": null, "type": "int"}`, `{"type":"integer"}`},
		{`{"items": {"x": "int"}, "minItems": 1}`, `{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false},"minItems":1}`},
		{`{"items": ["str"]}`, `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`},
		{`{"type": "dict", "additionalProperties": {"type": "integer"}}`, `{"type":"object","additionalProperties":{"type":"integer"}}`},
		{`{"json_schema": {"oneOf": [{"type": "null"}]}, "description": "d", "label": "l", "default": 1}`, `{"description":"d","title":"l","default":1,"oneOf":[{"type":"null"}]}`},
		{`{"json_schema": {"description": "its own"}, "description": "d"}`, `{"description":"its own"}`},
		{`{"json_schema": true, "description": "d"}`, `true`},
		{`{"json_schema": {"type": "array"}, "description": "d"}`, `{"description":"d","type":"array","items":{}}`},
		{`{"json_schema": {"properties": {"a": {"type": "array"}}}}`, `{"properties":{"a":{"type":"array","items":{}}}}`},
		{`{"type": "list", "contains": {"type": "array"}}`, `{"type":"array","items":{},"contains":{"type":"array","items":{}}}`},
		{`{"type": "list", "prefixItems": [{"type": "string"}], "unevaluatedItems": false}`, `{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":false}`},
		// listed values
		{`{"enum": ["a", "b"]}`, `{"type":"string","enum":["a","b"]}`},
		{`{"options": [1, 2]}`, `{"type":"integer","enum":[1,2]}`},
		{`{"enum": [1, 2.5]}`, `{"type":"number","enum":[1,2.5]}`},
		{`{"enum": [true]}`, `{"type":"boolean","enum":[true]}`},
		{`{"enum": ["a", 1]}`, `{"enum":["a",1]}`},
		{`{"enum": ["a", null]}`, `{"type":"string","enum":["a"]}`},
		{`{"type": "any", "enum": ["a", null]}`, `{"enum":["a",null]}`},
		{`{"enum": []}`, `{"type":"string"}`},
		{`{"const": 5}`, `{"type":"integer","enum":[5]}`},
		{`{"type": "int", "enum": ["5", 10, "-9223372036854775808"]}`, `{"type":"integer","enum":[5,10,-9223372036854775808]}`},
		{`{"type": "str", "enum": [5, 1.50, true, "\u0061"]}`, `{"type":"string","enum":["5","1.50","true","a"]}`},
		{`{"type": "float", "enum": ["0.5", "1e3", 1]}`, `{"type":"number","enum":[0.5,1e3,1]}`},
		{`{"type": "bool", "enum": ["true", false]}`, `{"type":"boolean","enum":[true,false]}`},
		{`{"items": {"enum": ["a"]}}`, `{"type":"array","items":{"type":"string","enum":["a"]}}`},
		{`{"type": "list", "enum": [[1], []]}`, `{"type":"array","enum":[[1],[]],"items":{}}`},
	} {
		p, err := ParseShape("x", json.RawMessage(c.shape))
		if err != nil {
			t.Errorf("%s: %v", c.shape, err)
			continue
		}
		got, err := schemaOfParam(p)
		if err != nil {
			t.Errorf("%s: %v", c.shape, err)
			continue
		}
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.shape, diff)
		}
		if _, err := validate.Compile(got); err != nil {
			t.Errorf("%s: %s does not compile: %v", c.shape, got, err)
		}
	}
}

func TestOptional(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params   string
		required string
	}{
		{`{"a": "str", "b?": "str"}`, "a"},
		{`{"a": {"required": true}, "b": {"required": false}, "c?": {"required": false}}`, "a"},
		{`{"a": {"default": "x"}, "b": {"default": null}, "c": {"enum": ["x", null]}, "d": {"from": "caller.id"}}`, ""},
		{`{"a": {"type": "any", "enum": [null, 1]}}`, "a"},
	} {
		params, err := ParseParams(json.RawMessage(c.params))
		if err != nil {
			t.Errorf("%s: %v", c.params, err)
			continue
		}
		var required []string
		for i := range params {
			if params[i].Required() {
				required = append(required, params[i].Name)
			}
		}
		if got := strings.Join(required, " "); got != c.required {
			t.Errorf("%s: %q are required, want %q", c.params, got, c.required)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ params, want string }{
		{`{"a": "strng"}`, `a: "strng" is no type name; write string, or {type: string, description: "strng"} if it is a description`},
		{`{"a": "Integer"}`, `a: "Integer" is no type name; write integer, or {type: string, description: "Integer"} if it is a description`},
		{`{"a": "why"}`, `a: "why" is no type name; write one of string, integer, number, boolean, array, object, any, or {type: string, description: "why"} if it is a description`},
		{`{"a": "int?"}`, `a: "int?" is no type name; write int, and the ? behind the name, or {type: string, description: "int?"} if it is a description`},
		{`{"a": {"type": "null"}}`, `a.type: "null" is no type name; write the type of the value, and a ? behind the name if it may be left out`},
		{`{"a": {"type": ["string", "null"]}}`, `a.type: type is one type name, not ["string","null"]; a list is [item], an object fields: {…}, several types json_schema: {type: […]}`},
		{`{"a": 3}`, `a: 3 is no shape; write a type name, a description, [item], or an object`},
		{`{"a": ["` + strings.Repeat("ab ", 30) + `", 1]}`, `a: a list has exactly one item template, not 2; write one template, like [string] or [{name: string}]`},
		{`{"a": {"minimum": ["` + strings.Repeat("é", 90) + `"]}}`, `a.minimum: minimum is a number, not ["` + strings.Repeat("é", 58) + `…; write a number`},
		{`{"a": null}`, `a: null is no shape; write a type name, a description, [item], or an object`},
		{`{"a": ["str", "int"]}`, `a: a list has exactly one item template, not 2; write one template, like [string] or [{name: string}]`},
		{`{"a": [["x"]]}`, `a.0.0: "x" is no type name; write one of string, integer, number, boolean, array, object, any, or {type: string, description: "x"} if it is a description`},
		{`{"a": {"type": "str", "descripton": "A text."}}`, `a.descripton: "type" is a word that describes a value, "descripton" is none; write description; if they are names of fields, write fields: {type: …, descripton: …}`},
		{`{"a": {"title": "str", "body": "str"}}`, `a.body: "title" is a word that describes a value, "body" is none; if they are names of fields, write fields: {title: …, body: …}`},
		{`{"a": {"description": "string"}}`, `a.description: "string" is a type name, not a description; if description is the name of a field, write fields: {description: string}`},
		{`{"a": {"pattern": "str"}}`, `a.pattern: "str" is a type name, not a pattern; if pattern is the name of a field, write fields: {pattern: str}`},
		{`{"a": {"placeholder": "any"}}`, `a.placeholder: "any" is a type name, not a placeholder; if placeholder is the name of a field, write fields: {placeholder: any}`},
		{`{"a": {"minimum": "int"}}`, `a.minimum: minimum is a number, not "int"; if minimum is the name of a field, write fields: {minimum: int}`},
		{`{"a": {"minimum": 1}}`, `a.minimum: minimum says nothing about a string; write type: number, or drop it`},
		{`{"a": {"type": "int", "maxLength": 3}}`, `a.maxLength: maxLength says nothing about an integer; write type: string, or drop it`},
		{`{"a": {"maxLength": -1}}`, `a.maxLength: maxLength is a whole number from 0, not -1; write a whole number from 0`},
		{`{"a": {"type": "int", "multiline": true}}`, `a.multiline: multiline is for strings, this is an integer; drop it`},
		{`{"a": {"secret": "yes"}}`, `a.secret: secret is true or false, not "yes"; write true or false`},
		{`{"a": {"type": "int", "enum": ["5", "many", 5]}}`, `a.enum.1: "many" is not an integer; write values of the type, or another type` + "\n" + `a.enum.2: 5 is listed twice; write values of the type, or another type`},
		{`{"a": {"type": "int", "enum": [9223372036854775808]}}`, `a.enum.0: 9223372036854775808 is not within 64 bits; write values of the type, or another type`},
		{`{"a": {"type": "bool", "enum": ["yes"]}}`, `a.enum.0: "yes" is not a boolean; write values of the type, or another type`},
		{`{"a": {"items": "str", "enum": ["a"]}}`, `a.enum.0: "a" is not an array; to list what the items may be, write items: {enum: […]}`},
		{`{"a": {"items": {"enum": ["a", null]}}}`, `a.items.enum.1: null is not a string; write values of the type, or another type`},
		{`{"a": {"required": true, "enum": ["a", null]}}`, `a.enum.1: null is not a string; write values of the type, or another type`},
		{`{"a": {"enum": ["a"], "options": ["a"]}}`, `a.options: options is another name of enum; keep enum`},
		{`{"a": {"enum": "a"}}`, `a.enum: "a" is no list; write a list of the allowed values`},
		{`{"a": {"fields": "x"}}`, `a.fields: "x" is no object; write an object of names and shapes, like {order_id: string}`},
		{`{"a": {"type": "object", "properties": {}}}`, `a.properties: properties is no word of this form; write fields: {name: shape, …}, or put the whole JSON Schema under json_schema`},
		{`{"a": {"options_from": "list_queues"}}`, `a.options_from: this version does not have options_from yet; list the values with enum`},
		{`{"a": {"fields": {"b": "int"}, "additionalProperties": true}}`, `a.additionalProperties: an object with fields has no others; drop it, or use json_schema`},
		{`{"a": {"json_schema": {}, "minimum": 1}}`, `a.minimum: json_schema stands instead of minimum; put it inside the json_schema`},
		{`{"a?": {"required": true}}`, `a?.required: the ? behind the name says optional, required says the opposite; drop one of them`},
		{`{"a": {"required": true, "default": 1}}`, `a.required: a parameter with a default is never required; drop one of them`},
		{`{"a": {"required": ["x"]}}`, `a.required: required is true or false for one parameter, not a list; put a ? behind the names of the optional fields`},
		{`{"a": "int", "a?": "int"}`, `a?: "a" is given twice; keep one of them`},
		{`{"?": "int", "a??": "int"}`, `?: "?" is no name; write a name, with one ? behind it if it is optional` + "\n" + `a??: "a??" is no name; write a name, with one ? behind it if it is optional`},
		{`["a"]`, `["a"] is no object; write an object of names and shapes, like {order_id: string}`},
		{`{"a": {"b": "x", "c": ["y"]}, "d": 1}`, "a.b: \"x\" is no type name; write one of string, integer, number, boolean, array, object, any, or {type: string, description: \"x\"} if it is a description\n" +
			"a.c.0: \"y\" is no type name; write one of string, integer, number, boolean, array, object, any, or {type: string, description: \"y\"} if it is a description\n" +
			"d: 1 is no shape; write a type name, a description, [item], or an object"},
	} {
		_, err := ParseParams(json.RawMessage(c.params))
		if err == nil {
			t.Errorf("%s: no error", c.params)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.params, diff)
		}
		var shape *ShapeError
		if !errors.As(err, &shape) {
			t.Errorf("%s: %T is no ShapeError", c.params, err)
		}
	}
}

func TestShapeNotReadable(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{``, `{`, `{"a": "int"} {}`, `{"a": "int", "a": "int"}`, `{"a": "\ud800"}`, "{\"a\": \"\xff\"}", `{"a": [int]}`} {
		if params, err := ParseParams(json.RawMessage(raw)); err == nil {
			t.Errorf("%q: got %v, want an error", raw, params)
		}
	}
}

func TestShapeDepth(t *testing.T) {
	t.Parallel()
	nested := func(depth int, open, closed string) string {
		return `{"a": ` + strings.Repeat(open, depth) + `"int"` + strings.Repeat(closed, depth) + `}`
	}
	for _, c := range []struct{ open, closed string }{{`[`, `]`}, {`{"b":`, `}`}, {`{"items":`, `}`}, {`{"fields":{"b":`, `}}`}} {
		params, err := ParseParams(json.RawMessage(nested(maxShapeDepth-1, c.open, c.closed)))
		if err != nil {
			t.Errorf("%s: %v", c.open, err)
			continue
		}
		if _, err := schemaOf(params); err != nil {
			t.Errorf("%s: the reader takes what the schema does not: %v", c.open, err)
		}
		for _, deep := range []int{maxShapeDepth, 100_000} {
			if _, err := ParseParams(json.RawMessage(nested(deep, c.open, c.closed))); err == nil {
				t.Errorf("%s: %d deep is taken", c.open, deep)
			}
		}
	}
}

func FuzzParseParams(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": "int", "b?": ["A text."]}`, `{"a": {"type": "int", "enum": ["5"], "default": 5}}`,
		`{"a": {"json_schema": {"type": "object"}, "description": "d"}}`, `{"a": {"fields": {"b": {"items": {}}}}}`, `{"a": "\u0000\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		params, err := ParseParams(raw)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a text")
			}
			return
		}
		schema, err := schemaOf(params)
		if err != nil || !json.Valid(schema) {
			t.Fatalf("%s: schema %s, %v", raw, schema, err)
		}
		for i := range params {
			if params[i].Name == "" {
				t.Fatalf("%s: a parameter without a name", raw)
			}
		}
	})
}
