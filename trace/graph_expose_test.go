package trace_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
)

func TestParseRange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want trace.Range
		err  string
	}{
		{in: `{}`},
		{in: `{"callers": null, "subcalls": null}`},
		{in: `{"callers": 2, "subcalls": -1}`, want: trace.Range{Callers: new(2), Subcalls: new(-1)}},
		{in: ` {"callers":-1} `, want: trace.Range{Callers: new(-1)}},
		{in: `{"depth": 0, "siblings": 0}`, err: `unknown key "depth"; the keys are callers and subcalls`},
		{in: `{"Callers": 0}`, err: `unknown key "Callers"`},
		{in: `{"callers": 0, "callers": 9}`, err: `"callers" is given twice`},
		{in: `{"callers": 1.5}`, err: "callers is no whole number"},
		{in: `{"callers": "1"}`, err: "callers is no whole number"},
		{in: `{"callers": {"n": 1}}`, err: "callers is no whole number"},
		{in: `{"subcalls": 1e2}`, err: "subcalls is no whole number"},
		{in: `{"subcalls": 99999999999999999999}`, err: "subcalls is no whole number"},
		{in: `{"subcalls": -2}`, err: "subcalls is -2; it is 0 or more, or -1 for all"},
		{in: `0`, err: "render_range is no object"},
		{in: `[]`, err: "render_range is no object"},
		{in: ``, err: "render_range is no object"},
		{in: `{"callers": 1`, err: "render_range: "},
		{in: `{"callers": 1} {}`, err: "more behind"},
	} {
		got, err := trace.ParseRange([]byte(tt.in))
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: the error is %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", tt.in, err, diff)
		}
	}
	var n trace.Node
	if err := json.Unmarshal([]byte(`{"render_range": {"depth": 0}}`), &n); err == nil || !strings.Contains(err.Error(), "unknown key") {
		t.Errorf("in a row: %v", err)
	}
}

func TestRangeCheckAndClone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r   *trace.Range
		bad bool
	}{
		{nil, false}, {&trace.Range{}, false}, {&trace.Range{Callers: new(-5), Subcalls: new(-1)}, false}, {&trace.Range{Subcalls: new(-2)}, true},
	} {
		if err := tt.r.Check(); (err != nil) != tt.bad {
			t.Errorf("%+v: %v", tt.r, err)
		}
		c := tt.r.Clone()
		if diff := cmp.Diff(tt.r, c); diff != "" {
			t.Error(diff)
		}
		if c != nil && c.Callers != nil && c.Callers == tt.r.Callers {
			t.Error("the copy shares its number")
		}
	}
}

func TestParseExpose(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"io", "llm", "full", "hidden"} {
		if got, err := trace.ParseExpose(word); err != nil || string(got) != word {
			t.Errorf("%s: %q, %v", word, got, err)
		}
	}
	for _, word := range []string{"", "IO", "none", "io "} {
		if got, err := trace.ParseExpose(word); err == nil || got != "" {
			t.Errorf("%q: %q, want an error", word, got)
		}
	}
	if trace.DefaultExpose(true) != trace.ExposeIO || trace.DefaultExpose(false) != trace.ExposeFull {
		t.Error("the defaults are not io for tools and full for the rest")
	}
}

// What callers see of a call f with the model call l, the call h and its model call k in it, whoever of them keeps something.
func TestEachCallerKeepsItsOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ f, h, want string }{
		{"full", "full", "u f l h k"}, {"full", "io", "u f l h"}, {"full", "llm", "u f l k"}, {"full", "hidden", "u f l k"},
		{"io", "full", "u f h"}, {"io", "io", "u f h"}, {"io", "llm", "u f"}, {"io", "hidden", "u f"},
		{"llm", "full", "u l k"}, {"llm", "io", "u l"}, {"llm", "llm", "u l k"}, {"llm", "hidden", "u l k"},
		{"hidden", "full", "u l h k"}, {"hidden", "io", "u l h"}, {"hidden", "llm", "u l k"}, {"hidden", "hidden", "u l k"},
	} {
		g := trace.NewGraph(trace.GraphLimits{})
		mustAdd(t, g, trace.Node{ID: "u", Kind: trace.KindUser})
		mustAdd(t, g, trace.Node{ID: "f", Kind: trace.KindCode, Name: "f", Caller: "u", Expose: trace.Expose(tt.f)})
		mustAdd(t, g, trace.Node{ID: "l", Kind: trace.KindLLM, Caller: "f"})
		mustAdd(t, g, trace.Node{ID: "h", Kind: trace.KindCode, Name: "h", Caller: "f", Expose: trace.Expose(tt.h)})
		mustAdd(t, g, trace.Node{ID: "k", Kind: trace.KindLLM, Caller: "h"})
		nodes, err := g.View(trace.View{})
		if got := strings.Join(nodeIDs(nodes), " "); err != nil || got != tt.want {
			t.Errorf("f %s, h %s: %q, %v, want %q", tt.f, tt.h, got, err, tt.want)
		}
		// To f itself its own expose is nothing, and that of h is all the same.
		inside := map[string]string{"full": "l h k", "io": "l h", "llm": "l k", "hidden": "l k"}[tt.h]
		nodes, err = g.View(trace.View{Frame: "f", Range: &trace.Range{Callers: new(0)}})
		if got := strings.Join(nodeIDs(nodes), " "); err != nil || got != inside {
			t.Errorf("f %s, h %s: f sees %q, %v, want %q", tt.f, tt.h, got, err, inside)
		}
	}
}

