package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// as lets every request in as the caller that its header names.
func as(s *Server) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handler().ServeHTTP(w, r.WithContext(guard.WithCaller(r.Context(), registry.Caller{ID: r.Header.Get("X-Caller")})))
	})
}

// TestCancelOverHTTP: a client ends its own call by a notification in its session, or by closing the connection. Nobody else can,
// whatever ids they use, and in the newer era the notification means nothing.
func TestCancelOverHTTP(t *testing.T) {
	t.Parallel()
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	for _, c := range []struct {
		name            string
		session, caller string // of the one who cancels; the call is a's, in the session S
		version         string
		ends            bool
	}{
		{"the caller, in the session", "S", "a", "2025-11-25", true},
		{"another principal, in the session", "S", "b", "2025-11-25", false},
		{"the caller, in another session", "T", "a", "2025-11-25", false},
		{"the caller, in none", "", "a", "2025-11-25", false},
		{"the newer era", "S", "a", "2026-07-28", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			s := d.server(t, Options{})
			h := overHTTP(t, s)
			h.Config.Handler = as(s)
			call := postOf(t, h.URL, []byte(callLine(7, "slow", `{}`)))
			call.Header.Set(headerSession, "S")
			call.Header.Set("X-Caller", "a")
			ended := make(chan []string, 1)
			go func() {
				resp, err := h.Client().Do(call)
				if err != nil {
					t.Error(err)
					return
				}
				if said := messagesOf(t, resp); len(said) > 0 || resp.Header.Get("Content-Type") != "text/event-stream" {
					ended <- said
				} else {
					ended <- []string{"an empty stream"}
				}
			}()
			<-d.started
			r := postOf(t, h.URL, []byte(cancel))
			r.Header.Set(mcp.HeaderProtocolVersion, c.version)
			r.Header.Set("X-Caller", c.caller)
			if c.session != "" {
				r.Header.Set(headerSession, c.session)
			}
			resp, err := h.Client().Do(r)
			if err != nil || resp.StatusCode != http.StatusAccepted {
				t.Fatalf("%v, %v", resp, err)
			}
			resp.Body.Close()
			if !c.ends {
				close(d.gate)
			}
			if said := <-ended; strings.Contains(said[0], "waited") == c.ends || c.ends && said[0] != "an empty stream" {
				t.Errorf("it answered %q", said)
			}
		})
	}
}

func TestDisconnectEndsARead(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := d.server(t, Options{})
	h := overHTTP(t, s)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-d.started
		leave()
	}()
	if _, err := h.Client().Do(postOf(t, h.URL, []byte(callLine(1, "slow", `{}`))).WithContext(ctx)); err == nil {
		t.Fatal("it was answered")
	}
	s.http.ledger.work.Wait() // the run has ended, though nothing has opened the gate
}

// TestDrainOverHTTP: what is in flight is answered, what waits is refused, and so is what comes later.
func TestDrainOverHTTP(t *testing.T) {
	t.Parallel()
	const calls = 200
	d := newDesk()
	s := d.server(t, Options{})
	h := overHTTP(t, s)
	news := events(t, getOf(t.Context(), t, h.URL))
	answers := make(chan string, calls)
	for n := range calls {
		go func() {
			resp, err := http.DefaultClient.Do(postOf(t, h.URL, []byte(callLine(n, "slow", `{}`))))
			if err != nil {
				answers <- err.Error()
				return
			}
			answers <- strings.Join(messagesOf(t, resp), " ")
		}()
	}
	for range slots / 2 {
		<-d.started
	}
	for {
		s.http.ledger.mu.Lock()
		open := len(s.http.ledger.open)
		s.http.ledger.mu.Unlock()
		if open == calls {
			break
		}
		time.Sleep(time.Millisecond)
	}
	drained := make(chan struct{})
	go func() {
		s.Drain(t.Context())
		close(drained)
	}()
	for range news { // the stream ends at once
	}
	resp, err := h.Client().Do(postOf(t, h.URL, []byte(callLine(1000, "nothing", `{}`))))
	if err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a late call: %v, %v", resp, err)
	}
	messagesOf(t, resp)
	close(d.gate)
	<-drained
	count := map[string]int{}
	for range calls {
		switch a := <-answers; {
		case strings.Contains(a, `"waited"`):
			count["answered"]++
		case strings.Contains(a, "not run: the server is stopping"):
			count["refused"]++
		default:
			t.Error(a)
		}
	}
	if count["answered"] < slots/2 || count["answered"]+count["refused"] != calls {
		t.Error(count)
	}
}

// TestDrainGivesUp: what never ends is answered all the same, when the time is over.
func TestDrainGivesUp(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := d.server(t, Options{})
	h := overHTTP(t, s)
	answer := make(chan []string, 1)
	go func() {
		resp, err := h.Client().Do(postOf(t, h.URL, []byte(callLine(1, "stubborn", `{}`))))
		if err != nil {
			t.Error(err)
		}
		answer <- messagesOf(t, resp)
	}()
	<-d.started
	over, end := context.WithCancel(t.Context())
	end()
	s.Drain(over)
	close(d.gate)
	if said := <-answer; len(said) != 1 {
		t.Errorf("%q", said)
	}
}

