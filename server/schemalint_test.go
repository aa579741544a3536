package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/source"
)

// TestSchemaLint holds every tool to what all clients can take: our own, those of the desk, those of lists and nested
// objects, and those of the configuration that a newcomer starts from.
func TestSchemaLint(t *testing.T) {
	t.Parallel()
	demo, err := os.ReadFile("../cmd/mcp-decide/demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		s    *Server
		want string // some of the tools, so that the right ones are looked at
	}{
		"desk":   {newDesk().server(t, Options{}), "add_note handle_ticket lookup_order pick_destructive pick_read pick_write"},
		"shapes": {fileServer(t, shapesYAML), "choose order pick_read"},
		"demo":   {fileServer(t, string(demo)), "list_folder pick_destructive pick_read pick_write tidy_folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tools := toolsOf(t, c.s)
			for _, want := range strings.Fields(c.want) {
				if !slices.Contains(names(tools), want) {
					t.Errorf("no tool %s", want)
				}
			}
			for _, tool := range tools {
				for _, fault := range lintTool(tool) {
					t.Errorf("%s: %s", tool.Name, fault)
				}
			}
		})
	}
}

// shapesYAML has shapes of every kind, as deep as a tool's may be.
const shapesYAML = `
methods:
  order:
    summary: Order things.
    schema:
      lines: {description: What is ordered., items: {sku: Its number here., tags: {description: Any words., items: string}}}
      address: {description: Where to., fields: {street: The street's name., more?: {type: list, description: Anything.}}}
      free: {description: Anything in lists., json_schema: {anyOf: [{type: array}, {type: object, properties: {in: {type: [array, "null"], description: More.}}}]}}
      pair: {type: list, description: Two of them., prefixItems: [{type: string}, {type: array}]}
      deep: {description: "1", fields: {a: {description: "2", fields: {a: {description: "3", fields: {a: {description: "4", fields: {a: {description: "5", fields: {a: {description: "6", fields: {a: {description: "7", fields: {a: {description: "8", fields: {a: {description: "9", type: list}}}}}}}}}}}}}}}}}
decisions:
  choose:
    summary: Choose one of them.
    params: {items: {description: To choose from., items: {a: One letter here.}}}
    prompt: "Choose from {items}."
    options: {order: order}
`

