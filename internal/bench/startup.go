package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Budgets of the command.
const (
	maxReady = 100 * time.Millisecond
	maxIdle  = 60 << 20
	maxLarge = 300 << 20
)

// startup are the rows about the command itself: how soon it serves, and what it takes.
func startup(binary string) ([]row, error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		if binary, err = buildCommand(dir); err != nil {
			return nil, err
		}
	}
	var ready []time.Duration
	for range 5 {
		took, _, err := started(binary, dir, 100)
		if err != nil {
			return nil, err
		}
		ready = append(ready, took)
	}
	soon := median(ready)
	rows := []row{{number: "6", what: "ready after the start, 100 methods", seen: short(soon), budget: "≤ " + short(maxReady), within: soon <= maxReady}}
	for _, n := range []int{1, 10_000} {
		most := int64(maxIdle)
		if n > 1 {
			most = maxLarge
		}
		_, memory, err := started(binary, dir, n)
		if err != nil {
			return nil, err
		}
		if memory > 0 {
			rows = append(rows, row{number: "8", what: fmt.Sprintf("resident memory, methods listed once: %s", grouped(float64(n))),
				seen: fmt.Sprintf("%d MiB", memory>>20), budget: fmt.Sprintf("≤ %d MiB", most>>20), within: memory <= most})
		}
	}
	return rows, nil
}

// buildCommand builds the command as releases do.
func buildCommand(dir string) (string, error) {
	path := filepath.Join(dir, "mcp-decide")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, "github.com/mcp-decide/mcp-decide/cmd/mcp-decide")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build the command: %w", err)
	}
	return path, nil
}

// started starts the command on stdio with n methods and says how long it took until all of them were listed, and what memory it
// held then; 0 where that can't be told.
func started(binary, dir string, n int) (took time.Duration, memory int64, err error) {
	file := filepath.Join(dir, fmt.Sprint(n, ".yaml"))
	if err := os.WriteFile(file, []byte(methodsFile(n)), 0o600); err != nil {
		return 0, 0, err
	}
	cmd := exec.Command(binary, "serve", "--config", file)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir) // what was accepted is remembered there
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		in.Close()
		if err = errors.Join(err, cmd.Wait()); err != nil {
			err = fmt.Errorf("serve %d methods: %w\n%s", n, err, log.Bytes())
		}
	}()
	if err := listsAll(in, out, n); err != nil {
		return 0, 0, err
	}
	return time.Since(began), resident(cmd.Process.Pid), nil
}

func listsAll(in io.Writer, out io.Reader, n int) error {
	l, err := newPipe(modern, in, out).lane()
	if err != nil {
		return err
	}
	a, err := l.round(request{method: "tools/list"})
	if err != nil {
		return err
	}
	if err := a.ok(); err != nil {
		return err
	}
	if len(a.Result.Tools) != n {
		return fmt.Errorf("%d tools are listed, there are %d", len(a.Result.Tools), n)
	}
	return nil
}

// methodsFile is a configuration of n methods.
func methodsFile(n int) string {
	var b strings.Builder
	b.WriteString("server: {name: bench}\nmethods:\n")
	for i := range n {
		fmt.Fprintf(&b, "  method_%d:\n    summary: One of many.\n    effect: read\n    params:\n      text: {type: string, description: The text.}\n"+
			"      count: {type: integer, description: How often., default: 1}\n    run: [go, version, \"{text}\", \"{count}\"]\n", i)
	}
	return b.String()
}
