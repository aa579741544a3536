package menu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
)

// TestLenientTakesWhatFits: random options and arguments. What fits strictly is read the same, without a liberty, and in another dress it is
// read as that or not at all: each way of dressing is a liberty that the pick names.
func TestLenientTakesWhatFits(t *testing.T) {
	t.Parallel()
	read, dressed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		params := plainParams(0).Draw(t, "params")
		m, err := registry.Prepare(registry.Method{Name: "do_it", Summary: "x", Effect: registry.Read, Offer: registry.OfferMenu, Params: params, Run: nothing})
		if err != nil {
			t.Skip(err)
		}
		options := []registry.Option{{Name: "do_it", Method: m}, {Name: "none_of_these", Method: m}}
		args := make(map[string]any)
		for i := range params {
			args[params[i].Name] = fittingValue(t, &params[i])
		}
		raw := mustJSON(t, args)
		if _, err := m.Check([]byte(raw)); err != nil {
			t.Fatalf("%s does not fit: %v", raw, err)
		}
		sound := `{"call": "do_it", "args": ` + raw + `}`
		strict, err := Parse(sound, options, Reading{})
		if err != nil {
			t.Fatal(err)
		}
		lenient, err := Parse(sound, options, Reading{Lenient: true})
		if err != nil || cmp.Diff(strict, lenient) != "" {
			t.Fatalf("%s: %v\n%s", sound, err, cmp.Diff(strict, lenient))
		}

		d := dresser{t: t}
		for i := range params {
			args[params[i].Name] = d.value(&params[i], args[params[i].Name], false)
		}
		reply := `{"call": "do_it", "args": ` + mustJSON(t, args) + `}`
		got, err := Parse(reply, options, Reading{Lenient: true})
		if len(d.took) > 0 {
			dressed++
		}
		if err != nil {
			t.Fatalf("%s: %v", reply, err)
		}
		if byValue(got.Args) != byValue(strict.Args) {
			t.Fatalf("%s:\nread as %s\nmeant  %s", reply, got.Args, strict.Args)
		}
		for _, l := range d.took {
			if !slices.Contains(got.Liberties, l) {
				t.Fatalf("%s: %q is not named, but %q", reply, l, got.Liberties)
			}
		}
		for _, l := range got.Liberties {
			if !slices.Contains(d.took, l) {
				t.Fatalf("%s: %q was not needed", reply, l)
			}
		}
		read++
	})
	if dressed == 0 || read == 0 {
		t.Errorf("%d read, %d in another dress", read, dressed)
	}
}

// TestLenientNamesItsLiberties: random options and any values. What a lenient reading makes of them differs from a strict one
// by the liberties that it names, and by nothing else.
func TestLenientNamesItsLiberties(t *testing.T) {
	t.Parallel()
	seen := liberties{}
	rapid.Check(t, func(t *rapid.T) {
		params := plainParams(0).Draw(t, "params")
		m := &registry.Method{Params: params}
		options := []registry.Option{{Name: "do_it", Method: m}}
		args := map[string]any{}
		for i := range params {
			args[params[i].Name] = oddValue(t, &params[i], 0)
		}
		reply := `{"call": "do_it", "args": ` + mustJSON(t, args) + `}`
		strict, err := Parse(reply, options, Reading{})
		if err != nil {
			t.Skip(err)
		}
		lenient, err := Parse(reply, options, Reading{Lenient: true})
		if err != nil {
			t.Fatalf("%s is read strictly only: %v", reply, err)
		}
		var took liberties
		if !explained(&registry.Param{Type: registry.Object, Fields: params}, numbered(t, strict.Args), numbered(t, lenient.Args), &took) {
			t.Fatalf("%s: no liberty makes\n%s of\n%s", reply, lenient.Args, strict.Args)
		}
		slices.Sort(took)
		named := slices.Sorted(slices.Values(lenient.Liberties))
		if d := cmp.Diff([]Liberty(took), named); d != "" {
			t.Fatalf("%s: liberties (-taken +named) %s", reply, d)
		}
		seen.add(took...)
	})
	if len(seen) < 2 {
		t.Errorf("only %q were taken", seen)
	}
}

