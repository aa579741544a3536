//go:build unix

package main

import (
	"bufio"
	"io"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// The end of the terminal ends a command that is no server, unless whoever started it wants otherwise, as nohup does.
func TestHangup(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, before string
		code         int
		output       string
	}{
		{"by default", "", exitRefused, ""},
		{"ignored from the start", "trap '' HUP; ", exitDone, "2\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.before == "" && signal.Ignored(syscall.SIGHUP) {
				t.Skip("these tests run under nohup, which a command that they start inherits")
			}
			s := newSandbox(t)
			cmd := exec.Command("sh", "-c", tc.before+"exec mcp-decide call count_words --args -")
			cmd.Env = s.environment()
			in, err := cmd.StdinPipe()
			s.must(err)
			said, err := cmd.StderrPipe()
			s.must(err)
			var out strings.Builder
			cmd.Stdout = &out
			s.must(cmd.Start())
			lines := bufio.NewScanner(said)
			lines.Scan() // that the demo runs: from here on the command is known
			s.must(cmd.Process.Signal(syscall.SIGHUP))
			if tc.code == exitDone {
				_, err = io.WriteString(in, `{"text": "one two"}`)
				s.must(err)
				s.must(in.Close())
			}
			last := ""
			for lines.Scan() {
				last = lines.Text()
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tc.code || out.String() != tc.output {
				t.Errorf("exit code %d with %q after %q, want %d with %q", code, out.String(), last, tc.code, tc.output)
			}
		})
	}
}
