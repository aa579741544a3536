package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server/guard"
	"github.com/mcp-decide/mcp-decide/trace"
)

// sealed is an error that says less to strangers than to us.
type sealed struct{}

func (sealed) Error() string  { return "db-7.internal: table orders is locked" }
func (sealed) Public() string { return "the order desk is closed" }

// traced is a desk that shows its traces, and they.
func traced(t *testing.T) (*Server, *trace.Memory) {
	t.Helper()
	methods := registry.New()
	broken := registry.Method{Name: "broken", Summary: "Fail.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) { return nil, sealed{} }}
	large := registry.Method{Name: "large", Summary: "Say much.", Effect: registry.Read, ResultCap: 1_000_000, Run: func(context.Context, registry.Args) (any, error) {
		return strings.Repeat("x", trace.MaxText) + "\u202e", nil
	}}
	many := registry.Method{Name: "many", Summary: "Calls large often.", Effect: registry.Read}
	var eng *decide.Engine
	many.Run = func(ctx context.Context, _ registry.Args) (any, error) {
		for range 40 {
			if _, err := eng.Call(ctx, nil, decide.Call{Method: "large", Caller: registry.Caller{ID: "token:a"}}); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	for _, m := range append(newDesk().methods(), broken, large, many) {
		if err := methods.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	kept := trace.NewMemory(trace.Limits{})
	eng = decide.New(methods, decide.Options{Recorder: kept, Config: "test"})
	d := ticket()
	d.Options = append(d.Options, decide.Func("many", "many"))
	if err := eng.Add(d); err != nil {
		t.Fatal(err)
	}
	return serverOf(t, eng, Options{Traces: kept}), kept
}

// asWhoever serves a server whose caller is whoever a header says.
func asWhoever(t *testing.T, s *Server) (url string) {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := guard.WithCaller(r.Context(), registry.Caller{ID: "token:" + r.Header.Get("Who")})
		s.Handler().ServeHTTP(w, r.WithContext(ctx))
	}))
}

// readTrace reads a trace, and the whole answer; ok says that there is one.
func readTrace(t *testing.T, url, era, who, id string) (text, answer string, ok bool) {
	t.Helper()
	line := send(t, url, era, 7, "resources/read", fmt.Sprintf(`"uri":"decide://traces/%s"`, id), "", "Who: "+who).last(t).line
	var read struct {
		Result struct {
			Contents []struct{ Text, MIMEType string }
		}
	}
	if err := json.Unmarshal(line, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Result.Contents) == 0 {
		return "", string(line), false
	}
	return read.Result.Contents[0].Text, string(line), true
}

// TestTracesAreTheirCallersAlone: a caller reads its turns as trees and its records as they are. What is another's reads like what there is not.
func TestTracesAreTheirCallersAlone(t *testing.T) {
	t.Parallel()
	for _, era := range []string{older, newer} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			s, kept := traced(t)
			url := asWhoever(t, s)
			call := func(who, tool, args string) answer {
				return send(t, url, era, 3, methodCall, fmt.Sprintf(`"name":%q,"arguments":%s`, tool, args), "", "Who: "+who).last(t)
			}
			turn, _ := call("a", "handle_ticket", `{"ticket":"x"}`).Result.Meta[metaTurn].(string)
			call("a", "pick_read", fmt.Sprintf(`{"turn":%q,"text":"no idea"}`, turn))
			next := strings.TrimSuffix(turn, "1") + "2"
			call("b", "pick_read", fmt.Sprintf(`{"turn":%q,"text":"mine"}`, next))
			call("a", "pick_read", fmt.Sprintf(`{"turn":%q,"call":"look","args":{"order_id":"A-1"}}`, next))
			l := kept.List()
			if len(l) != 4 {
				t.Fatalf("%d records", len(l))
			}
			for _, id := range []string{strings.TrimSuffix(turn, "-1"), turn, next} {
				text, whole, ok := readTrace(t, url, era, "a", id)
				var tree trace.Tree
				if !ok || json.Unmarshal([]byte(text), &tree) != nil || tree.Kind != trace.TreeTurn || len(tree.Below) != 3 || len(tree.Below[2].Below) != 1 {
					t.Fatalf("%s: %s", id, whole)
				}
				if strings.Contains(text, "mine") || strings.Contains(text, "token:b") {
					t.Errorf("%s has what another said: %s", id, text)
				}
				if run := tree.Below[2].Below[0]; run.Method != "lookup_order" || run.State != "done" {
					t.Errorf("the run: %+v", run)
				}
				if era == newer && !strings.Contains(whole, `"ttlMs":0`) {
					t.Errorf("a client may keep what changes: %s", whole)
				}
			}
			text, whole, ok := readTrace(t, url, era, "a", l[3].ID)
			var r trace.Record
			if err := json.Unmarshal([]byte(text), &r); !ok || err != nil {
				t.Fatal(whole)
			}
			if diff := cmp.Diff(l[3].Output, r.Output); diff != "" || r.Era != era || r.Request != "tools/call pick_read" || r.Reply != `{"call":"look","args":{"order_id":"A-1"}}` {
				t.Errorf("record %+v", r)
			}
			_, nothing, _ := readTrace(t, url, era, "a", "nothing")
			for _, id := range []string{l[0].ID, l[1].ID, l[3].ID} {
				_, whole, ok := readTrace(t, url, era, "b", id)
				if want := strings.ReplaceAll(nothing, "traces/nothing", "traces/"+id); ok || whole != want {
					t.Errorf("%s of another is\n%s\nwhat there is not is\n%s", id, whole, want)
				}
			}
			if _, whole, ok := readTrace(t, url, era, "c", turn); ok || whole != strings.ReplaceAll(nothing, "traces/nothing", "traces/"+turn) {
				t.Errorf("the turn of another: %s", whole)
			}
			other := asWhoever(t, serverOf(t, decide.New(registry.New(), decide.Options{Config: "another"}), Options{Traces: kept}))
			for _, id := range []string{strings.TrimSuffix(turn, "-1"), turn, l[0].ID, l[3].ID} {
				if _, whole, ok := readTrace(t, other, era, "a", id); ok || whole != strings.ReplaceAll(nothing, "traces/nothing", "traces/"+id) {
					t.Errorf("%s under another configuration: %s", id, whole)
				}
			}
			if l[0].Config != "test" || r.Config != "" {
				t.Errorf("the configuration is %q on record, and %q is told", l[0].Config, r.Config)
			}
			for _, id := range []string{"", "%2e%2e", "a%00b", "%zz", strings.Repeat("a", 300)} {
				if _, whole, ok := readTrace(t, url, era, "a", id); ok {
					t.Errorf("%q: %s", id, whole)
				}
			}
		})
	}
}

