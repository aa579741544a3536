package guard

import (
	"bytes"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
