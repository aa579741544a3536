package decide

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// write runs a pick that changes something. The claim is on record before the run starts (T7) and the result after it has
// ended (T13), whether or not the caller is still there.
func (r *reply) write(ctx context.Context, t *turn, d *Decision, p picked) (Outcome, *turn, error) {
	key := fmt.Sprintf("turn %s of %d", t.ID, t.Opened.UnixMicro()) // a short id comes again, while a settled call is still there
	w := &writing{reply: r, t: t, p: p, call: r.newIntent(r.a.Caller.ID, key, p.option)}
	w.call.row.Turn, w.call.body.Decision, w.call.body.Option = t.ID, t.Decision, p.option.Name
	return w.through(ctx, d, w.claim)
}

// repeat runs the pick of a turn once more whose end is not known (C7), when its method and its record allow it; false when they don't.
func (r *reply) repeat(ctx context.Context, t *turn, at *attempt, p picked, d *Decision) (out Outcome, winner *turn, repeated bool, err error) {
	bound, err := p.option.Method.Check(p.args)
	if err != nil {
		return Outcome{}, nil, false, nil
	}
	calls, err := r.store.Calls(ctx, WantedCalls{ID: at.Call, Limit: 1})
	if err != nil || len(calls) == 0 {
		return Outcome{}, nil, false, err
	}
	w := &writing{reply: r, t: t, p: p, call: r.newIntent(r.a.Caller.ID, "", p.option)}
	if !w.call.repeats(calls[0], bound) {
		return Outcome{}, nil, false, nil
	}
	out, winner, err = w.through(ctx, d, w.reclaim)
	return out, winner, true, err
}

// writing is one run of a write that was picked in a turn.
type writing struct {
	*reply
	t    *turn
	p    picked
	call *intent

	claimed *turn // as the claim left it
	winner  *turn // who claimed the round instead
	fault   error // the claim could not be written
	crowded error // too many runs go on without their callers
}

// through goes through the door with a claim as the intent, and tells what came of it.
func (w *writing) through(ctx context.Context, d *Decision, claim func(context.Context, registry.Bound) error) (Outcome, *turn, error) {
	o := w.p.option
	req, f := w.asked(d, w.p), w.frame(ctx, w.t, o.Method, w.a.Channel != Command)
	req.Intent, req.Done, req.Late = claim, w.call.ended, w.call.late
	f.hook(&req)
	w.call.told = w.recordEnd
	res, err := registry.Call(ctx, req)
	switch {
	case w.fault != nil:
		return Outcome{}, nil, w.fault
	case w.crowded != nil:
		out := w.t.open(w.v, notRun(w.crowded)+stillOpen(w.t))
		out.Option, out.Problem = o.Name, w.crowded
		return out, nil, nil
	case w.winner != nil:
		return Outcome{}, w.winner, nil
	case err != nil && !w.call.begun:
		return w.turnedAway(ctx, w.t, d, o, err)
	case err != nil: // the door had the claim and still ran nothing
		res = registry.Result{Method: o.Method, State: registry.NotRun, Content: []registry.Block{registry.Text(err.Error())}, Err: err}
	}
	if res.State == registry.Running && w.call.leave(&w.left) {
		return w.stillRunning(w.claimed), nil, nil
	}
	if res.State == registry.Running {
		res = *w.call.result
	}
	res = w.call.whole(res)
	w.rec.Cut = res.Cut
	return w.outcome(res), nil, nil
}

func stillOpen(t *turn) string {
	if t.State != Open {
		return ""
	}
	return fmt.Sprintf(" Turn %s is still open.", t.handle())
}

// claim is T7 with C1: the turn is taken for this run, or nothing runs.
func (w *writing) claim(ctx context.Context, b registry.Bound) error {
	w.call.with(b)
	at := w.attempt(w.t, w.p)
	at.Call = w.call.row.ID
	err := w.hold(ctx, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.State, n.Ran, n.Owner = Running, true, w.owner()
	}, func(tx Tx) error {
		other, err := w.call.put(tx)
		if err == nil && other != nil {
			err = fmt.Errorf("call %s of this turn is on record already", other.ID)
		}
		return err
	})
	if err == nil {
		w.counted(at)
	}
	return err
}

// reclaim is T14 backwards, with C7: the same call is begun once more.
func (w *writing) reclaim(ctx context.Context, _ registry.Bound) error {
	err := w.hold(ctx, func(n *turn) {
		n.State, n.Owner = Running, w.owner()
		n.last().Outcome = nil
	}, w.call.again)
	if errors.Is(err, errMoved) {
		w.winner, w.fault = w.load(ctx, w.t.ID)
		return ErrNotTaken
	}
	return err
}

// hold moves the turn and the call in one transaction.
func (w *writing) hold(ctx context.Context, apply func(*turn), call func(Tx) error) error {
	if w.crowded = w.strays.room(w.p.option.Method); w.crowded != nil {
		return w.crowded
	}
	now, won, err := w.step(ctx, Power, w.t, apply, call)
	switch {
	case err != nil:
		w.call.turn = w.t
		if !errors.Is(err, errMoved) {
			w.call.doubtful(err)
		}
		w.fault = &StoreError{"recording the intent to run " + w.p.option.Method.Name, unwrapped(err)}
		return w.fault
	case !won:
		w.winner = now
		return ErrNotTaken
	}
	w.claimed, w.call.turn = now, now
	w.rec.Call = w.call.row.ID
	w.call.start()
	return nil
}

// recordEnd writes the record of a run that has ended without its caller.
func (w *writing) recordEnd(res registry.Result) {
	r := *w.reply
	r.left, r.rec.Cut = false, res.Cut
	r.record(context.Background(), Outcome{State: State(res.State), Result: &res}, nil)
}

// outcome settles what the door returned and tells it.
func (w *writing) outcome(res registry.Result) Outcome {
	w.call.ended(res)
	at := *w.claimed.last()
	at.Outcome = w.call.done
	t := w.claimed.clone()
	t.State = State(res.State)
	out := w.ranNow(t, at, &res)
	if w.call.unpaid {
		out.Text += " " + notRecorded
	}
	return out
}
