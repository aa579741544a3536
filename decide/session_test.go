package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// adds registers a method of a world that reads.
func (w *world) adds(name string, run registry.Func, change ...func(*registry.Method)) {
	w.t.Helper()
	m := registry.Method{Name: name, Summary: "Does " + name + ".", Effect: registry.Read, Run: run}
	for _, f := range change {
		f(&m)
	}
	w.must(w.reg.Add(m))
}

// told is the history in a context, as one text.
func (w *world) told(ctx context.Context) string {
	w.t.Helper()
	h, err := History(ctx)
	w.must(err)
	return trace.Transcript(h)
}

// outline are the rows of a graph: who was called by whom, or follows on whom, and how it ended.
func outline(g *trace.Graph) string {
	var b strings.Builder
	names := map[string]string{"": "", trace.Root: "nobody"}
	for _, n := range g.Rows() {
		names[n.ID] = n.Name
		if n.Name == "" {
			names[n.ID] = string(n.Kind)
		}
		fmt.Fprintf(&b, "%s %s", names[n.ID], n.Status)
		if n.Caller != "" {
			b.WriteString(" in " + names[n.Caller])
		} else {
			b.WriteString(" after " + names[n.Predecessor])
		}
		if n.Tool {
			b.WriteString(" as a tool")
		}
		if n.Picked != "" {
			b.WriteString(" picked by " + names[n.Picked])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func wantText(t *testing.T, what, want, got string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimLeft(want, "\n"), got); diff != "" {
		t.Errorf("%s -want +got:\n%s", what, diff)
	}
}

// A session has a node for each call, by whatever way: by name, refused or attached to another, by a pick, as the last resort, inside another.
func TestEveryCallIsANode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := trace.NewGraph(trace.GraphLimits{})
	ctx := WithSession(t.Context(), g)
	w.adds("outer", func(ctx context.Context, _ registry.Args) (any, error) {
		_, err := w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
		w.must(err)
		_, err = w.eng.Make(ctx, "Pick.", Func("it", "lookup_broken"))
		return "inner", err
	}, func(m *registry.Method) { m.Effect = registry.Write })
	w.eng.picker = &script{replies: []string{"no", `{"call":"it"}`}}
	w.must(Said(ctx, "Settle it."))
	call := func(c Call) {
		c.Caller = desk
		_, _ = w.eng.Call(ctx, nil, c)
	}
	call(Call{Method: "outer"})
	call(Call{Method: "tag", Key: "k"})
	call(Call{Method: "tag", Key: "k"})
	call(Call{Method: "lookup"})
	call(Call{Method: "no_such"})
	call(Call{Method: "wire"})
	call(Call{Method: "tag_missing", Path: "native"})
	call(Call{Method: "tag_killed"})

	d := ticket()
	d.OnFailure = "close"
	w.must(w.eng.Replace([]Decision{d}))
	answer := func(h string, a Answer) Outcome {
		a.Handle, a.Caller = h, desk
		out, err := w.eng.Answer(ctx, nil, a)
		w.must(err)
		return out
	}
	out := answer(w.open().Handle, Answer{Call: "look", Args: json.RawMessage(`{"order":"A"}`)})
	out = answer(out.Handle, Answer{Text: "no"})
	out = answer(out.Handle, Answer{Call: "wire"}) // nobody can agree to it
	out = answer(out.Handle, Answer{Call: "refund", Args: json.RawMessage(`{"order":"A"}`)})
	if out.Option != "close" {
		t.Errorf("the last resort: %+v", out)
	}
	wantText(t, "nodes", `
user done after nobody
outer failed after user
lookup done in outer
llm done in outer
llm done in outer
lookup_broken failed in outer as a tool picked by llm
tag done after outer
tag done after tag
lookup not_run after tag
wire not_run after lookup
tag_missing not_run after wire as a tool
tag_killed unknown after tag_missing
lookup done after tag_killed as a tool
close done after lookup
`, outline(g))
}

// A call that stands alone sees itself and what runs inside it. Nothing is made for one whose run asks for nothing.
func TestCallsThatStandAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, _ := w.reg.Snapshot().Find("lookup")
	var f frame
	f.call(t.Context(), w.eng, m, &trace.Record{}, false)
	ctx := f.begin(t.Context(), &registry.Bound{})
	f.end(registry.Result{Method: m, State: registry.Done})
	if made := f.inside.Load(); made != nil || ctx.Value("another key") != nil || f.inside.Load() != nil {
		t.Errorf("nothing asked, and there is %+v", made)
	}

	var inner, outer, graphs []string
	look := func(ctx context.Context, into *[]string) {
		g, node, err := Session(ctx)
		w.must(err)
		graphs = append(graphs, fmt.Sprintf("%p", g))
		row, ok := g.Row(node)
		if !ok || row.Status != trace.StatusRunning {
			t.Errorf("the node of the run: %+v", row)
		}
		*into = append(*into, w.told(ctx))
	}
	w.adds("inner", func(ctx context.Context, _ registry.Args) (any, error) {
		look(ctx, &inner)
		return "from inside", nil
	})
	w.adds("outer", func(ctx context.Context, _ registry.Args) (any, error) {
		_, err := w.eng.Call(ctx, nil, Call{Method: "inner", Caller: desk})
		look(ctx, &outer)
		return "from outside", err
	})
	for range 2 {
		_, err := w.eng.Call(t.Context(), nil, Call{Method: "outer", Caller: desk})
		w.must(err)
	}
	wantText(t, "inside", `
outer is described as:
> Does outer.
outer was called with:
> {}
inner is described as:
> Does inner.
inner was called with:
> {}
`, inner[0])
	wantText(t, "outside", `
outer is described as:
> Does outer.
outer was called with:
> {}
inner is described as:
> Does inner.
inner was called with:
> {}
inner gave:
> from inside
`, outer[0])
	if inner[0] != inner[1] || outer[0] != outer[1] || graphs[0] != graphs[1] || graphs[1] == graphs[2] {
		t.Errorf("the second call has a graph of its own: %v", graphs)
	}

	if _, err := History(t.Context()); !errors.Is(err, ErrNoSession) {
		t.Errorf("outside of everything: %v", err)
	}
	if _, err := AskModel(t.Context(), "m", "p"); !errors.Is(err, ErrNoSession) {
		t.Errorf("asking outside of everything: %v", err)
	}
	if err := Said(t.Context(), "x"); !errors.Is(err, ErrNoSession) {
		t.Errorf("saying outside of everything: %v", err)
	}
}

