package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Graph is what happened in one session: what a user said, what models answered, which methods ran, who called whom and
// what follows on what. It only grows: a node is added, and its status and output are set once. It says of every node
// what a model call of a method may see (Context, View), and Render makes messages of that.
//
// A Graph holds one session of one process, in memory. Whoever wants to keep it writes the row of a node after Add and
// again after Finish, and makes the same Graph of the rows with Rebuild. It is safe for concurrent use.
type Graph struct {
	// Now is the clock for nodes without a time and without an id; set another before the first use.
	Now func() time.Time

	mu     sync.RWMutex
	limits GraphLimits
	nodes  map[string]*vertex
	order  []*vertex // by seq
	tops   []*vertex // the conversation: top-level nodes but summaries, by seq
	next   int64     // the seq of the next node
	bytes  int

	missing map[string]bool // while rows are read: the nodes without a row; nil = there has to be one
}

// GraphLimits bound a Graph. The zero value gives the defaults.
type GraphLimits struct {
	Nodes int // 0 = 100,000
	Bytes int // of all nodes together, about; 0 = 64 MiB
	Text  int // bytes of one text of a node, the rest is cut and counted; 0 = 1 MiB
}

// What can be wrong with a node.
var (
	ErrGraphFull = errors.New("the session graph is full")
	ErrNoNode    = errors.New("no such node")
	ErrFinal     = errors.New("the status is final")
)

// vertex is a node with its edges resolved.
type vertex struct {
	Node
	caller    *vertex // who called it, hidden or not
	pred      *vertex // whom it follows in the conversation; never a hidden one
	calls     []*vertex
	depth     int       // how many it follows; of a summary, the last that it covers
	summaries []*vertex // those whose last covered node this is
	first     *vertex   // of a summary: the first covered node; nil = it stands for nothing
	last      *vertex   // of a summary: the last covered node
	unwritten bool      // it has no row, and none but what runs inside the same hidden call may see it
	row       *vertex   // itself or, of a hidden one, the next caller that has a row; nil = there is none
}