// oddValue draws a value that may or may not be one of p.
func oddValue(t *rapid.T, p *registry.Param, depth int) any {
	switch rapid.IntRange(0, 5).Draw(t, "odd") {
	case 0, 3:
		return rapid.SampledFrom([]any{"3", "3.0", "true", "TRUE", "in progress", "A-B-C", "Done", "[1, \"2\"]", "[]", `{"p0": "1"}`, `[{"p0": 2}]`, " [true] ", "{}", "null",
			json.RawMessage("3.0"), json.RawMessage("12"), json.RawMessage("1e0"), true, nil, []any{map[string]any{"p0": "2"}}, []any{"1", "x"}, map[string]any{"p0": "3"}}).Draw(t, "value")
	case 1:
		return mustJSON(t, fittingValue(t, p))
	case 2:
		return []any{fittingValue(t, p)}
	}
	switch p.Type {
	case registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			list = append(list, oddValue(t, p.Items, depth+1))
		}
		return list
	case registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = oddValue(t, &p.Fields[i], depth+1)
		}
		return object
	}
	return fittingValue(t, p)
}

func numbered(t fataler, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// explained finds the liberties by which was became is. It knows the rules from their description, not from the reader.
func explained(p *registry.Param, was, is any, took *liberties) bool {
	if cmp.Equal(was, is) {
		return true
	}
	if p == nil || p.Type == registry.Any {
		return false
	}
	switch was := was.(type) {
	case string:
		return explainedText(p, was, is, took)
	case json.Number:
		if text, ok := is.(string); ok && p.Type == registry.String {
			took.add(NumberAsText)
			return text == was.String()
		}
		n, ok := is.(json.Number)
		took.add(WholeFloat)
		return ok && p.Type == registry.Integer && strings.TrimRight(was.String(), "0") == n.String()+"."
	case []any:
		if object, ok := is.(map[string]any); ok && p.Type == registry.Object && len(was) == 1 {
			took.add(OneItemList)
			return explained(p, was[0], object, took)
		}
		list, ok := is.([]any)
		if !ok || p.Type != registry.Array || len(list) != len(was) {
			return false
		}
		for i := range was {
			if !explained(p.Items, was[i], list[i], took) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := is.(map[string]any)
		if !ok || len(object) != len(was) {
			return false
		}
		for key := range was {
			if !explained(fieldOf(p, key), was[key], object[key], took) {
				return false
			}
		}
		return true
	}
	return false
}

func explainedText(p *registry.Param, was string, is any, took *liberties) bool {
	switch is := is.(type) {
	case json.Number:
		took.add(TextAsNumber)
		return is.String() == was && (p.Type == registry.Number || p.Type == registry.Integer && !strings.ContainsAny(was, ".eE+"))
	case bool:
		took.add(TextAsBool)
		return p.Type == registry.Boolean && fmt.Sprint(is) == was
	case string:
		took.add(FoldedValue)
		bare := strings.NewReplacer(" ", "", "-", "", "_", "")
		return len(p.Enum) > 0 && lists(p, is) && strings.EqualFold(bare.Replace(was), bare.Replace(is))
	}
	var inside any
	d := json.NewDecoder(strings.NewReader(was))
	d.UseNumber()
	took.add(TextAsValue)
	return d.Decode(&inside) == nil && explained(p, inside, is, took)
}

// plainParams draws parameters of all types whose values can be made up.
func plainParams(depth int) *rapid.Generator[[]registry.Param] {
	return rapid.Custom(func(t *rapid.T) []registry.Param {
		params := []registry.Param{}
		for i := range rapid.IntRange(1, 3).Draw(t, "count") {
			p := plainParam(depth).Draw(t, "param")
			p.Name = fmt.Sprint("p", i)
			params = append(params, p)
		}
		return params
	})
}

func plainParam(depth int) *rapid.Generator[registry.Param] {
	return rapid.Custom(func(t *rapid.T) registry.Param {
		types := []registry.Type{registry.String, registry.Integer, registry.Number, registry.Boolean, registry.Any}
		if depth < 3 {
			types = append(types, registry.Array, registry.Object)
		}
		p := registry.Param{Type: rapid.SampledFrom(types).Draw(t, "type")}
		switch p.Type {
		case registry.String:
			if rapid.Bool().Draw(t, "listed") {
				p.Enum = []json.RawMessage{[]byte(`"in_progress"`), []byte(`"a-b-c"`), []byte(`"12"`), []byte(`"done"`)}
			}
		case registry.Array:
			item := plainParam(depth+1).Draw(t, "items")
			p.Items = &item
		case registry.Object:
			p.Fields = plainParams(depth+1).Draw(t, "fields")
		}
		return p
	})
}

// fittingValue draws a value that a parameter takes.
func fittingValue(t *rapid.T, p *registry.Param) any {
	switch {
	case len(p.Enum) > 0:
		return rapid.SampledFrom(p.Enum).Draw(t, "listed")
	case p.Type == registry.String:
		return rapid.SampledFrom([]string{"", "x", "12", "-3.5", "true", "[1]", `{"a": 1}`, "In Progress", "null", "ä \" \\ \n"}).Draw(t, "text")
	case p.Type == registry.Integer:
		return json.RawMessage(rapid.SampledFrom([]string{"0", "7", "-12", "9007199254740993", "-9223372036854775808"}).Draw(t, "integer"))
	case p.Type == registry.Number:
		return json.RawMessage(rapid.SampledFrom([]string{"0", "7", "-1.50", "1e3", "0.1"}).Draw(t, "number"))
	case p.Type == registry.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case p.Type == registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, fittingValue(t, p.Items))
		}
		return list
	case p.Type == registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = fittingValue(t, &p.Fields[i])
		}
		return object
	}
	return rapid.SampledFrom([]any{"12", "true", json.RawMessage("3.0"), []any{map[string]any{"x": "1"}}}).Draw(t, "any")
}

