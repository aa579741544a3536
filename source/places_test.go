package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
)

// What many methods need is looked up once for all of them, and what one adds to it no other one sees.
func TestLookedUpOnce(t *testing.T) {
	t.Parallel()
	h := machine(t, map[string]string{"PATH": "/bin"})
	asked := 0
	lookup := h.lookup
	h.lookup = func(name string) (string, bool) { asked++; return lookup(name) }

	tool := filepath.Join(h.dir, "tool.exe")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if path, trouble, _ := h.program("./tool.exe"); path != tool || trouble != "" {
			t.Errorf("the program is %q, %s", path, trouble)
		}
		if dir, trouble := h.workdir("data"); dir != filepath.Join(h.dir, "data") || trouble != "" {
			t.Errorf("the folder is %q, %s", dir, trouble)
		}
		if err := os.RemoveAll(tool); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(h.dir, "data")); err != nil {
			t.Fatal(err)
		}
	}
	if _, trouble, _ := newPlacesOf(h).program("./tool.exe"); trouble == "" {
		t.Error("another Build found a program that is gone")
	}

	b := builder{host: h, configured: &config.Method{}}
	first := b.environment([]config.EnvVar{{Name: "A", Value: "1"}})
	second := b.environment([]config.EnvVar{{Name: "B", Value: "2"}})
	plain := b.environment(nil)
	if len(first) != 2 || first[1] != "A=1" || second[1] != "B=2" || len(plain) != 1 {
		t.Errorf("the environments are %q, %q and %q", first, second, plain)
	}
	if asked != len(inherited) {
		t.Errorf("%d variables were looked up, want %d", asked, len(inherited))
	}
}

func newPlacesOf(h host) host {
	h.places = newPlaces()
	return h
}
