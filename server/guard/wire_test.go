package guard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// start serves on l until the test ends.
func start(t *testing.T, l net.Listener, h http.Handler, o ServerOptions) *Server {
	t.Helper()
	s, err := NewServer(h, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return s
}

// startTCP serves on an address of this machine and returns it.
func startTCP(t *testing.T, h http.Handler, o ServerOptions) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	start(t, l, h, o)
	return l.Addr().String()
}

func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// pipes is a listener in memory, for tests in which time is not real.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), done: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787} }

func (p *pipes) dial(t *testing.T) net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	t.Cleanup(func() { ours.Close() })
	return ours
}

// heard is what came on a connection until the other side closed it.
type heard struct {
	statuses []int
	bodies   []string
	headers  []http.Header
	answered time.Time // the first answer; zero = none came
	closed   time.Time
}

// listen reads answers until the connection ends.
func listen(t *testing.T, c net.Conn) heard {
	t.Helper()
	var h heard
	in := bufio.NewReader(c)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			if text := err.Error(); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) && !strings.Contains(text, "reset") {
				t.Errorf("reading an answer: %v", err)
			}
			h.closed = time.Now()
			return h
		}
		if h.answered.IsZero() {
			h.answered = time.Now()
		}
		if res.Close {
			res.Header.Set("Connection", "close") // it is taken out when it is read
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Errorf("reading the body of an answer: %v", err)
		}
		h.statuses = append(h.statuses, res.StatusCode)
		h.bodies = append(h.bodies, string(body))
		h.headers = append(h.headers, res.Header)
	}
}

// post is a request with a token, as it goes over the wire.
func post(target, rest string) string {
	return "POST " + target + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + deskSecret + "\r\n" + rest
}

// bodies answers with how ReadBody went, and notes what it read.
type bodies struct {
	mu   sync.Mutex
	read []string
}

func (b *bodies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, status, err := ReadBody(w, r)
	b.mu.Lock()
	b.read = append(b.read, r.Method+" "+r.URL.Path+" "+string(body[:min(len(body), 20)]))
	b.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), status)
		return
	}
	io.WriteString(w, "read")
}

func (b *bodies) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read
}
