package registry

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	args := Args{
		"name": "O'Neil {x}", "n": json.Number("1.50"), "big": json.Number("12345678901234567890"), "on": true, "none": nil,
		"list": []any{json.Number("1"), "a<b"}, "object": map[string]any{"k": "v"}, "文本": "好", "a.b-c": "dotted",
	}
	for _, c := range []struct{ template, want string }{
		{"", ""},
		{"plain", "plain"},
		{"Hello {name}!", "Hello O'Neil {x}!"},
		{"{n}{n}", "1.501.50"},
		{"{big}", "12345678901234567890"},
		{"{on} {none}", "true null"},
		{"{list} {object}", `[1,"a<b"] {"k":"v"}`},
		{"{{name}}", "{name}"},
		{"{{{n}}}", "{1.50}"},
		{`{{"k": {n}}}`, `{"k": 1.50}`},
		{"{文本}{a.b-c}", "好dotted"},
	} {
		parsed, err := ParseTemplate(c.template)
		if err != nil {
			t.Errorf("%q: %v", c.template, err)
			continue
		}
		got, ok := parsed.Expand(args)
		if !ok || got != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.template, got, ok, c.want)
		}
	}
}

func TestTemplateEscaped(t *testing.T) {
	t.Parallel()
	parsed, err := ParseTemplate("/a b/{x}{{}}{n}")
	if err != nil {
		t.Fatal(err)
	}
	escape := func(s string) string { return "<" + strings.ToUpper(s) + ">" }
	if got, ok := parsed.Escaped(Args{"x": "a b", "n": json.Number("1e5")}, escape); !ok || got != "/a b/<A B>{}<1E5>" {
		t.Errorf("got %q, %v", got, ok)
	}
	if got, ok := parsed.Escaped(Args{"x": "a b"}, escape); ok || got != "" {
		t.Errorf("got %q, %v without a value", got, ok)
	}
}

func TestTemplateAlone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"{x}": "x", "": "", "x": "", "{x} ": "", "{x}{x}": "", "{{x}}": ""} {
		parsed, err := ParseTemplate(text)
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := parsed.Alone(); name != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v, want %q", text, name, ok, want)
		}
	}
}

func TestTemplateErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, want string }{
		{"a } b", "character 3: } without {; write }} for a literal brace"},
		{"好{", "character 2: { without }; write {name} for a value, {{ for a literal brace"},
		{"{a", "character 1: { without }; write {name} for a value, {{ for a literal brace"},
		{"{a {b}", "character 1: { without }; write {name} for a value, {{ for a literal brace"},
		{"x{}", "character 2: {} names no parameter; write {name} for a value, {{}} for literal braces"},
		{`{"k": 1}`, `character 1: {"k": 1} names no parameter; a name has letters, digits, _, - and . only; write {{ and }} for literal braces`},
		{"{ name }", "character 1: { name } names no parameter; a name has letters, digits, _, - and . only; write {{ and }} for literal braces"},
	} {
		_, err := ParseTemplate(c.template)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.template, err, c.want)
		}
	}
}

func TestTemplateAbsentValue(t *testing.T) {
	t.Parallel()
	parsed, err := ParseTemplate("--reason={reason} {other}{reason}")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"reason", "other"}, parsed.Params()); diff != "" {
		t.Error(diff)
	}
	if text, ok := parsed.Expand(Args{"reason": "x"}); ok || text != "" {
		t.Errorf("got %q, %v for an absent value", text, ok)
	}
}

// A template is written from pieces; reading it gives the pieces back, and expanding it puts
// the values where the names stood.
func TestTemplateRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var source, want strings.Builder
		args := Args{}
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			text := rapid.StringOf(rapid.RuneFrom([]rune("ab {}\"\n好"))).Draw(t, "text")
			source.WriteString(strings.NewReplacer("{", "{{", "}", "}}").Replace(text))
			want.WriteString(text)
			if rapid.Bool().Draw(t, "value") {
				name := rapid.StringMatching(`[a-z][a-z0-9_.-]{0,5}`).Draw(t, "name")
				if _, ok := args[name]; !ok {
					args[name] = rapid.String().Draw(t, name)
				}
				source.WriteString("{" + name + "}")
				want.WriteString(args[name].(string))
			}
		}
		parsed, err := ParseTemplate(source.String())
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := parsed.Expand(args); !ok || got != want.String() {
			t.Fatalf("got %q, %v, want %q", got, ok, want.String())
		}
		if parsed.String() != source.String() {
			t.Fatalf("String is %q, want %q", parsed.String(), source.String())
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"", "{a}", "{{a}}", "}{", "{{{a}}}", "{a", "\xff{\xff}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		parsed, err := ParseTemplate(s)
		if err != nil {
			return
		}
		args := Args{}
		for _, name := range parsed.Params() {
			args[name] = "{" + name + "}"
		}
		got, ok := parsed.Expand(args)
		if !ok {
			t.Fatalf("%q: a value is missing", s)
		}
		// With each name as its own value, only the doubled braces differ from the source.
		if len(got) > len(s) {
			t.Fatalf("%q grew to %q", s, got)
		}
		if parsed.String() != s {
			t.Fatalf("String of %q is %q", s, parsed.String())
		}
	})
}
