package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// However the command ends while a write runs, its program and what that has started end too, and the outcome is said
// to be unknown.
func TestNoChildOutlivesTheCommand(t *testing.T) {
	t.Parallel()
	const request = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"long","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	for name, test := range map[string]struct {
		args    []string
		stdin   string
		signals int
	}{
		"call, one signal":   {args: []string{"call", "long", "--format", "json"}, signals: 1},
		"decide, one signal": {args: []string{"decide", "choose", "--answer", `{"call": "long"}`, "--format", "json"}, signals: 1},
		"serve, two signals": {args: []string{"serve"}, stdin: request, signals: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			marker := fmt.Sprintf("marker-%d-%s", os.Getpid(), strings.ReplaceAll(name, " ", ""))
			file := filepath.Join(t.TempDir(), "c.yaml")
			yaml := fmt.Sprintf(`
methods:
  long:
    summary: Start two programs and wait.
    effect: write
    run: {argv: [sh, -c, "sleep 301 & sleep 302; : %s", %[1]s], i_accept_shell: true}
decisions:
  choose: {summary: Choose., prompt: Pick., options: {long: long}}
`, marker)
			if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("mcp-decide", append(test.args, "--config", file)...)
			cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
			var out bytes.Buffer
			cmd.Stdout = &out
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			fmt.Fprint(in, test.stdin)
			group := groupOf(t, marker)
			for range test.signals {
				if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
					t.Error(err)
				}
				time.Sleep(50 * time.Millisecond) // two signals at once may be one
			}
			_ = cmd.Wait()
			if left := living(t, group); len(left) > 0 {
				_ = syscall.Kill(-group, syscall.SIGKILL)
				t.Errorf("of the program's group there still run %q", left)
			}
			if !strings.Contains(out.String(), "not known whether") {
				t.Errorf("the outcome was told as %s", out.String())
			}
		})
	}
}

// living are the processes of a group that run. One that has ended and was not waited for by whoever has to, does not.
func living(t *testing.T, group int) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		name, rest, _ := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest) // state, parent, group
		if len(fields) > 2 && fields[2] == fmt.Sprint(group) && fields[0] != "Z" && fields[0] != "X" {
			names = append(names, name)
		}
	}
	return names
}

// groupOf waits until a shell with the marker runs, and gives its process group.
func groupOf(t *testing.T, marker string) int {
	t.Helper()
	for range 1000 {
		paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range paths {
			line, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(line, []byte("sh\x00")) || !bytes.Contains(line, []byte(marker)) {
				continue
			}
			var pid int
			if _, err := fmt.Sscanf(path, "/proc/%d/cmdline", &pid); err != nil {
				t.Fatal(err)
			}
			if group, err := syscall.Getpgid(pid); err == nil && group == pid {
				return group
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program was not started")
	return 0
}
