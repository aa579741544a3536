package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

func TestWithItems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schema, want string }{ // "" = as it is
		{`{"type":"array"}`, `{"type":"array","items":{}}`},
		{`{"type":["null","array"],"maxItems":2}`, `{"type":["null","array"],"maxItems":2,"items":{}}`},
		{`{"type":"array","items":{"type":"array"}}`, `{"type":"array","items":{"type":"array","items":{}}}`},
		{`{"properties":{"items":{"type":"array"}}}`, `{"properties":{"items":{"type":"array","items":{}}}}`},
		{`{"$defs":{"a":{"type":"array"}},"anyOf":[true,{"type":"array"}]}`, `{"$defs":{"a":{"type":"array","items":{}}},"anyOf":[true,{"type":"array","items":{}}]}`},
		{`{"type":"array","prefixItems":[{"type":"array"}]}`, `{"type":"array","prefixItems":[{"type":"array","items":{}}],"items":{}}`},
		{`{"type":"array","items":false}`, ""},
		{`{"type":"string"}`, ""},
		{`true`, ""},
		// values are no schemas
		{`{"const":{"type":"array"},"default":{"type":"array"},"enum":[{"type":"array"}],"x":{"type":"array"}}`, ""},
		{`{"properties":{"type":{"const":"array"}}}`, ""},
		// unevaluatedItems decides, for the same value and for no other
		{`{"type":"array","prefixItems":[true],"unevaluatedItems":false}`, ""},
		{`{"unevaluatedItems":false,"anyOf":[{"type":"array"},{"allOf":[{"type":"array"}]}]}`, ""},
		{`{"unevaluatedItems":{"type":"array"},"prefixItems":[{"type":"array"}]}`, `{"unevaluatedItems":{"type":"array","items":{}},"prefixItems":[{"type":"array","items":{}}]}`},
		{`{"$defs":{"a":{"type":"array"}},"$ref":"#/$defs/a","unevaluatedItems":false}`, ""},
		// no JSON, or no schema: somebody else says so
		{`{"type":"array"`, ""},
		{`{"type":"array","anyOf":{}}`, `{"type":"array","anyOf":{},"items":{}}`},
		{strings.Repeat(`{"not":`, 20_000), ""},
	} {
		want := c.want
		if want == "" {
			want = c.schema
		}
		if got := string(withItems([]byte(c.schema))); got != want {
			t.Errorf("%.200s\ngot  %.200s\nwant %.200s", c.schema, got, want)
		}
	}
}

// Saying that a list may hold anything changes nothing of what a schema takes.
func TestWithItemsTakesTheSame(t *testing.T) {
	t.Parallel()
	values := []string{`null`, `[]`, `[1]`, `["a"]`, `[1,"a"]`, `["a",1]`, `[[1],[2]]`, `[1,2,"a"]`, `"a"`}
	rapid.Check(t, func(t *rapid.T) {
		before, err := json.Marshal(drawSchema(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		after := withItems(before)
		var left *validate.SchemaError
		if err := CheckToolSchema(after); errors.As(err, &left) && !strings.Contains(string(before), "unevaluatedItems") {
			t.Fatalf("%s: %v", after, err)
		}
		old, err := validate.Compile(before)
		if err != nil {
			t.Skip("no schema")
		}
		now, err := validate.Compile(after)
		if err != nil {
			t.Fatalf("%s: %v", after, err)
		}
		for _, text := range values {
			v, err := validate.Decode(json.RawMessage(text))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := old.Check("x", v), now.Check("x", v); (a == nil) != (b == nil) {
				t.Fatalf("%s: %s says %v, %s says %v", text, before, a, after, b)
			}
		}
	})
}

// drawSchema draws a schema of lists.
func drawSchema(t *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 4).Draw(t, "plain") == 0 {
		return rapid.SampledFrom([]any{true, false, map[string]any{"type": "string"}, map[string]any{"type": "array"}}).Draw(t, "schema")
	}
	words := []string{"items", "prefixItems", "contains", "unevaluatedItems", "allOf", "anyOf", "if", "then", "else", "not"}
	schema := map[string]any{}
	if rapid.Bool().Draw(t, "list") {
		schema["type"] = "array"
	}
	for _, word := range rapid.SliceOfNDistinct(rapid.SampledFrom(words), 0, 3, rapid.ID).Draw(t, "words") {
		if slices.Contains([]string{"prefixItems", "allOf", "anyOf"}, word) {
			schema[word] = []any{drawSchema(t, depth-1), drawSchema(t, depth-1)}
			continue
		}
		schema[word] = drawSchema(t, depth-1)
	}
	return schema
}

// levels is a schema of so many levels, the outermost counted.
func levels(n int) string {
	return strings.Repeat(`{"properties":{"a":`, n-1) + `{"type":"string"}` + strings.Repeat(`}}`, n-1)
}

func TestCheckToolSchema(t *testing.T) {
	t.Parallel()
	const (
		ref  = "a reference, which some clients can't follow in a tool (write what it means in its place)"
		bare = "a list without items, which some clients refuse in a tool (write items)"
		deep = "more than the 10 levels that a tool may have (write it flatter)"
	)
	for _, c := range []struct{ schema, want string }{
		{`{"type":"object","properties":{},"additionalProperties":false}`, ""},
		{levels(10), ""},
		{levels(11), "schema at " + strings.Repeat("/properties/a", 10) + ": " + deep},
		{levels(2000), "schema at " + strings.Repeat("/properties/a", 10) + ": " + deep},
		{strings.Repeat(`{"items":`, 10) + `{}` + strings.Repeat(`}`, 10), ""},
		{strings.Repeat(`{"items":`, 10) + `{"minimum":1}` + strings.Repeat(`}`, 10), "schema at " + strings.Repeat("/items", 10) + ": " + deep},
		{`{"properties":{"a/b":{"$ref":"#/$defs/x"},"c":{"anyOf":[{"$dynamicRef":"#x"}]}},"$defs":{"x":{}}}`,
			"schema at /properties/a~1b/$ref: " + ref + "; at /properties/c/anyOf/0/$dynamicRef: " + ref},
		{`{"properties":{"$ref":{"const":{"$ref":"x"}}}}`, ""},
		{`{"properties":{"a":{"type":"array"}}}`, "schema at /properties/a: " + bare},
		{`{"type":"array","unevaluatedItems":false}`, "schema at the top: " + bare},
		{`{"a":`, "not readable as JSON at byte 5: unexpected EOF"},
	} {
		got := ""
		if err := CheckToolSchema(json.RawMessage(c.schema)); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%.200s: -want +got\n%s", c.schema, diff)
		}
	}
}

// Of very many faults the first are said.
func TestCheckToolSchemaEnds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `"p%d":{"$ref":"#"},`, i)
	}
	err := CheckToolSchema(json.RawMessage(`{"properties":{` + strings.TrimSuffix(b.String(), ",") + `}}`))
	var e *validate.SchemaError
	if !errors.As(err, &e) || len(e.Faults) != maxToolFaults {
		t.Errorf("got %.300v", err)
	}
}
