package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// TestRecordsOfATurnBelongTogether: the opening of a turn is the root of what is recorded of it, the request that it was opened with is the one of its answers
// unless they come with another, and what happens in a run names the record of the run.
func TestRecordsOfATurnBelongTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.reg.Add(registry.Method{Name: "both", Summary: "Reads and tags.", Effect: registry.Write, Run: func(ctx context.Context, _ registry.Args) (any, error) {
		res, err := w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
		return res.Value, err
	}}))
	d := ticket()
	d.Options = append(d.Options, Func("both", "both"))
	w.must(w.eng.Replace([]Decision{d}))
	first := trace.Scope{Era: "2025-11-25", Request: "tools/call ticket", TraceParent: "00-11111111111111111111111111111111-2222222222222222-01"}
	second := trace.Scope{Era: "2026-07-28", Request: "tools/call pick_write", TraceParent: "00-33333333333333333333333333333333-4444444444444444-01"}
	v := w.eng.View()
	on, _ := v.Decision("ticket")
	out, err := w.eng.Open(trace.WithScope(t.Context(), first), v, Opening{Decision: on, Inputs: json.RawMessage(`{"text":"x"}`), Caller: desk})
	w.must(err)
	refused := w.say(out.Handle, "no")
	_, err = w.eng.Answer(trace.WithScope(t.Context(), second), v, Answer{Handle: refused.Handle, Call: "both", Caller: desk})
	w.must(err)

	l := w.trace.List()
	if len(l) != 4 {
		t.Fatalf("%d records: %+v", len(l), l)
	}
	opening, answer, nested, pick := l[0], l[1], l[2], l[3]
	got := []trace.Scope{}
	for _, r := range l {
		got = append(got, trace.Scope{Parent: r.Parent, Root: r.Root, Era: r.Era, Request: r.Request, TraceParent: r.TraceParent})
	}
	want := []trace.Scope{
		first,
		{Root: opening.ID, TraceParent: first.TraceParent},
		{Root: opening.ID, Parent: pick.ID, Era: second.Era, TraceParent: second.TraceParent},
		{Root: opening.ID, Era: second.Era, Request: second.Request, TraceParent: second.TraceParent},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if opening.Menu == "" || answer.Menu == "" || answer.Menu == opening.Menu || pick.Menu != "" || nested.Method != "lookup" {
		t.Errorf("menus of the opening, the refused answer and the pick: %q, %q, %q", opening.Menu, answer.Menu, pick.Menu)
	}
	if pick.Call != w.turn(out.Handle).last().Call || pick.Call == "" || pick.RunTook <= 0 || pick.Output == "" {
		t.Errorf("the record of the run: %+v", pick)
	}
}

// TestCallsInCallsBelongTogether: a native call is the root of what is called in its run, however deep, and tells the id of its own call and what it gave; what is
// told again gave nothing now.
func TestCallsInCallsBelongTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inner := func(name string) registry.Func {
		return func(ctx context.Context, _ registry.Args) (any, error) {
			_, err := w.eng.Call(ctx, nil, Call{Method: name, Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
			return "did " + name, err
		}
	}
	w.must(w.reg.Add(registry.Method{Name: "middle", Summary: "Middle.", Effect: registry.Read, Run: inner("lookup")}))
	w.must(w.reg.Add(registry.Method{Name: "outer", Summary: "Outer.", Effect: registry.Write, Run: inner("middle")}))
	ctx := trace.WithScope(t.Context(), trace.Scope{Era: "2026-07-28", Request: "tools/call outer"})
	for range 2 {
		_, err := w.eng.Call(ctx, nil, Call{Method: "outer", Caller: desk, Key: "k"})
		w.must(err)
	}
	l := w.trace.List()
	if len(l) != 4 {
		t.Fatalf("%d records: %+v", len(l), l)
	}
	deep, middle, outer, again := l[0], l[1], l[2], l[3]
	if deep.Parent != middle.ID || middle.Parent != outer.ID || deep.Root != outer.ID || middle.Root != outer.ID || outer.Parent != "" || outer.Root != "" {
		t.Errorf("places: %+v, %+v, %+v", deep, middle, outer)
	}
	if deep.Era != outer.Era || deep.Request != "" || outer.Request != "tools/call outer" {
		t.Errorf("requests: %+v, %+v", deep, outer)
	}
	if outer.Call == "" || middle.Call != "" || outer.RunTook <= 0 || outer.Output != "did middle" {
		t.Errorf("the write: %+v, the read: %+v", outer, middle)
	}
	if again.State != "recorded" || again.Root != "" || again.RunTook != 0 || again.Output != "" || again.Call != "" {
		t.Errorf("told again: %+v", again)
	}
}

// TestMenusHaveDigests: equal asks have equal digests, which nobody can make without the key.
func TestMenusHaveDigests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	if got, want := w.trace.List()[0].Menu, w.eng.mac("menu", w.askOf(h)); got != want {
		t.Errorf("the digest is %q, want %q", got, want)
	}
}

