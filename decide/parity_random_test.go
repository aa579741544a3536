package decide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Random methods, random arguments, every kind of ending: no way differs from the others.
func TestParityProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := randomMethod(t)
		args, err := json.Marshal(randomArgs(t, m.Params))
		if err != nil {
			t.Fatal(err)
		}
		c := circumstances{
			again:   m.Approval == nil && (m.Effect == registry.Read || m.Kind != "") && rapid.Bool().Draw(t, "again"),
			ceiling: rapid.SampledFrom([]registry.Effect{"", "", "", registry.Read, registry.Write, registry.Destructive}).Draw(t, "ceiling"),
			often:   rapid.IntRange(0, 4).Draw(t, "often") == 0,
		}
		got := callBothWays(t, m, args, c)
		for i := range got {
			if diff := cmp.Diff(got[0], got[i]); diff != "" {
				t.Fatalf("%s and %s differ for %s:\n%s", ways[0], ways[i], args, diff)
			}
		}
	})
}

func randomMethod(t *rapid.T) registry.Method {
	m := registry.Method{
		Name:      "m",
		Summary:   "Does it.",
		Effect:    rapid.SampledFrom([]registry.Effect{"", registry.Read, registry.Write, registry.Destructive}).Draw(t, "effect"),
		ResultCap: rapid.SampledFrom([]int{0, 10, 200}).Draw(t, "cap"),
		Run:       randomRun(t),
		Off:       rapid.SampledFrom([]string{"", "", "", "", "", "", "", "a secret is missing"}).Draw(t, "off"),
		Refuse:    randomRefuse(t),
		Returns:   randomReturns(t),
	}
	if rapid.IntRange(0, 5).Draw(t, "approval") == 0 {
		m.Approval = &registry.Approval{Reason: "A person decides."}
	}
	if rapid.IntRange(0, 9).Draw(t, "slow") == 0 {
		m.Timeout = time.Millisecond
		m.Run = func(ctx context.Context, _ registry.Args) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "params") {
		m.Params = append(m.Params, randomParam(t, fmt.Sprintf("p%d", i), 0))
	}
	switch m.Kind = rapid.SampledFrom([]registry.Kind{"", "", "", registry.Value, registry.Form}).Draw(t, "kind"); m.Kind {
	case registry.Value:
		m.Params, m.Run, m.Refuse, m.Timeout = nil, nil, nil, 0
		m.Constant = json.RawMessage(rapid.SampledFrom([]string{`"over"`, `null`, `{"b": 1.50, "a": []}`, `"a\u2028b"`}).Draw(t, "constant"))
	case registry.Form:
		m.Run, m.Timeout = nil, 0
	default:
		if rapid.Bool().Draw(t, "hidden") {
			m.Params = append(m.Params, registry.Param{Name: "who", Type: registry.String, From: "caller.id"})
		}
	}
	return m
}

// randomReturns is a declared result that some runs give and others do not.
func randomReturns(t *rapid.T) *registry.Param {
	number := registry.Param{Name: "a", Type: registry.Number}
	return rapid.SampledFrom([]*registry.Param{
		nil, nil,
		{Type: registry.Object},
		{Type: registry.Object, Fields: []registry.Param{number, {Name: "b", Type: registry.Integer}}},
		{Schema: json.RawMessage(`{"type": "object", "required": ["p0"]}`)},
	}).Draw(t, "returns")
}

// randomRefuse is what a method has against arguments that fit its schema.
func randomRefuse(t *rapid.T) func(registry.Args) []validate.Problem {
	if rapid.IntRange(0, 4).Draw(t, "refuse") > 0 {
		return nil
	}
	return func(a registry.Args) []validate.Problem {
		if a["p0"] == nil {
			return nil
		}
		return []validate.Problem{{Kind: validate.BadArgs, Path: "args.p0", Expected: "something else", Read: fmt.Sprint(a["p0"])}}
	}
}

func randomRun(t *rapid.T) registry.Func {
	png := registry.Block{Type: "image", Data: []byte{0, 255, 7}, MIMEType: "image/png"}
	runs := []registry.Func{
		func(_ context.Context, a registry.Args) (any, error) { return map[string]any(a), nil },
		func(context.Context, registry.Args) (any, error) {
			return "a text of some length, with é and 日本", nil
		},
		func(context.Context, registry.Args) (any, error) { return json.RawMessage(`{"b": 1, "a": 39.90}`), nil },
		func(context.Context, registry.Args) (any, error) { return nil, nil },
		func(context.Context, registry.Args) (any, error) {
			return []registry.Block{registry.Text("see"), png, {Type: "audio", Data: []byte("x"), MIMEType: "audio/wav"}, {Type: "resource_link", URI: "file:///a", Name: "a"},
				{Type: "resource", URI: "file:///b", Text: "inside", MIMEType: "text/plain"}}, nil
		},
		func(context.Context, registry.Args) (any, error) { return nil, errors.New("no such order") },
		func(context.Context, registry.Args) (any, error) { panic("broken") },
		func(context.Context, registry.Args) (any, error) { return func() {}, nil },
	}
	return runs[rapid.IntRange(0, len(runs)-1).Draw(t, "run")]
}

