package server

import (
	"context"
	"errors"
	"io"
)

const maxWarnings = 100 // about refused messages, in the log

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
	c := &conn{service: newService(s, 1), out: newOutput(out)}
	c.session = newSession("stdio", s.caller.ID, c.out, c.asks, s.audience)
	c.base = s.sdk.WithContext(base, c.session)
	s.audience.join(c.session)
	defer s.audience.leave(c.session)

	read := make(chan error, 1)
	go func() { read <- c.read(in) }()

	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		c.halt()
	case <-s.stopped:
		c.halt()
	case <-c.out.broken:
		c.halt()
	}
	grace, done := context.WithTimeout(context.Background(), s.grace)
	defer done()
	c.drain(grace, c.out.broken)
	err = errors.Join(err, c.out.close())
	c.session.end()
	if !errors.Is(err, errStuck) { // who writes the news is stuck as well then
		<-c.session.ended
	}
	return err
}

// Stop ends the waiting of a server that drains: what runs has its context cancelled at once. It is for the
// second signal, and safe to call at any time, more than once.
func (s *Server) Stop() { s.stopOnce.Do(func() { close(s.stopped) }) }

// conn is one client on stdio.
type conn struct {
	*service
	out     *output
	session *session
	base    context.Context // of every request
	refused int             // messages so far; of read alone
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
		c.ledger.drop(m.cancels.key)
	case m.method == "":
		c.asks.answer(c.s.caller.ID, m)
	case m.id.key == "":
		c.s.log.Debug("notification ignored", "method", m.method) // nothing here waits for one
	default:
		c.request(m)
	}
}

func (c *conn) request(m message) {
	e := &exchange{message: m, key: m.id.key, caller: c.s.caller, session: c.session, out: c.out}
	base := c.base
	if m.method == methodListen {
		e.session = newSession("stdio", c.s.caller.ID, c.out, c.asks, c.s.audience)
		e.session.listen = m.id.raw
		base = c.s.sdk.WithContext(base, e.session)
	}
	f := c.enter(base, e)
	if f != nil {
		c.refuse(f)
		return
	}
	go func() {
		roomy()
		c.serve(e)
		if e.session != c.session {
			e.session.stop()
		}
	}()
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