func (w *world) askOf(h string) string {
	t := w.turn(h)
	v := w.eng.View()
	d, _ := v.Decision(t.Decision)
	a, err := w.eng.ask(v, d, t)
	w.must(err)
	return a.String()
}

// TestRepliesAreKept: of an answer that was looked at the text, cut; of any the keyed digest. Where some option takes a secret or has a hidden value, the text stands in no
// record and in no row.
func TestRepliesAreKept(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", trace.MaxText)
	hidden := registry.Param{Name: "who", From: "caller.id"}
	secret := registry.Param{Name: "pin", Type: registry.String, Secret: true, Optional: true}
	deep := registry.Param{Name: "card", Type: registry.Object, Optional: true, Fields: []registry.Param{{Name: "owner", Type: registry.String}, secret}}
	list := registry.Param{Name: "cards", Type: registry.Array, Optional: true, Items: &registry.Param{Type: registry.Object, Fields: []registry.Param{secret}}}
	plain := registry.Param{Name: "note", Type: registry.String, Optional: true}
	for name, tc := range map[string]struct {
		param registry.Param
		kept  bool
	}{"plain": {plain, true}, "hidden": {hidden, false}, "secret": {secret, false}, "a secret field": {deep, false}, "a list of secrets": {list, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.must(w.reg.Add(registry.Method{Name: "m", Summary: "M.", Effect: registry.Read, Params: []registry.Param{tc.param}, Run: w.reads(nil)}))
			d := ticket()
			d.Options, d.MaxRetries = []Option{Value("close", 1), Func("m", "m")}, 4
			w.must(w.eng.Replace([]Decision{d}))
			h := w.open().Handle
			first := w.say(h, "canary "+long)
			w.say(h, "canary "+long)                             // told again: not looked at a second time
			out := w.pick(first.Handle, "m", `{"cannary": "x"}`) // left out
			l := w.trace.List()[1:]
			for i, r := range l {
				if r.ReplyDigest == "" || strings.Contains(r.ReplyDigest, "canary") {
					t.Errorf("the digest of answer %d is %q", i, r.ReplyDigest)
				}
			}
			if l[0].ReplyDigest != l[1].ReplyDigest || l[0].ReplyDigest == l[2].ReplyDigest {
				t.Error("equal replies have other digests, or others equal ones")
			}
			want := []string{"", "", ""}
			if tc.kept {
				want = []string{"canary " + strings.Repeat("ä", (trace.MaxText-7)/2), "", `{"call":"m","args":{"cannary":"x"}}`}
			}
			if got := []string{l[0].Reply, l[1].Reply, l[2].Reply}; !slices.Equal(got, want) {
				t.Errorf("kept %.60q, want %.60q", got, want)
			}
			if got := strings.Contains(string(w.turn(h).Data), "canary"); got != tc.kept {
				t.Errorf("the row has the reply: %v", got)
			}
			if out.Result == nil {
				t.Errorf("the pick: %+v", out)
			}
		})
	}
}

