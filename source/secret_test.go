package source

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/config"
)

// A reference outside of methods is read like one of theirs: it starts at the file's folder, and says what is wrong with
// it without its value.
func TestSecret(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	for name, mode := range map[string]os.FileMode{"own": 0o600, "open": 0o644} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("canary\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	t.Setenv("SECRET_SET", "canary") // so this test is alone
	open := config.Problem{File: file, Message: "every user of this machine can read open", Fix: "Run chmod 600 open"}
	if runtime.GOOS == "windows" {
		open = config.Problem{File: file}
	}
	for _, tc := range []struct {
		ref     string
		value   string
		problem config.Problem
	}{
		{"env:SECRET_SET", "canary", config.Problem{File: file}},
		{"env:SECRET_UNSET", "", config.Problem{File: file, Message: "the environment variable SECRET_UNSET is not set",
			Fix: `Set SECRET_UNSET where the server is started, in a client's settings under "env"`}},
		{"file:own", "canary", config.Problem{File: file}},
		{"file:" + filepath.Join(dir, "own"), "canary", config.Problem{File: file}},
		{"file:open", "canary", open},
		{"file:none", "", config.Problem{File: file, Message: "the file none can't be read: no such file or directory", Fix: "Create it, or mend the path"}},
	} {
		value, problem := Secret(&config.File{Path: file}, tc.ref)
		if value != tc.value {
			t.Errorf("%s: got %q, want %q", tc.ref, value, tc.value)
		}
		if diff := cmp.Diff(tc.problem, problem); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.ref, diff)
		}
	}
}
