package guard

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"strings"
	"testing"
	"time"
)

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
	said := make(lineChan, 100)
	addr := startTCP(t, newGuard(t, Options{}), ServerOptions{TLSCert: pair.cert, TLSKey: pair.key, Log: slog.New(slog.NewTextHandler(said, nil))})
	c := dial(t, addr)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if got := listen(t, c); len(got.statuses) != 1 || got.statuses[0] != 400 {
		t.Errorf("plain HTTP to TLS: %v", got.statuses)
	}
	if line := <-said; !strings.Contains(line, "TLS handshake error") {
		t.Errorf("logged: %q", line)
	}
}

// lineChan is a log that can be waited for.
type lineChan chan string

func (c lineChan) Write(p []byte) (int, error) {
	c <- string(p)
	return len(p), nil
}
