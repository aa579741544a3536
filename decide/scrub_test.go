package decide

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"pgregory.net/rapid"
)

// Scrubbed JSON is JSON, holds none of the values, and is untouched where there is none.
func TestScrubbedJSONStaysJSON(t *testing.T) {
	t.Parallel()
	secrets := []string{"12345", "se\"cret", "back\\slash", "wörter", "-1.5e9", "trueish"}
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](json.Number("-0.5")), rapid.Just[any](json.Number("9123459")), rapid.Just[any](json.Number("-1.5e9")),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom(append([]string{"a", "\"", "\\", "\n", "<", "é"}, secrets...)), 0, 4), func(parts []string) any { return strings.Join(parts, "") }),
	)
	value := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(leaf, 3) })
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(map[string]any{"args": value.Draw(t, "value")})
		if err != nil {
			t.Fatal(err)
		}
		scrub := func(text string) string { return registry.Redact(text, secrets) }
		out := scrubJSON(raw, scrub)
		if !json.Valid(out) {
			t.Fatalf("%s becomes %s", raw, out)
		}
		if again := scrub(string(out)); again != string(out) {
			t.Fatalf("%s becomes %s, in which something is left", raw, out)
		}
		if scrub(string(raw)) == string(raw) && string(out) != string(raw) {
			t.Fatalf("%s becomes %s for nothing", raw, out)
		}
	})
}

func anyJSON(leaf *rapid.Generator[any], depth int) *rapid.Generator[any] {
	if depth == 0 {
		return leaf
	}
	below := anyJSON(leaf, depth-1)
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(below, 0, 3), func(list []any) any { return list }),
		rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "12345", "x se\"cret"}), below, 0, 3), func(m map[string]any) any { return m }),
	)
}