// What was hidden or secret in a call is kept from the graph wherever it comes up again: in its own result, in what it calls and asks, numbers included.
func TestSecretsStayOutOfSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := trace.NewGraph(trace.GraphLimits{})
	const text, number, hidden = "tell-nobody", "987654", "os:hidden"
	w.adds("inner", func(_ context.Context, args registry.Args) (any, error) {
		return map[string]any{"again": args}, nil
	}, func(m *registry.Method) {
		m.Params = []registry.Param{{Name: "n", Type: registry.Number}, {Name: "in", Type: registry.Object}, {Name: "list", Type: registry.Array}}
	})
	w.adds("outer", func(ctx context.Context, args registry.Args) (any, error) {
		inner := fmt.Sprintf(`{"n":%v,"in":{"%v":"a \u0022%v\u0022"},"list":[%v,-1,"%v"]}`, args["number"], args["text"], args["who"], args["number"], args["text"])
		if _, err := w.eng.Call(ctx, nil, Call{Method: "inner", Args: json.RawMessage(inner), Caller: desk}); err != nil {
			return nil, err
		}
		_, err := w.eng.Call(ctx, nil, Call{Method: "inner", Args: json.RawMessage(`{"n":"` + text + `"}`), Caller: desk})
		if err == nil {
			t.Error("bad arguments were taken")
		}
		other := trace.NewGraph(trace.GraphLimits{})
		aside := WithSession(ctx, other)
		w.must(Said(aside, "Here is "+text))
		c, err := AskModel(aside, "m", "What of "+text+"?")
		w.must(err)
		w.must(c.End(trace.End{Output: "It is " + number + "."}))
		if told := w.told(aside); strings.Contains(told, text) || strings.Contains(told, number) || !strings.Contains(told, "***") {
			t.Errorf("in another session: %s", told)
		}
		return nil, fmt.Errorf("%v, %v and %v", args["text"], args["number"], args["who"])
	}, func(m *registry.Method) {
		m.Params = []registry.Param{
			{Name: "text", Type: registry.String, Secret: true}, {Name: "number", Type: registry.Integer, Secret: true},
			{Name: "who", Type: registry.String, From: "caller.id"}, {Name: "clear", Type: registry.String},
		}
	})
	ctx := WithSession(t.Context(), g)
	args := fmt.Sprintf(`{"text":%q,"number":%s,"clear":"it is %s"}`, text, number, text)
	_, err := w.eng.Call(ctx, nil, Call{Method: "outer", Args: json.RawMessage(args), Caller: registry.Caller{ID: hidden}})
	w.must(err)
	rows, err := json.Marshal(g.Rows())
	w.must(err)
	for _, secret := range []string{text, number, hidden} {
		if strings.Contains(string(rows), secret) {
			t.Errorf("%s stands in %s", secret, rows)
		}
	}
	wantText(t, "arguments", `
{"text":"***","number":"***","clear":"it is ***"}
{"n":"***","in":{"***":"a \"***\""},"list":["***",-1,"***"]}
`, string(g.Rows()[0].Args)+"\n"+string(g.Rows()[1].Args)+"\n")
}

