//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

// spanned is a collector of spans: their names and attributes, as text.
type spanned struct {
	*httptest.Server
	mu    sync.Mutex
	spans []map[string]string // attributes, and name, trace and parent
	token string
}

func collectorOf(t *testing.T) *spanned {
	t.Helper()
	c := &spanned{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var said struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						TraceID, ParentSpanID, Name string
						Attributes                  []struct {
							Key   string
							Value map[string]any
						}
					}
				}
			}
		}
		if err := json.Unmarshal(body, &said); err != nil || len(said.ResourceSpans) != 1 || strings.Contains(string(body), "canary") {
			t.Errorf("%s %s: %v: %s", r.Method, r.URL, err, body)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.token = r.Header.Get("Authorization")
		for _, s := range said.ResourceSpans[0].ScopeSpans[0].Spans {
			span := map[string]string{"name": s.Name, "trace": s.TraceID, "parent": s.ParentSpanID}
			for _, a := range s.Attributes {
				for _, v := range a.Value {
					span[a.Key], _ = v.(string)
				}
			}
			c.spans = append(c.spans, span)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// TestWhatHappenedIsTold: a call of a client with a trace of its own and an answer are exported as spans when the server ends in order, counted among the numbers, and read by their
// caller. The token of the collector stands in no log.
func TestWhatHappenedIsTold(t *testing.T) {
	t.Parallel()
	c := collectorOf(t)
	env := append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20collector-canary", "OTEL_SERVICE_NAME=desk"}, deskEnv...)
	r := overHTTP(t, deskYAML, env)
	const within = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	native := toolCall(1, deskToken, "who", nil)
	native.header["traceparent"] = within
	r.ask(t, native)
	turn := regexp.MustCompile(`turn (\S+)-1\n`).FindStringSubmatch(resultText(t, r.ask(t, toolCall(2, deskToken, "choose", nil))))
	if turn == nil {
		t.Fatal("no turn was opened")
	}
	r.ask(t, toolCall(3, deskToken, "pick_read", map[string]any{"turn": turn[1] + "-1", "text": "The canary.\n" + `{"call": "who"}`}))

	read := message(4, "resources/read", map[string]any{"uri": "decide://traces/" + turn[1]})
	read.token, read.header["Mcp-Name"] = deskToken, "decide://traces/"+turn[1]
	var a struct {
		Result struct{ Contents []struct{ Text string } }
	}
	if err := json.Unmarshal(answerOf(t, r.ask(t, read)), &a); err != nil || len(a.Result.Contents) != 1 {
		t.Fatalf("the trace: %v, %+v", err, a)
	}
	var tree trace.Tree
	if err := json.Unmarshal([]byte(a.Result.Contents[0].Text), &tree); err != nil || len(tree.Below) != 2 || tree.Below[1].Verdict != trace.Taken {
		t.Errorf("the trace: %v, %s", err, a.Result.Contents[0].Text)
	}
	for series, want := range map[string]float64{"mcp_decide_records_kept_total": 3, "mcp_decide_records_dropped_total": 0, "mcp_decide_records_export_dropped_total": 0} {
		if got := r.number(t, deskToken, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}

	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c.mu.Lock()
		n := len(c.spans)
		c.mu.Unlock()
		if n == 5 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d spans have come: %v; %s", n, c.spans, r.said)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	want := []map[string]string{
		{"name": "tools/call who", "trace": "4bf92f3577b34da6a3ce929d0e0e4736", "parent": "00f067aa0ba902b7", "mcp_decide.path": "native", "mcp.protocol.version": "2026-07-28"},
		{"name": "execute_tool who", "trace": "4bf92f3577b34da6a3ce929d0e0e4736", "gen_ai.tool.name": "who"},
		{"name": "tools/call choose", "parent": "", "mcp_decide.path": "menu", "mcp_decide.turn": turn[1] + "-1"},
		{"name": "tools/call pick_read", "mcp_decide.option": "who", "mcp_decide.strategy": "prose", "mcp_decide.attempt": "1"},
		{"name": "execute_tool who", "mcp_decide.path": "menu", "trace": c.spans[2]["trace"]},
	}
	for i, attributes := range want {
		for key, value := range attributes {
			if got := c.spans[i][key]; got != value {
				t.Errorf("span %d: %s is %q, want %q", i, key, got, value)
			}
		}
	}
	if c.token != "Bearer collector-canary" || strings.Contains(r.said.String(), "collector-canary") {
		t.Errorf("the collector got %q; the log: %s", c.token, r.said)
	}
}
