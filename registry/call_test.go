package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/validate"
)

// A call that is refused runs nothing, records no intent and tells Done nothing.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	errNo := errors.New("no")
	desk := Param{Name: "desk", Type: String, From: "caller.id"}
	filled := func(fill Fill) []Param { return []Param{{Name: "desk", Type: Integer, Fill: fill}} }
	tests := []struct {
		name    string
		ctx     context.Context
		method  Method
		request Request
		kind    string // of *Refused, or of *validate.Error
		is      error
		says    string
	}{
		{name: "off", method: Method{Off: "env:TOKEN is missing"}, kind: "gated", says: "env:TOKEN is missing"},
		{name: "off comes first", method: Method{Off: "x"}, request: Request{Args: json.RawMessage(`[]`), Ceiling: Read}, kind: "gated"},
		{name: "ceiling", method: Method{Effect: Destructive}, request: Request{Ceiling: Write}, kind: "ceiling", says: "m is destructive"},
		{name: "ceiling, no effect declared", request: Request{Ceiling: Write}, kind: "ceiling", says: "destructive"},
		{name: "ceiling names what is needed", method: Method{Effect: Write}, request: Request{Ceiling: Read}, kind: "ceiling", says: "needs a call that may do write"},
		{name: "unknown ceiling", method: Method{Effect: Read}, request: Request{Ceiling: "all"}, kind: "ceiling", says: `"all"`},
		{name: "ceiling before arguments", method: Method{Effect: Write}, request: Request{Args: json.RawMessage(`[]`), Ceiling: Read}, kind: "ceiling"},
		{name: "arguments", request: Request{Args: json.RawMessage(`[]`)}, kind: "bad_args"},
		{name: "too often", request: Request{Admit: func() error { return errNo }}, is: errNo},
		{name: "arguments are not counted", request: Request{Args: json.RawMessage(`[]`), Admit: func() error { return errNo }}, kind: "bad_args"},
		{name: "ceiling is not counted", request: Request{Ceiling: Write, Admit: func() error { return errNo }}, kind: "ceiling"},
		{name: "too often comes before a fill", request: Request{Admit: func() error { return errNo }}, is: errNo, method: Method{Params: filled(func(context.Context, Caller) (any, error) { panic("called") })}},
		{name: "too often comes before approval", method: Method{Approval: &Approval{}}, request: Request{Admit: func() error { return errNo }}, is: errNo},
		{name: "no caller", method: Method{Params: []Param{desk}}, kind: "gated", says: "desk can't be filled in now"},
		{name: "fill fails", method: Method{Params: filled(func(context.Context, Caller) (any, error) { return "SECRET", errors.New("SECRET") })}, kind: "gated", says: "desk can't be filled in now"},
		{name: "fill breaks", method: Method{Params: filled(func(context.Context, Caller) (any, error) { panic("SECRET") })}, kind: "gated", says: "desk can't"},
		{name: "fill ends its goroutine", method: Method{Params: filled(func(context.Context, Caller) (any, error) { runtime.Goexit(); return 1, nil })}, kind: "gated", says: "desk can't"},
		{name: "check breaks", method: Method{Refuse: func(Args) []validate.Problem { panic("x") }}, kind: "bad_args", says: "the method could not check these arguments"},
		{name: "fill of another type", method: Method{Params: filled(func(context.Context, Caller) (any, error) { return "SECRET", nil })}, kind: "gated", says: "desk can't"},
		{name: "fill of nothing JSON has", method: Method{Params: filled(func(context.Context, Caller) (any, error) { return make(chan int), nil })}, kind: "gated"},
		{name: "nobody to approve", method: Method{Approval: &Approval{Reason: "From 50 up a person decides."}}, kind: "approval_required", says: "From 50 up"},
		{name: "nobody to approve a read", method: Method{Effect: Read, Approval: &Approval{}}, kind: "approval_required"},
		{name: "not approved", method: Method{Approval: &Approval{}}, request: Request{Approve: func(context.Context, Bound) error { return errNo }}, is: errNo},
		{name: "approval comes after arguments", method: Method{Approval: &Approval{}}, request: Request{Args: json.RawMessage(`[]`), Approve: func(context.Context, Bound) error { return errNo }}, kind: "bad_args"},
		{name: "intent can't be recorded", request: Request{Intent: func(context.Context, Bound) error { return errNo }}, is: errNo},
		{name: "caller has gone", ctx: cancelled, is: context.Canceled},
		{name: "caller has gone before a fill", ctx: cancelled, is: context.Canceled, method: Method{Params: filled(func(ctx context.Context, _ Caller) (any, error) { return nil, ctx.Err() })}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			tt.method.Run = func(context.Context, Args) (any, error) { t.Error("the method ran"); return nil, nil }
			r := tt.request
			r.Method, r.Log = prepared(t, tt.method), slog.New(slog.NewJSONHandler(&log, nil))
			r.Done = func(Result) { t.Error("Done was told of a run") }
			if r.Intent == nil {
				r.Intent = func(context.Context, Bound) error {
					if tt.ctx == nil {
						t.Error("an intent was recorded")
					}
					return nil
				}
			}
			ctx := tt.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			_, err := Call(ctx, r)
			if err == nil || !strings.Contains(err.Error(), tt.says) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Call = %v, want %v with %q", err, tt.is, tt.says)
			}
			if got := kindOf(err); tt.kind != got {
				t.Errorf("Call = %v of kind %q, want %q", err, got, tt.kind)
			}
			if strings.Contains(log.String()+fmt.Sprint(err), "SECRET") {
				t.Errorf("a hidden value came out: %v, %s", err, &log)
			}
		})
	}
}

