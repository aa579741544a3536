package trace

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// View says whose eyes a Graph is looked at with. The zero value is the conversation as it is now.
type View struct {
	// Head is the last node of the conversation that is looked at: it, those it follows, and all that was called below
	// them. Other branches never show. It is at the top level; only the frame itself may be named instead, and sees
	// itself alone then. "" = the node that the frame hangs on, without a frame the newest.
	Head string

	// Frame is the call whose own model call is being prepared. It sees itself and what runs inside it, whatever its
	// expose, and of what was there before it all but what others keep from their callers. "" = the conversation itself,
	// which is nobody's inside.
	Frame string

	// Before is the seq of a node: nodes from it on do not show, nor how a node ended since. 0 = now.
	Before int64

	// Range is used instead of the frame's own. nil = the frame's own.
	Range *Range
}

// View gives copies of the nodes that may be seen, in order. The cost is linear in the nodes of that conversation up to
// then, whatever there is beside it and after it.
func (g *Graph) View(v View) ([]Node, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w := walk{before: g.next, within: v.Range}
	if v.Before != 0 {
		w.before = min(w.before, v.Before)
	}
	if v.Frame != "" {
		if w.frame = g.nodes[v.Frame]; w.frame == nil || w.frame.Kind != KindCode {
			return nil, fmt.Errorf("frame %.64q: %w of a call", v.Frame, ErrNoNode)
		}
	}
	head, err := g.head(v.Head, &w)
	if err != nil {
		return nil, err
	}
	return w.run(head)
}

// head finds the end of the conversation that is looked at; nil = there is none.
func (g *Graph) head(id string, w *walk) (*vertex, error) {
	if id == "" {
		if w.frame != nil {
			return w.frame.top(), nil
		}
		return g.newest(w.before), nil
	}
	head := g.nodes[id]
	if head != nil && head == w.frame {
		return head, nil
	}
	if head != nil && head.isHidden() && head.Caller == "" && (w.frame == nil || w.frame.top() != head) {
		head = head.pred
	}
	switch {
	case head == nil:
		return nil, fmt.Errorf("head %.64q: %w", id, ErrNoNode)
	case head.Caller != "":
		return nil, fmt.Errorf("head %.64q is not at the top level", id)
	}
	return head, nil
}

// Context gives copies of the nodes that a model call may see, in order: those of before it. It is the same however often
// it is asked for, whatever happens later.
func (g *Graph) Context(id string) ([]Node, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	v := g.nodes[id]
	if v == nil || v.Kind != KindLLM {
		return nil, fmt.Errorf("node %.64q: %w of a model", id, ErrNoNode)
	}
	w := walk{before: v.Seq}
	for c := v.caller; c != nil && w.frame == nil; c = c.caller {
		if c.Kind == KindCode {
			w.frame = c
		}
	}
	head := v.top()
	if v.last != nil { // it reads what it is to sum up
		head = v.last
	}
	return w.run(head)
}

// top is the node of the conversation that a node hangs on.
func (v *vertex) top() *vertex {
	for v.caller != nil {
		v = v.caller
	}
	return v
}

// newest is the newest node of the conversation before a seq.
func (g *Graph) newest(before int64) *vertex {
	i := sort.Search(len(g.tops), func(i int) bool { return g.tops[i].Seq >= before })
	if i == 0 {
		return nil
	}
	return g.tops[i-1]
}

// walk is one look at a graph.
type walk struct {
	before int64
	frame  *vertex // nil = the conversation itself
	within *Range  // nil = the frame's own

	on      *vertex // of the conversation, what the frame hangs on
	outside []shown
	inside  []shown // of the frame; without one, all
	visited int     // nodes looked at, which is what it costs
}

// shown is a node and where it stands: a summary stands for the first node it covers.
type shown struct {
	place int64
	*vertex
}