func TestViewsThatAreRefused(t *testing.T) {
	t.Parallel()
	g := conversation(t)
	mustAdd(t, g, trace.Node{ID: "m2", Kind: trace.KindLLM, Predecessor: "u1"})
	mustAdd(t, g, trace.Node{ID: "h", Kind: trace.KindCode, Name: "h", Expose: trace.ExposeHidden})
	for _, tt := range []struct {
		view trace.View
		want string
	}{
		{trace.View{Head: "zzz"}, `head "zzz": no such node`},
		{trace.View{Head: "h"}, `head "h": no such node`},
		{trace.View{Head: "l1"}, `head "l1" is not at the top level`},
		{trace.View{Head: "f"}, `head "f" is not at the top level`},
		{trace.View{Frame: "zzz"}, `frame "zzz": no such node of a call`},
		{trace.View{Frame: "m1"}, `frame "m1": no such node of a call`},
		{trace.View{Frame: "f", Head: "m2"}, `frame "f" is not in the conversation that ends with "m2"`},
	} {
		nodes, err := g.View(tt.view)
		if err == nil || !strings.Contains(err.Error(), tt.want) || len(nodes) > 0 {
			t.Errorf("%+v: %v, %v, want %q", tt.view, nodeIDs(nodes), err, tt.want)
		}
	}
	for _, id := range []string{"zzz", "f", "u1"} {
		if nodes, err := g.Context(id); err == nil || len(nodes) > 0 {
			t.Errorf("the context of %s is %v, want an error", id, nodeIDs(nodes))
		}
	}
}

// What else a model call is made for: going on from a summary, and making one.
func TestSummaries(t *testing.T) {
	t.Parallel()
	g := trace.NewGraph(trace.GraphLimits{})
	for i, id := range []string{"u1", "m1", "u2", "m2"} {
		n := trace.Node{ID: id, Kind: trace.KindLLM, Status: trace.StatusDone}
		if i > 0 {
			n.Predecessor = []string{"u1", "m1", "u2"}[i-1]
		}
		mustAdd(t, g, n)
	}
	mustAdd(t, g, trace.Node{ID: "f", Kind: trace.KindCode, Name: "f", Caller: "m1"})
	mustAdd(t, g, trace.Node{ID: "S", Kind: trace.KindLLM, Covers: []string{"m1", "u2"}})
	mustAdd(t, g, trace.Node{ID: "early", Kind: trace.KindLLM, Predecessor: "m2"})
	if err := g.Finish("S", trace.End{Status: trace.StatusDone, Output: "short"}); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, g, trace.Node{ID: "late", Kind: trace.KindLLM, Predecessor: "m2"})
	mustAdd(t, g, trace.Node{ID: "on", Kind: trace.KindLLM, Predecessor: "S"})
	mustAdd(t, g, trace.Node{ID: "in f", Kind: trace.KindLLM, Caller: "f"})
	for id, want := range map[string]string{
		"S": "u1 m1 u2 f", "early": "u1 m1 u2 m2 f", "late": "u1 S m2", "on": "u1 S", "in f": "u1 m1 f",
	} {
		nodes, err := g.Context(id)
		if got := strings.Join(nodeIDs(nodes), " "); err != nil || got != want {
			t.Errorf("%s sees %q, %v, want %q", id, got, err, want)
		}
	}
}
