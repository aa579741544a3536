package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The end of the server: what is in flight is answered, then Serve returns; what does not end is cut off.
func TestShutdown(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		takes time.Duration
		by    func(s *Server, stop func()) error // how it is ended
		err   error                              // of by
		ends  time.Duration
		cut   bool
	}{
		{"Shutdown waits", time.Minute, func(s *Server, _ func()) error { return s.Shutdown(context.Background()) }, nil, time.Minute, false},
		{"Shutdown waits as long as it may", time.Hour, func(s *Server, _ func()) error {
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			return s.Shutdown(ctx)
		}, context.DeadlineExceeded, 30 * time.Second, true},
		{"the context ends, and it waits", 9 * time.Second, func(_ *Server, stop func()) error { stop(); return nil }, nil, 9 * time.Second, false},
		{"the context ends, and it waits as long as it may", time.Hour, func(_ *Server, stop func()) error { stop(); return nil }, nil, 10 * time.Second, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				inside, ended := make(chan struct{}), make(chan bool, 1)
				g := newGuard(t, Options{})
				g.HandleOpen("/x", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					close(inside)
					select {
					case <-time.After(tc.takes):
						ended <- false
					case <-r.Context().Done():
						ended <- true
					}
				}))
				s, err := NewServer(g, ServerOptions{})
				if err != nil {
					t.Fatal(err)
				}
				l := newPipes()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				served := make(chan error, 1)
				go func() { served <- s.Serve(ctx, l) }()
				c := l.dial(t)
				go io.WriteString(c, "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
				answers := make(chan heard, 1)
				go func() { answers <- listen(t, c) }()
				<-inside
				began := time.Now()
				if err := tc.by(s, stop); !errors.Is(err, tc.err) {
					t.Errorf("ended with %v, want %v", err, tc.err)
				}
				if err := <-served; err != nil {
					t.Errorf("Serve: %v", err)
				}
				// Shutdown looks again every half a second.
				if took := time.Since(began); took < tc.ends || took > tc.ends+time.Second {
					t.Errorf("Serve returned after %v, want %v", took, tc.ends)
				}
				if cut := <-ended; cut != tc.cut {
					t.Errorf("the request was cut off: %v, want %v", cut, tc.cut)
				}
				if got := <-answers; (len(got.statuses) == 1) == tc.cut {
					t.Errorf("the client heard %v", got.statuses)
				}
				select {
				case l.conns <- nil:
					t.Error("connections are still taken")
				case <-l.done:
				}
			})
		})
	}
}

// A listener that fails ends the server, and the connections that are left.
func TestListenerThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, err := NewServer(http.NotFoundHandler(), ServerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := newPipes()
		served := make(chan error, 1)
		go func() { served <- s.Serve(t.Context(), l) }()
		c := l.dial(t)
		synctest.Wait()
		began := time.Now()
		l.Close()
		if err := <-served; !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "127.0.0.1:8787") {
			t.Errorf("%v; want an error that names the address", err)
		}
		if got := listen(t, c); got.closed != began {
			t.Errorf("a connection was left for %v", got.closed.Sub(began))
		}
	})
}

// Requests see the values of the context of Serve, and not its end.
func TestContextOfServe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, stop := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		s, err := NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			stop()
			synctest.Wait()
			fmt.Fprint(w, r.Context().Value(key{}), r.Context().Err())
		}), ServerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := newPipes()
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l) }()
		c := l.dial(t)
		go io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if got := listen(t, c); len(got.bodies) != 1 || got.bodies[0] != "value<nil>" {
			t.Errorf("answered %q", got.bodies)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}
