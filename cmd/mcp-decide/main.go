// Command mcp-decide serves methods to models in two ways: as native MCP tools, and as entries of a text
// menu that any model answers with a small JSON pick. It also runs, shows and checks them by hand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/term"
)

// version is set at release time with -ldflags "-X main.version=...".
var version = "0.1.0-dev"

func main() {
	ctx, again, hup := signals()
	a := &app{
		in:       os.Stdin,
		out:      &output{w: os.Stdout},
		err:      os.Stderr,
		env:      os.Getenv,
		again:    again,
		hangup:   hup,
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stdout.Fd())),
		outIsTTY: term.IsTerminal(int(os.Stdout.Fd())),
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
	root := a.root()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	var e *exitError
	lost := a.out.failed()
	switch {
	case errors.Is(err, errInterrupted):
		fmt.Fprintln(a.err, "mcp-decide:", errInterrupted)
		return exitRefused
	case errors.As(err, &e) && e.err != nil && lost == nil:
		fmt.Fprintln(a.err, "mcp-decide:", safe(e.err.Error()))
		return e.code
	case errors.Is(lost, syscall.EPIPE):
		return exitDone // who reads no further, like head, has had enough
	case lost != nil:
		fmt.Fprintln(a.err, "mcp-decide: writing the output:", safe(lost.Error()))
		return exitRefused
	case e != nil:
		return e.code
	case err == nil:
		return exitDone
	}
	fmt.Fprintln(a.err, "mcp-decide:", safe(err.Error()))
	if a.started {
		return exitRefused
	}
	// What was refused before the command began: an unknown command or flag, too many words.
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

// lacks is the answer to what belongs to the product but not yet to this version.
func lacks(what string) error {
	return usage("this version (%s) does not have %s yet", version, what)
}
