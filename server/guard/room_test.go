package guard

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestBodiesInFlight: what has come of all bodies is bounded, in all and for one token, whatever they announce; and when they are
// done there is room again.
func TestBodiesInFlight(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	g, err := New(Options{MaxBody: mib, MaxHeld: 4 * mib, Tokens: []Token{{Name: "a", Secret: strings.Repeat("a", 16)}, {Name: "b", Secret: strings.Repeat("b", 16)}, {Name: "c", Secret: strings.Repeat("c", 16)}}})
	if err != nil {
		t.Fatal(err)
	}
	read, done := make(chan int, 100), make(chan struct{})
	g.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, status, err := ReadBody(w, r)
		read <- status
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		<-done
	}))
	ended := make(chan struct{}, 100)
	send := func(token string, size int64, announced bool) int {
		body := io.Reader(io.LimitReader(zeros{}, size))
		if !announced {
			body = struct{ io.Reader }{body}
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/", body)
		r.ContentLength = -1
		if announced {
			r.ContentLength = size
		}
		r.Header.Set("Authorization", "Bearer "+strings.Repeat(token, 16))
		go func() {
			g.ServeHTTP(httptest.NewRecorder(), r)
			ended <- struct{}{}
		}()
		return <-read
	}
	for i, c := range []struct {
		token     string
		announced bool
		status    int
	}{
		{"a", true, 0}, {"a", false, 0}, {"a", true, 503}, {"a", false, 503}, // half of it is one's share
		{"b", false, 0}, {"b", true, 0}, {"c", true, 503}, {"c", false, 503}, // and that is all
	} {
		if got := send(c.token, mib, c.announced); got != c.status {
			t.Errorf("request %d, of %s: status %d, want %d", i, c.token, got, c.status)
		}
	}
	close(done)
	for range 8 {
		<-ended
	}
	if n := g.heldBytes.Load(); n != 0 {
		t.Errorf("%d bytes stay counted", n)
	}
	if got := send("c", mib, false); got != 0 {
		t.Errorf("afterwards: status %d", got)
	}
	<-ended
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A token can be written anywhere without its secret.
func TestATokenKeepsItsSecret(t *testing.T) {
	t.Parallel()
	token := Token{Name: "desk", Secret: "canary-canary-canary"}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", token, "all", []Token{token}, "by", &token)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", token, "all", []Token{token}, "by", &token)
	asJSON, err := json.Marshal(map[string]any{"t": token, "o": Options{Tokens: []Token{token}, Observe: nil}.Tokens})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{log.String(), string(asJSON), token.String(), fmt.Sprintf("%v %+v %#v %s %q", token, token, token, token, token), fmt.Sprintf("%+v %#v", []Token{token}, []Token{token})} {
		if strings.Contains(text, "canary") || !strings.Contains(text, "desk") {
			t.Errorf("written as %s", text)
		}
	}
}
