package trace_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// conversation is u1, m1 and the call f behind it, which asks the model l1.
func conversation(t testing.TB) *trace.Graph {
	t.Helper()
	g := trace.NewGraph(trace.GraphLimits{})
	g.Now = func() time.Time { return time.UnixMilli(1_800_000_000_000) }
	mustAdd(t, g, trace.Node{ID: "u1", Kind: trace.KindUser, Input: "hello"})
	mustAdd(t, g, trace.Node{ID: "m1", Kind: trace.KindLLM, Predecessor: "u1", Status: trace.StatusDone, Output: "I look."})
	mustAdd(t, g, trace.Node{ID: "f", Kind: trace.KindCode, Name: "look", Caller: "m1"})
	mustAdd(t, g, trace.Node{ID: "l1", Kind: trace.KindLLM, Caller: "f"})
	return g
}

func TestNodesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		node trace.Node
		want string
	}{
		{"twice", trace.Node{ID: "u1", Kind: trace.KindUser}, "there is one with this id"},
		{"no kind", trace.Node{ID: "x"}, `kind "" is none of user, llm, code`},
		{"reserved id", trace.Node{ID: "ROOT", Kind: trace.KindUser}, "no node can have this id"},
		{"long id", trace.Node{ID: strings.Repeat("x", 129), Kind: trace.KindUser}, "at most 128 bytes"},
		{"broken id", trace.Node{ID: "\xff", Kind: trace.KindUser}, "is no text"},
		{"unknown caller", trace.Node{ID: "x", Kind: trace.KindLLM, Caller: "zzz"}, `caller "zzz": no such node`},
		{"unknown predecessor", trace.Node{ID: "x", Kind: trace.KindLLM, Predecessor: "zzz"}, `predecessor "zzz": no such node`},
		{"itself", trace.Node{ID: "x", Kind: trace.KindLLM, Caller: "x"}, `caller "x": no such node`},
		{"both edges", trace.Node{ID: "x", Kind: trace.KindLLM, Caller: "f", Predecessor: "u1"}, "a caller or, at the top level, a predecessor"},
		{"follows a nested one", trace.Node{ID: "x", Kind: trace.KindLLM, Predecessor: "f"}, "is not at the top level"},
		{"a called user", trace.Node{ID: "x", Kind: trace.KindUser, Caller: "f"}, "nobody calls a user"},
		{"a call of nothing", trace.Node{ID: "x", Kind: trace.KindCode}, "a call has a name"},
		{"odd expose", trace.Node{ID: "x", Kind: trace.KindCode, Name: "x", Expose: "all"}, "one of io, llm, full, hidden"},
		{"an exposed model", trace.Node{ID: "x", Kind: trace.KindLLM, Expose: trace.ExposeIO}, "of calls alone"},
		{"odd status", trace.Node{ID: "x", Kind: trace.KindLLM, Status: "ok"}, `status "ok" is none`},
		{"output before the end", trace.Node{ID: "x", Kind: trace.KindLLM, Output: "y"}, "no output yet"},
		{"output of the unknown", trace.Node{ID: "x", Kind: trace.KindLLM, Status: trace.StatusUnknown, Output: "y"}, "no output"},
		{"picked by a call", trace.Node{ID: "x", Kind: trace.KindCode, Name: "x", Picked: "f"}, "is no model call"},
		{"picked by nobody", trace.Node{ID: "x", Kind: trace.KindCode, Name: "x", Picked: "zzz"}, `picked "zzz": no such node`},
		{"a nested summary", trace.Node{ID: "x", Kind: trace.KindLLM, Caller: "f", Covers: []string{"u1"}}, "a model call at the top level"},
		{"covers a nested one", trace.Node{ID: "x", Kind: trace.KindLLM, Covers: []string{"f"}}, "no node of the conversation"},
		{"covers with a gap", trace.Node{ID: "x", Kind: trace.KindLLM, Covers: []string{"m1", "u1"}}, "does not follow"},
		{"covers nobody", trace.Node{ID: "x", Kind: trace.KindLLM, Covers: []string{"zzz"}}, `covered "zzz": no such node`},
		{"a time that JSON has not", trace.Node{ID: "x", Kind: trace.KindUser, Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}, "out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := conversation(t)
			before := g.Rows()
			if _, err := g.Add(tt.node, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
			if diff := cmp.Diff(before, g.Rows()); diff != "" {
				t.Errorf("it left something behind:\n%s", diff)
			}
		})
	}
}