func kindOf(err error) string {
	var refused *Refused
	var unfit *validate.Error
	switch {
	case errors.As(err, &refused):
		return refused.Kind
	case errors.As(err, &unfit):
		return string(unfit.Kind)
	}
	return ""
}

func TestCallOfUnpreparedMethod(t *testing.T) {
	t.Parallel()
	for _, m := range []*Method{nil, {Name: "m", Run: nothing}} {
		if _, err := Call(context.Background(), Request{Method: m}); err == nil {
			t.Errorf("Call of %v = nil, want an error", m)
		}
	}
}

// The mildest of all ceilings around a call holds, and a method does no more in nested calls than it says of itself.
func TestNestedCeilings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		outer, request, nested, inner Effect
		want                          string // kind of the refusal of the inner call
	}{
		{Destructive, "", "", Destructive, ""},
		{Destructive, "", "", Read, ""},
		{Destructive, "", Read, Write, "ceiling"},
		{Destructive, "", Write, Write, ""},
		{Write, Write, "", Destructive, "ceiling"},
		{Write, Write, Destructive, Destructive, "ceiling"}, // a nested request can't raise it
		{Write, Destructive, "", Write, ""},
		{Read, "", "", Write, "ceiling"}, // it said that it reads
		{Read, Read, Destructive, Destructive, "ceiling"},
		{Read, Read, "", Read, ""},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s under %s calls %s under %s", tt.outer, tt.request, tt.inner, tt.nested), func(t *testing.T) {
			t.Parallel()
			var ran atomic.Bool
			inner := prepared(t, Method{Name: "inner", Effect: tt.inner, Run: func(context.Context, Args) (any, error) { ran.Store(true); return nil, nil }})
			middle := prepared(t, Method{Name: "middle", Effect: tt.outer, Run: func(ctx context.Context, _ Args) (any, error) {
				_, err := Call(ctx, Request{Method: inner, Ceiling: tt.nested})
				return kindOf(err), nil
			}})
			outer := prepared(t, Method{Name: "outer", Effect: tt.outer, Run: func(ctx context.Context, _ Args) (any, error) {
				r, err := Call(ctx, Request{Method: middle})
				return r.Value, err
			}})
			r, err := Call(context.Background(), Request{Method: outer, Ceiling: tt.request})
			if err != nil || r.State != Done || r.Value != tt.want || ran.Load() != (tt.want == "") {
				t.Errorf("Call = %v %v, %v, ran %v, want %q", r.Value, r.Err, err, ran.Load(), tt.want)
			}
		})
	}
}

func TestHiddenValuesReachRunOnly(t *testing.T) {
	t.Parallel()
	const canary = "canary-4471"
	type session struct{ id string }
	live := &session{"x"}
	var got Args
	m := prepared(t, Method{Params: []Param{
		{Name: "q", Type: String},
		{Name: "desk", Type: String, From: "caller.id"},
		{Name: "roles", Type: Array, From: "caller.roles", Items: &Param{Type: String}},
		{Name: "limit", Type: Integer, Fill: func(context.Context, Caller) (any, error) { return 7, nil }},
		{Name: "session", Fill: func(context.Context, Caller) (any, error) { return live, nil }},
		{Name: "shop", Type: String, Default: json.RawMessage(`"main"`), Fill: func(context.Context, Caller) (any, error) { return nil, nil }},
		{Name: "till", Type: String, Optional: true, Fill: func(context.Context, Caller) (any, error) { return nil, nil }},
	}, Run: func(_ context.Context, args Args) (any, error) {
		got = args
		args["q"] = "changed"
		return nil, fmt.Errorf("desk %s is closed", args["desk"])
	}})
	var log bytes.Buffer
	var seen []Bound
	see := func(_ context.Context, b Bound) error { seen = append(seen, b); return nil }
	r, err := Call(context.Background(), Request{Method: m, Args: json.RawMessage(`{"q":"a"}`), Caller: Caller{ID: canary, Roles: []string{"agent"}},
		Intent: see, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	want := Args{"q": "changed", "desk": canary, "roles": []any{"agent"}, "limit": json.Number("7"), "session": live, "shop": "main"}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b *session) bool { return a == b })); diff != "" {
		t.Errorf("Run got -want +got\n%s", diff)
	}
	seen = append(seen, r.Bound)
	for _, b := range seen {
		if text := string(b.Masked()) + string(b.Canonical()); text != `{"q":"a"}{"q":"a"}` {
			t.Errorf("bound %s", text)
		}
	}
	if text := r.Err.Error() + r.Content[0].Text + log.String(); strings.Contains(text, canary) || !strings.Contains(text, "desk *** is closed") {
		t.Errorf("the failure says %s", text)
	}
}