// TestAskingAClient: a question goes out on the stream of the request that needs the answer, and only the one who was asked
// can answer it.
func TestAskingAClient(t *testing.T) {
	t.Parallel()
	s := newDesk().server(t, Options{})
	s.sdk.AddTool(mcp.Tool{Name: "ask", RawInputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for n := range 3 {
			if err := s.sdk.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": "p", "progress": n}); err != nil {
				return nil, err
			}
		}
		r, err := sdk.ClientSessionFromContext(ctx).(sdk.SessionWithElicitation).RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{Message: "Sure?"}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(string(r.Action)), nil
	})
	h := overHTTP(t, s)
	h.Config.Handler = as(s)
	call := postOf(t, h.URL, []byte(callLine(1, "ask", `{}`)))
	call.Header.Set("X-Caller", "a")
	heard := events(t, call)
	for n := range 3 {
		if m := <-heard; !strings.Contains(m, fmt.Sprintf(`"progress":%d`, n)) {
			t.Fatalf("note %d: %s", n, m)
		}
	}
	var question struct {
		ID     string
		Method string
	}
	if m := <-heard; json.Unmarshal([]byte(m), &question) != nil || question.Method != "elicitation/create" || len(question.ID) < 26 {
		t.Fatalf("question: %s", m)
	}
	for _, by := range []struct{ caller, action string }{{"b", "decline"}, {"a", "accept"}, {"a", "decline"}} {
		r := postOf(t, h.URL, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%q,"result":{"action":%q}}`, question.ID, by.action))
		r.Header.Set("X-Caller", by.caller)
		resp, err := h.Client().Do(r)
		if err != nil || resp.StatusCode != http.StatusAccepted {
			t.Fatalf("%v %v", resp, err)
		}
		resp.Body.Close()
	}
	if m := <-heard; !strings.Contains(m, `"accept"`) {
		t.Errorf("result: %s", m)
	}
	if len(s.http.asks.open) != 0 {
		t.Error("a question stays open")
	}
}

// TestHeadersThatStandTwice: two readers could take two of them, so neither is taken.
func TestHeadersThatStandTwice(t *testing.T) {
	t.Parallel()
	h := overHTTP(t, newDesk().server(t, Options{}))
	for _, c := range []struct {
		name   string
		values []string
		status int
	}{
		{mcp.HeaderProtocolVersion, []string{"2025-11-25"}, http.StatusOK},
		{mcp.HeaderProtocolVersion, []string{"2025-11-25", "2025-11-25"}, http.StatusBadRequest},
		{mcp.HeaderProtocolVersion, []string{"2025-11-25", "2026-07-28"}, http.StatusBadRequest},
		{mcp.HeaderMethod, []string{"tools/call", "tools/list"}, http.StatusBadRequest},
		{mcp.HeaderName, []string{"nothing", "boom"}, http.StatusBadRequest},
		{headerSession, []string{"a"}, http.StatusOK},
		{headerSession, []string{"a", "b"}, http.StatusBadRequest},
		{headerSession, []string{"a b"}, http.StatusBadRequest},
		{headerSession, []string{"\u00e4"}, http.StatusBadRequest},
		{headerSession, []string{strings.Repeat("x", maxSessionID)}, http.StatusOK},
		{headerSession, []string{strings.Repeat("x", maxSessionID+1)}, http.StatusBadRequest},
	} {
		r := postOf(t, h.URL, []byte(callLine(1, "nothing", `{}`)))
		r.Header[http.CanonicalHeaderKey(c.name)] = c.values
		resp, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if said := messagesOf(t, resp); resp.StatusCode != c.status {
			t.Errorf("%s: %q: %s %s", c.name, c.values, resp.Status, said)
		}
	}
}

// TestASessionHasItsName: whichever way the client reads the answer to its handshake.
func TestASessionHasItsName(t *testing.T) {
	t.Parallel()
	h := overHTTP(t, newDesk().server(t, Options{}))
	names := map[string]bool{}
	for _, accept := range []string{"application/json", "text/event-stream", "application/json, text/event-stream", "*/*"} {
		r := postOf(t, h.URL, []byte(helloLine))
		r.Header.Set("Accept", accept)
		resp, err := h.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		name := resp.Header.Get(headerSession)
		if said := messagesOf(t, resp); len(name) < 26 || names[name] || len(said) != 1 || !strings.Contains(said[0], `"serverInfo"`) {
			t.Errorf("%s: named %q, %s", accept, name, said)
		}
		names[name] = true
	}
}

func TestRefusedMessagesAreLoggedAgain(t *testing.T) {
	t.Parallel()
	var c perMinute
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for range 2 * maxWarnings {
		c.next(now)
	}
	if n := c.next(now.Add(time.Minute)); n != 1 {
		t.Errorf("a minute later it counts on: %d", n)
	}
}
