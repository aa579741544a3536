package guard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Rows S8 and K1: whoever is slow is ended when its time is over, to the second, and not before. Time is not real here.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		at     []string      // what is sent, part by part
		status int           // 0 = no answer
		answer time.Duration // when it comes
		closed time.Duration // when the connection ends
	}{
		{"K1 nothing is sent", nil, 0, 0, 5 * time.Second},
		{"S8 K1 the header never ends", []string{"POST /x HTTP/1.1\r\nHost: localhost\r\n"}, 0, 0, 5 * time.Second},
		{"S8 K1 the header trickles", append([]string{"POST /x HTTP/1.1\r\n"}, strings.Split("Host: localhost\r\n", "")...), 0, 0, 5 * time.Second},
		{"K1 the body never comes", []string{post("/x", "Content-Length: 10\r\n\r\n")}, 408, 30 * time.Second, 30 * time.Second},
		{"K1 the body stops", []string{post("/x", "Content-Length: 10\r\n\r\nabc")}, 408, 30 * time.Second, 30 * time.Second},
		{"K1 the body trickles", append([]string{post("/x", "Content-Length: 1000\r\n\r\n")}, strings.Split(strings.Repeat("a", 100), "")...), 408, 30 * time.Second, 30 * time.Second},
		{"K1 the chunks never end", []string{post("/x", "Transfer-Encoding: chunked\r\n\r\n"), "1\r\na\r\n", "1\r\nb\r\n"}, 408, 30 * time.Second, 30 * time.Second},
		{"K1 K3 the body of a stranger never comes", []string{"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"}, 401, 0, 2 * time.Second},
		{"K1 K3 nor does that for another host", []string{"POST /x HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 10\r\n\r\n"}, 403, 0, 2 * time.Second},
		{"K1 the body that nobody reads never comes", []string{post("/unread", "Content-Length: 10\r\n\r\n")}, 200, 2 * time.Second, 2 * time.Second},
		{"K1 nor that on an open route", []string{"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n"}, 200, 0, 2 * time.Second},
		{"K1 no other request follows", []string{post("/x", "Content-Length: 3\r\n\r\nabc")}, 200, 0, 120 * time.Second},
		{"K1 a stranger's connection is not kept", []string{"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n"}, 401, 0, 0},
		{"K1 nor is that of an open route", []string{"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}, 200, 0, 0},
		{"K2 the body is too large", []string{post("/x", "Content-Length: 99999999\r\n\r\n")}, 413, 0, 500 * time.Millisecond},
		{"a slow handler is no slow client", []string{post("/long", "Content-Length: 3\r\n\r\nabc")}, 200, 10 * time.Minute, 12 * time.Minute},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				start(t, l, slowRoutes(t), ServerOptions{})
				c := l.dial(t)
				began := time.Now()
				var sender sync.WaitGroup
				sender.Go(func() { trickle(c, tc.at) })
				got := listen(t, c)
				c.Close()
				sender.Wait()
				if tc.status == 0 {
					if len(got.statuses) != 0 {
						t.Errorf("answered %v", got.statuses)
					}
				} else if len(got.statuses) != 1 || got.statuses[0] != tc.status || got.answered.Sub(began) != tc.answer {
					t.Errorf("answered %v after %v; want %d after %v", got.statuses, got.answered.Sub(began), tc.status, tc.answer)
				}
				if took := got.closed.Sub(began); took != tc.closed {
					t.Errorf("closed after %v, want %v", took, tc.closed)
				}
			})
		})
	}
}

// Every time can be set.
func TestTimesThatAreSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newPipes()
		g := newGuard(t, Options{BodyTimeout: 3 * time.Second, WriteTimeout: 4 * time.Second})
		g.Handle("/x", &bodies{})
		stuck := make(chan time.Time, 1)
		g.Handle("/stuck", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					stuck <- time.Now()
					return
				}
			}
		}))
		start(t, l, g, ServerOptions{HeaderTimeout: time.Second, IdleTimeout: 2 * time.Second})
		for sent, want := range map[string]time.Duration{
			"":                                      time.Second,
			post("/x", "\r\n"):                      2 * time.Second,
			post("/x", "Content-Length: 9\r\n\r\n"): 3 * time.Second,
		} {
			c := l.dial(t)
			began := time.Now()
			go io.WriteString(c, sent)
			if got := listen(t, c).closed.Sub(began); got != want {
				t.Errorf("%q: ended after %v, want %v", sent, got, want)
			}
		}
		began := time.Now()
		go io.WriteString(l.dial(t), post("/stuck", "\r\n"))
		if took := (<-stuck).Sub(began); took != 4*time.Second {
			t.Errorf("a write ended after %v, want 4 s", took)
		}
	})
}

