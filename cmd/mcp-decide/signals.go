package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// lastGrace is how long what still hangs after the second signal may take to answer.
const lastGrace = 5 * time.Second

// signals listens for Ctrl-C, SIGTERM and the end of the terminal. The first one ends ctx, so that the work ends in an orderly way; the second
// one closes again, for what still goes on. What hangs even then is left, and a third one kills.
func signals() (ctx context.Context, again <-chan struct{}, hup *hangup) {
	ctx, end := context.WithCancel(context.Background())
	second := make(chan struct{})
	came := make(chan os.Signal, 2)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	hup = listenForHangup(came)
	// A reader that goes away is an error of writing, not the end of the process: what runs has to be ended first. The
	// signal is caught and not ignored, since children would ignore it too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-came
		end()
		<-came
		signal.Stop(came)
		close(second)
		time.Sleep(lastGrace)
		os.Exit(exitRefused)
	}()
	return ctx, second, hup
}

// errInterrupted ends a command that a signal told to end before it ran anything.
var errInterrupted = errors.New("interrupted")

// within waits for f no longer than ctx: a read that blocks can't be ended otherwise.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case d := <-done:
		return d.value, d.err
	case <-ctx.Done():
		var none T
		return none, errInterrupted
	}
}
