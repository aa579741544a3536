package validate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// However much is wrong, at most 200 characters of what was read are repeated, and every place is named.
func TestFixRepeatsLittle(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"n":{"type":"array","items":{"type":"number"}},"e":{"type":"array","items":{"enum":["a","b"]}},
		"b":{"type":"array","items":{"type":"boolean"}},"l":{"type":"array","items":{"type":"array"}},"t":{"type":"array","items":{"maxLength":2}}}}`)
	rapid.Check(t, func(t *rapid.T) {
		value := map[string]any{}
		for _, key := range []string{"n", "e", "b", "l", "t"} {
			var list []any
			for range rapid.IntRange(0, 6).Draw(t, key) {
				text := strings.Repeat(rapid.SampledFrom([]string{"ж", "ж ", `ж"`, "ж\\\x1b", "ж\n"}).Draw(t, "text"), rapid.IntRange(1, 80).Draw(t, "times"))
				list = append(list, text)
			}
			if list != nil {
				value[key] = list
			}
		}
		problems := s.Check("args", value)
		if len(problems) == 0 {
			return
		}
		fix := NewError("", problems...).Fix()
		if n := strings.Count(fix, "ж"); n > maxRepeated {
			t.Fatalf("%d characters are repeated:\n%s", n, fix)
		}
		for _, p := range problems {
			if !strings.Contains(fix, "- "+p.Path+": ") {
				t.Fatalf("%s is not in\n%s", p.Path, fix)
			}
		}
	})
}

func TestFixCutsQuotations(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 150)
	for name, tt := range map[string]struct {
		reads []string
		want  []string
	}{
		"short ones stay":         {[]string{`the text "a"`, "the number 12", "null"}, []string{`got the text "a"`, "got the number 12", "got null"}},
		"the second is cut":       {[]string{`the text "` + long + `"`, `the text "` + long + `"`}, []string{`"` + long + `"`, `got the text "` + long[:49] + `…"`}},
		"then all are":            {[]string{`"` + long + long + `"`, `the text "a"`, "the number 12"}, []string{`"` + (long + long)[:199] + `…"`, `got the text "…"`, "got the number …"}},
		"not within an escape":    {[]string{`"` + (long + long)[:195] + `\u001b\u001b"`}, []string{(long + long)[:195] + `…"`}},
		"what is ours stays":      {[]string{`"` + long + long + `"`, "a list of 300 items", "an object, one that was cut"}, []string{"", "got a list of 300 items", "got an object, one that was cut"}},
		"the words around it too": {[]string{`"` + long + long + `"`, `one that is not JSON, at "a": here`}, []string{"", `got one that is not JSON, at "…": here`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var problems []Problem
			for i, read := range tt.reads {
				problems = append(problems, Problem{Kind: TypeMismatch, Path: fmt.Sprint("args.", i), Expected: "a value", Read: read})
			}
			for i, line := range strings.Split(NewError("", problems...).Fix(), "\n") {
				if !strings.Contains(line, tt.want[i]) {
					t.Errorf("%s is not in %s", tt.want[i], line)
				}
			}
		})
	}
}

// An example that was made of what was read counts too; one of the schema alone does not.
func TestFixCountsExamples(t *testing.T) {
	t.Parallel()
	digits := json.Number(strings.Repeat("1", 38))
	s := mustCompile(t, `{"properties":{"t":{"type":"array","items":{"type":"string"}}},"required":["id"]}`)
	fix := NewError("", s.Check("args", map[string]any{"t": []any{digits, digits, digits, digits}})...).Fix()
	if n := strings.Count(fix, "1") - strings.Count(fix, "[1]"); n > maxRepeated {
		t.Errorf("%d characters are repeated:\n%s", n, fix)
	}
	if !strings.Contains(fix, "- args.id: required") {
		t.Errorf("got\n%s", fix)
	}
}