// A run that is given up is unknown, and then what its late end says, once. One that its caller has left runs, and ends; a read is cancelled with its caller.
func TestLateEndsInSessions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		slow := func(m *registry.Method) { m.Effect, m.Timeout = registry.Write, time.Second }
		var late, deaf sync.WaitGroup
		late.Add(1)
		deaf.Add(1)
		w.adds("late", func(context.Context, registry.Args) (any, error) { late.Wait(); return "at last", nil }, slow)
		w.adds("left", func(context.Context, registry.Args) (any, error) {
			time.Sleep(500 * time.Millisecond)
			return "went on", nil
		}, slow)
		w.adds("read", func(ctx context.Context, _ registry.Args) (any, error) { <-ctx.Done(); return nil, ctx.Err() })
		w.adds("deaf", func(ctx context.Context, _ registry.Args) (any, error) {
			deaf.Wait()
			_, err := w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
			return nil, err
		}, func(m *registry.Method) { m.Timeout = time.Second })
		g := trace.NewGraph(trace.GraphLimits{})
		ctx := WithSession(t.Context(), g)
		call := func(method string) {
			ctx, leave := context.WithTimeout(ctx, time.Hour)
			defer leave()
			if method == "left" || method == "read" {
				time.AfterFunc(100*time.Millisecond, leave)
			}
			_, err := w.eng.Call(ctx, nil, Call{Method: method, Caller: desk})
			w.must(err)
		}
		for _, method := range []string{"late", "left", "read", "deaf"} {
			call(method)
		}
		wantText(t, "at first", `
late unknown after nobody
left done after late
read cancelled after left
deaf failed after read
`, outline(g))
		was := g.Rows()
		late.Done()
		deaf.Done()
		synctest.Wait()
		wantText(t, "later", `
late done after nobody
left done after late
read cancelled after left
deaf failed after read
lookup not_run in deaf
`, outline(g))
		now := g.Rows()
		if now[0].Output != "at last" || now[0].Error != "" || was[0].Error == "" || now[1].Output != "went on" {
			t.Errorf("late: %+v, left: %+v", now[0], now[1])
		}
		if diff := cmp.Diff(was[1:4], now[1:4]); diff != "" {
			t.Errorf("final rows -was +is:\n%s", diff)
		}
	})
}