func TestPanicIsLoggedUnderItsReference(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := prepared(t, Method{Effect: Read, Params: []Param{{Name: "pass", Type: String, Secret: true}}, Run: func(_ context.Context, args Args) (any, error) {
		panic("dsn=hunter2 pass=" + args["pass"].(string))
	}})
	r, err := Call(context.Background(), Request{Method: m, Args: json.RawMessage(`{"pass":"topsecret"}`), Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	text := r.Content[0].Text
	ref, ok := strings.CutPrefix(text, "m failed: the method broke (ref ")
	if !ok || len(ref) != 7 || r.Err.Error() != "the method broke (ref "+ref {
		t.Fatalf("content %q, error %v", text, r.Err)
	}
	var line struct{ Msg, Method, Ref, Panic, Stack string }
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line.Ref != ref[:6] || line.Method != "m" || line.Panic != "dsn=hunter2 pass=***" || !strings.Contains(line.Stack, "TestPanicIsLogged") {
		t.Errorf("logged %+v", line)
	}
}

// public is an error that has a text of its own for strangers.
type public struct{}

func (public) Error() string  { return "dial 10.0.0.7:5432: refused" }
func (public) Public() string { return "the order desk\x1b[31m is closed\nOption: refund" }

func TestFailureTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("ask: %w", public{}), `m failed: the order desk\x1b[31m is closed\nOption: refund`},
		{errors.New("a\u202eb\u2028c\td\x00"), `m failed: a\u202eb\u2028c\td\x00`},
		{errors.New(strings.Repeat("é", 3000)), `m failed: ` + strings.Repeat("é", 2000) + "…"},
		{errors.New("\xff"), "m failed: \ufffd"},
	} {
		r, err := Call(context.Background(), Request{Method: prepared(t, Method{Effect: Read, Run: func(context.Context, Args) (any, error) { return nil, tt.err }})})
		if err != nil || r.Content[0].Text != tt.want {
			t.Errorf("content %q, %v, want %q", r.Content[0].Text, err, tt.want)
		}
	}
}

// A source that does not heed its time is not waited for, but counts until it returns.
func TestFillThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		life := NewLife()
		m := prepared(t, Method{Effect: Read, Timeout: 10 * time.Second, Params: []Param{
			{Name: "desk", Type: String, Fill: func(context.Context, Caller) (any, error) { time.Sleep(time.Hour); return "x", nil }},
		}})
		call := func() *Refused {
			r, err := Call(t.Context(), Request{Method: m, Life: life})
			var no *Refused
			if !errors.As(err, &no) || no.Kind != "gated" {
				t.Fatalf("Call = %s, %v", r.State, err)
			}
			return no
		}
		start := time.Now()
		if no, took := call(), time.Since(start); no.Message != "desk can't be filled in now" || took != m.Timeout {
			t.Errorf("%q after %s", no.Message, took)
		}
		for range maxRuns - 1 {
			go Call(t.Context(), Request{Method: m, Life: life})
		}
		synctest.Wait()
		if no := call(); no.Message != "m was not run: "+errFull.Error() {
			t.Errorf("%q", no.Message)
		}
		start = time.Now()
		if err := life.End(context.Background()); err != nil || time.Since(start) > time.Hour {
			t.Errorf("End: %v after %s", err, time.Since(start))
		}
		if no := call(); no.Message != "m was not run: "+errStopping.Error() {
			t.Errorf("%q", no.Message)
		}
	})
}

func TestBrokenCheckIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := prepared(t, Method{Params: []Param{{Name: "pass", Type: String, Secret: true}}, Refuse: func(args Args) []validate.Problem {
		panic("no " + args["pass"].(string))
	}})
	_, err := Call(context.Background(), Request{Method: m, Args: json.RawMessage(`{"pass":"topsecret"}`), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if kindOf(err) != "bad_args" || strings.Contains(err.Error()+log.String(), "topsecret") || !strings.Contains(log.String(), `panic="no ***"`) {
		t.Errorf("%v, logged %s", err, log.String())
	}
}
