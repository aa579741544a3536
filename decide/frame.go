package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// frame is one call of a method on its way, and the context of its run, which knows it. In a session it is a node. A call that stands alone
// becomes one only once something in its run asks for its place: nothing is made for one whose run asks for nothing, so a frame is small.
type frame struct {
	context.Context               // of the caller
	outer           *place        // of the call itself; nil = it stands alone
	turn            *turn         // of a call that stands alone, that whose rounds so far come before; nil = none
	rec             *trace.Record // whose id, where it is free, and time are those of the node
	method          *registry.Method
	bound           *registry.Bound // what it runs with; nil = it does not run yet
	log             *slog.Logger
	isTool          bool // a model called it
	inside          atomic.Pointer[inside]
}

// inside is what a frame has once it is a node, or about to be one.
type inside struct {
	place // of what happens in the run

	mu     sync.Mutex
	id     string // of the node; "" = it is none yet
	fault  error  // why the graph did not take it
	status trace.Status
}

// call makes a frame that of a call which is made in ctx. rec is looked at later.
func (f *frame) call(ctx context.Context, e *Engine, m *registry.Method, rec *trace.Record, isTool bool) {
	f.outer, f.method, f.rec, f.log = placeOf(ctx), m, rec, e.log
	f.isTool = isTool || f.outer != nil && f.outer.picked != ""
}

// hook has f hear of the beginning and the end of a request's run. The end of one that returns with its result is told by whoever called.
func (f *frame) hook(req *registry.Request) {
	req.Begin = f.begin
	if done := req.Done; done != nil {
		req.Done = func(res registry.Result) {
			f.end(res)
			done(res)
		}
	}
	if late := req.Late; late != nil {
		req.Late = func(res registry.Result) {
			f.end(res)
			late(res)
		}
	}
}

// begin makes the frame the context of the run.
func (f *frame) begin(ctx context.Context, b *registry.Bound) context.Context {
	f.Context, f.bound = ctx, b
	if f.outer != nil {
		f.join()
	}
	return f
}

// Value gives the place of what happens in the run to whoever asks for it.
func (f *frame) Value(key any) any {
	if key == (placeKey{}) {
		return &f.within().place
	}
	return f.Context.Value(key)
}

// within is what is inside the frame, which is made now when it was not asked for before.
func (f *frame) within() *inside {
	if in := f.inside.Load(); in != nil {
		return in
	}
	in := &inside{place: place{caller: f, run: f}}
	if f.outer != nil {
		in.session = f.outer.session
	} else {
		in.session = &session{turn: f.turn}
	}
	if f.inside.CompareAndSwap(nil, in) {
		return in
	}
	return f.inside.Load()
}

// join adds the node of a call that is in a session.
func (f *frame) join() {
	if _, err := f.node(); err != nil {
		f.log.Warn("a call is not in its session", "method", f.method.Name, "error", err)
	}
}

// node is the id of the node, which is added now when it was not asked for before; "" for no frame. What runs in a call that the
// graph did not take has no node either: nobody could say who may see it.
func (f *frame) node() (string, error) {
	if f == nil {
		return "", nil
	}
	in := f.within()
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.id != "" || in.fault != nil {
		return in.id, in.fault
	}
	n := trace.Node{
		Kind: trace.KindCode, Name: f.method.Name, Doc: docOf(f.method), Tool: f.isTool,
		Expose: f.method.Expose, Range: f.method.RenderRange, Time: f.rec.Time,
	}
	if f.outer != nil {
		if n.Caller, in.fault = f.outer.caller.node(); in.fault != nil {
			return "", in.fault
		}
		n.Picked = f.outer.picked
	}
	in.id, in.fault = in.session.addAs(f.rec.ID, n, f.args())
	return in.id, in.fault
}

// args are the arguments as a graph keeps them; nil = none passed the checks.
func (f *frame) args() masked {
	if f.bound == nil {
		return nil
	}
	return masked(scrubJSON(f.bound.Masked(), f.scrub))
}

// docOf is what a history says of a method that a program called.
func docOf(m *registry.Method) string { return cmp.Or(m.Description, m.Summary) }

// end finishes the node when the run has ended, or was given up. What was given up may end once more.
func (f *frame) end(res registry.Result) {
	if f.bound != nil {
		f.finish(statusOf(res), res, nil)
	}
}

// refused tells of a call by name for which nothing ran: it was not run, or has the result of an earlier one.
func (f *frame) refused(res registry.Result, err error) {
	if f.bound != nil || f.outer == nil {
		return
	}
	status := trace.StatusNotRun
	if err == nil {
		f.bound = &res.Bound
		status = statusOf(res)
	}
	f.join()
	f.finish(status, res, err)
}

func (f *frame) finish(status trace.Status, res registry.Result, err error) {
	in := f.inside.Load()
	if in == nil || status == trace.StatusRunning {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.id == "" || in.status.IsFinal() || in.status == status {
		return
	}
	in.status = status
	e := trace.End{Status: status, Took: res.Took}
	switch {
	case err != nil:
		e.Error = f.scrub(err.Error())
	case status == trace.StatusDone:
		e.Output = f.scrub(plainText(res.Content))
	default:
		e.Error = f.scrub(plainText(res.Content))
	}
	if err := in.session.get().Finish(in.id, e); err != nil { // no call fails for it
		f.log.Warn("the end of a call is not in its session", "method", f.method.Name, "error", err)
	}
}

// statusOf is the status of a node whose run has come to that.
func statusOf(res registry.Result) trace.Status {
	switch res.State {
	case registry.Done:
		return trace.StatusDone
	case registry.NotRun:
		return trace.StatusNotRun
	case registry.Unknown:
		return trace.StatusUnknown
	case registry.Running:
		return trace.StatusRunning
	}
	if errors.Is(res.Err, context.Canceled) {
		return trace.StatusCancelled
	}
	return trace.StatusFailed
}

// scrub takes out of a text what is hidden or secret in the call, or in one in whose run it was made.
func (f *frame) scrub(text string) string {
	for f != nil && text != "" {
		if f.bound != nil {
			text = f.bound.Redact(text)
		}
		if f.outer == nil {
			break
		}
		f = f.outer.run
	}
	return text
}

// keep is what later rounds of a turn may see of the call; nil = nothing.
func (f *frame) keep(res registry.Result) *seen {
	if f.method.Expose == trace.ExposeHidden {
		return nil
	}
	s := &seen{Expose: f.method.Expose, IsTool: f.isTool}
	if args := f.args(); len(args) <= maxValue {
		s.Args = json.RawMessage(args)
	}
	if !f.isTool {
		s.Doc = docOf(f.method)
	}
	text := plainText(res.Content)
	if clean := f.scrub(text); clean != text {
		s.Output = &clean
	}
	return s
}
