package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Rebuild makes a Graph of its rows, in any order. A node that stands twice is taken as it was later. Rows may be missing:
// their ids are returned, sorted. What hung on a missing caller shows to nobody, a conversation begins behind a missing
// predecessor, and a summary of missing nodes stands for none. What ran inside a hidden call sees as its caller sees from
// then on, since the hidden one is gone.
func Rebuild(l GraphLimits, rows []Node) (*Graph, []string, error) {
	g := NewGraph(l)
	g.missing = map[string]bool{}
	rows, err := newest(rows)
	if err != nil {
		return nil, nil, err
	}
	for i, n := range rows {
		if i > 0 && rows[i-1].Seq == n.Seq {
			return nil, nil, fmt.Errorf("nodes %.64q and %.64q have the same seq %d", rows[i-1].ID, n.ID, n.Seq)
		}
		if err := g.restore(n); err != nil {
			return nil, nil, fmt.Errorf("node %.64q: %w", n.ID, err)
		}
	}
	missing := slices.Sorted(maps.Keys(g.missing))
	g.missing = nil
	return g, missing, nil
}

// restore adds a row whose seq is higher than that of all before.
func (g *Graph) restore(n Node) error {
	if n.isHidden() {
		return fmt.Errorf("a call that is hidden has no row")
	}
	if n.Kind == KindCode && n.Expose == "" {
		return fmt.Errorf("the row does not say what the callers see of it")
	}
	v, err := g.place(n)
	if err != nil {
		return err
	}
	if g.missing[n.ID] {
		return fmt.Errorf("another node with a lower seq hangs on it")
	}
	v.unwritten = false
	return g.keep(v)
}

// newest sorts rows by seq and leaves one for each node, as it was last.
func newest(rows []Node) ([]Node, error) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID), cmp.Compare(a.progress(), b.progress()))
	})
	out := rows[:0]
	for _, n := range rows {
		if len(out) == 0 || out[len(out)-1].ID != n.ID {
			out = append(out, n)
			continue
		}
		last := &out[len(out)-1]
		if last.Seq != n.Seq || last.Status.IsFinal() && n.Status.IsFinal() && !last.endsLike(&n) {
			return nil, fmt.Errorf("node %.64q has two rows that differ", n.ID)
		}
		*last = n
	}
	return out, nil
}

// progress orders what may be told of one node.
func (n *Node) progress() int {
	switch {
	case n.Status.IsFinal():
		return 2
	case n.Status == StatusUnknown:
		return 1
	}
	return 0
}

func (n *Node) endsLike(o *Node) bool {
	return n.Status == o.Status && n.Output == o.Output && n.Error == o.Error && n.Ended == o.Ended
}

// Len is how many nodes there are, hidden ones too.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.order)
}
