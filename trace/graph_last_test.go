package trace_test

import (
	"testing"

	"github.com/mcp-decide/mcp-decide/trace"
)

// The last node of a conversation is the newest that another can follow: not what it called, no summary, nothing hidden.
func TestLast(t *testing.T) {
	t.Parallel()
	g := trace.NewGraph(trace.GraphLimits{})
	if got := g.Last(); got != "" {
		t.Errorf("of nothing: %q", got)
	}
	for _, tt := range []struct {
		node trace.Node
		want string
	}{
		{trace.Node{ID: "u", Kind: trace.KindUser}, "u"},
		{trace.Node{ID: "m", Kind: trace.KindLLM, Predecessor: "u", Status: trace.StatusDone}, "m"},
		{trace.Node{ID: "f", Kind: trace.KindCode, Name: "f", Caller: "m"}, "m"},
		{trace.Node{ID: "h", Kind: trace.KindCode, Name: "h", Predecessor: "m", Expose: trace.ExposeHidden}, "m"},
		{trace.Node{ID: "s", Kind: trace.KindLLM, Covers: []string{"u", "m"}, Status: trace.StatusDone}, "m"},
		{trace.Node{ID: "b", Kind: trace.KindUser, Predecessor: "u"}, "b"},
	} {
		mustAdd(t, g, tt.node)
		if got := g.Last(); got != tt.want {
			t.Errorf("after %s: %q, want %q", tt.node.ID, got, tt.want)
		}
	}
}

// What somebody else has left out of an output counts as cut.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	g := trace.NewGraph(trace.GraphLimits{Text: 4})
	for id, e := range map[string]trace.End{
		"a": {Status: trace.StatusDone, Cut: 7},
		"b": {Status: trace.StatusDone, Output: "abcdef", Cut: 5},
	} {
		mustAdd(t, g, trace.Node{ID: id, Kind: trace.KindLLM})
		if err := g.Finish(id, e); err != nil {
			t.Fatal(err)
		}
		if row, _ := g.Row(id); row.CutOutput != 7 {
			t.Errorf("%s: %+v", id, row)
		}
	}
}