// What a caller leaves out is in the row.
func TestRowsSayAll(t *testing.T) {
	t.Parallel()
	g := conversation(t)
	id, err := g.Add(trace.Node{Kind: trace.KindCode, Name: "sum", Caller: "f"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustAdd(t, g, trace.Node{ID: "said", Kind: trace.KindCode, Name: "sum", Predecessor: "m1", Picked: "m1", Expose: trace.ExposeLLM, Tool: true})
	now := g.Now().UTC()
	want := map[string]trace.Node{
		"u1":   {ID: "u1", Seq: 0, Kind: trace.KindUser, Predecessor: trace.Root, Input: "hello", Status: trace.StatusDone, Time: now, Ended: 1},
		"f":    {ID: "f", Seq: 2, Kind: trace.KindCode, Name: "look", Caller: "m1", Picked: "m1", Tool: true, Expose: trace.ExposeIO, Status: trace.StatusRunning, Time: now},
		id:     {ID: id, Seq: 4, Kind: trace.KindCode, Name: "sum", Caller: "f", Expose: trace.ExposeFull, Status: trace.StatusRunning, Time: now},
		"said": {ID: "said", Seq: 5, Kind: trace.KindCode, Name: "sum", Predecessor: "m1", Picked: "m1", Tool: true, Expose: trace.ExposeLLM, Status: trace.StatusRunning, Time: now},
	}
	for id, want := range want {
		got, ok := g.Row(id)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	const row = `{"id":"f","seq":2,"kind":"code","caller":"m1","picked":"m1","name":"look","tool":true,"expose":"io","status":"running","time":"2027-01-15T08:00:00Z"}`
	f, _ := g.Row("f")
	if text, err := json.Marshal(f); err != nil || string(text) != row {
		t.Errorf("the row is\n%s, %v, want\n%s", text, err, row)
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ends []trace.End
		want trace.Status
		err  string // of the last one
	}{
		{"done", []trace.End{{Status: trace.StatusDone, Output: "x"}}, trace.StatusDone, ""},
		{"done, done", []trace.End{{Status: trace.StatusDone}, {Status: trace.StatusDone}}, trace.StatusDone, "the status is final: it is done"},
		{"failed, done", []trace.End{{Status: trace.StatusFailed}, {Status: trace.StatusDone}}, trace.StatusFailed, "the status is final: it is failed"},
		{"cancelled, unknown", []trace.End{{Status: trace.StatusCancelled}, {Status: trace.StatusUnknown}}, trace.StatusCancelled, "the status is final"},
		{"unknown, settled", []trace.End{{Status: trace.StatusUnknown, Error: "deadline"}, {Status: trace.StatusNotRun}}, trace.StatusNotRun, ""},
		{"unknown, settled twice", []trace.End{{Status: trace.StatusUnknown}, {Status: trace.StatusDone}, {Status: trace.StatusFailed}}, trace.StatusDone, "the status is final"},
		{"unknown, cancelled", []trace.End{{Status: trace.StatusUnknown}, {Status: trace.StatusCancelled}}, trace.StatusUnknown, "becomes done, failed or not_run"},
		{"unknown with output", []trace.End{{Status: trace.StatusUnknown, Output: "x"}}, trace.StatusRunning, "has no output"},
		{"running again", []trace.End{{Status: trace.StatusRunning}}, trace.StatusRunning, `status "running" is none to end with`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := conversation(t)
			var err error
			for _, e := range tt.ends {
				err = g.Finish("f", e)
			}
			if row, _ := g.Row("f"); row.Status != tt.want {
				t.Errorf("it is %s, want %s", row.Status, tt.want)
			}
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("the error is %v, want %q", err, tt.err)
			}
		})
	}
	if err := conversation(t).Finish("zzz", trace.End{Status: trace.StatusDone}); !errors.Is(err, trace.ErrNoNode) {
		t.Errorf("of no node: %v", err)
	}
}

// What a model call sees of a call is how it was then: running, unknown without a reason, and at the end all.
func TestEndsAreSeenFromThenOn(t *testing.T) {
	t.Parallel()
	g := conversation(t)
	ask := func(id string) { mustAdd(t, g, trace.Node{ID: id, Kind: trace.KindLLM, Predecessor: "m1"}) }
	ask("while running")
	if err := g.Finish("f", trace.End{Status: trace.StatusUnknown, Error: "deadline"}); err != nil {
		t.Fatal(err)
	}
	ask("while unknown")
	if err := g.Finish("f", trace.End{Status: trace.StatusDone, Output: "late", TokensIn: -1}); err != nil {
		t.Fatal(err)
	}
	ask("at the end")
	for id, want := range map[string][2]string{"while running": {"running", ""}, "while unknown": {"unknown", ""}, "at the end": {"done", "late"}} {
		nodes, err := g.Context(id)
		if err != nil {
			t.Fatal(err)
		}
		f := nodes[2]
		if got := [2]string{string(f.Status), f.Output + f.Error}; f.ID != "f" || got != want {
			t.Errorf("%s: %s is %v, want %v", id, f.ID, got, want)
		}
	}
}

// A hidden call inside another one: golden's line has the outcome alone, here the call is made.
func TestHiddenCallsGiveTheirCallsAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		caller string // of the hidden call; "" = it is at the top level behind u1
		expose trace.Expose
		want   []string // what m2, which follows, sees
		row    string   // the caller in the row of the model call in it; "" = it has none
	}{
		{"of a user", "u1", "", []string{"u1", "l2"}, "u1"},
		{"of a call that shows all", "f", trace.ExposeFull, []string{"u1", "f", "l2"}, "f"},
		{"of a call that shows its call", "f", trace.ExposeIO, []string{"u1", "f"}, "f"},
		{"of nobody", "", "", []string{"u1"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := trace.NewGraph(trace.GraphLimits{})
			mustAdd(t, g, trace.Node{ID: "u1", Kind: trace.KindUser})
			last := "u1"
			if tt.expose != "" {
				mustAdd(t, g, trace.Node{ID: "f", Kind: trace.KindCode, Name: "f", Predecessor: "u1", Expose: tt.expose})
				last = "f"
			}
			hidden := trace.Node{ID: "h", Kind: trace.KindCode, Name: "h", Caller: tt.caller, Expose: trace.ExposeHidden, Range: &trace.Range{Callers: new(0)}}
			if tt.caller == "" {
				hidden.Predecessor, last = "u1", "h"
			}
			mustAdd(t, g, hidden)
			mustAdd(t, g, trace.Node{ID: "l1", Kind: trace.KindLLM, Caller: "h", Status: trace.StatusDone})
			mustAdd(t, g, trace.Node{ID: "l2", Kind: trace.KindLLM, Caller: "h"})
			mustAdd(t, g, trace.Node{ID: "m2", Kind: trace.KindLLM, Predecessor: last})
			nodes, err := g.Context("m2")
			if err != nil {
				t.Fatal(err)
			}
			want := tt.want
			if n := len(want) - 1; want[n] == "l2" {
				want = append(want[:n:n], "l1", "l2")
			}
			if diff := cmp.Diff(want, nodeIDs(nodes)); diff != "" {
				t.Errorf("m2 sees -want +got:\n%s", diff)
			}
			// The hidden call itself is as any other to its own model calls, and its wall holds.
			if nodes, err = g.Context("l2"); err != nil || !cmp.Equal(nodeIDs(nodes), []string{"l1"}) {
				t.Errorf("l2 sees %v, %v", nodeIDs(nodes), err)
			}
			row, ok := g.Row("l2")
			if ok != (tt.row != "") || row.Caller != tt.row {
				t.Errorf("the row is %+v, %v, want the caller %q", row, ok, tt.row)
			}
			if _, ok := g.Row("h"); ok {
				t.Error("the hidden call has a row")
			}
			if err := g.Finish("h", trace.End{Status: trace.StatusDone, Output: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Hidden and secret arguments do not get into a graph: the flag of the parameter decides, as it does everywhere.
func TestArgumentsAreMasked(t *testing.T) {
	t.Parallel()
	m := registry.Method{Name: "pay", Summary: "Pays.", Effect: registry.Read, Params: []registry.Param{
		{Name: "order", Type: registry.String},
		{Name: "card", Type: registry.String, Secret: true},
		{Name: "user", Type: registry.String, From: "caller.id"},
	}, Run: func(context.Context, registry.Args) (any, error) { return nil, nil }}
	prepared, err := registry.Prepare(m)
	if err != nil {
		t.Fatal(err)
	}
	bound, err := prepared.Check(json.RawMessage(`{"order": "A-1", "card": "` + canary + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	g := trace.NewGraph(trace.GraphLimits{})
	raw := trace.Node{ID: "pay", Kind: trace.KindCode, Name: "pay", Args: json.RawMessage(`{"user": "` + canary + `"}`)}
	if _, err := g.Add(raw, bound); err != nil {
		t.Fatal(err)
	}
	nodes, err := g.View(trace.View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{rowsOf(t, g), trace.Transcript(trace.Render(nodes))} {
		if strings.Contains(text, canary) || strings.Contains(text, "user") || !strings.Contains(text, `{"order":"A-1","card":"***"}`) {
			t.Errorf("it says %s", text)
		}
	}
}

func TestGraphIsBounded(t *testing.T) {
	t.Parallel()
	g := trace.NewGraph(trace.GraphLimits{Nodes: 3, Bytes: 4_000, Text: 1_000})
	long := strings.Repeat("ä", 5_000)
	mustAdd(t, g, trace.Node{ID: "u", Kind: trace.KindUser, Input: "x" + long})
	if u, _ := g.Row("u"); u.Input != "x"+strings.Repeat("ä", 499) || u.CutInput != 9_002 {
		t.Errorf("kept %d bytes, cut %d", len(u.Input), u.CutInput)
	}
	mustAdd(t, g, trace.Node{ID: "a", Kind: trace.KindLLM, Predecessor: "u"})
	mustAdd(t, g, trace.Node{ID: "b", Kind: trace.KindLLM, Predecessor: "a"})
	if _, err := g.Add(trace.Node{ID: "c", Kind: trace.KindLLM, Predecessor: "b"}, nil); !errors.Is(err, trace.ErrGraphFull) || g.Len() != 3 {
		t.Errorf("the fourth node: %v, %d nodes", err, g.Len())
	}
	kept := 0
	for _, id := range []string{"a", "b"} { // a status is never lost, whatever room there is
		if err := g.Finish(id, trace.End{Status: trace.StatusDone, Output: long, Error: long}); err != nil {
			t.Fatal(err)
		}
		row, _ := g.Row(id)
		if row.Status != trace.StatusDone || len(row.Output)+len(row.Error)+row.CutOutput != 20_000 || len(row.Output)+len(row.Error) > 1_000 {
			t.Errorf("%s is %s with %d bytes, cut %d", id, row.Status, len(row.Output)+len(row.Error), row.CutOutput)
		}
		kept += len(row.Output) + len(row.Error)
	}
	if kept == 0 || kept > 1_500 { // 4,000 for all, of which the nodes themselves take some
		t.Errorf("kept %d bytes of both outputs", kept)
	}
	full := trace.NewGraph(trace.GraphLimits{Bytes: 2_000})
	mustAdd(t, full, trace.Node{ID: "u", Kind: trace.KindUser, Input: strings.Repeat("x", 1_000)})
	if _, err := full.Add(trace.Node{ID: "v", Kind: trace.KindUser, Input: strings.Repeat("x", 1_000)}, nil); !errors.Is(err, trace.ErrGraphFull) {
		t.Errorf("too many bytes: %v", err)
	}
}

// What is handed out is a copy, and what is handed in is copied.
func TestGraphSharesNothing(t *testing.T) {
	t.Parallel()
	g := conversation(t)
	n := trace.Node{ID: "g", Kind: trace.KindCode, Name: "g", Caller: "f", Range: &trace.Range{Callers: new(2)}}
	mustAdd(t, g, n)
	*n.Range.Callers = 7
	s := trace.Node{ID: "s", Kind: trace.KindLLM, Covers: []string{"u1", "m1"}}
	mustAdd(t, g, s)
	s.Covers[0] = "x"
	before := rowsOf(t, g)
	row, _ := g.Row("g")
	*row.Range.Callers = 9
	row, _ = g.Row("s")
	row.Covers[1] = "y"
	if after := rowsOf(t, g); after != before || strings.Contains(after, `"x"`) || !strings.Contains(after, `{"callers":2}`) {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
}

func rowsOf(t *testing.T, g *trace.Graph) string {
	t.Helper()
	rows, err := json.Marshal(g.Rows())
	if err != nil {
		t.Fatal(err)
	}
	return string(rows)
}

func TestGraphConcurrently(t *testing.T) {
	t.Parallel()
	g := conversation(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			frame := fmt.Sprint("f", i)
			if _, err := g.Add(trace.Node{ID: frame, Kind: trace.KindCode, Name: "f", Caller: "m1", Expose: trace.ExposeFull}, nil); err != nil {
				t.Error(err)
			}
			for j := range 50 {
				id := fmt.Sprint(frame, "l", j)
				if _, err := g.Add(trace.Node{ID: id, Kind: trace.KindLLM, Caller: frame}, nil); err != nil {
					t.Error(err)
				}
				nodes, err := g.Context(id)
				mine := 0
				for _, n := range nodes {
					if n.Caller == frame {
						mine++
					}
				}
				if err != nil || mine != j {
					t.Errorf("%s sees %d of its own, %v", id, mine, err)
				}
				if err := g.Finish(id, trace.End{Status: trace.StatusDone, Output: "x"}); err != nil {
					t.Error(err)
				}
				g.Rows()
			}
		})
	}
	all.Wait()
	if _, missing, err := trace.Rebuild(trace.GraphLimits{}, g.Rows()); err != nil || len(missing) > 0 || g.Len() != 4+8*51 {
		t.Errorf("%d nodes, missing %v, %v", g.Len(), missing, err)
	}
}
