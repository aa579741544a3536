package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/decide/turnstest"
	"github.com/mcp-decide/mcp-decide/store"
)

func open(t testing.TB, path string, now func() time.Time) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Where{Kind: "sqlite", Path: path}, store.Options{Now: now})
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

func TestTurns(t *testing.T) {
	t.Parallel()
	turnstest.Run(t, func(t *testing.T, now func() time.Time) decide.Turns {
		return open(t, filepath.Join(t.TempDir(), "turns.db"), now)
	})
}
