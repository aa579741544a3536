package trace_test

import (
	"fmt"
	"slices"

	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// session is a random session, in a Graph and, as plainly as can be, beside it.
type session struct {
	g     *trace.Graph
	nodes []*past // in order of being added
	byID  map[string]*past
}

// past is a node as the plain model has it.
type past struct {
	trace.Node
	caller, pred *past
}

// canary is in everything that a hidden call is about.
const canary = "k4n4ry"

func newSession() *session {
	return &session{g: trace.NewGraph(trace.GraphLimits{}), byID: map[string]*past{}}
}

// add adds a node to both.
func (s *session) add(t rapid.TB, n trace.Node) *past {
	t.Helper()
	p := &past{caller: s.byID[n.Caller], pred: s.byID[n.Predecessor]}
	if _, err := s.g.Add(n, nil); err != nil {
		t.Fatalf("adding %+v: %v", n, err)
	}
	p.Node = n
	p.Seq = int64(len(s.nodes))
	if n.Kind == trace.KindUser {
		p.Status = trace.StatusDone
	}
	if p.Status == "" {
		p.Status = trace.StatusRunning
	}
	if p.Status != trace.StatusRunning {
		p.Ended = p.Seq + 1
	}
	s.nodes = append(s.nodes, p)
	s.byID[n.ID] = p
	return p
}

func (s *session) finish(t rapid.TB, p *past, e trace.End) {
	t.Helper()
	if err := s.g.Finish(p.ID, e); err != nil {
		t.Fatalf("finishing %s: %v", p.ID, err)
	}
	p.Status, p.Output, p.Error, p.Ended = e.Status, e.Output, e.Error, int64(len(s.nodes))
}

// grow does some random steps. Hidden calls are among them where they may be.
func (s *session) grow(t *rapid.T, steps int, hidden bool) {
	exposes := []trace.Expose{"", trace.ExposeIO, trace.ExposeLLM, trace.ExposeFull}
	if hidden {
		exposes = append(exposes, trace.ExposeHidden)
	}
	for range rapid.IntRange(0, steps).Draw(t, "steps") {
		n := trace.Node{ID: fmt.Sprint("n", len(s.nodes)), Kind: rapid.SampledFrom([]trace.NodeKind{trace.KindUser, trace.KindLLM, trace.KindCode}).Draw(t, "kind")}
		callers := s.those(func(p *past) bool { return p.Kind != trace.KindUser })
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0, 1: // something ends
			running := s.those(func(p *past) bool { return p.Status == trace.StatusRunning })
			if len(running) > 0 {
				s.finish(t, oneOf(t, running), trace.End{Status: rapid.SampledFrom(finals).Draw(t, "status"), Output: "out " + canary})
			}
			continue
		case 2, 3: // the conversation goes on, perhaps in a branch
			if tops := s.those(func(p *past) bool { return p.Caller == "" }); len(tops) > 0 {
				n.Predecessor = oneOf(t, tops).ID
			}
		case 4: // a summary
			n.Covers = s.segment(t)
			if n.Covers == nil {
				continue
			}
			n.Kind, n.Status, n.Output = trace.KindLLM, trace.StatusDone, "summary"
		default:
			if len(callers) > 0 && n.Kind != trace.KindUser {
				n.Caller = oneOf(t, callers).ID
			}
		}
		if n.Kind == trace.KindCode {
			n.Name, n.Expose = "m"+n.ID, rapid.SampledFrom(exposes).Draw(t, "expose")
			if n.Expose == trace.ExposeHidden {
				n.Name, n.Doc, n.Input = canary, canary, canary
			}
			if rapid.IntRange(0, 3).Draw(t, "ranged") == 0 {
				n.Range = drawRange(t)
			}
		} else if n.Kind == trace.KindUser {
			n.Input = "said " + n.ID
		}
		s.add(t, n)
	}
}

var finals = []trace.Status{trace.StatusDone, trace.StatusDone, trace.StatusFailed, trace.StatusCancelled, trace.StatusNotRun}

func drawRange(t *rapid.T) *trace.Range {
	return &trace.Range{Callers: rapid.Ptr(rapid.IntRange(-1, 5), true).Draw(t, "callers"), Subcalls: rapid.Ptr(rapid.IntRange(-1, 5), true).Draw(t, "subcalls")}
}