// TestTracesTellNoMoreThanTheCallerKnows: what an error says to us is not shown, and what can't be seen is escaped.
func TestTracesTellNoMoreThanTheCallerKnows(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	url := asWhoever(t, s)
	for _, tool := range []string{"broken", "large", "boom"} {
		send(t, url, newer, 1, methodCall, fmt.Sprintf(`"name":%q,"arguments":{}`, tool), "", "Who: a")
	}
	l := kept.List()
	if !strings.Contains(l[0].Error, "db-7.internal") {
		t.Fatalf("recorded %+v", l[0])
	}
	text, _, _ := readTrace(t, url, newer, "a", l[0].ID)
	if strings.Contains(text, "db-7") || !strings.Contains(text, "the order desk is closed") {
		t.Errorf("shown: %s", text)
	}
	if text, _, _ := readTrace(t, url, newer, "a", l[1].ID); strings.Contains(text, "\u202e") || len(text) < trace.MaxText/2 {
		t.Errorf("shown: %.200s", text)
	}
	if text, _, _ := readTrace(t, url, newer, "a", l[2].ID); strings.Contains(text, "hunter2") {
		t.Errorf("shown: %s", text)
	}
}

// TestLongTracesAreCut: of very much text the first is shown, and the parts are still there.
func TestLongTracesAreCut(t *testing.T) {
	t.Parallel()
	s, _ := traced(t)
	url := asWhoever(t, s)
	opened := send(t, url, newer, 1, methodCall, `"name":"handle_ticket","arguments":{"ticket":"x"}`, "", "Who: a").last(t)
	turn, _ := opened.Result.Meta[metaTurn].(string)
	send(t, url, newer, 2, methodCall, fmt.Sprintf(`"name":"pick_read","arguments":{"turn":%q,"call":"many"}`, turn), "", "Who: a")
	text, whole, ok := readTrace(t, url, newer, "a", turn)
	var tree trace.Tree
	if err := json.Unmarshal([]byte(text), &tree); !ok || err != nil {
		t.Fatalf("%v: %.300s", err, whole)
	}
	if calls := len(tree.Below[1].Below[0].Below); calls != 40 || len(text) > maxTraceText+100_000 || len(text) < maxTraceText/2 {
		t.Errorf("%d calls in %d bytes", calls, len(text))
	}
}

