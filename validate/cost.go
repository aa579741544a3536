package validate

const (
	maxCost = 20_000 // schemas that one value can be taken through, references followed
	maxFlat = 64     // of them on one value, one inside the other
)

// costs refuses a schema that could take a checker through too much: a chain of twenty
// references that each stand twice is 1 KB of text and a million visits.
func (r *reader) costs(root *node) {
	c := coster{cost: map[*node]int{}, deep: map[*node]int{}}
	for _, ref := range r.refs {
		if c.flat(ref.from) == endless && returns(ref.from.ref, ref.from) {
			r.faults.add(ref.from.at+"/$ref", "refer from inside properties or items, so that each round takes a step into the value",
				"the reference leads back to itself on the same value")
			return
		}
	}
	if c.visits(root) > maxCost {
		r.faults.add("", "refer to each part once, or declare less", "checking one value could take more than 20,000 visits of schemas in it")
	}
	for _, n := range r.nodes {
		if c.flat(n) > maxFlat {
			r.faults.add("", "", "a value would be taken through more than %d schemas, one inside the other", maxFlat)
			return
		}
	}
}

type coster struct {
	cost map[*node]int // visits, up to a little over maxCost; pending while on the way
	deep map[*node]int // longest way that stays on one value
}

const (
	pending = -1
	endless = 1 << 30
)

// visits adds up the schemas below n, one for each way that leads there. A way back into a schema on
// the way is a step into the value, counted when the value is there (see spend).
func (c *coster) visits(n *node) int {
	if known, ok := c.cost[n]; ok {
		return max(known, 1)
	}
	c.cost[n] = pending
	sum := 1
	for _, next := range n.nexts() {
		if next.reach != apart {
			sum += c.visits(next.node)
		}
		if sum > maxCost {
			sum = maxCost + 1
			break
		}
	}
	c.cost[n] = sum
	return sum
}

// flat is the length of the longest way from n that stays on one value.
func (c *coster) flat(n *node) int {
	if known, ok := c.deep[n]; ok {
		if known == pending {
			return endless
		}
		return known
	}
	c.deep[n] = pending
	longest := 0
	for _, next := range n.nexts() {
		if next.reach == inPlace {
			longest = max(longest, c.flat(next.node))
		}
	}
	if longest < endless {
		longest++
	}
	c.deep[n] = longest
	return longest
}

// returns reports whether a way that stays on one value leads from n to goal.
func returns(n, goal *node) bool {
	seen := map[*node]bool{}
	var walk func(*node) bool
	walk = func(n *node) bool {
		if n == goal || seen[n] {
			return n == goal
		}
		seen[n] = true
		for _, next := range n.nexts() {
			if next.reach == inPlace && walk(next.node) {
				return true
			}
		}
		return false
	}
	return walk(n)
}

type next struct {
	reach reach
	*node
}

func (n *node) nexts() []next {
	var all []next
	for _, s := range n.subs {
		all = append(all, next{words[s.word].reach, s.node})
	}
	if n.ref != nil {
		all = append(all, next{inPlace, n.ref})
	}
	return all
}
