package otlp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcp-decide/mcp-decide/trace"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var (
	noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	desk = About{Service: "desk", Version: "1.2.3", Key: []byte("0123456789abcdef")}
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// happened is something of each kind: a native call of a client with a trace of its own, a turn with a refused answer and one whose run calls further, a turn that came to
// nothing, a call by hand, and one of a model.
func happened() []trace.Record {
	list := []trace.Record{
		{ID: "n", Path: "native", Method: "look", State: "done", Era: "2026-07-28", Request: "tools/call look", TraceParent: parent, RunTook: 3 * time.Millisecond},
		{ID: "f", Path: "native", Method: "look", State: "failed", Era: "2025-11-25", Request: "tools/call look", Error: "canary"},
		{ID: "o", Path: "menu", Decision: "ticket", Turn: "k7m2-1", State: "opened", Era: "2025-11-25", Request: "prompts/get ticket"},
		{ID: "a1", Root: "o", Path: "menu", Decision: "ticket", Turn: "k7m2-1", State: "refused", Error: "bad_args", Refused: "bad_args", Attempt: 1, Strategy: "prose", Request: "tools/call pick_write"},
		{ID: "c", Root: "o", Parent: "a2", Path: "native", Method: "look", State: "done", RunTook: time.Millisecond},
		{ID: "r", Root: "o", Parent: "a2", Path: "native", Method: "wire", State: "refused", Error: "ceiling"},
		{ID: "a2", Root: "o", Path: "menu", Decision: "ticket", Turn: "k7m2-2", State: "done", Option: "refund", Method: "issue_refund", Call: "abcdefgh", Attempt: 2,
			Strategy: "repaired", Repaired: true, Request: "tools/call pick_write", RunTook: 8 * time.Millisecond, Args: json.RawMessage(`"canary"`), Output: "canary", Reason: "canary"},
		{ID: "a3", Root: "o", Path: "menu", Decision: "ticket", Turn: "k7m2-2", State: "recorded", Option: "refund", Request: "tools/call pick_write"},
		{ID: "p", Path: "command", Decision: "ticket", Turn: "x2y3-1", State: "opened"},
		{ID: "q", Root: "p", Path: "command", Decision: "ticket", Turn: "x2y3-1", State: "done", Refused: "no_action", Attempt: 1, OnFailure: true, Option: "leave", Method: "ticket.leave"},
		{ID: "h", Path: "command", Method: "look", State: "unknown", Error: "canary", Call: "hhhhhhhh"},
		{ID: "w", Path: "command", Method: "look", State: "refused", Error: "canary went wrong"},
		{ID: "x", Path: "menu", Turn: "canary-1", State: "refused", Error: "no_turn", Request: "tools/call pick_read"},
		{ID: "m", Root: "h", Parent: "h", Path: "native", Model: "qwen2.5:3b", TokensIn: 120, TokensOut: 7, State: "done"},
	}
	for i := range list {
		list[i].Time, list[i].Took = noon.Add(time.Duration(i)*time.Second), 10*time.Millisecond
	}
	return list
}

func encoded(t *testing.T, records ...trace.Record) []byte {
	t.Helper()
	data, err := Encode(desk, records)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestSpans: what the spans of records look like, as JSON; -update writes it. Nothing that somebody said is in it.
func TestSpans(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := json.Indent(&got, encoded(t, happened()...), "", " "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if strings.Contains(got.String(), "canary") {
		t.Error("the words of somebody are exported")
	}
	path := filepath.Join("testdata", "spans.json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// sentSpan is a span as a collector reads it: strictly, in the form that OTLP/JSON has.
type sentSpan struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	Parent     string `json:"parentSpanId"`
	Name       string `json:"name"`
	Kind       int    `json:"kind"`
	Start      string `json:"startTimeUnixNano"`
	End        string `json:"endTimeUnixNano"`
	Attributes []struct {
		Key   string                     `json:"key"`
		Value map[string]json.RawMessage `json:"value"`
	} `json:"attributes"`
	Status *struct {
		Code int `json:"code"`
	} `json:"status"`
}

func (s sentSpan) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			for _, v := range a.Value {
				return strings.Trim(string(v), `"`)
			}
		}
	}
	return ""
}

