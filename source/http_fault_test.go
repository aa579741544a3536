package source

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// The secrets that no error of a request may show; one of them stands in each place.
var canaries = []string{"canary-path", "canary-query", "canary-header", "canary-body", "canary-token", "canary-hidden"}

// secretive is a method that has a secret in every place.
func secretive(effect, method, address, timeout string) string {
	return "effect: " + effect + "\ntimeout: " + timeout + `
params: {p: {type: string}, q: {type: string}, h: {type: string}, b: {type: string}, s: {type: string, from: env:HIDDEN}}
http:
  method: ` + method + `
  url: "` + address + `/{p}/{s}?q={q}"
  headers: {X-H: "{h}"}
  query: {s: "{s}"}
  auth: {bearer: env:TOKEN}` + map[bool]string{true: "\n  body: {b: \"{b}\", s: \"{s}\"}"}[method == "POST"]
}

const secretArgs = `{"p": "canary-path", "q": "canary-query", "h": "canary-header", "b": "canary-body"}`

var secretEnv = map[string]string{"TOKEN": "canary-token", "HIDDEN": "canary-hidden"}

// hangsUp ends a connection without a word, or with a reset.
func hangsUp(reset bool, after string) func(net.Conn, string, int) bool {
	return func(c net.Conn, _ string, _ int) bool {
		_, _ = io.WriteString(c, after)
		if reset {
			_ = c.(*net.TCPConn).SetLinger(0)
		}
		return false
	}
}

