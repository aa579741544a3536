package decide

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcp-decide/mcp-decide/trace"
)

// ErrNoSession says that a context is neither that of a session nor that of a method's run.
var ErrNoSession = errors.New("nothing runs in this context, and it has no session: hand on the context that the method was run with, or use WithSession")

// WithSession returns a context in which calls go on with the conversation that g holds. Each call that no other one made follows on the one
// before, in the order in which they begin, the first on what is the newest in g now. Two sessions that go on from the same node are two
// branches, and see nothing of each other. nil is a new and empty graph. Inside a method's run, what is called in the context belongs to g and no longer to that run.
//
// Without a session each such call stands alone: it has a graph of its own, which is made when something in its run asks for one, and is gone with it.
func WithSession(ctx context.Context, g *trace.Graph) context.Context {
	if g == nil {
		g = trace.NewGraph(trace.GraphLimits{})
	}
	at := &place{session: &session{graph: g, head: g.Last()}}
	if outer := placeOf(ctx); outer != nil {
		at.run = outer.run
	}
	return at.in(ctx)
}

// Session is the graph of the session that ctx belongs to, and the id of the call in whose run it is, "" = of none. The error is ErrNoSession, or
// says why the graph did not take the call. Don't finish that node: it is finished with the run.
func Session(ctx context.Context) (g *trace.Graph, node string, err error) {
	at := placeOf(ctx)
	if at == nil {
		return nil, "", ErrNoSession
	}
	if node, err = at.caller.node(); err != nil {
		return nil, "", err
	}
	return at.session.get(), node, nil
}

// History is what a model may see that is asked in ctx. In the run of a method that is the conversation up to its call, and what has happened in
// its run so far, as far as it is not kept from it by the Expose of others, within the method's RenderRange; outside, the
// conversation itself. Hidden values are in none of it, and secret ones are ***, also where a result repeats them.
func History(ctx context.Context) ([]trace.Message, error) {
	g, node, err := Session(ctx)
	if err != nil {
		return nil, fmt.Errorf("looking at the history: %w", err)
	}
	v := trace.View{Frame: node}
	if node == "" {
		if v.Head = placeOf(ctx).session.last(); v.Head == "" {
			return nil, nil
		}
	}
	nodes, err := g.View(v)
	if err != nil {
		return nil, fmt.Errorf("looking at the history: %w", err)
	}
	return trace.Render(nodes), nil
}

// Said adds what the user said to the session of ctx.
func Said(ctx context.Context, text string) error {
	at := placeOf(ctx)
	switch {
	case at == nil:
		return ErrNoSession
	case at.caller != nil:
		return fmt.Errorf("noting what the user said: it is said in no method's run, and %s runs here", at.caller.method.Name)
	}
	_, err := at.session.add(trace.Node{Kind: trace.KindUser, Input: at.run.scrub(text)}, nil)
	if err != nil {
		return fmt.Errorf("noting what the user said: %w", err)
	}
	return nil
}

// place is where something happens.
type place struct {
	session *session
	caller  *frame // of the session, the call in whose run it is; nil = at the top
	run     *frame // the call in whose run it is, of whatever session: its secrets are kept from the graph
	picked  string // the model call by whose reply it was picked
}

type placeKey struct{}

// placeOf is the place of a context; nil = it has none.
func placeOf(ctx context.Context) *place {
	p, _ := ctx.Value(placeKey{}).(*place)
	return p
}

func (p *place) in(ctx context.Context) context.Context { return context.WithValue(ctx, placeKey{}, p) }

// session is one line of a conversation in a graph.
type session struct {
	mu    sync.Mutex
	graph *trace.Graph // nil = it was not asked for yet
	turn  *turn        // whose rounds so far come before, when the graph is made; nil = of no turn
	head  string       // the node that the next one at the top follows; "" = none
}

// get is the graph, which is made now when it was not asked for before.
func (s *session) get() *trace.Graph {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made()
}

func (s *session) made() *trace.Graph {
	if s.graph != nil {
		return s.graph
	}
	s.graph = trace.NewGraph(trace.GraphLimits{})
	if s.turn != nil {
		for _, n := range s.turn.nodes() {
			_, _ = s.put(n, masked(n.Args)) // there is room in a new graph for all that a turn can hold
		}
	}
	return s.graph
}

// add adds a node: under its caller or, without one, at the end of the conversation.
func (s *session) add(n trace.Node, args masked) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made()
	return s.put(n, args)
}

// addAs adds a node under an id that is free, as a rule.
func (s *session) addAs(id string, n trace.Node, args masked) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made()
	n.ID = id
	got, err := s.put(n, args)
	if err != nil && id != "" {
		n.ID = ""
		return s.put(n, args)
	}
	return got, err
}

func (s *session) put(n trace.Node, args masked) (string, error) {
	if n.Caller == "" {
		n.Predecessor = s.head
	}
	id, err := s.graph.Add(n, args)
	if err == nil && n.Caller == "" && n.Expose != trace.ExposeHidden {
		s.head = id
	}
	return id, err
}

// last is the newest node at the top.
func (s *session) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}
