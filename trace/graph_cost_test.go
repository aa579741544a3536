package trace

import (
	"fmt"
	"testing"
)

// The cost of a look is that of the conversation it looks at: other branches, what came later and how deep it goes do not
// matter.
func TestViewsAreLinear(t *testing.T) {
	t.Parallel()
	add := func(g *Graph, n Node) {
		if _, err := g.Add(n, nil); err != nil {
			t.Fatal(err)
		}
	}
	looks := func(g *Graph, id string) (visited, shown int) {
		v := g.nodes[id]
		w := walk{before: v.Seq}
		nodes, err := w.run(v.top())
		if err != nil {
			t.Fatal(err)
		}
		return w.visited, len(nodes)
	}
	const n = 2_000
	for _, tt := range []struct {
		name string
		node func(i int) Node
	}{
		{"a long conversation", func(i int) Node {
			return Node{ID: fmt.Sprint(i + 1), Kind: KindLLM, Predecessor: fmt.Sprint(i)}
		}},
		{"deep calls", func(i int) Node {
			return Node{ID: fmt.Sprint(i + 1), Kind: KindCode, Name: "f", Caller: fmt.Sprint(i)}
		}},
		{"many calls", func(i int) Node {
			return Node{ID: fmt.Sprint(i + 1), Kind: KindCode, Name: "f", Caller: "0"}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := NewGraph(GraphLimits{})
			add(g, Node{ID: "0", Kind: KindUser})
			for i := range n {
				add(g, tt.node(i))
			}
			last := fmt.Sprint(n)
			if g.nodes[last].caller != nil {
				last = "0"
			}
			add(g, Node{ID: "look", Kind: KindLLM, Predecessor: last})
			visited, shown := looks(g, "look")
			if shown != n+1 || visited > 2*shown+2 {
				t.Errorf("%d nodes are visited to show %d of %d", visited, shown, n+1)
			}
			for i := range n { // beside it, and after it
				add(g, Node{ID: fmt.Sprint("b", i), Kind: KindUser, Predecessor: "0"})
				add(g, Node{ID: fmt.Sprint("c", i), Kind: KindCode, Name: "f", Caller: last})
				add(g, Node{ID: fmt.Sprint("s", i), Kind: KindLLM, Covers: []string{last}})
			}
			if again, _ := looks(g, "look"); again != visited {
				t.Errorf("%d nodes are visited after others came, %d before", again, visited)
			}
		})
	}
}
