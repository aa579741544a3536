package registry_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
)

// decidedSpecs are the lines of tool_specs.jsonl where ours does otherwise: with a part of our error, or with
// our own parameters.
var decidedSpecs = map[string]struct{ why, refused, parameters string }{
	"scalars": {why: "None is the value null", parameters: `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"number"},` +
		`"d":{"type":"boolean"},"e":{"type":"array"},"f":{"type":"object"},"g":{"enum":[null]}},"required":["a","b","c","d","e","f","g"]}`},
	"no-doc": {why: "a model can't pick what nobody describes", refused: "the summary is missing"},
	"generics": {why: "Optional is not required, Union is both types", parameters: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},` +
		`"b":{"type":"object"},"c":{"type":"integer"},"e":{"type":["integer","string"]},"g":{"type":"array","items":{"type":"array","items":{"type":"integer"}}}},"required":["a","b","e","g"]}`},
	"pep604":  {why: "X | None is X, not required; int | str is both types", parameters: `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["integer","string"]}},"required":["b"]}`},
	"literal": {why: "Literal lists the values", parameters: `{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]}},"required":["a"]}`},
	"string-annotations": {why: "a postponed annotation is the same type",
		parameters: `{"type":"object","properties":{"n":{"type":"integer"},"b":{"type":"boolean"}},"required":["n","b"]}`},
	"any-and-class": {why: "a type without a JSON form takes any value; a tuple or set is a list",
		parameters: `{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{"type":"array"},"e":{"type":"array"}},"required":["a","b","c","d","e"]}`},
	"enum-bool":            {why: "yes is no JSON, and members may not repeat", refused: `"yes" is not a boolean`},
	"enum-int-uncoercible": {why: "a member that its type excludes can't be met", refused: `"many" is not an integer`},
	"enum-str-none":        {why: "null in the list means that it may be left out", parameters: `{"type":"object","properties":{"n":{"type":"string","enum":["a"]}}}`},
	"enum-list-type": {why: "the listed values are those of the items",
		parameters: `{"type":"object","properties":{"n":{"type":"array","items":{"type":"string","enum":["a","b"]}}},"required":["n"]}`},
	"meta-for-unknown-param": {why: "nothing is ignored in silence", refused: "no parameter"},
	"varargs":                {why: "they can't be called by name", refused: "var_positional"},
}

// sameSpecs are the lines without the tag contract that hold all the same.
var sameSpecs = map[string]string{
	"doc-whole":          "a native tool gets the whole doc, a menu the first paragraph",
	"framework-kwargs":   "only what the host fills is hidden; a name alone hides nothing",
	"nullable-optionals": "null for an optional parameter is not given, so the schema need not say it",
}

func TestGoldenToolSpecs(t *testing.T) {
	t.Parallel()
	lines := golden.Lines(t, "tool_specs.jsonl")
	met := 0
	for _, line := range lines {
		var l struct {
			Function json.RawMessage
			Spec     struct {
				Name, Description string
				Parameters        json.RawMessage
			}
		}
		line.Decode(t, &l)
		decided, isDecided := decidedSpecs[line.ID]
		_, isSame := sameSpecs[line.ID]
		if isDecided || isSame {
			met++
		}
		if (line.Tag == "contract") == (isDecided || isSame) {
			t.Errorf("%s: tag %s, decided %v", line.ID, line.Tag, isDecided || isSame)
		}
		made, err := golden.Function(l.Function)
		var m *registry.Method
		if err == nil {
			m, err = registry.Prepare(made)
		}
		if decided.refused != "" {
			if err == nil || !strings.Contains(err.Error(), decided.refused) {
				t.Errorf("%s: got error %v, want one with %q", line.ID, err, decided.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", line.ID, err)
			continue
		}
		want := decoded(t, json.RawMessage(cmp.Or(decided.parameters, string(l.Spec.Parameters))))
		if diff := gocmp.Diff(want, without(decoded(t, m.InputSchema()))); diff != "" {
			t.Errorf("%s: -want +got\n%s", line.ID, diff)
		}
		if m.Name != l.Spec.Name || cmp.Or(m.Description, m.Summary) != l.Spec.Description {
			t.Errorf("%s: got %q, %q, want %q, %q", line.ID, m.Name, cmp.Or(m.Description, m.Summary), l.Spec.Name, l.Spec.Description)
		}
		inOrder(t, line.ID, m.InputSchema(), l.Function)
	}
	if met != len(decidedSpecs)+len(sameSpecs) || len(lines) != 35 {
		t.Errorf("%d lines, %d of them decided; want 35 and %d", len(lines), met, len(decidedSpecs)+len(sameSpecs))
	}
}

// without leaves out what ours adds to a schema: additionalProperties, empty items, default, title, examples.
func without(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for _, word := range []string{"additionalProperties", "default", "title", "examples"} {
		delete(object, word)
	}
	if items, ok := object["items"].(map[string]any); ok && len(items) == 0 {
		delete(object, "items")
	}
	properties, _ := object["properties"].(map[string]any)
	for name := range properties {
		without(properties[name])
	}
	without(object["items"])
	return object
}

// inOrder checks that the properties stand as the parameters do.
func inOrder(t *testing.T, id string, schema []byte, function json.RawMessage) {
	t.Helper()
	var f struct{ Params []struct{ Name string } }
	if err := json.Unmarshal(function, &f); err != nil {
		t.Fatal(err)
	}
	text := string(schema)
	for _, p := range f.Params {
		_, after, found := strings.Cut(text, `"`+p.Name+`":{`)
		if found {
			text = after
			continue
		}
		if strings.Contains(string(schema), `"`+p.Name+`":{`) {
			t.Errorf("%s: %s stands too early in %s", id, p.Name, schema)
		}
	}
}

// decoded compares numbers by value: 1 is 1.0.
func decoded(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}
