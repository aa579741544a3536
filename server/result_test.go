package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// onWire is a result as a client reads it, on one line.
func onWire(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTurnResult(t *testing.T) {
	t.Parallel()
	ran := func(s registry.State, blocks ...registry.Block) *registry.Result {
		return &registry.Result{State: s, Content: blocks, Structured: json.RawMessage(`{"a":1}`)}
	}
	for _, c := range []struct {
		name string
		out  decide.Outcome
		want string
	}{
		{"opened", decide.Outcome{Text: "Pick.", Handle: "a-1", State: decide.Open},
			`{"_meta":{"mcp-decide/state":"open","mcp-decide/turn":"a-1"},"content":[{"type":"text","text":"Pick."}]}`},
		{"done", decide.Outcome{Text: "Ran x.", Result: ran(registry.Done, registry.Text("ok"))},
			`{"content":[{"type":"text","text":"Ran x."},{"type":"text","text":"ok"}]}`},
		{"taken for want of a valid answer", decide.Outcome{Text: "Took y.", Result: ran(registry.Done, registry.Text("ok")), OnFailure: true, Attempts: 2},
			`{"_meta":{"mcp-decide/attempts":2,"mcp-decide/on_failure":true},"content":[{"type":"text","text":"Took y."},{"type":"text","text":"ok"}]}`},
		{"recorded", decide.Outcome{Text: "Already.", Result: ran(registry.Done, registry.Text("ok")), Recorded: true, Option: "x", Method: "m"},
			`{"_meta":{"mcp-decide/method":"m","mcp-decide/option":"x","mcp-decide/recorded":true},"content":[{"type":"text","text":"Already."},{"type":"text","text":"ok"}]}`},
		{"failed", decide.Outcome{Text: "Ran x.", Result: ran(registry.Failed, registry.Text("x failed")), State: decide.Failed},
			`{"_meta":{"mcp-decide/state":"failed"},"content":[{"type":"text","text":"Ran x."},{"type":"text","text":"x failed"}],"isError":true}`},
		{"failed without a word", decide.Outcome{Text: "Ran x.", Result: ran(registry.Failed)},
			`{"content":[{"type":"text","text":"Ran x."},{"type":"text","text":"It ran and failed."}],"isError":true}`},
		{"not known", decide.Outcome{Text: "Hm.", Result: ran(registry.Unknown)},
			`{"content":[{"type":"text","text":"Hm."},{"type":"text","text":"It is not known whether it ran."}],"isError":true}`},
		{"not started", decide.Outcome{Text: "No.", Result: ran(registry.NotRun, registry.Text("no such program"))},
			`{"content":[{"type":"text","text":"No."},{"type":"text","text":"no such program"}],"isError":true}`},
		{"still running is no error", decide.Outcome{Text: "Send it again.", State: decide.Running},
			`{"_meta":{"mcp-decide/state":"running"},"content":[{"type":"text","text":"Send it again."}]}`},
		{"spent", decide.Outcome{Text: "Over.", State: decide.Exhausted, Problem: &decide.DecisionError{Kind: validate.UnknownCall}},
			`{"_meta":{"mcp-decide/error":"unknown_call","mcp-decide/state":"exhausted"},"content":[{"type":"text","text":"Over."}],"isError":true}`},
		{"too often", decide.Outcome{Text: "Later.", State: decide.Open, Problem: &registry.Refused{Kind: "gated", RetryAfter: 1500 * time.Millisecond}},
			`{"_meta":{"mcp-decide/error":"gated","mcp-decide/retry_after_ms":1500,"mcp-decide/state":"open"},"content":[{"type":"text","text":"Later."}],"isError":true}`},
		{"changed since", decide.Outcome{Text: "Changed.", State: decide.Open, Problem: decide.ErrChanged},
			`{"_meta":{"mcp-decide/error":"changed","mcp-decide/state":"open"},"content":[{"type":"text","text":"Changed."}],"isError":true}`},
		{"no turn", decide.Outcome{Text: "None.", Handle: strings.Repeat("x", 5000), Problem: decide.ErrNoTurn},
			`{"_meta":{"mcp-decide/error":"no_turn"},"content":[{"type":"text","text":"None."}],"isError":true}`},
	} {
		if diff := cmp.Diff(c.want, onWire(t, turnResult(c.out))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestStructuredContentNeedsAnOutputSchema(t *testing.T) {
	t.Parallel()
	method := func(r *registry.Param) *registry.Method {
		m, err := registry.Prepare(registry.Method{Name: "m", Summary: "A method.", Effect: registry.Read, Returns: r, Run: nop})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	object := &registry.Param{Type: registry.Object, Fields: []registry.Param{}}
	for _, c := range []struct {
		name  string
		m     *registry.Method
		state registry.State
		want  bool
	}{
		{"an object", method(object), registry.Done, true},
		{"an object, failed", method(object), registry.Failed, false},
		{"nothing declared", method(nil), registry.Done, false},
	} {
		r := nativeResult(registry.Result{Method: c.m, State: c.state, Content: []registry.Block{registry.Text("x")}, Structured: json.RawMessage(`{}`)})
		if got := strings.Contains(onWire(t, r), "structuredContent"); got != c.want {
			t.Errorf("%s: structured content: %v", c.name, got)
		}
	}
}

func TestNotRunTellsOnlyWhatIsSafe(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	s := newDesk().server(t, Options{Log: logTo(&log)})
	for _, c := range []struct {
		err      error
		want     string
		internal bool
	}{
		{validate.NewError("", validate.Problem{Kind: validate.TypeMismatch, Path: "args.n", Expected: "a number", Read: `the text "x"`}), "The arguments do not fit m:\n- args.n: expected a number", false},
		{fmt.Errorf("wrapped: %w", &registry.Refused{Kind: "denied", Method: "m", Message: "Only agents may."}), "Not run. Only agents may.", false},
		{&decide.FullError{Limit: "2 turns are open"}, "no room for another turn: 2 turns are open", false},
		{errors.New("dial tcp 10.0.0.7:5432: secret"), "reference REF", true},
	} {
		result, err := s.notRun(t.Context(), "m", c.err)
		if err != nil || !result.IsError || !strings.Contains(textOf(decoded(t, result)), c.want) {
			t.Errorf("%v: got %s, %v", c.err, onWire(t, result), err)
		}
		if strings.Contains(onWire(t, result), "10.0.0.7") {
			t.Errorf("an address got out: %s", onWire(t, result))
		}
		if c.internal && (!strings.Contains(log.String(), "10.0.0.7") || !strings.Contains(log.String(), "ref=REF")) {
			t.Errorf("the log does not have it: %s", log.String())
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if result, err := s.notRun(cancelled, "m", errors.New("x")); result != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", result, err)
	}
}

func TestLongProblemsKeepBothEnds(t *testing.T) {
	t.Parallel()
	long := "first " + strings.Repeat("ä", 20_000) + " last"
	got := capped(long)
	if n := utf8.RuneCountInString(got); n > maxProblem || !strings.HasPrefix(got, "first ä") || !strings.HasSuffix(got, "ä last") || !strings.Contains(got, "characters left out") {
		t.Errorf("%d characters: %.50q … %q", n, got, got[len(got)-20:])
	}
	if short := strings.Repeat("ä", maxProblem); capped(short) != short {
		t.Error("a text that fits was cut")
	}
}

func TestBlocksThatCanNotBeWritten(t *testing.T) {
	t.Parallel()
	for _, b := range []registry.Block{
		{Type: "video"}, {Type: "text", Text: "a", Meta: json.RawMessage(`{`)}, {Type: "text", Annotations: json.RawMessage(`nope`)},
	} {
		if got := onWire(t, contentBlock(b)); !strings.HasPrefix(got, `{"type":"text","text":"[a block`) {
			t.Errorf("%+v: got %s", b, got)
		}
	}
	if got, want := onWire(t, contentBlock(registry.Block{Type: "image", MIMEType: "image/png"})), `{"type":"image","data":"","mimeType":"image/png"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
