package server

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

const listenLine = `{"jsonrpc":"2.0","id":"ear","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
	`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

const helloLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// events reads a stream of events, message by message. The channel is closed at its end.
func events(t *testing.T, r *http.Request) <-chan string {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s: %s %s", r.Method, resp.Status, body)
	}
	messages := make(chan string, 100)
	go func() {
		defer resp.Body.Close()
		defer close(messages)
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				messages <- data
			}
		}
	}()
	return messages
}

func getOf(ctx context.Context, t *testing.T, url string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	return r
}

// ears are the ways to be told that lists have changed. Each returns what it hears; the listening ends with ctx.
var ears = map[string]func(context.Context, *testing.T, *Server) <-chan string{
	"stdio, after the handshake": func(ctx context.Context, t *testing.T, s *Server) <-chan string {
		return hear(ctx, t, s, helloLine, func(m string) bool { return strings.Contains(m, `"protocolVersion"`) })
	},
	"stdio, listening": func(ctx context.Context, t *testing.T, s *Server) <-chan string {
		return hear(ctx, t, s, listenLine, acknowledged)
	},
	"http, a stream of news": func(ctx context.Context, t *testing.T, s *Server) <-chan string {
		return events(t, getOf(ctx, t, overHTTP(t, s).URL))
	},
	"http, listening": func(ctx context.Context, t *testing.T, s *Server) <-chan string {
		heard := events(t, postOf(t, overHTTP(t, s).URL, []byte(listenLine)).WithContext(ctx))
		if first := <-heard; !acknowledged(first) {
			t.Fatalf("first: %s", first)
		}
		return heard
	},
}

func acknowledged(m string) bool {
	return strings.Contains(m, `"notifications/subscriptions/acknowledged"`)
}

func hear(ctx context.Context, t *testing.T, s *Server, line string, first func(string) bool) <-chan string {
	p := connect(t, s)
	p.send(line)
	if a := p.next(); !first(string(a.line)) {
		t.Fatalf("first: %s", a.line)
	}
	heard := make(chan string, 100)
	go func() {
		defer close(heard)
		for line := range p.lines {
			heard <- string(line)
		}
	}()
	context.AfterFunc(ctx, func() { p.in.Close() })
	return heard
}

// TestNewsOfChangedLists: whoever listens is told once per reload, of the lists that changed, and of nothing else.
func TestNewsOfChangedLists(t *testing.T) {
	t.Parallel()
	for name, listen := range ears {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			eng := engineOf(t, d.methods(), ticket())
			s := serverOf(t, eng, Options{})
			ctx, end := context.WithCancel(t.Context())
			defer end()
			heard := listen(ctx, t, s)

			reload := func(change func(*registry.Method)) {
				methods := d.methods()
				change(&methods[0])
				if err := eng.Reload(methods, []decide.Decision{ticket()}); err != nil {
					t.Fatal(err)
				}
				s.Refresh()
				s.Refresh() // nothing new
			}
			reload(func(*registry.Method) {}) // the same again
			reload(func(m *registry.Method) { m.Timeout = time.Minute })
			reload(func(m *registry.Method) { m.Summary = "Read one order, differently." })

			note := next(t, heard)
			if note.Method != mcp.MethodNotificationToolsListChanged {
				t.Fatalf("told %+v", note)
			}
			id := string(note.Params.Meta[mcp.MetaKeySubscriptionID])
			if listening := strings.HasSuffix(name, "listening"); listening != (id == `"ear"`) {
				t.Errorf("the news are tagged %s", id)
			}
			if strings.HasSuffix(name, "listening") {
				end() // it asked for news of tools alone, so the next message is the last
			} else if note := next(t, heard); note.Method != mcp.MethodNotificationResourcesListChanged {
				t.Errorf("told %+v", note)
			}
			end()
			for m := range heard {
				if strings.Contains(m, "list_changed") {
					t.Errorf("told once more: %s", m)
				}
			}
		})
	}
}

type heardNote struct {
	Method string
	Params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
}

func next(t *testing.T, heard <-chan string) heardNote {
	t.Helper()
	var n heardNote
	select {
	case m, open := <-heard:
		if err := json.Unmarshal([]byte(m), &n); err != nil || !open {
			t.Fatalf("%q: %v", m, err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("told nothing")
	}
	return n
}

// TestStreamsOfNewsAreFew: beyond the cap there is a clear answer, and who leaves makes room.
func TestStreamsOfNewsAreFew(t *testing.T) {
	t.Parallel()
	s := newDesk().server(t, Options{})
	h := overHTTP(t, s)
	for range ownStreams - 1 {
		if !s.audience.join(newSession("x", s.caller.ID, &stream{}, s.http.asks, s.audience)) {
			t.Fatal("no room")
		}
	}
	ctx, end := context.WithCancel(t.Context())
	heard := events(t, getOf(ctx, t, h.URL))
	for _, r := range []*http.Request{getOf(t.Context(), t, h.URL), postOf(t, h.URL, []byte(listenLine))} {
		resp, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if said := messagesOf(t, resp); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" || !strings.Contains(said[0], "too many streams") {
			t.Errorf("%s: %s %s", r.Method, resp.Status, said)
		}
	}
	end()
	for range heard {
	}
	for s.audience.full(s.caller.ID) { // the handler ends a moment after its connection
		time.Sleep(time.Millisecond)
	}
	for other := range s.audience.streams {
		s.audience.leave(other)
		other.stop()
	}
}
