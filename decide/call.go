package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Call asks for a method by name.
type Call struct {
	Method  string
	Args    json.RawMessage
	Caller  registry.Caller
	Ceiling registry.Effect
	Key     string // the client's key for "the same call again"; "" = each call is a new one
	Path    string // native or command, for the trace
}

// Call runs a method by name: the native path. Its error means that nothing ran. A call with a key that this principal has used
// for the same call within ten minutes gets the result of that one; for another call the key is refused.
func (e *Engine) Call(ctx context.Context, v *View, c Call) (registry.Result, error) {
	v = e.orCurrent(v)
	n := &native{Engine: e, c: c}
	n.rec = trace.Record{Time: e.now(), Path: c.Path, Caller: c.Caller.ID, Method: c.Method}
	if n.rec.Path == "" {
		n.rec.Path = "native"
	}
	m, ok := v.Methods.Find(c.Method)
	if !ok {
		n.rec.Method = menu.Fold(c.Method, maxNamed)
		err := &registry.Refused{Kind: "not_found", Method: n.rec.Method, Message: fmt.Sprintf(
			"There is no method %q%s.", n.rec.Method, didYouMean(c.Method, methodNames(v.Methods)))}
		n.record(ctx, registry.Result{}, err)
		return registry.Result{}, err
	}
	if c.Key == "" {
		return n.run(ctx, m, nil)
	}
	return n.keyed(ctx, m)
}

// native is one native call on its way.
type native struct {
	*Engine
	c   Call
	rec trace.Record

	mu    sync.Mutex
	left  bool // the run goes on without the caller, and its end writes the record
	ended *registry.Result
}

// run goes through the door, and writes one record.
func (n *native) run(ctx context.Context, m *registry.Method, one *keyed) (registry.Result, error) {
	req := n.request(n.c.Caller, "", m)
	req.Args, req.Ceiling = n.c.Args, n.c.Ceiling
	req.Intent = func(context.Context, registry.Bound) error { return n.strays.room(m) }
	req.Done = func(res registry.Result) { n.done(res, one) }
	if one != nil {
		req.Late = func(res registry.Result) { n.keys.amend(one, res) }
	}
	res, err := registry.Call(ctx, req)
	if err == nil && res.State == registry.Running {
		if n.leave() {
			return res, nil
		}
		res = *n.ended
	}
	n.record(ctx, res, err)
	if one != nil {
		n.keys.settle(one, res, err)
	}
	return res, err
}

func (n *native) done(res registry.Result, one *keyed) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = &res
	if one != nil {
		n.keys.settle(one, res, nil)
	}
	if n.left {
		n.strays.end()
		n.record(context.Background(), res, nil)
	}
}

// leave lets the caller go while the run goes on; false when it has ended by now.
func (n *native) leave() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.left = n.ended == nil; n.left {
		n.strays.begin()
	}
	return n.left
}

// keyed runs a call under its key, or attaches to the equal call that has it.
func (n *native) keyed(ctx context.Context, m *registry.Method) (registry.Result, error) {
	if len(n.c.Key) > maxKey {
		err := keyRefused("The key has %d bytes; at most %d are allowed.", len(n.c.Key), maxKey)
		n.record(ctx, registry.Result{}, err)
		return registry.Result{}, err
	}
	bound, err := m.Check(n.c.Args)
	if err != nil {
		return n.run(ctx, m, nil) // the door says the same, or that the method is off
	}
	call := n.mac("call", m.Name, m.Digest(), string(bound.Canonical()))
	for {
		one, mine, err := n.keys.claim(keyName{n.c.Caller.ID, n.c.Key}, call, n.now())
		if err != nil {
			n.record(ctx, registry.Result{}, err)
			return registry.Result{}, err
		}
		if mine {
			return n.run(ctx, m, one)
		}
		res, err := n.keys.outcome(ctx, one)
		if err != nil && ctx.Err() == nil {
			continue // nothing ran for the first one, so this one may
		}
		res.Bound = bound // the same call, so the same arguments
		n.rec.State = "recorded"
		n.record(ctx, res, err)
		return res, err
	}
}

// record writes down what the call came to.
func (n *native) record(ctx context.Context, res registry.Result, err error) {
	r := n.rec
	r.Took = n.now().Sub(r.Time)
	switch {
	case err != nil:
		r.State, r.Error = string(refused), inAWord(err)
	default:
		r.Args, r.Dropped, r.Cut = res.Bound.Masked(), res.Bound.Dropped, res.Cut
		if r.State == "" {
			r.State = string(res.State)
		}
		if res.Err != nil {
			r.Error = folded(res.Err.Error())
		}
	}
	n.Engine.record(ctx, r)
}
