package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// output is the one writer of the protocol's stream: a message is one write, whole, and in the order in which
// send was called.
type output struct {
	turn   chan struct{} // held by the one that writes; a channel, so that close need not wait for it for ever
	w      io.Writer
	err    error         // under turn
	broken chan struct{} // closed at the first failed write
}

var (
	errClosed = errors.New("the stream is closed")
	errStuck  = errors.New("write a message: the client does not read")
)

func newOutput(w io.Writer) *output {
	return &output{w: w, turn: make(chan struct{}, 1), broken: make(chan struct{})}
}

// send writes one message. The error means that the message can't be encoded and nothing was written; a
// broken stream is in broken.
func (o *output) send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	text = append(text, '\n')
	o.turn <- struct{}{}
	defer func() { <-o.turn }()
	if o.err != nil {
		return nil
	}
	if _, err := o.w.Write(text); err != nil {
		o.err = fmt.Errorf("write a message: %w", err)
		close(o.broken)
	}
	return nil
}

func (o *output) answer(message any) error { return o.send(message) }

// close ends the stream: nothing is written any more. It returns why the stream broke, nil when it did not. A
// write that hangs is not waited for long.
func (o *output) close() error {
	wait := time.NewTimer(afterCancel)
	defer wait.Stop()
	select {
	case o.turn <- struct{}{}:
	case <-wait.C:
		return errStuck
	}
	defer func() { <-o.turn }()
	if o.err == nil {
		o.err = errClosed
		return nil
	}
	return o.err
}
