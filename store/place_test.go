package store_test

import (
	"path/filepath"
	"testing"

	"github.com/mcp-decide/mcp-decide/store"
)

// place is a kind of store that several processes can share.
type place struct {
	name  string
	fresh func(t *testing.T) string // the name of an empty one, as ParseWhere reads it
}

// places are those that can be had here.
func places(testing.TB) []place {
	return []place{{name: "sqlite", fresh: func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "store.db") }}}
}

// open opens the store of that name until the test ends.
func (place) open(t *testing.T, name string) *store.Store {
	t.Helper()
	where, err := store.ParseWhere(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), where, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