// dresser writes values otherwise than they are declared, and keeps which liberty each needs.
type dresser struct {
	t    *rapid.T
	took liberties
}

func (d *dresser) chance(what string) bool { return rapid.IntRange(0, 2).Draw(d.t, what) == 0 }

// value dresses a value of p, and what is in it. A text that holds a list or an object holds no further text like it.
func (d *dresser) value(p *registry.Param, v any, inText bool) any {
	var dressed any
	texted := !inText && (p.Type == registry.Array || p.Type == registry.Object) && d.chance("text")
	switch p.Type {
	case registry.Array:
		list := []any{}
		for _, item := range v.([]any) {
			list = append(list, d.value(p.Items, item, inText || texted))
		}
		dressed = list
	case registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = d.value(&p.Fields[i], v.(map[string]any)[p.Fields[i].Name], inText || texted)
		}
		if dressed = object; !texted && d.chance("list") {
			d.took.add(OneItemList)
			return []any{object}
		}
	default:
		return d.scalar(p, v)
	}
	if texted {
		d.took.add(TextAsValue)
		return mustJSON(d.t, dressed)
	}
	return dressed
}

func (d *dresser) scalar(p *registry.Param, v any) any {
	if p.Type == registry.Any || !d.chance("dress") {
		return v
	}
	raw := mustJSON(d.t, v)
	switch {
	case p.Type == registry.Integer && len(raw) < 10 && d.chance("float"):
		d.took.add(WholeFloat)
		return json.RawMessage(raw + ".0")
	case p.Type == registry.Integer, p.Type == registry.Number:
		d.took.add(TextAsNumber)
		return raw
	case p.Type == registry.Boolean:
		d.took.add(TextAsBool)
		return raw
	case raw == `"12"` || raw == `"-3.5"`:
		d.took.add(NumberAsText)
		return json.RawMessage(strings.Trim(raw, `"`))
	}
	others := map[string][]string{`"in_progress"`: {"In Progress", "IN-PROGRESS", "inprogress", " in_progress "}, `"a-b-c"`: {"A b_c", "abc"}, `"done"`: {"Done"}}[raw]
	if p.Enum == nil || others == nil {
		return v
	}
	d.took.add(FoldedValue)
	return rapid.SampledFrom(others).Draw(d.t, "other")
}

func mustJSON(t fataler, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return string(raw)
}
