package guard

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Rows K1, K3 and S4 as they come over the wire: requests that two readers could read as for two hosts, or as two
// requests. None of the refused reaches a handler, and what stands behind one is never run with its rights.
func TestRequestsOnTheWire(t *testing.T) {
	t.Parallel()
	auth := "Authorization: Bearer " + deskSecret + "\r\n"
	passed := []string{"GET /x "}
	for _, tc := range []struct {
		name, sent string
		want       []int
		reads      []string
	}{
		{"plain", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"HTTP/1.0", "GET /x HTTP/1.0\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"half-close", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},
		{"absolute target, same host", "GET http://localhost/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{200}, passed},

		{"K1 half-close at once", "", nil, nil},
		{"K1 half-close in the header", "GET /x HTTP/1.1\r\nHo", []int{400}, nil},
		{"K1 half-close before the header ends", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth, []int{400}, nil},
		{"K3 no host", "GET /x HTTP/1.1\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 no host in HTTP/1.0", "GET /x HTTP/1.0\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 an empty host", "GET /x HTTP/1.1\r\nHost:\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 S4 another host", "GET /x HTTP/1.1\r\nHost: evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 two hosts", "GET /x HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 one host twice", "GET /x HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 two hosts in one", "GET /x HTTP/1.1\r\nHost: localhost,evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target, another host", "GET http://evil.example/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target with a user", "GET http://evil.example@localhost/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 absolute target with a user and a port", "GET http://localhost:80@evil.example/x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 a host over two lines", "GET /x HTTP/1.1\r\nHost: localhost\r\n evil.example\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 a host only in the next line", "GET /x HTTP/1.1\r\nHost:\r\n evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"K3 a blank before the colon", "GET /x HTTP/1.1\r\nHost : localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 a header before its name", "GET /x HTTP/1.1\r\n Host: localhost\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 CR in a header", "GET /x HTTP/1.1\r\nHost: localhost\rX: y\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 NUL in a header", "GET /x HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n" + auth + "\r\n", []int{400}, nil},
		{"K3 CR LF in a token ends it", "GET /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\nGET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", []int{401}, nil},
		{"K3 a token over two lines", "GET /x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer\r\n " + deskSecret[:8] + "\r\n " + deskSecret[8:] + "\r\n\r\n", []int{401}, nil},
		{"K3 two tokens", "GET /x HTTP/1.1\r\nHost: localhost\r\n" + auth + "Authorization: Bearer x\r\n\r\n", []int{401}, nil},
		{"CVE 7 OPTIONS for the whole server", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", []int{401}, nil},
		{"CVE 7 OPTIONS for the whole server, another host", "OPTIONS * HTTP/1.1\r\nHost: evil.example\r\n" + auth + "\r\n", []int{403}, nil},
		{"CONNECT", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n" + auth + "\r\n", []int{404}, nil},
		{"CONNECT elsewhere", "CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n" + auth + "\r\n", []int{403}, nil},
		{"HTTP/0.9", "GET /x\r\n\r\n", []int{400}, nil},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []int{403}, nil},
		{"64 KiB of header and more", "GET /x HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", maxHeader+8<<10) + "\r\n\r\n", []int{431}, nil},
		{"no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", []int{400}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			handler := &bodies{}
			g := newGuard(t, Options{})
			g.Handle("/x", handler)
			got := converse(t, startTCP(t, g, ServerOptions{}), tc.sent)
			if diff := cmp.Diff(tc.want, got.statuses); diff != "" {
				t.Errorf("statuses (-want +got):\n%s%q", diff, got.bodies)
			}
			if diff := cmp.Diff(tc.reads, handler.all()); diff != "" {
				t.Errorf("the handler read (-want +got):\n%s", diff)
			}
		})
	}
}

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

func TestTLS(t *testing.T) {
	t.Parallel()
	pair := makeCert(t)
	var out bytes.Buffer
	g := newGuard(t, Options{})
	g.HandleOpen("/x", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	addr := startTCP(t, g, ServerOptions{TLSCert: pair.cert, TLSKey: pair.key, Log: slog.New(slog.NewTextHandler(&out, nil))})
	_, port, _ := net.SplitHostPort(addr)
	for _, proto := range []string{"HTTP/1.1", "HTTP/2.0"} {
		client := pair.client(nil, proto)
		for origin, want := range map[string]int{"": 200, "https://localhost:" + port: 200, "http://localhost:" + port: 403, "https://evil.example": 403} {
			r, _ := http.NewRequest("GET", "https://localhost:"+port+"/x", nil)
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			res, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != want || want == 200 && string(body) != proto {
				t.Errorf("%s, Origin %q: %d %q, want %d", proto, origin, res.StatusCode, body, want)
			}
		}
		client.CloseIdleConnections()
	}
	_, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: pair.roots, ServerName: "localhost", MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	if err == nil {
		t.Error("TLS 1.1 was spoken")
	}
}

// Row K3 in HTTP/2, where the host stands elsewhere.
func TestHostsInHTTP2(t *testing.T) {
	t.Parallel()
	pair := makeCert(t)
	reached := 0
	g := newGuard(t, Options{})
	g.HandleOpen("/x", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	_, port, _ := net.SplitHostPort(startTCP(t, g, ServerOptions{TLSCert: pair.cert, TLSKey: pair.key}))
	client := pair.client(nil, "HTTP/2.0")
	defer client.CloseIdleConnections()
	for host, want := range map[string]int{"": 200, "localhost:1": 200, "evil.example": 403, "localhost.": 200, "localhost.evil.example": 403} {
		r, _ := http.NewRequest("GET", "https://localhost:"+port+"/x", nil)
		r.Host = host
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf(":authority %q: %d, want %d", host, res.StatusCode, want)
		}
	}
	if reached != 3 {
		t.Errorf("%d requests reached the handler, want 3", reached)
	}
}

func TestServersThatCannotBe(t *testing.T) {
	t.Parallel()
	pair := makeCert(t)
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		o    ServerOptions
		want []string
	}{
		{"no key", ServerOptions{TLSCert: pair.cert}, []string{pair.cert, "key is missing"}},
		{"no certificate", ServerOptions{TLSKey: pair.key}, []string{pair.key, "certificate is missing"}},
		{"a missing file", ServerOptions{TLSCert: "/nowhere/cert.pem", TLSKey: pair.key}, []string{"/nowhere/cert.pem", "no such file"}},
		{"no PEM", ServerOptions{TLSCert: junk, TLSKey: pair.key}, []string{junk, "PEM"}},
		{"one file for the other", ServerOptions{TLSCert: pair.key, TLSKey: pair.cert}, []string{pair.key, pair.cert}},
		{"a negative number of connections", ServerOptions{MaxConns: -1}, []string{"negative"}},
		{"a negative time for headers", ServerOptions{HeaderTimeout: -1}, []string{"negative"}},
		{"a negative time between requests", ServerOptions{IdleTimeout: -1}, []string{"negative"}},
		{"a negative time to end", ServerOptions{DrainTimeout: -1}, []string{"negative"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewServer(http.NotFoundHandler(), tc.o)
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v; want an error with %q", err, want)
				}
			}
		})
	}
}

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