// Every way in which a request can end without an answer: what is said of it, and whether it may have happened.
func TestFaults(t *testing.T) {
	t.Parallel()
	hang := func(c net.Conn, after string) bool { // until the client hangs up
		_, _ = io.WriteString(c, after)
		_, _ = io.Copy(io.Discard, c)
		return false
	}
	for _, c := range []struct {
		name   string
		answer func(net.Conn, string, int) bool // nil = nobody listens
		scheme string
		state  registry.State // of a call that may change something
		want   string
	}{
		{"nobody listens", nil, "http", "not_run", "the connection was refused"},
		{"no TLS", says("SSH-2.0\r\n"), "https", "not_run", ""},
		{"plain HTTP where TLS is expected", nil, "https", "not_run", "the connection was refused"},
		{"closed without a word", hangsUp(false, ""), "http", "unknown", "the connection was lost before an answer came"},
		{"reset", hangsUp(true, ""), "http", "unknown", "the connection was lost before an answer came"},
		{"closed in the headers", hangsUp(false, "HTTP/1.1 200 OK\r\nContent-"), "http", "unknown", "the connection was lost"},
		{"no HTTP", says("220 canary-path ESMTP\r\n"), "http", "unknown", "the answer can't be read"},
		{"huge headers", says("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("canary-path ", 20_000) + "\r\n\r\n"), "http", "unknown", "the answer can't be read"},
		{"many headers", says("HTTP/1.1 200 OK\r\n" + strings.Repeat("X-canary-path: 1\r\n", 20_000) + "\r\n"), "http", "unknown", "the answer can't be read"},
		{"endless early words", func(c net.Conn, _ string, _ int) bool {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
					return false
				}
			}
		}, "http", "unknown", "the answer can't be read"},
		{"closed in the body", hangsUp(false, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ncanary-path"), "http", "unknown", "it answered 200 OK, but not to its end: the connection was lost in the middle of it"},
		{"closed in the body of a failure", hangsUp(false, "HTTP/1.1 500 x\r\nContent-Length: 50\r\n\r\nhalf"), "http", "failed", "it answered 500 Internal Server Error: half"},
		{"bad chunks", hangsUp(false, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\ncanary-path"), "http", "unknown", "it answered 200 OK, but not to its end"},
	} {
		for _, effect := range []string{"read", "destructive"} {
			t.Run(c.name+", "+effect, func(t *testing.T) {
				t.Parallel()
				address := "127.0.0.1:1" // where nobody listens
				if c.answer != nil {
					s := serve(t, "127.0.0.1:0", c.answer)
					address = s.Addr().String()
				}
				method := map[string]string{"read": "GET", "destructive": "POST"}[effect]
				m := prepared(t, online(t, secretEnv), address, secretive(effect, method, c.scheme+"://HOST", "30s"))
				state, text := called(t, m, secretArgs)
				want := c.state
				if effect == "read" && want == "unknown" {
					want = "failed"
				}
				if state != want || !strings.Contains(text, c.want) {
					t.Errorf("%s: %s\nwant %s: %s", state, text, want, c.want)
				}
				keepsQuiet(t, text)
			})
		}
	}
	for _, c := range []struct{ name, after string }{
		{"no answer", ""},
		{"slow headers", "HTTP/1.1 200 OK\r\nX-"},
		{"slow body", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf"},
	} {
		for effect, want := range map[registry.Effect]registry.State{registry.Read: registry.Failed, registry.Write: registry.Unknown} {
			t.Run(c.name+", "+string(effect), func(t *testing.T) {
				t.Parallel()
				ctx, end := context.WithCancelCause(t.Context())
				s := serve(t, "127.0.0.1:0", func(conn net.Conn, _ string, _ int) bool {
					end(context.DeadlineExceeded) // the time is over once the request has come
					return hang(conn, c.after)
				})
				m := prepared(t, online(t, secretEnv), s.Addr().String(), secretive(string(effect), "GET", "http://HOST", "30s"))
				_, err := m.Run(ctx, registry.Args{"p": "canary-path", "q": "canary-query", "h": "canary-header", "s": "canary-hidden"})
				if state := stateOf(t, effect, err); state != want || !errors.Is(err, registry.ErrTimeout) || !strings.HasSuffix(err.Error(), "stopped at its deadline") {
					t.Errorf("%s: %v", state, err)
				}
				keepsQuiet(t, err.Error())
			})
		}
	}
}

func keepsQuiet(t *testing.T, text string) {
	t.Helper()
	for _, canary := range canaries {
		if strings.Contains(text, canary) {
			t.Errorf("%s stands in %s", canary, text)
		}
	}
}

// A body that comes drop by drop ends with the deadline, however often something arrives.
func TestSlowDrip(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", func(c net.Conn, _ string, _ int) bool {
		_, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for drip := time.NewTicker(5 * time.Millisecond); err == nil; <-drip.C {
			_, err = io.WriteString(c, "1\r\nx\r\n")
		}
		return false
	})
	m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\ntimeout: 2s\nhttp: {url: \"http://HOST/\"}")
	if r, err := call(t, t.Context(), m, `{}`); err != nil || r.State != registry.Failed || !errors.Is(r.Err, registry.ErrTimeout) {
		t.Errorf("%s, %v, %v", r.State, r.Err, err)
	}
}

// A caller who leaves ends a read, and leaves a write to go on to its end.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	for effect, want := range map[string]registry.State{"read": registry.Failed, "write": registry.Running} {
		t.Run(effect, func(t *testing.T) {
			t.Parallel()
			arrived, release, hungUp := make(chan struct{}), make(chan struct{}), make(chan struct{})
			s := serve(t, "127.0.0.1:0", func(c net.Conn, _ string, _ int) bool {
				close(arrived)
				if effect == "read" {
					_, _ = io.Copy(io.Discard, c)
					close(hungUp)
					return false
				}
				<-release
				return says(fine)(c, "", 0)
			})
			m := prepared(t, online(t, nil), s.Addr().String(), "effect: "+effect+"\nhttp: {url: \"http://HOST/\"}")
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan registry.Result, 1)
			go func() { <-arrived; leave() }()
			r, err := registry.Call(ctx, registry.Request{Method: m, Done: func(r registry.Result) { ended <- r }})
			if err != nil || r.State != want {
				t.Fatalf("%s, %v", r.State, err)
			}
			if effect == "read" {
				<-hungUp
				return
			}
			close(release)
			if r := <-ended; r.State != registry.Done || r.Content[0].Text != "fine" {
				t.Errorf("%s: %v", r.State, r.Content)
			}
		})
	}
}

// A caller who has left before anything was connected has started nothing.
func TestLeftBefore(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", says(fine))
	m := prepared(t, online(t, nil), s.Addr().String(), "effect: write\nhttp: {url: \"http://HOST/\"}")
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := m.Run(ctx, nil); stateOf(t, registry.Write, err) != registry.NotRun || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, conns := s.seen(); conns > 0 {
		t.Errorf("%d connections", conns)
	}
}

