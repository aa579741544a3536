package guard

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Row K1: when all connections are taken, the next ones are told so at once, and are served as soon as one goes.
func TestConnectionCap(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{})
	g.Handle("/x", &bodies{})
	addr := startTCP(t, g, ServerOptions{MaxConns: 2})
	const request = "HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + deskSecret + "\r\n"

	var holders []net.Conn
	for range 2 {
		c := dial(t, addr)
		io.WriteString(c, "GET /x "+request+"\r\n")
		if _, err := io.ReadFull(c, make([]byte, 12)); err != nil {
			t.Fatal(err)
		}
		holders = append(holders, c)
	}
	for range 2 * maxFarewells {
		c := dial(t, addr)
		io.WriteString(c, "GET /x "+request+"\r\n")
		got := listen(t, c)
		if diff := cmp.Diff([]int{503}, got.statuses); diff != "" || got.headers[0].Get("Retry-After") != "1" || got.headers[0].Get("Connection") != "close" {
			t.Fatalf("beyond the cap (-want +got):\n%s%v", diff, got.headers)
		}
		c.Close()
	}
	holders[0].Close()
	for {
		// The server needs a moment to notice. Every try is answered, one way or the other.
		got := converse(t, addr, "GET /x "+request+"\r\n")
		if len(got.statuses) == 1 && got.statuses[0] == 200 {
			break
		}
		if len(got.statuses) != 1 || got.statuses[0] != 503 {
			t.Fatalf("answered %v", got.statuses)
		}
	}
}

// A flood beyond what is closed in order is closed all the same, and Accept goes on.
func TestFloodBeyondTheCap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		byTLS, mute bool   // mute connections can't say that no more comes
		told        string // what each is told
		closed      int    // in order, that is after reading what it has sent
		took        time.Duration
	}{
		{"K1 plain", false, false, fullAnswer, maxFarewells, farewellTime},
		{"K1 by TLS", true, false, "", 0, 0},
		{"K1 without half-close", false, true, fullAnswer, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const all = 1000
				l := &accepts{conns: make(chan net.Conn, all)}
				limit := newLimited(l, 1, tc.byTLS)
				var open []*silent
				for range all {
					c := &silent{}
					open = append(open, c)
					if tc.mute {
						l.conns <- struct{ net.Conn }{c}
					} else {
						l.conns <- c
					}
				}
				close(l.conns)
				began := time.Now()
				if _, err := limit.Accept(); err != nil {
					t.Fatal(err)
				}
				if _, err := limit.Accept(); !errors.Is(err, net.ErrClosed) || time.Since(began) != 0 {
					t.Errorf("Accept: %v after %v", err, time.Since(began))
				}
				limit.wait()
				if took := time.Since(began); took != tc.took {
					t.Errorf("it took %v, want %v", took, tc.took)
				}
				inOrder := 0
				for i, c := range open[1:] {
					if !c.closed || c.told != tc.told || c.until.Sub(began) != farewellTime {
						t.Fatalf("connection %d: closed %v, told %q, until %v", i+1, c.closed, c.told, c.until.Sub(began))
					}
					if c.halfClosed && c.heard {
						inOrder++
					}
				}
				if inOrder != tc.closed {
					t.Errorf("%d connections were closed in order, want %d", inOrder, tc.closed)
				}
				if left := limit.parting.Load(); left != 0 {
					t.Errorf("%d are still counted", left)
				}
			})
		})
	}
}

type accepts struct {
	net.Listener
	conns chan net.Conn
}

func (a *accepts) Accept() (net.Conn, error) {
	if c, ok := <-a.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

// silent is a connection whose client reads and says nothing. One goroutine at a time uses it.
type silent struct {
	net.Conn
	told                      string
	until                     time.Time
	halfClosed, heard, closed bool
}

func (s *silent) Write(p []byte) (int, error)    { s.told += string(p); return len(p), nil }
func (s *silent) SetDeadline(at time.Time) error { s.until = at; return nil }
func (s *silent) CloseWrite() error              { s.halfClosed = true; return nil }
func (s *silent) Close() error                   { s.closed = true; return nil }
func (s *silent) Read([]byte) (int, error) {
	s.heard = true
	time.Sleep(time.Until(s.until))
	return 0, os.ErrDeadlineExceeded
}

func TestFullAnswerIsHTTP(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	go func() { io.WriteString(theirs, fullAnswer); theirs.Close() }()
	if got := listen(t, ours); len(got.statuses) != 1 || got.statuses[0] != 503 || !strings.HasPrefix(got.bodies[0], "Too many") || !strings.HasSuffix(got.bodies[0], "\n") {
		t.Errorf("%+v", got)
	}
}
