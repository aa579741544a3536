package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBoundRedact: what Redact of a call takes out of a text is what Redact takes out with its hidden and secret values, however many there are, and of a call without such values nothing.
func TestBoundRedact(t *testing.T) {
	t.Parallel()
	m := Method{Name: "m", Summary: "M.", Effect: Read, Params: []Param{
		{Name: "pins", Type: Array, Secret: true, Optional: true, Items: &Param{Type: String}}, {Name: "note", Type: String, Optional: true},
	}}
	reg := New()
	m.Run = func(context.Context, Args) (any, error) { return nil, nil }
	if err := reg.Add(m); err != nil {
		t.Fatal(err)
	}
	ready, _ := reg.Snapshot().Find("m")
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]string{"canary", "can", "two\nlines", `quo"ted`, "ünicode", "canary-longer", ""}), 0, 20).Draw(t, "values")
		raw, _ := json.Marshal(map[string]any{"pins": values, "note": "canary"})
		bound, err := ready.Check(raw)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "hidden") {
			bound.hidden = Args{"token": "hidden-canary"}
			values = append(values, "hidden-canary")
		}
		var text strings.Builder
		for range rapid.IntRange(0, 8).Draw(t, "parts") {
			v := rapid.SampledFrom([]string{"canary", "can", "two\nlines", `quo"ted`, "ünicode", "canary-longer", "hidden-canary", "other ", " "}).Draw(t, "part")
			if rapid.Bool().Draw(t, "quoted") {
				v = fmt.Sprintf("%q", v)
			}
			text.WriteString(v)
		}
		if rapid.Bool().Draw(t, "long") {
			text.WriteString(strings.Repeat("x", maxRedacted))
		}
		want := text.String()
		if len(values) > 0 {
			want = Redact(want, values)
		}
		if got := bound.Redact(text.String()); got != want {
			t.Errorf("%.200q with %q is %.200q, want %.200q", text.String(), values, got, want)
		}
	})
}

// BenchmarkBoundRedact: a long text that repeats no hidden value costs next to nothing.
func BenchmarkBoundRedact(b *testing.B) {
	bound := Bound{hidden: Args{"desk": "token:desk"}}
	text := strings.Repeat("Some words of a result. ", 1250)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if bound.Redact(text) != text {
			b.Fatal("changed")
		}
	}
}
