package main

import (
	"path/filepath"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/store"
)

// Two configurations are one when a turn of the first may be answered under the second.
func TestIdentity(t *testing.T) {
	t.Parallel()
	file := func(name, path string) *config.File {
		return &config.File{Path: path, Server: config.Server{Name: name}}
	}
	relative, err := filepath.Abs("desk.yaml")
	if err != nil {
		t.Fatal(err)
	}
	sqlite, other := store.Where{Kind: "sqlite", Path: "/var/lib/a.db"}, store.Where{Kind: "sqlite", Path: "/mnt/moved.db"}
	postgres := store.Where{Kind: "postgres"}
	for name, c := range map[string]struct {
		a, b     *config.File
		inA, inB store.Where
		same     bool
	}{
		"a restart":                         {file("desk", "/a.yaml"), file("desk", "/a.yaml"), sqlite, sqlite, true},
		"the store was moved":               {file("desk", "/a.yaml"), file("desk", "/a.yaml"), sqlite, other, true},
		"from another folder":               {file("desk", "desk.yaml"), file("desk", relative), sqlite, sqlite, true},
		"the demo, in two windows":          {file("folders", ""), file("folders", ""), sqlite, sqlite, true},
		"another file of that name":         {file("desk", "/a.yaml"), file("desk", "/b.yaml"), sqlite, sqlite, false},
		"two files without a name":          {file("", "/a.yaml"), file("", "/b.yaml"), sqlite, sqlite, false},
		"another name":                      {file("desk", "/a.yaml"), file("ledger", "/a.yaml"), sqlite, sqlite, false},
		"the file in the name":              {file("desk/a.yaml", ""), file("desk", "/a.yaml"), sqlite, sqlite, false},
		"two machines":                      {file("desk", "/etc/a.yaml"), file("desk", "/srv/b.yaml"), postgres, postgres, true},
		"two machines with different names": {file("desk", "/etc/a.yaml"), file("ledger", "/etc/a.yaml"), postgres, postgres, false},
	} {
		if a, b := identity(c.a, c.inA), identity(c.b, c.inB); (a == b) != c.same {
			t.Errorf("%s: %q and %q, same: %v", name, a, b, a == b)
		}
	}
}
