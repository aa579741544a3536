package guard

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// limited is a listener that holds so many connections. It goes on accepting: whoever comes when all are taken
// is told so and closed, instead of waiting in a queue that nobody sees.
type limited struct {
	net.Listener
	most     int64
	held     atomic.Int64
	byTLS    bool
	farewell sync.WaitGroup
	parting  atomic.Int64
}

// How long, and how many at once, refused connections are kept to be closed in order.
const (
	farewellTime = 300 * time.Millisecond
	maxFarewells = 64
	maxUnread    = 64 << 10 // bytes of what they send that are read for it
)

const fullAnswer = "HTTP/1.1 503 Service Unavailable\r\n" +
	"Content-Type: text/plain; charset=utf-8\r\n" +
	"Content-Length: 50\r\n" +
	"Retry-After: 1\r\n" +
	"Connection: close\r\n" +
	"\r\n" +
	"Too many connections are open. Try again shortly.\n"

func newLimited(l net.Listener, most int, byTLS bool) *limited {
	return &limited{Listener: l, most: int64(most), byTLS: byTLS}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if take(&l.held, l.most) {
			return &counted{Conn: c, leave: sync.OnceFunc(func() { l.held.Add(-1) })}, nil
		}
		l.refuse(c)
	}
}

// refuse never waits: a connection that is new takes a short text at once. Reading what the client has sent, without which
// a reset could overtake the text, is done beside. A client that expects TLS can't read it and is closed.
func (l *limited) refuse(c net.Conn) {
	_ = c.SetDeadline(time.Now().Add(farewellTime))
	if l.byTLS {
		_ = c.Close()
		return
	}
	_, _ = io.WriteString(c, fullAnswer)
	closer, ok := c.(closeWriter)
	if !ok || !take(&l.parting, maxFarewells) {
		_ = c.Close()
		return
	}
	l.farewell.Go(func() {
		_ = closer.CloseWrite()
		_, _ = io.CopyN(io.Discard, c, maxUnread)
		_ = c.Close()
		l.parting.Add(-1)
	})
}

// wait returns when the last refused connection is closed. Only after Accept is no longer called.
func (l *limited) wait() { l.farewell.Wait() }

type closeWriter interface{ CloseWrite() error }

// counted gives its place back when it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}

// CloseWrite is what net/http asks for, to end a connection without losing the answer.
func (c *counted) CloseWrite() error {
	if w, ok := c.Conn.(closeWriter); ok {
		return w.CloseWrite()
	}
	return nil
}
