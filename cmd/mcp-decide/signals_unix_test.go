//go:build unix

package main

import (
	"bufio"
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A command that waits for input which never comes ends with the first signal, and says why.
func TestASignalEndsTheWaitForInput(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"parse --decision tidy_folder",
		"call count_words --args -",
		"decide tidy_folder path=/ wish=x --answer -",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("mcp-decide", strings.Fields(line)...)
			cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(said)
			lines.Scan() // that the demo runs: from here on the command listens for signals
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
			last := ""
			for lines.Scan() {
				last = lines.Text()
			}
			var failed *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &failed) || failed.ExitCode() != exitRefused || last != "mcp-decide: interrupted" {
				t.Errorf("it ended with %v after %q, want exit code %d after \"mcp-decide: interrupted\"", err, last, exitRefused)
			}
		})
	}
}
