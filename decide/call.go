package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
	Key     string // the client's key for "the same call again"; "" = each call is a new one. A read has no use for it
	Path    string // native, where a client's model called it, or command; "" = a program did, which the trace has as native too
}

// Call runs a method by name: the native path. Its error means that nothing ran. A call of a method that may change something, with a key
// that this principal has used for the same call within a day, gets the result of that one; for another call the key is refused.
func (e *Engine) Call(ctx context.Context, v *View, c Call) (registry.Result, error) {
	v = e.orCurrent(v)
	n := &native{Engine: e, c: c}
	n.rec = trace.Record{Time: e.now(), Path: c.Path, Caller: c.Caller.ID, Method: c.Method}
	if n.rec.Path == "" {
		n.rec.Path = "native"
	}
	ctx = e.begin(ctx, &n.rec)
	m, ok := v.Methods.Find(c.Method)
	if !ok {
		n.rec.Method = menu.Fold(c.Method, maxNamed)
		err := &registry.Refused{Kind: "not_found", Method: n.rec.Method, Message: fmt.Sprintf(
			"There is no method %q%s.", n.rec.Method, didYouMean(c.Method, methodNames(v.Methods)))}
		n.record(ctx, registry.Result{}, err)
		return registry.Result{}, err
	}
	n.frame.call(ctx, e, m, &n.rec, c.Path == "native")
	res, err := n.run(ctx, m)
	if err != nil || res.Recorded {
		n.frame.refused(res, err)
	} else {
		n.frame.end(res)
	}
	n.record(ctx, res, err)
	return res, err
}

// native is one native call on its way.
type native struct {
	*Engine
	c    Call
	rec  trace.Record
	left bool // the run goes on without the caller, and its end writes the record

	frame frame
}

func (n *native) run(ctx context.Context, m *registry.Method) (registry.Result, error) {
	req := n.request(n.c.Caller, "", m)
	req.Args, req.Ceiling = n.c.Args, n.c.Ceiling
	if m.Effect.Or() == registry.Read && m.Approval == nil {
		n.frame.hook(&req)
		return registry.Call(ctx, req)
	}
	if len(n.c.Key) > maxKey {
		return registry.Result{}, keyRefused("The key has %d bytes; at most %d are allowed.", len(n.c.Key), maxKey)
	}
	for range maxLost {
		w := &nativeWrite{native: n, req: req, method: m, call: n.newIntent(n.c.Caller.ID, n.c.Key, registry.Option{Name: m.Name, Method: m})}
		res, err := w.run(ctx)
		if !errors.Is(err, errMoved) {
			return res, err
		}
	}
	return registry.Result{}, fmt.Errorf("calling %s: its key changes hands faster than it can be looked at", m.Name)
}

// nativeWrite is a native call of a method that may change something.
type nativeWrite struct {
	*native
	req    registry.Request
	method *registry.Method
	call   *intent

	bound registry.Bound
	other *CallRow // who has the key
	again bool     // it is begun once more: C7
}

// run attaches to the call that has the key, or goes through the door.
func (w *nativeWrite) run(ctx context.Context) (registry.Result, error) {
	if w.c.Key != "" {
		if err := w.lookUp(ctx); err != nil {
			return registry.Result{}, err
		}
		if w.other != nil && !w.again {
			return w.attach(ctx)
		}
	}
	w.req.Intent, w.req.Done, w.req.Late = w.claim, w.call.ended, w.call.late
	w.frame.hook(&w.req)
	w.call.told = func(res registry.Result) { w.write(context.Background(), res, nil) }
	res, err := registry.Call(ctx, w.req)
	if errors.Is(err, errAttached) {
		return w.attach(ctx)
	}
	if err != nil && w.call.begun { // the door had the claim and still ran nothing
		w.call.ended(registry.Result{Method: w.method, State: registry.NotRun, Err: err})
		return res, err
	}
	if err == nil && res.State == registry.Running {
		if w.call.leave(&w.left) {
			return res, nil
		}
		res = *w.call.result
	}
	res = w.call.whole(res)
	if err == nil && w.call.unpaid {
		res.Content = append([]registry.Block{registry.Text(notRecorded)}, res.Content...)
	}
	return res, err
}

// lookUp finds the call that has the key. It may be one to be begun once more.
func (w *nativeWrite) lookUp(ctx context.Context) error {
	bound, err := w.method.Check(w.c.Args)
	if err != nil {
		return nil // the door says the same, or that the method is off
	}
	w.bound = bound
	rows, err := w.store.Calls(ctx, WantedCalls{Config: w.config, Principal: w.c.Caller.ID, Key: w.c.Key, Limit: 1})
	if err != nil {
		return w.unrecorded(err)
	}
	if len(rows) == 0 {
		return nil
	}
	row := w.reapedCall(ctx, rows[0])
	if row.ID == "" { // gone by now: nothing ran for it
		return nil
	}
	w.other = &row
	w.again = w.call.repeats(row, bound)
	return nil
}