// fileServer serves a configuration.
func fileServer(t *testing.T, text string) *Server {
	t.Helper()
	f, err := config.Parse("f.yaml", t.TempDir(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	methods, _, err := source.Build(f)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []decide.Decision
	for _, d := range f.Decisions {
		decision := decide.Decision{Name: d.Name, Summary: d.Summary, Params: d.Params, Prompt: d.Prompt, MaxRetries: d.MaxRetries}
		for _, o := range d.Options {
			option := decide.Value(o.Name, 1) // what it gives stands in no tool
			if o.Method != "" {
				option = decide.Func(o.Name, o.Method)
			}
			decision.Options = append(decision.Options, option)
		}
		decisions = append(decisions, decision)
	}
	return serverOf(t, engineOf(t, methods, decisions...), Options{})
}

// lintTool says what of a tool some client can't take.
func lintTool(tool listed) (faults []string) {
	var schema map[string]any
	if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
		return []string{err.Error()}
	}
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	say(!regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`).MatchString(tool.Name), "a name that some client drops")
	say(len(tool.Description) > 2048, "a description of %d bytes", len(tool.Description))
	say(schema["type"] != "object", "the root is no object")
	say(schema["additionalProperties"] != false, "the root is open")
	for _, word := range []string{"oneOf", "anyOf", "allOf", "not", "if", "enum"} {
		_, ok := schema[word]
		say(ok, "%s at the root", word)
	}
	lintSchema("", schema, 1, &faults)
	return faults
}

// lintSchema looks at a schema as a suspicious client does: every object below is taken for a schema, and every word for
// one of its words, save the names of properties.
func lintSchema(where string, schema map[string]any, depth int, faults *[]string) {
	say := func(wrong bool, what string) {
		if wrong {
			*faults = append(*faults, fmt.Sprintf("%s: %s", where, what))
		}
	}
	say(schema["$ref"] != nil || schema["$dynamicRef"] != nil, "a reference")
	say(depth > 10 && len(schema) > 0, "more than ten deep")
	types, _ := schema["type"].([]any)
	say((schema["type"] == "array" || slices.Contains(types, any("array"))) && schema["items"] == nil, "a list without items")
	for _, word := range slices.Sorted(maps.Keys(schema)) {
		switch value := schema[word].(type) {
		case map[string]any:
			if word != "properties" {
				lintSchema(where+"/"+word, value, depth+1, faults)
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(value)) {
				property, _ := value[name].(map[string]any)
				*faults = append(*faults, undescribed(where+"/"+name, property)...)
				lintSchema(where+"/"+name, property, depth+1, faults)
			}
		case []any:
			for i, item := range value {
				if s, ok := item.(map[string]any); ok {
					lintSchema(fmt.Sprintf("%s/%s/%d", where, word, i), s, depth+1, faults)
				}
			}
		}
	}
}

func undescribed(where string, property map[string]any) []string {
	if text, _ := property["description"].(string); text == "" {
		return []string{where + ": no description"}
	}
	return nil
}

// TestSchemaLintFinds: the lint sees each thing that it is there for.
func TestSchemaLintFinds(t *testing.T) {
	t.Parallel()
	inside := func(schema string) string {
		return `{"type":"object","properties":{"a":` + schema + `},"additionalProperties":false}`
	}
	for _, c := range []struct{ name, schema, want string }{
		{"fine", inside(`{"type":"string","description":"A."}`), ""},
		{"Fine", inside(`{"type":"string","description":"A."}`), "a name that some client drops"},
		{"root", `{"type":"array","items":{},"additionalProperties":false}`, "the root is no object"},
		{"open", `{"type":"object"}`, "the root is open"},
		{"combinator", `{"type":"object","oneOf":[],"additionalProperties":false}`, "oneOf at the root"},
		{"undescribed", inside(`{"type":"string"}`), "/a: no description"},
		{"undescribed_below", inside(`{"description":"A.","properties":{"b":{}}}`), "/a/b: no description"},
		{"bare", inside(`{"description":"A.","items":{"type":"array"}}`), "/a/items: a list without items"},
		{"bare_or_null", inside(`{"description":"A.","anyOf":[{"type":["null","array"]}]}`), "/a/anyOf/0: a list without items"},
		{"reference", inside(`{"description":"A.","additionalProperties":{"$ref":"#"}}`), "/a/additionalProperties: a reference"},
		{"deep", inside(strings.Repeat(`{"description":"A.","items":`, 9) + `{"minimum":1}` + strings.Repeat("}", 9)), "/a" + strings.Repeat("/items", 9) + ": more than ten deep"},
	} {
		if got := strings.Join(lintTool(listed{Name: c.name, InputSchema: json.RawMessage(c.schema)}), "\n"); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSchemasThatCanNotBe: a schema that some client can't take is no tool's; by menu it may be offered.
func TestSchemasThatCanNotBe(t *testing.T) {
	t.Parallel()
	deep := registry.Param{Name: "deep", Type: registry.String}
	for range 9 {
		deep = registry.Param{Name: "deep", Type: registry.Object, Fields: []registry.Param{deep}}
	}
	whole := func(schema string) registry.Param { return registry.Param{Name: "x", Schema: json.RawMessage(schema)} }
	for _, c := range []struct {
		name  string
		param registry.Param
		want  string
	}{
		{"a reference", whole(`{"$defs":{"a":{}},"items":{"$ref":"#/properties/x/$defs/a"}}`), "schema at /properties/x/items/$ref: a reference"},
		{"eleven levels", deep, "schema at " + strings.Repeat("/properties/deep", 10) + ": more than the 10 levels"},
		{"ten levels", deep.Fields[0], ""},
		{"items that are decided elsewhere", whole(`{"type":"array","unevaluatedItems":false}`), "schema at /properties/x: a list without items"},
		{"a bare list", whole(`{"type":"array"}`), ""},
		{"a header that can't be one", whole(`{"type":"string","x-mcp-header":"bad header"}`), `property "x": x-mcp-header value "bad header" contains invalid character`},
		{"a header of a list", whole(`{"type":"array","items":{},"x-mcp-header":"Region"}`), `property "x": x-mcp-header can only be applied to primitive types`},
		{"a header", whole(`{"type":"string","x-mcp-header":"Region"}`), ""},
	} {
		for _, offer := range []registry.Offer{"", registry.OfferNative, registry.OfferBoth, registry.OfferMenu} {
			m := registry.Method{Name: "m", Summary: "A method.", Effect: registry.Read, Offer: offer, Params: []registry.Param{c.param}, Run: nop}
			want := c.want
			if want != "" {
				want = `method "m" can't be a tool; mend it, or offer it by menu: ` + want
			}
			if offer == registry.OfferMenu {
				want = ""
			}
			wantError(t, fmt.Sprintf("%s, offer %q", c.name, offer), engineOf(t, []registry.Method{m}), want)
		}
		d := decide.Decision{Name: "d", Summary: "Choose.", Prompt: "Choose.", Params: []registry.Param{c.param}, Options: []decide.Option{decide.Value("x", 1)}}
		want := c.want
		if want != "" {
			want = `decision "d" can't be a tool: ` + want
		}
		wantError(t, c.name+", decision", engineOf(t, nil, d), want)
	}
}

func wantError(t *testing.T, name string, eng *decide.Engine, want string) {
	t.Helper()
	s, err := New(eng, Options{})
	switch {
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got %v, want %s", name, err, want)
	case want == "" && err != nil:
		t.Errorf("%s: %v", name, err)
	case err == nil && len(toolsOf(t, s)) == 0 && !strings.Contains(name, "menu"):
		t.Errorf("%s: no tool", name)
	}
}
