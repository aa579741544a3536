// Command mcp-decide serves methods to models in two ways: as native MCP tools, and as entries of a text
// menu that any model answers with a small JSON pick. It also runs, shows and checks them by hand.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"
)

// version is set at release time with -ldflags "-X main.version=...".
var version = "0.1.0-dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends the work in an orderly way; from then on the second one kills.
	context.AfterFunc(ctx, stop)
	a := &app{
		in:       os.Stdin,
		out:      os.Stdout,
		err:      os.Stderr,
		env:      os.Getenv,
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())),
		errIsTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
	// Only the commands write to standard output, through a.out: whatever else prints by accident must
	// not end up between the messages of the protocol.
	os.Stdout = os.Stderr
	os.Exit(a.run(ctx, os.Args[1:]))
}

// The exit codes, the same for every command.
const (
	exitDone         = 0
	exitRefused      = 1 // refused or failed
	exitUsage        = 2 // usage or configuration
	exitNotAvailable = 3 // there, but can't be used now
)

// run runs one command line and returns its exit code.
func (a *app) run(ctx context.Context, args []string) int {
	cmd := a.root()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	var e *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &e):
		if e.err != nil {
			fmt.Fprintln(a.err, "mcp-decide:", safe(e.err.Error()))
		}
		return e.code
	}
	// What cobra itself refuses: an unknown command or flag, a wrong number of arguments.
	fmt.Fprintln(a.err, "mcp-decide:", safe(err.Error()))
	fmt.Fprintf(a.err, "Run %q for the ways to call it.\n", cmd.CommandPath()+" --help")
	return exitUsage
}

// exitError ends a command with a code. Its text goes to standard error; nil says that all has been said.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// lacks is the answer to a flag that belongs to the product but not yet to this version.
func lacks(flag string) error {
	return usage("this version (%s) does not have %s yet", version, flag)
}

func readAll(r io.Reader, max int64, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s is larger than %d bytes", what, max)
	}
	return data, nil
}
