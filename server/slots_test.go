package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// TestOneCallerLeavesRoom: of everything that callers share over HTTP, one who takes all that can be had leaves some for
// another, and has it all back afterwards.
func TestOneCallerLeavesRoom(t *testing.T) {
	t.Parallel()
	for what, flood := range map[string]func(*testing.T, *Server) (end func()){
		"slots": func(t *testing.T, s *Server) func() {
			var leave []func()
			never, now := make(chan struct{}), make(chan struct{})
			close(now)
			for range slots / 2 {
				leave = append(leave, s.http.slots.take("token:greedy", never, never))
			}
			for range 100 {
				if s.http.slots.take("token:greedy", now, never) != nil {
					t.Fatal("one caller has more than half of the slots")
				}
			}
			return func() {
				for _, l := range leave {
					l()
				}
				if len(s.http.slots.of) > 0 || len(s.http.slots.all) > 0 {
					t.Errorf("left behind: %v", s.http.slots.of)
				}
			}
		},
		"bytes": func(t *testing.T, s *Server) func() {
			var held []*exchange
			for n := 0; ; n++ {
				e := &exchange{message: message{method: methodCall, size: maxLine}, key: fmt.Sprint(n), caller: registry.Caller{ID: "token:greedy"}}
				if f := s.http.ledger.enter(t.Context(), e); f != nil {
					break
				}
				held = append(held, e)
			}
			return func() {
				for _, e := range held {
					s.http.ledger.drop(e.key)
					s.http.ledger.work.Done()
				}
				if len(s.http.ledger.heldBy) > 0 || s.http.ledger.held != 0 {
					t.Errorf("left behind: %v", s.http.ledger.heldBy)
				}
			}
		},
		"streams": func(t *testing.T, s *Server) func() {
			var in []*session
			for {
				x := newSession("x", "token:greedy", &stream{}, s.http.asks, s.audience)
				if !s.audience.join(x) {
					break
				}
				if !s.audience.join(x) {
					t.Fatal("who is in may join again")
				}
				in = append(in, x)
			}
			return func() {
				for _, x := range in {
					s.audience.leave(x)
					s.audience.leave(x)
					x.stop()
				}
				if len(s.audience.of) > 0 {
					t.Errorf("left behind: %v", s.audience.of)
				}
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			close(d.gate)
			s := d.server(t, Options{})
			h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				s.Handler().ServeHTTP(w, r.WithContext(guard.WithCaller(r.Context(), registry.Caller{ID: "token:other"})))
			}))
			defer h.Close()
			end := flood(t, s)
			big := `{"pad":"` + strings.Repeat("x", maxLine/2) + `"}`
			resp, err := h.Client().Do(postOf(t, h.URL, []byte(callLine(1, "slow", big))))
			if err != nil {
				t.Fatal(err)
			}
			if said := messagesOf(t, resp); resp.StatusCode != http.StatusOK || strings.Contains(said[0], "busy") {
				t.Errorf("a call of another: %s %.300s", resp.Status, said)
			}
			heard := events(t, postOf(t, h.URL, []byte(listenLine)))
			if first := <-heard; !acknowledged(first) {
				t.Errorf("a stream of another: %s", first)
			}
			h.CloseClientConnections()
			for range heard {
			}
			end()
		})
	}
}

// TestAListenerTakesEvents: who asks for news and could hear none is told so, instead of waiting for ever.
func TestAListenerTakesEvents(t *testing.T) {
	t.Parallel()
	h := overHTTP(t, newDesk().server(t, Options{}))
	r := postOf(t, h.URL, []byte(listenLine))
	r.Header.Set("Accept", "application/json")
	resp, err := h.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if said := messagesOf(t, resp); resp.StatusCode != http.StatusNotAcceptable || !strings.Contains(said[0], `"ear"`) || !strings.Contains(said[0], "text/event-stream") {
		t.Errorf("%s %s", resp.Status, said)
	}
}