func (w *walk) run(head *vertex) ([]Node, error) {
	if w.frame != nil {
		w.on = w.frame.top()
		if w.within == nil {
			w.within = w.frame.Range
		}
	}
	chain := w.chain(head)
	if w.frame != nil && head != w.frame && !slices.Contains(chain, link{v: w.on}) {
		return nil, fmt.Errorf("frame %.64q is not in the conversation that ends with %.64q", w.frame.ID, head.ID)
	}
	for _, l := range chain {
		if l.stands {
			w.show(l.v, l.v.first.Seq, w.frame == nil)
		} else {
			w.below(l.v)
		}
	}
	// Both are in order already where one thing ran after the other.
	bySeq := func(a, b shown) int { return cmp.Compare(a.place, b.place) }
	slices.SortFunc(w.outside, bySeq)
	slices.SortFunc(w.inside, bySeq)
	seen := slices.Concat(
		w.outside[len(w.outside)-w.within.callers(len(w.outside)):],
		w.inside[len(w.inside)-w.within.subcalls(len(w.inside)):],
	)
	nodes := make([]Node, len(seen))
	for i, s := range seen {
		nodes[i] = s.at(w.before)
	}
	return nodes, nil
}

// link is a node of a conversation.
type link struct {
	v      *vertex
	stands bool // a summary, in the place of what it covers
}

// chain is the conversation that ends with head, oldest first.
func (w *walk) chain(head *vertex) []link {
	var chain []link
	for v := head; v != nil; {
		w.visited++
		l := link{v: v}
		if s := w.summary(v); s != nil {
			l = link{s, true}
		}
		chain = append(chain, l)
		v = l.v.pred
		if l.stands {
			v = l.v.first.pred
		}
	}
	slices.Reverse(chain)
	return chain
}

// summary is the one that stands for the conversation up to v: the one that covers most, of several the newest. That may
// be v itself, where the conversation went on from a summary.
func (w *walk) summary(v *vertex) *vertex {
	if w.stands(v) {
		return v
	}
	var best *vertex
	for _, s := range v.summaries {
		if s.Seq >= w.before {
			break
		}
		w.visited++
		if w.stands(s) && (best == nil || s.first.depth <= best.first.depth) {
			best = s
		}
	}
	return best
}

// stands reports whether a summary is there and stands for what it covers. None does for the node that the frame hangs on.
func (w *walk) stands(s *vertex) bool {
	if s.first == nil || s.Status != StatusDone || s.Ended > w.before || s == w.on {
		return false
	}
	return w.on == nil || w.on.first != nil || w.on.depth < s.first.depth || w.on.depth > s.depth
}

// sight is what the callers between a node and the eyes keep from them. One alone is enough: none shows what another
// below it keeps, and none above it.
type sight struct {
	noModels, noCalls bool
	inside            bool // of the frame
}

// step is a node whose calls are being looked at.
type step struct {
	v    *vertex
	next int
	sight
}

// below looks at a node and at all that was called below it. A graph may be deep, so the stack is a slice.
func (w *walk) below(top *vertex) {
	stack := w.enter(nil, top, sight{inside: w.frame == nil})
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		if s.next == len(s.v.calls) {
			stack = stack[:len(stack)-1]
			continue
		}
		v := s.v.calls[s.next]
		s.next++
		if !w.reaches(v, s.inside) { // nor do those behind it, which came later
			s.next = len(s.v.calls)
			continue
		}
		stack = w.enter(stack, v, s.sight)
	}
}

// reaches reports whether a node was there early enough: before the time of the look, and outside the frame before it.
func (w *walk) reaches(v *vertex, inside bool) bool {
	return v.Seq < w.before && (inside || v.Seq <= w.frame.Seq)
}

// enter shows a node, if it may be seen, and goes on to its calls.
func (w *walk) enter(stack []step, v *vertex, s sight) []step {
	if !w.reaches(v, s.inside) {
		return stack
	}
	w.visited++
	if w.mayShow(v, s) {
		w.show(v, v.Seq, s.inside)
	}
	switch {
	case v == w.frame:
		s = sight{inside: true}
	case v.Expose == ExposeIO:
		s.noModels = true
	case v.Expose == ExposeLLM:
		s.noCalls = true
	}
	return append(stack, step{v: v, sight: s})
}

func (w *walk) mayShow(v *vertex, s sight) bool {
	switch {
	case v.isHidden():
		return false
	case v == w.frame:
		return true
	case v.Kind == KindLLM:
		return !s.noModels
	case v.Kind == KindCode:
		return !s.noCalls && v.Expose != ExposeLLM
	}
	return true
}

func (w *walk) show(v *vertex, at int64, inside bool) {
	if inside {
		w.inside = append(w.inside, shown{at, v})
		return
	}
	w.outside = append(w.outside, shown{at, v})
}
