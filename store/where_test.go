package store_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/store"
)

// TestWhere holds names of stores against what they mean. Whatever they are, no password is shown.
func TestWhere(t *testing.T) {
	t.Setenv("STORE_TEST_PLACE", "sqlite:/var/lib/turns.db")
	t.Setenv("STORE_TEST_POSTGRES", "postgres://me:secret@db/turns?sslmode=disable&password=secret")
	t.Setenv("STORE_TEST_BAD", "postgres://me:se/cret@db/turns")
	t.Setenv("STORE_TEST_LOOP", "env:STORE_TEST_LOOP")
	for text, want := range map[string]string{
		"memory:":                  "memory:",
		"sqlite:/var/lib/turns.db": "sqlite:/var/lib/turns.db",
		"env:STORE_TEST_PLACE":     "sqlite:/var/lib/turns.db",
		"sqlite:":                  "error: path of a file",
		"sqlite:/var/lib/":         "error: path of a file",
		"sqlite:/a?mode=memory":    "error: can't hold",
		"env:STORE_TEST_LOOP":      "error: names another variable",
		"env:STORE_TEST_BAD":       "error: STORE_TEST_BAD holds no store",
		"env:STORE_TEST_NOT_THERE": "error: not set",
		"memory:x":                 "error: no such store",
		"turns.db":                 "error: no such store",
		"":                         "error: no such store",

		"env:STORE_TEST_POSTGRES":                      "postgres://me@db/turns",
		"postgres://me:secret@db:5433/t":               "postgres://me@db:5433/t",
		"postgresql://db/t?search_path=other":          "postgres://db/t",
		"postgres://me@/t?host=/run/s&password=secret": "postgres://me@/t",
		"postgres://": "postgres://",
		"postgres:":   "error: postgres://USER",
		"postgres:x":  "error: postgres://USER",
		"postgres://me:secret@db/t?sslmode=secret":  "error: can't be read",
		"postgres://me:se/cret@db/t":                "error: can't be read",
		"postgres://me:secret@db/t?search_path=A-b": "error: can't be the schema",
	} {
		w, err := store.ParseWhere(text)
		got := w.String()
		if err != nil {
			got = "error: " + err.Error()
		}
		wanted, isError := strings.CutPrefix(want, "error: ")
		if isError && (err == nil || !strings.Contains(got, wanted)) || !isError && got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		var logged strings.Builder
		slog.New(slog.NewJSONHandler(&logged, nil)).Info("", "store", w, "pointer", &w, "err", err)
		slog.New(slog.NewTextHandler(&logged, nil)).Info("", "store", w, "pointer", &w)
		coded, _ := json.Marshal(w)
		for _, shown := range []string{got, fmt.Sprintf("%v %+v %#v %s", w, w, w, w), fmt.Sprintf("%v %+v", &w, []store.Where{w}), string(coded), logged.String()} {
			if strings.Contains(shown, "secret") || strings.Contains(shown, "cret@") {
				t.Errorf("%q: a password is shown: %s", text, shown)
			}
		}
	}
}
