package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mcp-decide/mcp-decide/registry"
)

// picked is a pick that passed every check.
type picked struct {
	option registry.Option
	args   json.RawMessage
	digest string
}

// run runs a pick and moves the turn by what came of it. A read with an approval rule takes the way of a write.
func (r *reply) run(ctx context.Context, t *turn, d *Decision, p picked) (Outcome, *turn, error) {
	if m := p.option.Method; m.Effect.Or() == registry.Read && m.Approval == nil {
		return r.look(ctx, t, d, p)
	}
	return r.write(ctx, t, d, p)
}

// asked is what the door is asked for a pick.
func (r *reply) asked(d *Decision, p picked) registry.Request {
	req := r.request(r.a.Caller, d.owner(p.option.Name), p.option.Method)
	req.Args, req.Ceiling = p.args, r.a.Ceiling
	return req
}

// look runs a read and then closes the turn (T6), or opens its next round when the option says so (T6a). Of two equal
// answers both may run; the second to commit tells what the first one recorded.
func (r *reply) look(ctx context.Context, t *turn, d *Decision, p picked) (Outcome, *turn, error) {
	o := p.option
	res, err := registry.Call(ctx, r.asked(d, p))
	if err != nil {
		return r.turnedAway(ctx, t, d, o, err)
	}
	if ctx.Err() != nil && res.State != registry.Done {
		return Outcome{}, nil, ctx.Err() // stopped with its caller: the same answer may come again
	}
	r.rec.Cut = res.Cut
	at := r.attempt(t, p)
	at.Outcome = r.outcomeOf(o, res)
	now, won, err := r.step(ctx, Kill, t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.Ran = true
		if o.Again && res.State == registry.Done && !n.spent() {
			n.Tries, n.Of = d.MaxRetries+1, d.MaxRetries+1
			n.Offer, n.Digest = offers(r.v.Offered(d)), d.digest
			n.advance()
			return
		}
		n.State, n.Origin = readState(res), "answer"
	})
	if err != nil || !won {
		return Outcome{}, now, err
	}
	r.counted(at)
	return r.ranNow(now, at, &res), nil, nil
}

// readState is the state of a turn after a read: one that did not end well has failed, since nothing was
// changed that could be in doubt.
func readState(res registry.Result) State {
	switch res.State {
	case registry.Done:
		return Done
	case registry.NotRun:
		return NotRun
	}
	return Failed
}

// attempt is the entry of a pick that was taken.
func (r *reply) attempt(t *turn, p picked) attempt {
	return attempt{Round: t.Round, At: r.now(), Verdict: taken, Text: r.digest, Pick: p.digest, Option: p.option.Name, Number: t.Of - t.Tries + 1}
}

// ranNow is the outcome of a pick that this answer ran.
func (r *reply) ranNow(t *turn, at attempt, res *registry.Result) Outcome {
	out := t.open(r.v, ran(t, at))
	if t.State != Open {
		out.Handle = handle(t.ID, at.Round)
	}
	out.Option, out.Method, out.Result = at.Outcome.Option, at.Outcome.Method, res
	return out
}

// write runs a pick that changes something. The claim is on record before the run starts (T7) and the result after it has
// ended (T13), whether or not the caller is still there.
func (r *reply) write(ctx context.Context, t *turn, d *Decision, p picked) (Outcome, *turn, error) {
	w := &writing{reply: r, t: t, p: p}
	o := p.option
	req := r.asked(d, p)
	req.Intent, req.Done, req.Late = w.claim, w.ended, w.late
	res, err := registry.Call(ctx, req)
	switch {
	case w.fault != nil:
		return Outcome{}, nil, w.fault
	case w.crowded != nil:
		out := t.open(r.v, notRun(w.crowded)+fmt.Sprintf(" Turn %s is still open.", t.handle()))
		out.Option, out.Problem = o.Name, w.crowded
		return out, nil, nil
	case w.winner != nil:
		return Outcome{}, w.winner, nil
	case err != nil && w.claimed == nil:
		return r.turnedAway(ctx, t, d, o, err)
	case err != nil: // the door had the claim and still ran nothing
		res = registry.Result{Method: o.Method, State: registry.NotRun, Content: []registry.Block{registry.Text(err.Error())}, Err: err}
	}
	if res.State == registry.Running && w.leave() {
		return r.stillRunning(w.claimed), nil, nil
	}
	if res.State == registry.Running {
		res = *w.result
	}
	r.rec.Cut = res.Cut
	return w.outcome(res), nil, nil
}