// TestOutputsAreScrubbed: a run that repeats what it was given does not put hidden and secret values into a record, nor does the reason of a pick.
func TestOutputsAreScrubbed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const hidden, secret = "hidden-canary", "secret\ncanary"
	fill := func(context.Context, registry.Caller) (any, error) { return hidden, nil }
	w.must(w.reg.Add(registry.Method{Name: "echo", Summary: "Repeats.", Effect: registry.Write,
		Params: []registry.Param{{Name: "token", Type: registry.String, Fill: fill}, {Name: "pin", Type: registry.String, Secret: true}},
		Run: func(_ context.Context, args registry.Args) (any, error) {
			return []registry.Block{registry.Text(fmt.Sprintf("%s and %s", args["token"], args["pin"])), registry.Text(fmt.Sprintf("%q", args["pin"])),
				{Type: "image", MIMEType: "image/png", Data: []byte{1, 2, 3}}}, nil
		}}))
	d := ticket()
	d.Options = append(d.Options, Func("echo", "echo"))
	w.must(w.eng.Replace([]Decision{d}))
	pin, _ := json.Marshal(map[string]string{"pin": secret})
	w.answer(Answer{Handle: w.open().Handle, Call: "echo", Args: pin, Reason: "the pin is secret\ncanary"})
	_, err := w.call(Call{Method: "echo", Args: pin})
	w.must(err)
	l := w.trace.List()
	const want = "*** and ***\n\"***\"\n[image image/png, 3 bytes]"
	if got := l[1]; got.Output != want || got.Reason != "the pin is ***" {
		t.Errorf("kept %q and the reason %q", got.Output, got.Reason)
	}
	if got := l[2].Output; got != want {
		t.Errorf("of a native call: kept %q", got)
	}
	if all, err := json.Marshal(l); err != nil || strings.Contains(string(all), "canary") {
		t.Errorf("the records hold a secret: %s, %v", all, err)
	}
}

// TestOutputsAreCut at the end of a character.
func TestOutputsAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.reg.Add(registry.Method{Name: "big", Summary: "Big.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) {
		return "x" + strings.Repeat("ä", 14_000), nil
	}}))
	d := ticket()
	d.Options = append(d.Options, Func("big", "big"))
	w.must(w.eng.Replace([]Decision{d}))
	w.pick(w.open().Handle, "big", "")
	if got := w.trace.List()[1].Output; len(got) != trace.MaxText-1 || !strings.HasSuffix(got, "ä") {
		t.Errorf("kept %d bytes that end in %q", len(got), got[len(got)-4:])
	}
}

// breaking is a recorder that breaks.
type breaking struct{}

func (breaking) Record(context.Context, trace.Record) { panic("no room") }

// TestABrokenRecorderBreaksNothing: what is recorded goes on as if nothing was.
func TestABrokenRecorderBreaksNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.eng = New(w.reg, Options{Store: w.store, Recorder: breaking{}, Config: "test", Now: w.clock.Now, Random: w.random})
	w.must(w.eng.Add(ticket()))
	h := w.open().Handle
	if out := w.pick(h, "tag", ""); out.State != Done {
		t.Errorf("the pick: %+v", out)
	}
	if res, err := w.call(Call{Method: "tag"}); err != nil || res.State != registry.Done {
		t.Errorf("the call: %+v, %v", res, err)
	}
	w.is(h, Done, 1, 2, 2)
}

// TestKindsAreListed: every word that Kind gives is one that a record keeps, whatever else it leaves out.
func TestKindsAreListed(t *testing.T) {
	t.Parallel()
	for _, err := range []error{ErrNoTurn, ErrPaused, ErrNotTaken, ErrExpired, ErrChanged, &FullError{}, context.Canceled, errDisk,
		&registry.Refused{Kind: "gated"}, &registry.Refused{Kind: "ceiling"}, &registry.Refused{Kind: "not_found"}, &registry.Refused{Kind: "approval_required"}, keyRefused("x")} {
		if kind := Kind(err); !slices.Contains(trace.Kinds(), kind) {
			t.Errorf("%v: the kind %q is not listed", err, kind)
		}
	}
}
