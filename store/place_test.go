package store_test

import (
	"path/filepath"
	"testing"

	"github.com/mcp-decide/mcp-decide/store"
)

// place is a kind of store that several processes can share.
type place struct {
	name  string
	fresh func(t testing.TB) string // the name of an empty one, as ParseWhere reads it
}

// places are those that can be had here.
func places(t testing.TB) []place {
	all := []place{{name: "sqlite", fresh: func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "store.db") }}}
	if !store.PostgresIsThere() {
		t.Log("not tested with PostgreSQL, since " + store.TestPostgresURL + " holds no URL of a server; .ci/postgres COMMAND starts one for a command")
		return all
	}
	return append(all, place{name: "postgres", fresh: store.FreshPostgres})
}

// allPlaces are the kinds of store, those of one process too.
func allPlaces(t testing.TB) []place {
	return append(places(t), place{name: "memory", fresh: func(testing.TB) string { return "memory:" }})
}

// inEachPlace runs a test over all that several processes can share.
func inEachPlace(t *testing.T, test func(t *testing.T, p place)) {
	t.Parallel()
	for _, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// open opens the store of that name until the test ends.
func (place) open(t testing.TB, name string) *store.Store {
	t.Helper()
	return openAt(t, name, store.Options{})
}

func openAt(t testing.TB, name string, o store.Options) *store.Store {
	t.Helper()
	where, err := store.ParseWhere(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), where, o)
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