// NewGraph makes an empty Graph.
func NewGraph(l GraphLimits) *Graph {
	if l.Nodes <= 0 {
		l.Nodes = 100_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Text <= 0 {
		l.Text = 1 << 20
	}
	return &Graph{Now: time.Now, limits: l, nodes: make(map[string]*vertex)}
}

// Arguments give themselves with hidden values left out and secret ones masked. A Graph takes no others, so that one flag
// of the parameter decides wherever they may show.
type Arguments interface{ Masked() json.RawMessage }

// Add adds a node and gives its id. A node without an id gets one, one without a status is running (a user's is done).
// Seq is set here, and a call that says nothing of expose gets the default. The caller, the predecessor, the picked reply
// and the covered nodes have to be there. Nothing is changed when there is an error.
//
// A call with ExposeHidden is a node for what runs inside it alone: what it is called with and what it gives is not kept,
// and it has no row. To everybody else its calls are those of the next caller that is not hidden; where there is none,
// they show to nobody and have no rows either.
func (g *Graph) Add(n Node, args Arguments) (string, error) {
	n.Args = nil
	if args != nil {
		n.Args = args.Masked()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if n.Time.IsZero() {
		n.Time = g.Now()
	}
	if n.ID == "" {
		n.ID = NewID(n.Time)
	}
	n.stamp(g.next)
	v, err := g.place(n)
	if err != nil {
		return "", fmt.Errorf("node %.64q: %w", n.ID, err)
	}
	v.complete()
	if err := g.keep(v); err != nil {
		return "", fmt.Errorf("node %.64q: %w", n.ID, err)
	}
	return n.ID, nil
}

// place finds the nodes that a new one hangs on. It changes nothing.
func (g *Graph) place(n Node) (*vertex, error) {
	n = n.copied()
	if err := n.tidy(g.limits.Text); err != nil {
		return nil, err
	}
	if g.nodes[n.ID] != nil {
		return nil, errors.New("there is one with this id")
	}
	v := &vertex{Node: n}
	if err := g.hang(v); err != nil {
		return nil, err
	}
	if err := g.pick(v); err != nil {
		return nil, err
	}
	return v, g.cover(v)
}

// find finds a node that another one names. Where it may be missing it is noted, and nil.
func (g *Graph) find(what, id string) (*vertex, error) {
	v := g.nodes[id]
	if v != nil {
		return v, nil
	}
	if g.missing != nil {
		g.missing[id] = true
		return nil, nil
	}
	return nil, fmt.Errorf("%s %.64q: %w", what, id, ErrNoNode)
}

// hang finds the caller or the predecessor.
func (g *Graph) hang(v *vertex) (err error) {
	if v.Caller != "" {
		v.caller, err = g.find("caller", v.Caller)
		return err
	}
	if v.Predecessor == Root {
		return nil
	}
	before, err := g.find("predecessor", v.Predecessor)
	switch {
	case before == nil:
		return err
	case before.Caller != "":
		return fmt.Errorf("predecessor %.64q is not at the top level", v.Predecessor)
	case before.isHidden(): // what follows on a hidden call follows on whatever that followed on
		before = before.pred
	}
	v.pred, v.Predecessor = before, Root
	if before != nil {
		v.Predecessor, v.depth = before.ID, before.depth+1
	}
	return nil
}

// pick finds the model call whose reply picked a call.
func (g *Graph) pick(v *vertex) error {
	if v.Picked == "" {
		return nil
	}
	m, err := g.find("picked", v.Picked)
	switch {
	case m == nil:
		return err
	case m.Kind != KindLLM:
		return fmt.Errorf("picked %.64q is no model call", v.Picked)
	case m.unwritten:
		v.Picked = ""
	}
	return nil
}

// cover finds the nodes that a summary stands for. One of which some are missing stands for none.
func (g *Graph) cover(v *vertex) error {
	whole := true
	for i, id := range v.Covers {
		c, err := g.find("covered", id)
		switch {
		case err != nil:
			return err
		case c == nil:
			whole = false
		case c.Caller != "" || c.Covers != nil || c.isHidden():
			return fmt.Errorf("covered %.64q is no node of the conversation", id)
		case i > 0 && c.Predecessor != v.Covers[i-1]:
			return fmt.Errorf("covered %.64q does not follow %.64q", id, v.Covers[i-1])
		}
	}
	if len(v.Covers) > 0 && whole {
		v.first, v.last = g.nodes[v.Covers[0]], g.nodes[v.Covers[len(v.Covers)-1]]
		v.depth = v.last.depth
	}
	return nil
}

// complete sets what follows from where the node hangs.
func (v *vertex) complete() {
	if v.Kind == KindCode && v.caller != nil && v.caller.Kind == KindLLM {
		v.Tool = true
		if v.Picked == "" {
			v.Picked = v.caller.ID
		}
	}
	if v.Kind == KindCode && v.Expose == "" {
		v.Expose = DefaultExpose(v.Tool)
	}
	if v.caller != nil {
		v.row = v.caller.row
	}
	switch {
	case v.isHidden():
		v.blank()
		v.unwritten = true
	case v.caller == nil:
	case v.row == nil:
		v.unwritten = true
	default:
		v.Caller = v.row.ID
	}
}

// keep adds a node that is placed.
func (g *Graph) keep(v *vertex) error {
	if len(g.order) >= g.limits.Nodes || g.bytes+v.size() > g.limits.Bytes {
		return ErrGraphFull
	}
	if !v.unwritten {
		v.row = v
	}
	g.nodes[v.ID] = v
	g.order = append(g.order, v)
	g.bytes += v.size()
	g.next = max(g.next, v.Seq+1, v.Ended, v.Unknown)
	switch {
	case v.caller != nil:
		v.caller.calls = append(v.caller.calls, v)
	case v.Covers != nil:
		if v.first == nil {
			break
		}
		v.last.summaries = append(v.last.summaries, v)
	case v.Caller == "" && !v.unwritten:
		g.tops = append(g.tops, v)
	}
	return nil
}

// End is how the run of a node ended.
type End struct {
	Status    Status // not running
	Output    string // of a model call: the reply
	Cut       int    // bytes of the output that are left out already
	Error     string
	TokensIn  int // of a model call, where known
	TokensOut int
	Took      time.Duration
}

// Finish sets the status and the output of a node, once. What is unknown may still turn out to be done, failed or not run,
// once. When the graph has no room for the output, the status is set and the output counts as cut.
func (g *Graph) Finish(id string, e End) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	v := g.nodes[id]
	if v == nil {
		return fmt.Errorf("node %.64q: %w", id, ErrNoNode)
	}
	if err := v.Status.to(e.Status); err != nil {
		return fmt.Errorf("node %.64q: %w", id, err)
	}
	if e.Status == StatusUnknown && e.Output != "" {
		return fmt.Errorf("node %.64q: what is unknown has no output", id)
	}
	before := v.size()
	v.Status = e.Status
	if e.Status == StatusUnknown {
		v.Unknown = g.next
	} else {
		v.Ended = g.next
	}
	v.TokensIn, v.TokensOut, v.Took = max(e.TokensIn, 0), max(e.TokensOut, 0), max(e.Took, 0)
	room := min(g.limits.Text, g.limits.Bytes-g.bytes)
	v.CutOutput = max(e.Cut, 0)
	v.Error = fit(e.Error, min(room, maxError), &v.CutOutput)
	v.Output = fit(e.Output, room-len(v.Error), &v.CutOutput)
	if v.isHidden() {
		v.blank()
	}
	g.bytes += v.size() - before
	return nil
}

// Last is the id of the newest node of the conversation, which the next one may follow; "" = there is none.
func (g *Graph) Last() string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if last := g.newest(g.next); last != nil {
		return last.ID
	}
	return ""
}

// Row is a copy of a node, as a store keeps it. There is none of a hidden node.
func (g *Graph) Row(id string) (Node, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	v := g.nodes[id]
	if v == nil || v.unwritten {
		return Node{}, false
	}
	return v.copied(), true
}

// Rows are copies of all nodes that have a row, by seq.
func (g *Graph) Rows() []Node {
	g.mu.RLock()
	defer g.mu.RUnlock()
	rows := make([]Node, 0, len(g.order))
	for _, v := range g.order {
		if !v.unwritten {
			rows = append(rows, v.copied())
		}
	}
	return rows
}
