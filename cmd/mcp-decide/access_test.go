package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// Tokens come from beside the file, each with its name and roles; one that others on the machine can read is taken, with a
// warning. What is refused stands in testdata/script/http.txtar.
func TestTokens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"own": 0o600, "open": 0o644} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name+"-canary-0123456789\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	f := &config.File{Path: filepath.Join(dir, "c.yaml"), Access: []config.Access{
		{Name: "desk", Token: "file:own", Roles: []string{"agent"}, Pos: config.Pos{Line: 3, Col: 5}},
		{Name: "lead", Token: "file:open", Pos: config.Pos{Line: 4, Col: 5}},
	}}
	got, warnings, err := tokens(f)
	if err != nil {
		t.Fatal(err)
	}
	want := []guard.Token{{Name: "desk", Secret: "own-canary-0123456789", Roles: []string{"agent"}}, {Name: "lead", Secret: "open-canary-0123456789"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens: -want +got\n%s", diff)
	}
	doubts := []config.Problem{{File: f.Path, Pos: config.Pos{Line: 4, Col: 5}, Key: "access.lead.token",
		Message: "every user of this machine can read open", Fix: "Run chmod 600 open"}}
	if runtime.GOOS == "windows" {
		doubts = nil
	}
	if diff := cmp.Diff(doubts, warnings); diff != "" {
		t.Errorf("warnings: -want +got\n%s", diff)
	}
	// What guard.New takes for a token is what tokens lets through.
	if _, err := guard.New(guard.Options{Tokens: got}); err != nil {
		t.Error(err)
	}
}
