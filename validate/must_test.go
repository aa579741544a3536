package validate

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func mustCompile(t testing.TB, schema string) *Schema {
	t.Helper()
	s, err := Compile([]byte(schema))
	if err != nil {
		t.Fatalf("Compile(%s): %v", cut(schema, 500), err)
	}
	return s
}

func mustDecode(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) any {
	t.Helper()
	v, err := Decode(json.RawMessage(text))
	if err != nil {
		t.Fatalf("Decode(%s): %v", cut(text, 500), err)
	}
	return v
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