// writing is one run of a write, from its claim to its end.
type writing struct {
	*reply
	t *turn
	p picked

	claimed *turn // as the claim left it; nil = there is no claim
	winner  *turn // who claimed the round instead
	fault   error // the claim could not be written
	crowded error // too many runs go on without their callers

	settling sync.Mutex
	result   *registry.Result // once the run has ended
	gone     bool             // the caller has been told that it still runs
	unpaid   bool             // the result could not be written yet
}

// claim is T7: the turn is taken for this run, or nothing runs.
func (w *writing) claim(ctx context.Context, _ registry.Bound) error {
	if w.crowded = w.strays.room(w.p.option.Method); w.crowded != nil {
		return w.crowded
	}
	at := w.attempt(w.t, w.p)
	at.Call = w.letters(8)
	now, won, err := w.step(ctx, Power, w.t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.State, n.Ran, n.Owner = Running, true, w.owner()
	})
	switch {
	case err != nil:
		w.fault = fmt.Errorf("not run, since the intent could not be recorded: %w", err)
		return w.fault
	case !won:
		w.winner = now
		return ErrNotTaken
	}
	w.claimed = now
	w.counted(at)
	w.runs.begin(now.ID)
	return nil
}

// ended takes the result when the run has ended, or was given up: T13.
func (w *writing) ended(res registry.Result) {
	if w.claimed == nil {
		return
	}
	w.settling.Lock()
	defer w.settling.Unlock()
	if w.result != nil {
		return
	}
	w.result = &res
	w.settle(res)
	if w.gone {
		w.strays.end()
		r := *w.reply
		r.left, r.rec.Cut = false, res.Cut
		r.record(context.Background(), Outcome{State: State(res.State), Result: &res}, nil)
	}
}

// late takes the result of a run that was given up as unknown: T14.
func (w *writing) late(res registry.Result) {
	w.settling.Lock()
	defer w.settling.Unlock()
	w.settle(res)
}

// leave lets the caller go while the run goes on; false when it has ended by now.
func (w *writing) leave() bool {
	w.settling.Lock()
	defer w.settling.Unlock()
	if w.result != nil {
		return false
	}
	w.gone, w.left = true, true
	w.strays.begin()
	return true
}

// settle writes the end of the run into the turn. What can't be written now is owed.
func (w *writing) settle(res registry.Result) {
	id, call, done := w.claimed.ID, w.claimed.last().Call, w.outcomeOf(w.p.option, res)
	pay := func(ctx context.Context) error { return w.Engine.settle(ctx, id, call, done) }
	if err := pay(context.Background()); err != nil {
		w.log.Error("the result of a call is not recorded yet", "turn", id, "call", call, "error", err)
		w.unpaid = true
		w.runs.owe(id, pay)
	}
	w.runs.end(id)
}

// outcome settles what the door returned and tells it.
func (w *writing) outcome(res registry.Result) Outcome {
	w.ended(res)
	at := *w.claimed.last()
	at.Outcome = w.outcomeOf(w.p.option, res)
	t := w.claimed.clone()
	t.State = State(res.State)
	out := w.ranNow(t, at, &res)
	if w.unpaid {
		out.Text += " " + notRecorded
	}
	return out
}

// settle writes the end of a call into its turn. A call whose end is known keeps it.
func (e *Engine) settle(ctx context.Context, id, call string, done *outcome) error {
	row, err := e.turns.Load(ctx, id)
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	if err != nil {
		return err
	}
	t, err := unpack(row)
	for err == nil {
		at := t.last()
		late := t.State == Unknown && done.State != registry.Unknown
		if at == nil || at.Call != call || t.State != Running && !late {
			return nil
		}
		var won bool
		if t, won, err = e.step(ctx, settleClass(done, late), t, func(n *turn) {
			n.State, n.Origin = State(done.State), "answer"
			n.last().Outcome = done
		}); won {
			return nil
		}
	}
	return err
}

func settleClass(done *outcome, late bool) Class {
	if late || done.Effect == registry.Destructive || done.State == registry.Unknown {
		return Power
	}
	return Kill
}

// outcomeOf is a result as a row keeps it: with its content, which is capped, and its value where that is small.
func (e *Engine) outcomeOf(o registry.Option, res registry.Result) *outcome {
	done := &outcome{
		At: e.now(), Option: o.Name, Method: o.Method.Name, Effect: o.Method.Effect.Or(), Kind: o.Method.Kind,
		State: res.State, Content: res.Content,
	}
	if res.Err != nil {
		done.Error = res.Err.Error()
	}
	if value, err := json.Marshal(res.Value); err == nil && res.Value != nil && len(value) <= maxValue {
		done.Value = value
	}
	return done
}
