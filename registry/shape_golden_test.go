package registry_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
)

// decidedShapes are the lines of shapes.jsonl where ours does otherwise, with a part of our error,
// or with our own outcome as normalized text.
var decidedShapes = map[string]struct{ why, refused, normalized string }{
	"dict-fn-dict-desc":              {why: "a description is a text", refused: "is no text"},
	"dict-schema-non-str-desc":       {why: "a description is a text", refused: "is no text"},
	"dict-value-with-dict-second":    {why: "two readings; our options name their kind", refused: "is no text"},
	"dict-caveat-2-tuple":            {why: "a description is a text", refused: "is no text"},
	"dict-2-tuple-falsy-second":      {why: "a description is a text", refused: "is no text"},
	"dict-type-object-is-callable":   {why: "a class is no method", refused: "is no handler"},
	"list-fn-triple-third-ignored":   {why: "nothing is ignored in silence", refused: "behind a name"},
	"list-4-tuple-extra-ignored":     {why: "nothing is ignored in silence", refused: "a tuple of 4"},
	"schema-meta-type-list":          {why: "unchecked or a crash in the original", refused: "f.type: type is one type name"},
	"schema-meta-type-nested-object": {why: "unchecked or a crash in the original", refused: "f.type: type is one type name"},
	"schema-caveat-meta-keys":        {why: "meant as two fields", refused: "write fields: {description: str}"},
	"schema-caveat-one-extra-key":    {why: "a mix of words and names is doubtful", refused: "write fields: {type: …, extra: …}"},
	"schema-empty-description":       {why: "an empty description is none", normalized: `[{"name":"o","kind":"schema","description":"d","fields":{"f":{"type":"str"}}}]`},
	"schema-meta-fields-and-items": {why: "the unused fields are dropped",
		normalized: `[{"name":"o","kind":"schema","description":"d","fields":{"f":{"type":"list","items":{"type":"int"}}}}]`},
}

func TestGoldenShapes(t *testing.T) {
	t.Parallel()
	lines := golden.Lines(t, "shapes.jsonl")
	met := 0
	for _, line := range lines {
		var l struct {
			Container  string
			Items      json.RawMessage
			Normalized json.RawMessage
			Error      *struct{ Type string }
		}
		line.Decode(t, &l)
		decided, isDecided := decidedShapes[line.ID]
		options, err := golden.Handlers(l.Container, l.Items)
		switch {
		case isDecided:
			met++
		case l.Error != nil:
			decided.refused = " "
		default:
			decided.normalized = asValue(l.Normalized)
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
		if diff := gocmp.Diff(decided.normalized, normalized(options)); diff != "" {
			t.Errorf("%s: -want +got\n%s", line.ID, diff)
		}
	}
	if met != len(decidedShapes) || len(lines) != 66 {
		t.Errorf("%d lines, %d of them decided; want 66 and %d", len(lines), met, len(decidedShapes))
	}
}

// asValue is a normalized line in our words: a text option is a value option whose value is its name.
func asValue(raw json.RawMessage) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return err.Error()
	}
	var names []struct{ Name string }
	if err := json.Unmarshal(raw, &names); err != nil {
		return err.Error()
	}
	text := compact.String()
	for _, n := range names {
		text = strings.Replace(text, fmt.Sprintf(`"name":%q,"kind":"text"`, n.Name), fmt.Sprintf(`"name":%q,"kind":"value","value":%q`, n.Name, n.Name), 1)
	}
	return text
}

func normalized(options []registry.Option) string {
	var out []string
	for _, o := range options {
		text := fmt.Sprintf(`{"name":%q,"kind":%q`, o.Name, cmp.Or(o.Method.Kind, registry.Kind("function")))
		description := o.Description
		switch o.Method.Kind {
		case registry.Value:
			text += fmt.Sprintf(`,"value":%s`, compact(o.Method.Constant))
		case registry.Form:
		default:
			text += fmt.Sprintf(`,"function":%q`, o.Method.Name)
			description = cmp.Or(description, o.Method.Summary)
		}
		text += fmt.Sprintf(`,"description":%q`, description)
		if o.Method.Kind == registry.Form {
			text += `,"fields":` + fields(o.Method.Params)
		}
		out = append(out, text+"}")
	}
	return "[" + strings.Join(out, ",") + "]"
}

var short = map[registry.Type]string{
	registry.String: "str", registry.Integer: "int", registry.Number: "float", registry.Boolean: "bool",
	registry.Array: "list", registry.Object: "dict",
}

func fields(params []registry.Param) string {
	var out []string
	for _, p := range params {
		out = append(out, fmt.Sprintf("%q:%s", p.Name, field(p)))
	}
	return "{" + strings.Join(out, ",") + "}"
}

func field(p registry.Param) string {
	text := fmt.Sprintf(`{"type":%q`, short[p.Type])
	if p.Description != "" {
		text += fmt.Sprintf(`,"description":%q`, p.Description)
	}
	if p.Enum != nil {
		text += `,"options":` + compact(p.Enum)
	}
	if p.Fields != nil {
		text += `,"fields":` + fields(p.Fields)
	}
	if p.Items != nil {
		text += `,"items":` + field(*p.Items)
	}
	return text + "}"
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