// errAttached says that another call has the key, so that this one does not run.
var errAttached = errors.New("another call has the key")

// claim is C1: the intent goes on record, or nothing runs.
func (w *nativeWrite) claim(ctx context.Context, b registry.Bound) error {
	if err := w.strays.room(w.method); err != nil {
		return err
	}
	w.bound = b
	var other *CallRow
	err := w.store.Do(context.WithoutCancel(ctx), Power, func(tx Tx) (err error) {
		if w.again {
			return w.call.again(tx)
		}
		w.call.with(b)
		other, err = w.call.put(tx)
		return err
	})
	switch {
	case errors.Is(err, errMoved):
		return err
	case err != nil:
		w.call.doubtful(err)
		return w.unrecorded(err)
	case other != nil:
		w.other = other
		return errAttached
	}
	w.rec.Call = w.call.row.ID
	w.call.start()
	return nil
}

func (w *nativeWrite) unrecorded(err error) error {
	return &StoreError{"recording the intent to run " + w.method.Name, err}
}

// attach gives the outcome of the equal call that has the key, and waits for it a little while.
func (w *nativeWrite) attach(ctx context.Context) (registry.Result, error) {
	body, err := unpackCall(*w.other)
	if err != nil {
		return registry.Result{}, err
	}
	if body.Digest != w.callDigest(w.method, w.bound) {
		return registry.Result{}, keyRefused("The key %q was used for another call; use a new key for a new call.", w.c.Key)
	}
	row, err := w.awaited(ctx, *w.other)
	if err != nil {
		return registry.Result{}, err
	}
	if row.ID == "" { // nothing ran for it, so this one may
		return registry.Result{}, errMoved
	}
	if body, err = unpackCall(row); err != nil {
		return registry.Result{}, err
	}
	res := body.Outcome.result()
	res.Method, res.State, res.Bound, res.Recorded = w.method, row.State, w.bound, true
	switch {
	case row.State == registry.Unknown:
		res.Content = []registry.Block{registry.Text(unknownCall(w.method.Name, row.ID))}
	case row.State == registry.Running:
		res.Content = []registry.Block{registry.Text(runningCall(w.method.Name, row.Began))}
	}
	return res, nil
}

// awaited is a call once it has ended, or as it is when the patience is. It has no id when it is gone.
func (w *nativeWrite) awaited(ctx context.Context, row CallRow) (CallRow, error) {
	limit := time.NewTimer(w.patience)
	defer limit.Stop()
	look := time.NewTicker(poll)
	defer look.Stop()
	for row.State == registry.Running {
		here, tick := w.runs.ended(row.ID), look.C
		if here != nil {
			tick = nil
		}
		late := false
		select {
		case <-ctx.Done():
			return row, ctx.Err()
		case <-limit.C:
			late = true
		case <-here:
		case <-tick:
		}
		w.runs.pay(ctx, row.ID)
		rows, err := w.store.Calls(ctx, WantedCalls{ID: row.ID, Limit: 1})
		switch {
		case err != nil:
			return row, fmt.Errorf("call %s: reading it: %w", row.ID, err)
		case len(rows) == 0:
			return CallRow{}, nil
		}
		if row = w.reapedCall(ctx, rows[0]); late {
			break
		}
	}
	return row, nil
}

// result is a recorded outcome as a native call gives it; of a call without one, nothing.
func (o *outcome) result() registry.Result {
	if o == nil {
		return registry.Result{}
	}
	res := registry.Result{State: o.State, Content: o.Content, Structured: o.Structured}
	if o.Error != "" {
		res.Err = errors.New(o.Error)
	}
	if o.Value != nil {
		res.Value = o.Value
	}
	return res
}

func keyRefused(format string, args ...any) error {
	return &registry.Refused{Kind: "denied", Message: fmt.Sprintf(format, args...)}
}

// record writes down what the call came to, unless its run goes on and writes it down itself.
func (n *native) record(ctx context.Context, res registry.Result, err error) {
	if !n.left {
		n.write(ctx, res, err)
	}
}

func (n *native) write(ctx context.Context, res registry.Result, err error) {
	r := n.rec
	r.Took = n.now().Sub(r.Time)
	switch {
	case err != nil:
		r.State, r.Error = string(refused), inAWord(err)
	default:
		r.Args, r.Dropped, r.Cut = res.Bound.Masked(), res.Bound.Dropped, res.Cut
		r.State = string(res.State)
		gave(&r, res)
		if res.Recorded {
			r.State, r.RunTook, r.Output = "recorded", 0, ""
		}
	}
	n.Engine.record(ctx, r)
}