// segment is a part of the conversation that a summary may cover; nil = there is none.
func (s *session) segment(t *rapid.T) []string {
	tops := s.those(func(p *past) bool { return p.Caller == "" && p.Covers == nil && p.Expose != trace.ExposeHidden })
	if len(tops) == 0 {
		return nil
	}
	var segment []string
	p := oneOf(t, tops)
	for range rapid.IntRange(1, 4).Draw(t, "covered") {
		segment = append(segment, p.ID)
		if p = p.follows(); p == nil || p.Covers != nil {
			break
		}
	}
	slices.Reverse(segment)
	return segment
}

// follows is the node before in the conversation, hidden ones left out.
func (p *past) follows() *past {
	p = p.pred
	for p != nil && p.Expose == trace.ExposeHidden {
		p = p.pred
	}
	return p
}

func (s *session) those(is func(*past) bool) []*past {
	var list []*past
	for _, p := range s.nodes {
		if is(p) {
			list = append(list, p)
		}
	}
	return list
}

func oneOf(t *rapid.T, list []*past) *past { return rapid.SampledFrom(list).Draw(t, "node") }

// top is the node of the conversation that a node hangs on.
func (p *past) top() *past {
	for p.caller != nil {
		p = p.caller
	}
	return p
}

// under reports whether a node is inside the run of another.
func (p *past) under(frame *past) bool {
	for p = p.caller; p != nil; p = p.caller {
		if p == frame {
			return true
		}
	}
	return false
}

// exposes is what the callers of a call see of it.
func (p *past) exposes() trace.Expose {
	switch {
	case p.Kind != trace.KindCode || p.Expose != "":
		return p.Expose
	case p.caller != nil && p.caller.Kind == trace.KindLLM:
		return trace.ExposeIO
	}
	return trace.ExposeFull
}

// mayShow says of one node whether the eyes of a frame may see it at all, by looking at each caller of it.
func (p *past) mayShow(frame *past) bool {
	if p == frame {
		return true
	}
	if p.exposes() == trace.ExposeLLM {
		return false
	}
	for c := p.caller; c != nil && c != frame; c = c.caller {
		if c.exposes() == trace.ExposeIO && p.Kind == trace.KindLLM || c.exposes() == trace.ExposeLLM && p.Kind == trace.KindCode {
			return false
		}
	}
	return true
}

// view says what is seen, by looking at all nodes. It knows no hidden calls.
func (s *session) view(frame, head *past, before int64, r *trace.Range) []string {
	chain, place := s.chain(frame, head, before)
	var outside, inside []*past
	for _, p := range s.nodes {
		at, stands := place[p]
		switch {
		case stands:
			place[p] = at
		case !chain[p.top()] || p.Seq >= before || frame != nil && p.Seq > frame.Seq && !p.under(frame) || !p.mayShow(frame):
			continue
		default:
			place[p] = p.Seq
		}
		if frame == nil || p.under(frame) {
			inside = append(inside, p)
		} else {
			outside = append(outside, p)
		}
	}
	if r == nil && frame != nil {
		r = frame.Range
	}
	seen := []string{}
	for i, list := range [][]*past{outside, inside} {
		slices.SortFunc(list, func(a, b *past) int { return int(place[a] - place[b]) })
		keep := len(list)
		switch {
		case r == nil:
		case i == 0 && r.Callers != nil:
			keep = min(keep, max(0, *r.Callers))
		case i == 1 && r.Subcalls != nil && *r.Subcalls >= 0:
			keep = min(keep, *r.Subcalls)
		}
		for _, p := range list[len(list)-keep:] {
			seen = append(seen, p.ID)
		}
	}
	return seen
}

// chain are the nodes of a conversation that show themselves, and the summaries that stand for others, each with its place.
func (s *session) chain(frame, head *past, before int64) (map[*past]bool, map[*past]int64) {
	shows, place := map[*past]bool{}, map[*past]int64{}
	for p := head; p != nil; p = p.pred {
		var best *past
		for _, c := range s.nodes {
			ends := len(c.Covers) > 0 && (c == p || c.Covers[len(c.Covers)-1] == p.ID)
			of := frame != nil && (c == frame.top() || slices.Contains(c.Covers, frame.top().ID))
			if ends && c.Seq < before && !of && (best == nil || len(c.Covers) >= len(best.Covers)) {
				best = c
			}
		}
		if best == nil {
			shows[p] = true
			continue
		}
		first := s.byID[best.Covers[0]]
		place[best] = first.Seq
		p = first
	}
	return shows, place
}