func TestServeOnWhatIsClosed(t *testing.T) {
	t.Parallel()
	s, err := NewServer(http.NotFoundHandler(), ServerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := newPipes()
	l.Close()
	if err := s.Serve(t.Context(), l); !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "127.0.0.1:8787") {
		t.Errorf("%v; want an error that names the address", err)
	}
}

// What net/http has to say goes to the log, and strangers can't make it long.
func TestErrorLogIsBounded(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(0, 0)
	lines := &errorLines{to: slog.New(slog.NewTextHandler(&out, nil)), quiet: newQuiet(30, 30)}
	lines.quiet.now = func() time.Time { return now }
	flood := func() {
		for range 1_000 {
			log.New(lines, "", 0).Printf("http: TLS handshake error from 192.0.2.1:1: %s\x1b[2J", strings.Repeat("x", 1<<10))
		}
	}
	flood()
	if n := strings.Count(out.String(), "\n"); n != 30 || out.Len() > 30*(maxErrorLine+100) || strings.Contains(out.String(), "\x1b") || strings.Contains(out.String(), "left_out") {
		t.Errorf("%d lines, %d bytes", n, out.Len())
	}
	if !strings.Contains(out.String(), "TLS handshake error from 192.0.2.1") {
		t.Errorf("the line does not say what happened: %s", out.String()[:200])
	}
	out.Reset()
	now = now.Add(time.Minute)
	flood()
	if n := strings.Count(out.String(), "left_out_before=970\n"); n != 1 {
		t.Errorf("%d lines of the next minute say how many were left out, want one", n)
	}
}

// The server's own voice reaches the log.
func TestErrorsOfConnectionsAreLogged(t *testing.T) {
	t.Parallel()
	pair := makeCert(t)
	var out safeBuffer
	addr := startTCP(t, newGuard(t, Options{}), ServerOptions{TLSCert: pair.cert, TLSKey: pair.key, Log: slog.New(slog.NewTextHandler(&out, nil))})
	c := dial(t, addr)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if got := listen(t, c); len(got.statuses) != 1 || got.statuses[0] != 400 {
		t.Errorf("plain HTTP to TLS: %v", got.statuses)
	}
	if !strings.Contains(out.String(), "TLS handshake error") {
		t.Errorf("logged: %q", out.String())
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