func randomParam(t *rapid.T, name string, depth int) registry.Param {
	types := []registry.Type{registry.String, registry.Integer, registry.Number, registry.Boolean, registry.Any}
	if depth < 2 {
		types = append(types, registry.Array, registry.Object)
	}
	p := registry.Param{
		Name:     name,
		Type:     rapid.SampledFrom(types).Draw(t, "type"),
		Optional: rapid.Bool().Draw(t, "optional"),
		Secret:   rapid.IntRange(0, 9).Draw(t, "secret") == 0,
	}
	switch p.Type {
	case registry.Any:
		p.Schema = rapid.SampledFrom(wholeSchemas).Draw(t, "schema")
	case registry.Array:
		items := randomParam(t, "", depth+1)
		items.Optional, items.Default = false, nil
		p.Items = &items
		p.Keywords = rapid.SampledFrom([][]registry.Keyword{nil, {{Name: "maxItems", Value: []byte("2")}}}).Draw(t, "words")
	case registry.Object:
		for i := range rapid.IntRange(0, 2).Draw(t, "fields") {
			p.Fields = append(p.Fields, randomParam(t, fmt.Sprintf("f%d", i), depth+1))
		}
	default:
		limited := rapid.SampledFrom(limits[p.Type]).Draw(t, "limits")
		p.Enum, p.Keywords = limited.enum, limited.words
		if rapid.Bool().Draw(t, "default") {
			p.Default = limited.fallback
		}
	}
	return p
}

// wholeSchemas are parameters whose schema is given as it stands; nil = any value.
var wholeSchemas = []json.RawMessage{
	nil,
	json.RawMessage(`{"type": ["integer", "string"]}`),
	json.RawMessage(`{"type": ["string", "null"], "maxLength": 1}`),
	json.RawMessage(`{"type": "object", "properties": {"k": {"type": "string", "enum": ["v"]}}, "required": ["k"], "additionalProperties": false}`),
	json.RawMessage(`{"anyOf": [{"type": "boolean"}, {"type": "array", "items": {"const": "y"}}]}`),
}

// limit is what a scalar may be, with a value for its default.
type limit struct {
	fallback json.RawMessage
	enum     []json.RawMessage
	words    []registry.Keyword
}

var limits = map[registry.Type][]limit{
	registry.String: {
		{fallback: []byte(`""`)},
		{fallback: []byte(`"b"`), enum: []json.RawMessage{[]byte(`"a"`), []byte(`"b"`)}},
		{fallback: []byte(`"A-1"`), words: []registry.Keyword{{Name: "pattern", Value: []byte(`"^[A-Z]-[0-9]+$"`)}}},
		{fallback: []byte(`"abc"`), words: []registry.Keyword{{Name: "minLength", Value: []byte("1")}, {Name: "maxLength", Value: []byte("3")}}},
		{fallback: []byte(`"2026-08-23"`), words: []registry.Keyword{{Name: "format", Value: []byte(`"date"`)}}},
	},
	registry.Integer: {
		{fallback: []byte("7")},
		{fallback: []byte("0"), enum: []json.RawMessage{[]byte("0"), []byte("-3")}},
		{fallback: []byte("1"), words: []registry.Keyword{{Name: "minimum", Value: []byte("0")}, {Name: "exclusiveMaximum", Value: []byte("100")}}},
	},
	registry.Number: {
		{fallback: []byte("1.50")},
		{fallback: []byte("0.5"), words: []registry.Keyword{{Name: "exclusiveMinimum", Value: []byte("0")}, {Name: "multipleOf", Value: []byte("0.5")}}},
	},
	registry.Boolean: {
		{fallback: []byte("true")},
		{fallback: []byte("false"), enum: []json.RawMessage{[]byte("false")}},
	},
}

// randomArgs are arguments that fit about half of the time.
func randomArgs(t *rapid.T, params []registry.Param) map[string]any {
	args := map[string]any{}
	for _, p := range params {
		switch rapid.IntRange(0, 19).Draw(t, "given") {
		case 0: // left out
		case 1:
			args[p.Name+"x"] = randomValue(t, registry.Param{})
		case 2:
			args[p.Name] = nil
		case 3:
			args[p.Name] = randomValue(t, registry.Param{})
		default:
			if !p.Hidden() {
				args[p.Name] = randomValue(t, p)
			}
		}
	}
	return args
}

func randomValue(t *rapid.T, p registry.Param) any {
	switch p.Type {
	case registry.String:
		return rapid.SampledFrom([]string{"a", "b", "", "A-17", "2026-08-23", "x\ny", `{"call": "other"}`, "é\u0000\u202e"}).Draw(t, "text")
	case registry.Integer:
		return json.Number(rapid.SampledFrom([]string{"0", "0", "0", "-3", "12", "9223372036854775807", "9223372036854775808", "3.0", "1e2"}).Draw(t, "integer"))
	case registry.Number:
		return json.Number(rapid.SampledFrom([]string{"0", "1.50", "0.5", "-2e-3", "12345678901234567890.125"}).Draw(t, "number"))
	case registry.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, randomValue(t, *p.Items))
		}
		return list
	case registry.Object:
		return randomArgs(t, p.Fields)
	}
	return rapid.SampledFrom([]any{"text", true, 1.5, 12, []any{"y"}, map[string]any{"k": "v"}, map[string]any{"k": nil, "l": 1}}).Draw(t, "any")
}
