package validate

import (
	"cmp"
	"slices"
)

// sort puts faults in the order in which the schema declares the places.
func (x *explainer) sort(all []fault) {
	if len(all) < 2 {
		return
	}
	if x.rank == nil {
		x.rank = ranks(x.schema.root)
	}
	slices.SortStableFunc(all, func(a, b fault) int {
		return cmp.Or(
			comparePaths(a.place(), b.place(), x.rank),
			cmp.Compare(a.word, b.word),
			cmp.Compare(a.where(), b.where()),
			cmp.Compare(a.cause, b.cause))
	})
}

// place is where a fault is shown: a key in question is a step of its own.
func (f *fault) place() path {
	if f.name == "" {
		return f.path
	}
	return f.path.with(step{key: f.name})
}

func (f *fault) where() string {
	if f.node == nil {
		return ""
	}
	return f.node.at
}

func comparePaths(a, b path, rank map[string]int) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if c := compareSteps(a[i], b[i], rank); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

func compareSteps(a, b step, rank map[string]int) int {
	if a.list || b.list {
		return cmp.Compare(a.index, b.index)
	}
	if a.key == b.key {
		return 0
	}
	ra, rb := rank[a.key], rank[b.key]
	switch {
	case ra == 0 && rb == 0:
		return cmp.Compare(a.key, b.key)
	case ra == 0:
		return 1
	case rb == 0:
		return -1
	}
	return ra - rb
}

// ranks numbers the declared properties in the order of the text.
func ranks(root *node) map[string]int {
	rank := map[string]int{}
	var walk func(*node)
	walk = func(n *node) {
		for _, p := range n.props {
			if rank[p.key] == 0 {
				rank[p.key] = len(rank) + 1
			}
		}
		for _, s := range n.subs {
			walk(s.node)
		}
	}
	walk(root)
	return rank
}