func trickle(c net.Conn, parts []string) {
	for i, part := range parts {
		if i > 0 {
			time.Sleep(700 * time.Millisecond) // never in the very moment in which something ends
		}
		if _, err := io.WriteString(c, part); err != nil {
			return
		}
	}
}

func slowRoutes(t *testing.T) *Guard {
	g := newGuard(t, Options{})
	g.Handle("/x", &bodies{})
	g.Handle("/unread", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	g.HandleOpen("/healthz", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	g.Handle("/long", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, status, err := ReadBody(w, r); err != nil {
			t.Errorf("%d %v", status, err)
		}
		select {
		case <-time.After(10 * time.Minute):
		case <-r.Context().Done():
			t.Errorf("the request of a client that waits was ended: %v", context.Cause(r.Context()))
		}
	}))
	return g
}

// A client that never reads is ended after one write's time; one that is silent with a stream that is silent is not.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	t.Run("K10 a reader that never reads", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			l := newPipes()
			g := newGuard(t, Options{})
			failed := make(chan error, 1)
			began := time.Now()
			g.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for {
					if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
						failed <- err
						return
					}
				}
			}))
			start(t, l, g, ServerOptions{})
			if _, err := io.WriteString(l.dial(t), post("/stream", "\r\n")); err != nil {
				t.Fatal(err)
			}
			if err := <-failed; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != 30*time.Second {
				t.Errorf("the write ended with %v after %v, want a deadline of 30 s", err, time.Since(began))
			}
		})
	})
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run("a silent stream in "+proto, func(t *testing.T) {
			t.Parallel()
			pair := makeCert(t)
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				g := newGuard(t, Options{})
				g.Handle("/stream", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					for range 4 {
						io.WriteString(w, "tick ")
						w.(http.Flusher).Flush()
						time.Sleep(10 * time.Minute)
					}
					io.WriteString(w, r.Proto)
				}))
				start(t, l, g, ServerOptions{TLSCert: pair.cert, TLSKey: pair.key})
				client := pair.client(l, proto)
				defer client.CloseIdleConnections()
				r, _ := http.NewRequest("GET", "https://localhost:8787/stream", nil)
				r.Header.Set("Authorization", "Bearer "+deskSecret)
				res, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				body, err := io.ReadAll(res.Body)
				if want := "tick tick tick tick " + proto; string(body) != want || err != nil {
					t.Errorf("%q, %v; want %q", body, err, want)
				}
			})
		})
	}
}

// Row K1: ten thousand connections that say nothing. So many are held as may be, the others are told at once, and
// when the silent ones have had their time, an honest client is served.
func TestTenThousandIdleConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const all, held = 10_000, 1024
		l := newPipes()
		start(t, l, slowRoutes(t), ServerOptions{})
		began := time.Now()
		got := make(chan heard, all)
		for range all {
			c := l.dial(t)
			go func() { got <- listen(t, c) }()
		}
		refused, ended := 0, 0
		for range all {
			switch h := <-got; {
			case len(h.statuses) == 1 && h.statuses[0] == 503 && h.closed.Sub(began) <= farewellTime:
				refused++
			case len(h.statuses) == 0 && h.closed.Sub(began) == 5*time.Second:
				ended++
			default:
				t.Fatalf("answered %v, closed after %v", h.statuses, h.closed.Sub(began))
			}
		}
		if refused != all-held || ended != held {
			t.Errorf("%d were refused and %d held to their end, want %d and %d", refused, ended, all-held, held)
		}
		c := l.dial(t)
		go trickle(c, []string{"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"})
		if h := listen(t, c); len(h.statuses) != 1 || h.statuses[0] != 200 {
			t.Errorf("after them, an honest client got %v", h.statuses)
		}
	})
}
