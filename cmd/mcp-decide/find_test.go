//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A configuration that can't be read, or that may be there for all one can see, is never taken for none: the demo
// must not run in its place.
func TestNoDemoWhereAConfigurationMayBe(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything, whatever the permissions")
	}
	for name, tc := range map[string]struct{ file, folder, home os.FileMode }{
		"the file can't be read":        {0o000, 0o700, 0o700},
		"its folder can't be searched":  {0o600, 0o600, 0o700},
		"the home can't be searched":    {0o600, 0o700, 0o600},
		"the home can't even be listed": {0o600, 0o700, 0o000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			folder := filepath.Join(home, "mcp-decide")
			path := filepath.Join(folder, "mcp-decide.yaml")
			if err := errors.Join(os.MkdirAll(folder, 0o700), os.WriteFile(path, []byte("methods: {}"), 0o600)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = errors.Join(os.Chmod(home, 0o700), os.Chmod(folder, 0o700)) }) // else they can't be removed
			if err := errors.Join(os.Chmod(path, tc.file), os.Chmod(folder, tc.folder), os.Chmod(home, tc.home)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("mcp-decide", "list")
			cmd.Env = append(cmd.Environ(), atHome(home)...)
			said, err := cmd.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) || failed.ExitCode() != exitUsage || !strings.Contains(string(said), path) || strings.Contains(string(said), "tidy_folder") {
				t.Errorf("%v, want exit code %d and the file's name: %s", err, exitUsage, said)
			}
		})
	}
}