// X5: thirty redirects are one request, whatever the status, and nothing of the first goes to where they point.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, "127.0.0.1:0", says(fine))
	for _, status := range []string{"301", "302", "303", "307", "308"} {
		s := serve(t, "127.0.0.1:0", says("HTTP/1.1 "+status+" x\r\nLocation: http://"+elsewhere.Addr().String()+"/\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"))
		for _, effect := range []string{"read", "write"} {
			m := prepared(t, online(t, secretEnv), s.Addr().String(), secretive(effect, "POST", "http://HOST", "30s"))
			for range 15 {
				state, text := called(t, m, secretArgs)
				if state != "failed" || !strings.HasSuffix(text, "; redirects are not followed") {
					t.Errorf("%s: %s", state, text)
				}
				keepsQuiet(t, text)
			}
		}
		requests, _ := s.seen()
		if len(requests) != 30 || strings.Contains(requests[29], "Cookie") {
			t.Errorf("%s: %d requests, the last one %q", status, len(requests), requests[len(requests)-1])
		}
	}
	if requests, conns := elsewhere.seen(); conns > 0 {
		t.Errorf("the redirect was followed: %q", requests)
	}
}

// Certificates that are not what they should be, and the two schemes confused.
func TestTLS(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.WriteString(w, r.Proto+" "+r.RequestURI)
	})
	answers := map[string]string{"read": "HTTP/2.0", "write": "HTTP/1.1"} // a write has a connection of its own
	const route = " /canary-path/canary-hidden?q=canary-query&s=canary-hidden"
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	now := time.Now()
	for _, c := range []struct {
		name, host string
		from, to   time.Time
		trusted    bool
		want       string
	}{
		{"good", "127.0.0.1", now.Add(-time.Hour), now.Add(time.Hour), true, ""},
		{"expired", "127.0.0.1", now.Add(-2 * time.Hour), now.Add(-time.Hour), true, "its certificate has expired, or is not valid yet"},
		{"not yet", "127.0.0.1", now.Add(time.Hour), now.Add(2 * time.Hour), true, "its certificate has expired, or is not valid yet"},
		{"another name", "127.0.0.2", now.Add(-time.Hour), now.Add(time.Hour), true, "its certificate is for another name"},
		{"signed by nobody", "127.0.0.1", now.Add(-time.Hour), now.Add(time.Hour), false, "its certificate is signed by nobody who is trusted here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pair, roots := certificate(t, c.host, c.from, c.to)
			if !c.trusted {
				roots = x509.NewCertPool()
			}
			server := httptest.NewUnstartedServer(handler)
			server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
			server.EnableHTTP2 = true
			server.Config.ErrorLog = silent
			server.StartTLS()
			t.Cleanup(server.Close)
			h := online(t, secretEnv)
			h.web = newWeb(nil, &tls.Config{RootCAs: roots}, guardOf(false), guardOf(true))
			t.Cleanup(h.web.close)
			for _, effect := range []string{"read", "write"} {
				m := prepared(t, h, strings.TrimPrefix(server.URL, "https://"), secretive(effect, "POST", "https://HOST", "30s"))
				state, text := called(t, m, secretArgs)
				if c.want == "" && (state != "done" || text != answers[effect]+route) || c.want != "" && (state != "not_run" || !strings.HasSuffix(text, c.want)) {
					t.Errorf("%s: %s", state, text)
				}
				if c.want != "" {
					keepsQuiet(t, text)
				}
			}
			m := prepared(t, h, strings.TrimPrefix(server.URL, "https://"), "effect: write\nhttp: {url: \"http://HOST/\"}")
			if state, text := called(t, m, `{}`); state != "failed" || !strings.HasPrefix(text, "m failed: it answered 400 Bad Request") {
				t.Errorf("http where https is: %s: %s", state, text)
			}
		})
	}
	m := prepared(t, online(t, nil), strings.TrimPrefix(plain.URL, "http://"), "effect: write\nhttp: {url: \"https://HOST/\"}")
	if state, text := called(t, m, `{}`); state != "not_run" || !strings.HasSuffix(text, "it does not speak TLS; the address says https") {
		t.Errorf("https where http is: %s: %s", state, text)
	}
	t.Cleanup(func() {
		if got := requests.Load(); got != 2 {
			t.Errorf("%d requests came through, want those of the good certificate", got)
		}
	})
}

// certificate makes one for a host, and the roots that trust it.
func certificate(t *testing.T, host string, from, to time.Time) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, NotBefore: from, NotAfter: to,
		IPAddresses: []net.IP{net.ParseIP(host)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}
