package server

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

const (
	slots        = 64  // calls that run at the same time
	maxWarnings  = 100 // about refused messages, in the log
	graceDefault = 10 * time.Second
	afterCancel  = 2 * time.Second // for what runs to end once it is told to
)

// ServeStdio serves one client on in and out until in ends or ctx does, and has answered every request
// that it read, up to the grace time. What still runs then is ended with the engine, writes too, and answered with an
// error. The error is about reading or writing; the end of input and of ctx are none.
//
// A read from in that waits can't be interrupted, and neither can a handler that ignores its context:
// both may outlive ServeStdio. The command exits the process after it returns. At a second signal it calls
// Stop.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c := &conn{
		s:       s,
		out:     newOutput(out),
		ledger:  newLedger(),
		session: newSession(),
		slots:   make(chan struct{}, slots),
		halted:  make(chan struct{}),
	}
	c.base = s.sdk.WithContext(base, c.session)

	read := make(chan error, 1)
	go func() { read <- c.read(in) }()

	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		close(c.halted)
	case <-s.stopped:
		close(c.halted)
	case <-c.out.broken:
		close(c.halted)
	}
	c.drain(cancel)
	return errors.Join(err, c.out.close())
}

// Stop ends the waiting of a server that drains: what runs has its context cancelled at once. It is for the
// second signal, and safe to call at any time, more than once.
func (s *Server) Stop() { s.stopOnce.Do(func() { close(s.stopped) }) }

// conn is one client on stdio.
type conn struct {
	s       *Server
	out     *output
	ledger  *ledger
	session *session
	base    context.Context // of every request
	slots   chan struct{}
	halted  chan struct{} // closed when calls that wait for a slot shall not start any more
	refused int           // messages so far; of read alone
}

// read takes messages until the input ends. It never runs one itself: a cancel is seen at once, whatever runs.
func (c *conn) read(in io.Reader) error {
	l := newLines(in)
	for {
		line, long, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case long != nil:
			f := newFault(codeInvalidRequest, "invalid request: the message is larger than 4 MiB")
			f.id = long.id()
			c.refuse(f)
		default:
			c.take(line)
		}
	}
}

func (c *conn) take(line []byte) {
	m, f := readMessage(line)
	switch {
	case f != nil:
		c.refuse(f)
	case m.method == methodCancelled:
		c.ledger.drop(m.cancels)
	case m.method == "", m.id.key == "":
		// Answers to requests that were never made, and notifications that nothing here waits for.
		c.s.log.Debug("message ignored", "method", m.method)
	default:
		e, f := c.ledger.enter(c.base, m)
		if f != nil {
			c.refuse(f)
			return
		}
		go c.serve(e)
	}
}

// refuse answers a message that can't be taken. The log has the first ones alone: a client that sends nothing else must
// not fill a disk, nor stop everything because it does not read what is logged.
func (c *conn) refuse(f *fault) {
	switch c.refused++; {
	case c.refused <= maxWarnings:
		c.s.log.Warn("message refused", "code", f.code, "reason", f.text)
	case c.refused == maxWarnings+1:
		c.s.log.Warn("more messages are refused; no more of that is logged")
	}
	_ = c.out.send(f.reply()) // always encodes
}

func (c *conn) serve(e *exchange) {
	defer c.ledger.work.Done()
	defer e.cancel()
	stop := reportProgress(e, c.out)
	response := c.run(e)
	stop()
	if c.ledger.claim(e) {
		c.answer(e, response)
	}
}

// run waits for a slot, if e is a tool call, and asks the SDK. Other requests never wait behind calls.
func (c *conn) run(e *exchange) any {
	if e.isCall() {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
		case <-c.halted:
			return stopping(e.id).reply()
		case <-e.ctx.Done():
		}
		if e.ctx.Err() != nil {
			return stopping(e.id).reply()
		}
	}
	return c.s.handle(e)
}

// answer writes the one answer of a claimed exchange.
func (c *conn) answer(e *exchange, response any) {
	defer c.ledger.writes.Done()
	err := c.session.flush(c.out)
	if err == nil {
		err = c.out.send(response)
	}
	if err != nil {
		_ = c.out.send(c.s.internal(e.method, err).to(e).reply())
	}
}

// drain waits for what runs, up to the grace time, then cancels it and answers what is left.
func (c *conn) drain(cancel context.CancelFunc) {
	ended := c.ledger.close()
	grace := time.NewTimer(c.s.grace)
	defer grace.Stop()
	select {
	case <-ended:
		return
	case <-grace.C:
	case <-c.s.stopped:
	case <-c.out.broken:
	}
	// Writes go on without their callers, so the engine has to end them: nobody may be told that a run goes on which
	// the end of the process kills.
	last, done := context.WithTimeout(context.Background(), afterCancel)
	defer done()
	_ = c.s.eng.Close(last) // what does not end in time is answered for below
	cancel()
	select {
	case <-ended:
		return
	case <-last.Done():
	}
	c.giveUp()
}

// giveUp answers what would not end. A client that does not read its answers is not waited for long.
func (c *conn) giveUp() {
	left := c.ledger.abandon()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for _, e := range left {
			c.answer(e, newFault(codeInternal, "the server stopped before this had ended; it is not known what was done").to(e).reply())
		}
		c.ledger.writes.Wait()
	}()
	last := time.NewTimer(afterCancel)
	defer last.Stop()
	select {
	case <-written:
	case <-last.C:
	}
}

// handle asks the SDK for the answer to e.
func (s *Server) handle(e *exchange) (response any) {
	defer func() {
		if p := recover(); p != nil {
			response = s.panicked(e.method, p).to(e).reply()
		}
	}()
	s.refresh()
	switch r := s.sdk.HandleMessage(e.ctx, e.raw).(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(e.id.raw)
		return r
	case mcp.JSONRPCError:
		return s.protocolFault(e, r.Error).to(e).reply()
	}
	return s.internal(e.method, errors.New("the SDK gave no answer")).to(e).reply()
}