// spansIn reads the spans of one request.
func spansIn(t *testing.T, body []byte) (service string, spans []sentSpan) {
	t.Helper()
	var said struct {
		ResourceSpans []struct {
			Resource   sentSpan `json:"resource"`
			ScopeSpans []struct {
				Scope struct{ Name, Version string }
				Spans []sentSpan
			}
		}
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if len(said.ResourceSpans) != 1 || len(said.ResourceSpans[0].ScopeSpans) != 1 || said.ResourceSpans[0].ScopeSpans[0].Scope.Name != scopeName {
		t.Fatalf("request %s", body)
	}
	return said.ResourceSpans[0].Resource.attribute(attrServiceName), said.ResourceSpans[0].ScopeSpans[0].Spans
}

var (
	traceIDs = regexp.MustCompile(`^[0-9a-f]{32}$`)
	spanIDs  = regexp.MustCompile(`^[0-9a-f]{16}$`)
	nanos    = regexp.MustCompile(`^[0-9]{19}$`)
)

// TestSpansHaveTheForm that the protocol asks for, and stand in each other: a run in its answer, what it calls in the run, and all of a turn in one trace.
func TestSpansHaveTheForm(t *testing.T) {
	t.Parallel()
	service, spans := spansIn(t, encoded(t, happened()...))
	if service != "desk" {
		t.Errorf("the service is %q", service)
	}
	ids := map[string]sentSpan{}
	for _, s := range spans {
		if !traceIDs.MatchString(s.TraceID) || !spanIDs.MatchString(s.SpanID) || s.Parent != "" && !spanIDs.MatchString(s.Parent) || !nanos.MatchString(s.Start) || !nanos.MatchString(s.End) || s.Start > s.End {
			t.Errorf("span %+v", s)
		}
		if s.Kind < 1 || s.Kind > 3 || s.Name == "" || s.Status != nil && s.Status.Code != 2 {
			t.Errorf("span %+v", s)
		}
		for _, a := range s.Attributes {
			if len(a.Value) != 1 {
				t.Errorf("%s: attribute %+v", s.Name, a)
			}
			if n, ok := a.Value["intValue"]; ok && n[0] != '"' {
				t.Errorf("%s: %s is the number %s, not a text", s.Name, a.Key, n)
			}
		}
		if _, twice := ids[s.SpanID]; twice {
			t.Errorf("the id of %s is there twice", s.Name)
		}
		ids[s.SpanID] = s
	}
	for _, s := range spans {
		up, ok := ids[s.Parent]
		switch {
		case s.Parent == "00f067aa0ba902b7":
			if s.TraceID != "4bf92f3577b34da6a3ce929d0e0e4736" || s.Name != "tools/call look" {
				t.Errorf("in the client's trace: %+v", s)
			}
		case s.Parent != "" && (!ok || up.TraceID != s.TraceID || up.Start > s.Start && s.attribute(attrRecord) != "c" && s.attribute(attrRecord) != "r"):
			t.Errorf("%s stands in %q", s.Name, up.Name)
		}
	}
	where := func(name, record string) sentSpan {
		for _, s := range spans {
			if s.Name == name && s.attribute(attrRecord) == record {
				return s
			}
		}
		t.Fatalf("there is no span %s of %s", name, record)
		return sentSpan{}
	}
	run := where("execute_tool issue_refund", "a2")
	if up := ids[run.Parent]; up.Name != "tools/call pick_write" || up.Kind != 2 || ids[up.Parent].Name != "prompts/get ticket" || ids[up.Parent].Parent != "" {
		t.Errorf("the run stands in %+v", up)
	}
	if c := where("execute_tool look", "c"); c.Parent != run.SpanID {
		t.Errorf("a call in the run stands in %q", ids[c.Parent].Name)
	}
	for _, tc := range []struct{ name, record, want string }{
		{"tools/call look", "f", "tool_error"}, {"execute_tool look", "f", "tool_error"}, {"tools/call pick_write", "a1", "bad_args"}, {"execute_tool wire", "r", "ceiling"},
		{"execute_tool look", "h", "unknown"}, {"execute_tool look", "w", "refused"}, {"tools/call pick_write", "a3", ""}, {"decide ticket", "q", ""}, {"tools/call look", "n", ""},
	} {
		if s := where(tc.name, tc.record); s.attribute(attrErrorType) != tc.want || (s.Status != nil) != (tc.want != "") {
			t.Errorf("%s of %s failed as %q, status %v; want %q", tc.name, tc.record, s.attribute(attrErrorType), s.Status, tc.want)
		}
	}
	if n := where("tools/call look", "n"); n.attribute(attrPath) != "native" || n.attribute(attrMCPVersion) != "2026-07-28" || where("decide ticket", "p").attribute(attrPath) != "menu" {
		t.Errorf("the native call: %+v", n)
	}
}

// TestIDsBelongToAStore: the same records give the same ids again, with another key others.
func TestIDsBelongToAStore(t *testing.T) {
	t.Parallel()
	one, again := encoded(t, happened()...), encoded(t, happened()...)
	if !bytes.Equal(one, again) {
		t.Error("the same records give other spans")
	}
	other, err := Encode(About{Key: []byte("another")}, happened()[2:3])
	if err != nil {
		t.Fatal(err)
	}
	_, mine := spansIn(t, encoded(t, happened()[2]))
	service, theirs := spansIn(t, other)
	if mine[0].TraceID == theirs[0].TraceID || mine[0].SpanID == theirs[0].SpanID || service != "mcp-decide" {
		t.Errorf("%q: %+v has the ids of %+v", service, theirs[0], mine[0])
	}
}

// TestOddTimes: clocks that went back and times before the protocol's first make no span that a collector refuses.
func TestOddTimes(t *testing.T) {
	t.Parallel()
	for _, r := range []trace.Record{
		{ID: "a", Method: "m", State: "done", Time: time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), Took: time.Second},
		{ID: "b", Method: "m", State: "done", Time: noon, Took: -time.Hour, RunTook: time.Hour},
		{ID: "c", Method: "m", State: "done", Time: noon, Took: time.Second, RunTook: time.Hour},
		{ID: "d", Method: "m", State: "done"},
	} {
		_, spans := spansIn(t, encoded(t, r))
		for _, s := range spans {
			if len(s.Start) > len(s.End) || len(s.Start) == len(s.End) && s.Start > s.End || strings.HasPrefix(s.Start, "-") {
				t.Errorf("%s: from %s to %s", r.ID, s.Start, s.End)
			}
		}
	}
}
