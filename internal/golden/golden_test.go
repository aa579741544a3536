package golden_test

import (
	"cmp"
	"encoding/json"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
)

// refused are the lines whose options or function ours refuses, here or when they are registered, with a part
// of the error.
var refused = map[string]string{
	"menus.jsonl varargs":                           "var_positional",
	"menus.jsonl list-dup-error":                    "given twice",
	"menus.jsonl list-dup-fn-text-error":            "given twice",
	"menus.jsonl schema-error-list-two":             "one item template",
	"menus.jsonl schema-error-list-zero":            "one item template",
	"menus.jsonl schema-error-number":               "no shape",
	"menus.jsonl schema-error-null":                 "no shape",
	"menus.jsonl schema-caveat-meta-keys":           "type name",
	"menus.jsonl schema-bare-dict-list":             "no type name",
	"picks.jsonl schema-type-is-list-crash":         "one type name",
	"picks.jsonl schema-caveat-meta":                "type name",
	"picks.jsonl schema-unknown-type":               "no type name",
	"picks.jsonl positional-only":                   "positional_only",
	"picks.jsonl varargs-missing":                   "var_positional",
	"picks.jsonl varargs-given":                     "var_keyword",
	"menus.jsonl name-with-quote":                   "letters, digits",
	"picks.jsonl schema-field-named-decision":       "can't have a field of that name",
	"picks.jsonl context-missing":                   "nothing can fill",
	"picks.jsonl context-without-the-name":          "nothing can fill",
	"picks.jsonl context-does-not-fill-visible":     "nothing can fill",
	"retries.jsonl hidden-required-without-context": "nothing can fill",
	"parity.jsonl hidden-without-context":           "nothing can fill",
	"parity.jsonl runtime-sent-by-model":            "nothing can fill",
	"tool_specs.jsonl varargs":                      "var_positional",
	"tool_specs.jsonl enum-int-uncoercible":         `"many" is not an integer`,
	"tool_specs.jsonl enum-bool":                    `"yes" is not a boolean`,
	"tool_specs.jsonl meta-for-unknown-param":       "no parameter",
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
			made, err := read(l.Options, l.Function, l.Context, file == "menus.jsonl" || file == "tool_specs.jsonl")
			if err == nil {
				err = prepare(made)
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

// read turns a line into options. In the files about texts alone anything is filled.
func read(options, function, context json.RawMessage, fill bool) ([]registry.Option, error) {
	switch {
	case options != nil && fill:
		return golden.Options(options)
	case options != nil:
		return golden.OptionsWith(options, context)
	}
	var m registry.Method
	var err error
	if fill {
		m, err = golden.Function(function)
	} else {
		m, err = golden.FunctionWith(function, context)
	}
	return []registry.Option{{Method: &m}}, err
}

// prepare makes methods ready to run. A function without a doc gets a summary, which the registry wants.
func prepare(options []registry.Option) error {
	for _, o := range options {
		m := *o.Method
		m.Summary = cmp.Or(m.Summary, "No doc.")
		if _, err := registry.Prepare(m); err != nil {
			return err
		}
	}
	return nil
}

func TestShapeKeepsOrder(t *testing.T) {
	t.Parallel()
	got, err := golden.Shape(json.RawMessage(`{"z": {"$type": "int"}, "a": [{"b": {"$null": true}}], "m": "one two"}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(`{"z":"int","a":[{"b":null}],"m":"one two"}`, string(got)); diff != "" {
		t.Error(diff)
	}
}