// failing has traces that can't be read.
type failing struct{ *trace.Memory }

func (failing) Trace(context.Context, string) (trace.Record, error) {
	return trace.Record{}, errors.New("the disk /var/secret is gone")
}

func TestTracesThatCantBeRead(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	s := newDesk().server(t, Options{Traces: failing{}, Log: logTo(&log)})
	_, whole, ok := readTrace(t, serve(t, s.Handler()), newer, "a", "x")
	if ok || strings.Contains(whole, "/var/secret") || !strings.Contains(whole, "REF") || !strings.Contains(log.String(), "/var/secret") {
		t.Errorf("told %s, logged %s", whole, log.String())
	}
}

// TestRequestsInRecords: a record says which version of the protocol its request kept to, what it asked for, and where it stands in a trace of its client: as _meta says, else the
// header, if it can be read.
func TestRequestsInRecords(t *testing.T) {
	t.Parallel()
	const one, two = "00-11111111111111111111111111111111-2222222222222222-01", "00-33333333333333333333333333333333-4444444444444444-00"
	meta := func(value string) string { return `"traceparent":` + value }
	for name, tc := range map[string]struct {
		meta   string
		header []string
		want   string
	}{
		"none":                     {"", nil, ""},
		"in _meta":                 {meta(`"` + one + `"`), nil, one},
		"in the header":            {"", []string{"Traceparent: " + two}, two},
		"in both":                  {meta(`"` + one + `"`), []string{"traceparent: " + two}, one},
		"unreadable in _meta":      {meta(`"01"`), []string{"traceparent: " + two}, two},
		"no text in _meta":         {meta(`{"a":[1]}`), nil, ""},
		"unreadable in the header": {"", []string{"traceparent: " + strings.ToUpper("00-abababababababababababababababab-2222222222222222-01")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, era := range []string{older, newer} {
				s, kept := traced(t)
				send(t, asWhoever(t, s), era, 1, methodCall, `"name":"nothing","arguments":{}`, tc.meta, append(tc.header, "Who: a")...)
				r := kept.List()[0]
				if r.Era != era || r.Request != "tools/call nothing" || r.TraceParent != tc.want {
					t.Errorf("%s: recorded %q, %q, %q", era, r.Era, r.Request, r.TraceParent)
				}
			}
		})
	}
	t.Run("the header twice", func(t *testing.T) {
		t.Parallel()
		if got := traceParentIn(http.Header{"Traceparent": {one, one}}); got != "" {
			t.Errorf("read %q", got)
		}
	})
	t.Run("on stdio", func(t *testing.T) {
		t.Parallel()
		s, kept := traced(t)
		p := connect(t, s)
		p.ask(1, "nothing", `{}`) // before the handshake
		p.send(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		p.next()
		p.ask(3, "nothing", `{}`)
		p.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nothing","_meta":{"traceparent":"` + one + `",` + ofTheNewerEra[len(`,"_meta":{`):] + `}}`)
		p.next()
		p.send(`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"handle_ticket","arguments":{"ticket":"x"}}}`)
		p.next()
		p.end()
		var got []string
		for _, r := range kept.List() {
			got = append(got, r.Era+" "+r.Request+" "+r.TraceParent)
		}
		want := []string{" tools/call nothing ", "2025-06-18 tools/call nothing ", "2026-07-28 tools/call nothing " + one, "2025-06-18 prompts/get handle_ticket "}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}