// Calls at the same time are all in the session, each where it belongs, whoever asks for the graph first.
func TestSessionsAtOnce(t *testing.T) {
	t.Parallel()
	const many = 20
	w := newWorld(t)
	w.adds("leaf", func(ctx context.Context, _ registry.Args) (any, error) { return History(ctx) })
	w.adds("outer", func(ctx context.Context, _ registry.Args) (any, error) {
		var all sync.WaitGroup
		for i := range many {
			all.Go(func() {
				if i%2 == 0 {
					_ = w.told(ctx)
				}
				if _, err := w.eng.Call(ctx, nil, Call{Method: "leaf", Caller: desk}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		g, node, err := Session(ctx)
		w.must(err)
		for _, n := range g.Rows() {
			if n.ID != node && (n.Caller != node || n.Status != trace.StatusDone) {
				t.Errorf("a call in the run: %+v", n)
			}
		}
		return g.Len(), nil
	})
	g := trace.NewGraph(trace.GraphLimits{})
	for _, ctx := range []context.Context{t.Context(), WithSession(t.Context(), nil)} {
		if res, err := w.eng.Call(ctx, nil, Call{Method: "outer", Caller: desk}); err != nil || res.Value != many+1 {
			t.Errorf("%v nodes, %v", res.Value, err)
		}
	}
	var all sync.WaitGroup
	ctx := WithSession(t.Context(), g)
	for range many {
		all.Go(func() {
			if _, err := w.eng.Call(ctx, nil, Call{Method: "leaf", Caller: desk}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	follows := trace.Root
	for _, n := range g.Rows() {
		if n.Predecessor != follows || n.Status != trace.StatusDone {
			t.Errorf("it does not follow on %s: %+v", follows, n)
		}
		follows = n.ID
	}
	if g.Len() != many {
		t.Errorf("%d nodes", g.Len())
	}
}

// A graph that is full loses the call and what runs in it, and breaks nothing. What can't be placed is not told to anybody.
func TestFullSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var fault error
	w.adds("outer", func(ctx context.Context, _ registry.Args) (any, error) {
		_, err := w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
		_, fault = History(ctx)
		return "done", err
	})
	g := trace.NewGraph(trace.GraphLimits{Nodes: 1})
	ctx := WithSession(t.Context(), g)
	w.must(Said(ctx, "x"))
	res, err := w.eng.Call(ctx, nil, Call{Method: "outer", Caller: desk})
	if err != nil || res.State != registry.Done {
		t.Errorf("the call: %+v, %v", res, err)
	}
	if !errors.Is(fault, trace.ErrGraphFull) || g.Len() != 1 {
		t.Errorf("%d nodes, and the history says %v", g.Len(), fault)
	}
	w.eng.picker = &script{replies: []string{`{"call":"it"}`}}
	if out, err := w.eng.Make(ctx, "Pick.", Func("it", "tag")); err != nil || out.State != Done {
		t.Errorf("making: %+v, %v", out, err)
	}
}

// The record and the node of a call have one id, and the record of a call in its run names it.
func TestNodesAndRecordsAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var parent string
	w.adds("outer", func(ctx context.Context, _ registry.Args) (any, error) {
		var err error
		if _, parent, err = Session(ctx); err != nil {
			return nil, err
		}
		_, err = w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
		return nil, err
	})
	g := trace.NewGraph(trace.GraphLimits{})
	ctx := WithSession(t.Context(), g)
	_, err := w.eng.Call(ctx, nil, Call{Method: "outer", Caller: desk})
	w.must(err)
	rows, records := g.Rows(), w.trace.List()
	if len(rows) != 2 || len(records) != 2 {
		t.Fatalf("%d rows, %d records", len(rows), len(records))
	}
	inner, outer := records[0], records[1]
	if rows[0].ID != outer.ID || rows[1].ID != inner.ID || parent != outer.ID || inner.Parent != parent || rows[1].Caller != parent {
		t.Errorf("rows %s and %s, records %s and %s with the parent %s, in the run %s", rows[0].ID, rows[1].ID, outer.ID, inner.ID, inner.Parent, parent)
	}
}
