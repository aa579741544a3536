package registry

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

// The written schema compiles, and takes exactly the values that a plain reading of the parameters takes.
func TestSchemaSaysWhatTheParametersSay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		params := drawParams(t, 3)
		text, err := schemaOf(params)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := validate.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for range 8 {
			whole := Param{Type: Object, Fields: params}
			value, err := json.Marshal(drawValue(t, &whole))
			if err != nil {
				t.Fatal(err)
			}
			v, err := validate.Decode(value)
			if err != nil {
				t.Fatal(err)
			}
			problems := schema.Check("args", v)
			if want := takes(&whole, v); want != (len(problems) == 0) {
				t.Fatalf("value %s: plain reading says %v, schema %s says %v", value, want, text, problems)
			}
		}
	})
}

// Clients refuse lists without items and read the order of the text.
func TestSchemaForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		params := drawParams(t, 3)
		text, err := schemaOf(params)
		if err != nil {
			t.Fatal(err)
		}
		lint(t, text, params)
		again, err := schemaOf(params)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%s, then %s", text, again)
		}
	})
}

func lint(t *rapid.T, text []byte, params []Param) {
	var schema struct {
		Type       string
		Properties jsontext.Value
		Required   []string
		Additional *bool `json:"additionalProperties"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if schema.Type != "object" || schema.Additional == nil || *schema.Additional || schema.Required != nil && len(schema.Required) == 0 {
		t.Fatalf("no closed object: %s", text)
	}
	members, err := readObject(json.RawMessage(schema.Properties))
	if err != nil {
		t.Fatal(err)
	}
	visible := slices.DeleteFunc(slices.Clone(params), func(p Param) bool { return p.Hidden() })
	if len(members) != len(visible) {
		t.Fatalf("%d properties for %d parameters: %s", len(members), len(visible), text)
	}
	for i, m := range members {
		if m.name != visible[i].Name {
			t.Fatalf("property %d is %q, not %q: %s", i, m.name, visible[i].Name, text)
		}
		lintValue(t, m.value, &visible[i])
	}
}

func lintValue(t *rapid.T, text []byte, p *Param) {
	if p.Type == Object && p.Fields != nil {
		lint(t, text, p.Fields)
	}
	if p.Type != Array {
		return
	}
	var schema struct{ Items json.RawMessage }
	if err := json.Unmarshal(text, &schema); err != nil || schema.Items == nil {
		t.Fatalf("a list without items: %s", text)
	}
	if p.Items != nil {
		lintValue(t, schema.Items, p.Items)
	}
}

func TestSchemaRefusesWhatHasNoEnd(t *testing.T) {
	t.Parallel()
	loop := Param{Name: "loop", Type: Array}
	loop.Items = &loop
	wide := Param{Name: "wide", Type: Object}
	for range 30 {
		wide = Param{Name: "wide", Type: Object, Fields: []Param{wide, {Name: "b", Type: wide.Type, Fields: wide.Fields}}}
	}
	for _, c := range []struct {
		p    Param
		want string
	}{
		{loop, "is nested more than 32 deep"},
		{wide, "longer than 1048576 bytes"},
		{Param{Name: "d", Default: json.RawMessage(`{`)}, `"d": default: `},
		{Param{Name: "e", Enum: []json.RawMessage{json.RawMessage(`1 2`)}}, `"e": enum: `},
		{Param{Name: "s", Schema: json.RawMessage(`nope`)}, `"s": json_schema: `},
		{Param{Name: "u", Description: "\xff"}, `"u": text "\xff" is not valid UTF-8`},
	} {
		text, err := schemaOf([]Param{c.p})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %.80s, %v, want %q in it", c.p.Name, text, err, c.want)
		}
	}
}

var drawnTypes = []Type{Any, String, Integer, Number, Boolean, Array, Object}

func drawParams(t *rapid.T, depth int) []Param {
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"b", "a", "type", "é", "with space", "z", "m"}), 0, 4, rapid.ID).Draw(t, "names")
	params := []Param{}
	for _, name := range names {
		p := drawParam(t, depth)
		p.Name = name
		p.Optional = rapid.Bool().Draw(t, "optional")
		if rapid.IntRange(0, 5).Draw(t, "hidden") == 0 {
			p.From = "caller.id"
		}
		params = append(params, p)
	}
	return params
}

func drawParam(t *rapid.T, depth int) Param {
	types := drawnTypes
	if depth == 0 {
		types = types[:5]
	}
	p := Param{Type: rapid.SampledFrom(types).Draw(t, "type")}
	p.Description = rapid.SampledFrom([]string{"", "A \"text\" <b>."}).Draw(t, "description")
	p.Placeholder = rapid.SampledFrom([]string{"", "12", "x"}).Draw(t, "placeholder")
	some := rapid.Bool().Draw(t, "some")
	switch {
	case p.Type == Array && some:
		items := drawParam(t, depth-1)
		p.Items = &items
	case p.Type == Object && some:
		p.Fields = drawParams(t, depth-1)
	case p.Type == String && some:
		p.Enum = []json.RawMessage{json.RawMessage(`"x"`), json.RawMessage(`"<b>"`)}
	case p.Type == Integer && some:
		p.Enum = []json.RawMessage{json.RawMessage(`1`), json.RawMessage(`9007199254740993`)}
	case p.Type == Integer || p.Type == Number:
		p.Keywords = []Keyword{{"maximum", json.RawMessage("2")}, {"minimum", json.RawMessage("-2")}}
	case p.Type == String:
		p.Keywords = []Keyword{{"maxLength", json.RawMessage("3")}}
	}
	return p
}

// drawValue draws a value that fits, or has been bent in one place or several.
func drawValue(t *rapid.T, p *Param) any {
	if rapid.IntRange(0, 9).Draw(t, "bend") == 0 {
		return rapid.SampledFrom([]any{nil, true, "longer", "é", 3, 1.5, []any{}, []any{1}, map[string]any{}, map[string]any{"a": 1}}).Draw(t, "bent")
	}
	if len(p.Enum) > 0 {
		return rapid.SampledFrom(p.Enum).Draw(t, "listed")
	}
	switch p.Type {
	case String:
		return rapid.SampledFrom([]string{"", "é", "x<y"}).Draw(t, "text")
	case Integer:
		return rapid.IntRange(-3, 3).Draw(t, "integer")
	case Number:
		return float64(rapid.IntRange(-5, 5).Draw(t, "number")) / 2
	case Boolean:
		return rapid.Bool().Draw(t, "boolean")
	case Array:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			items := p.Items
			if items == nil {
				items = &Param{}
			}
			list = append(list, drawValue(t, items))
		}
		return list
	case Object:
		object := map[string]any{}
		for i := range p.Fields {
			f := &p.Fields[i]
			if chance := rapid.IntRange(0, 9).Draw(t, "given"); f.Hidden() && chance > 0 || f.Optional && chance > 5 || chance > 8 {
				continue
			}
			object[f.Name] = drawValue(t, f)
		}
		if rapid.IntRange(0, 9).Draw(t, "extra") == 0 {
			object["extra"] = 1
		}
		return object
	}
	return rapid.SampledFrom([]any{nil, 1, "x", []any{map[string]any{}}}).Draw(t, "any")
}

// takes is the plain reading of a parameter.
func takes(p *Param, v any) bool {
	switch p.Type {
	case String:
		s, ok := v.(string)
		return ok && isListed(p, strconv.Quote(s)) && (p.Keywords == nil || len([]rune(s)) <= 3)
	case Integer:
		n, ok := v.(json.Number)
		return ok && !strings.ContainsAny(n.String(), ".eE") && isListed(p, n.String()) && within(p, n)
	case Number:
		n, ok := v.(json.Number)
		return ok && within(p, n)
	case Boolean:
		_, ok := v.(bool)
		return ok
	case Array:
		list, ok := v.([]any)
		return ok && (p.Items == nil || !slices.ContainsFunc(list, func(item any) bool { return !takes(p.Items, item) }))
	case Object:
		object, ok := v.(map[string]any)
		return ok && (p.Fields == nil || takesFields(p.Fields, object))
	}
	return true
}

func takesFields(fields []Param, object map[string]any) bool {
	left := maps.Clone(object)
	for i := range fields {
		f := &fields[i]
		if f.Hidden() {
			continue
		}
		v, given := left[f.Name]
		delete(left, f.Name)
		if given && !takes(f, v) || !given && !f.Optional {
			return false
		}
	}
	return len(left) == 0
}

func within(p *Param, n json.Number) bool {
	f, err := n.Float64()
	return err == nil && (p.Keywords == nil || f >= -2 && f <= 2)
}

func isListed(p *Param, literal string) bool {
	return len(p.Enum) == 0 || slices.ContainsFunc(p.Enum, func(v json.RawMessage) bool { return string(v) == literal })
}
