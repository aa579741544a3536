package golden_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/internal/golden"
)

// refused are the lines whose options or function ours refuses, with a part of the error.
var refused = map[string]string{
	"menus.jsonl varargs":                     "var_positional",
	"menus.jsonl list-dup-error":              "given twice",
	"menus.jsonl list-dup-fn-text-error":      "given twice",
	"menus.jsonl schema-error-list-two":       "one item template",
	"menus.jsonl schema-error-list-zero":      "one item template",
	"menus.jsonl schema-error-number":         "no shape",
	"menus.jsonl schema-error-null":           "no shape",
	"menus.jsonl schema-caveat-meta-keys":     "type name",
	"menus.jsonl schema-bare-dict-list":       "no type name",
	"picks.jsonl schema-type-is-list-crash":   "one type name",
	"picks.jsonl schema-caveat-meta":          "type name",
	"picks.jsonl schema-unknown-type":         "no type name",
	"picks.jsonl positional-only":             "positional_only",
	"picks.jsonl varargs-missing":             "var_positional",
	"picks.jsonl varargs-given":               "var_keyword",
	"tool_specs.jsonl varargs":                "var_positional",
	"tool_specs.jsonl enum-int-uncoercible":   `"many" is not an integer`,
	"tool_specs.jsonl enum-bool":              `"yes" is not a boolean`,
	"tool_specs.jsonl meta-for-unknown-param": "no parameter",
}

func TestEveryLineIsReadOrRefused(t *testing.T) {
	t.Parallel()
	left := map[string]bool{}
	for name := range refused {
		left[name] = true
	}
	for _, file := range []string{"menus.jsonl", "picks.jsonl", "retries.jsonl", "tool_specs.jsonl", "parity.jsonl"} {
		for _, line := range golden.Lines(t, file) {
			var l struct {
				Options, Function, Context json.RawMessage
			}
			line.Decode(t, &l)
			var err error
			switch {
			case l.Options != nil:
				_, err = golden.OptionsWith(l.Options, l.Context)
			default:
				_, err = golden.FunctionWith(l.Function, l.Context)
			}
			name := file + " " + line.ID
			want := refused[name]
			delete(left, name)
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got error %v, want one with %q", name, err, want)
			}
		}
	}
	for name := range left {
		t.Errorf("%s: there is no such line", name)
	}
}

func TestShapeKeepsOrder(t *testing.T) {
	t.Parallel()
	got, err := golden.Shape(json.RawMessage(`{"z": {"$type": "int"}, "a": [{"b": {"$null": true}}], "m": "one two"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"z":"int","a":[{"b":null}],"m":"one two"}`, string(got)); diff != "" {
		t.Error(diff)
	}
}
