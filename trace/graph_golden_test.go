package trace_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// dagVector is a line of dag_render.jsonl: a session, and what is seen of it.
type dagVector struct {
	Nodes []struct {
		ID, Role, Name, Expose string
		Pred, Caller           *string
		Covers                 []string
	}
	Frame, Head string
	HeadSeq     *int64          `json:"head_seq"`
	Range       json.RawMessage `json:"render_range"`
	Entry       int64           `json:"frame_entry_seq"`
	IDs         []string        `json:"ids"`
}

// decidedView is what is said of a line that ours answers in another way.
type decidedView struct {
	why   string
	want  []string // nil = the original's
	fails string   // a part of the error
}

var decidedViews = map[string]decidedView{
	"frame-default-io":     {why: "a method's own model calls see each other: its expose is for its callers", want: []string{"u1", "m1", "u2", "m2", "f", "l1", "g", "l2"}},
	"frame-callers-1":      {why: "the same, behind a wall: that f is in its own view hides nothing from it", want: []string{"f", "l1", "g", "l2"}},
	"frame-callers-2":      {why: "the same, behind a wall: that f is in its own view hides nothing from it", want: []string{"m2", "f", "l1", "g", "l2"}},
	"nested-full-in-io":    {why: "what one caller keeps, no other below it shows", want: []string{"u1", "f", "h", "m1"}},
	"unknown-keys-ignored": {why: "a wall that is misspelt would be none", fails: `unknown key "depth"`},
	"unknown-head":         {why: "nothing is seen, as in the original, and ours says why", fails: "no such node"},
}

// TestViewsOfTheOriginal looks at the original's sessions: what is seen is what the original shows, or what the table decides.
func TestViewsOfTheOriginal(t *testing.T) {
	t.Parallel()
	left := maps.Clone(decidedViews)
	for _, line := range golden.Lines(t, "dag_render.jsonl") {
		decided := decidedViews[line.ID]
		delete(left, line.ID)
		t.Run(line.ID, func(t *testing.T) {
			t.Parallel()
			var v dagVector
			line.Decode(t, &v)
			got, err := v.look(t)
			if decided.fails != "" {
				if err == nil || !strings.Contains(err.Error(), decided.fails) || len(got) != 0 {
					t.Errorf("got %v and the error %v, want none and %q", got, err, decided.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := v.IDs
			if decided.want != nil {
				if want = decided.want; slices.Equal(want, v.IDs) {
					t.Error("decided as the original has it: the entry is not needed")
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	for id := range left {
		t.Errorf("%s is decided and in no line", id)
	}
}

// look makes the session and looks at it.
func (v dagVector) look(t *testing.T) ([]string, error) {
	t.Helper()
	g := trace.NewGraph(trace.GraphLimits{})
	for _, n := range v.Nodes {
		node := trace.Node{
			ID: n.ID, Kind: trace.NodeKind(n.Role), Name: n.Name, Expose: trace.Expose(n.Expose), Covers: n.Covers, Status: trace.StatusDone,
			Caller: deref(n.Caller), Predecessor: deref(n.Pred),
		}
		mustAdd(t, g, node)
	}
	view := trace.View{Head: v.Head, Frame: v.Frame}
	if v.HeadSeq != nil {
		view.Before = *v.HeadSeq + 1
	}
	if v.Range != nil {
		r, err := trace.ParseRange(v.Range)
		if err != nil {
			return nil, err
		}
		view.Range = &r
	}
	entry := int64(-1)
	if frame, ok := g.Row(v.Frame); ok {
		entry = frame.Seq
	}
	if entry != v.Entry {
		t.Errorf("the frame begins at %d, want %d", entry, v.Entry)
	}
	nodes, err := g.View(view)
	return nodeIDs(nodes), err
}

// What a method's next model call sees is what is seen with the eyes of the method.
func TestContextIsTheViewOfTheFrame(t *testing.T) {
	t.Parallel()
	for _, line := range golden.Lines(t, "dag_render.jsonl") {
		var v dagVector
		line.Decode(t, &v)
		if v.Frame == "" || v.Frame == v.Head && line.ID == "nested-frame-own-head" || decidedViews[line.ID].fails != "" {
			continue
		}
		want, err := v.look(t)
		if err != nil {
			t.Fatal(err)
		}
		g := trace.NewGraph(trace.GraphLimits{})
		for _, n := range v.Nodes {
			node := trace.Node{ID: n.ID, Kind: trace.NodeKind(n.Role), Name: n.Name, Expose: trace.Expose(n.Expose), Caller: deref(n.Caller), Predecessor: deref(n.Pred)}
			if n.ID == v.Frame && v.Range != nil {
				r, err := trace.ParseRange(v.Range)
				if err != nil {
					t.Fatal(err)
				}
				node.Range = &r
			}
			mustAdd(t, g, node)
		}
		mustAdd(t, g, trace.Node{ID: "next", Kind: trace.KindLLM, Caller: v.Frame})
		nodes, err := g.Context("next")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, nodeIDs(nodes)); diff != "" {
			t.Errorf("%s -view +context:\n%s", line.ID, diff)
		}
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func mustAdd(t rapid.TB, g *trace.Graph, n trace.Node) {
	t.Helper()
	if _, err := g.Add(n, nil); err != nil {
		t.Fatal(err)
	}
}

func nodeIDs(nodes []trace.Node) []string {
	list := []string{}
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return list
}
