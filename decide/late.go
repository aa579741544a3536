package decide

import (
	"context"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// late takes an answer to a round that has been answered, or to a turn that is closed. Nothing of it ever runs.
func (r *reply) late(ctx context.Context, t *turn) (Outcome, *turn, error) {
	at := t.attempt(r.round)
	same := at != nil && r.same(t, at)
	switch {
	case same && at.running() && t.State == Running:
		return r.wait(ctx, t)
	case same && at.Verdict == taken && t.State == Unknown:
		return r.doubted(ctx, t, at)
	case same && at.Verdict == taken:
		return r.recorded(t, at), nil, nil
	case same && at.Verdict == refused && (t.State == Open || at.Outcome != nil):
		return r.recorded(t, at), nil, nil
	case t.State == Expired || t.State == Exhausted || t.State == Denied:
		return r.closed(ctx, t)
	case same && at.Verdict == refused:
		return r.recorded(t, at), nil, nil
	}
	return r.notTaken(t, at), nil, nil
}

// doubted takes an equal answer to a pick whose end is not known. It is run again when its method is made for that.
func (r *reply) doubted(ctx context.Context, t *turn, at *attempt) (Outcome, *turn, error) {
	if p, d, ok := r.repicked(t); ok && d.digest == t.Digest && stands(t.Offer, r.v.Offered(d)) {
		if out, winner, repeated, err := r.repeat(ctx, t, at, p, d); repeated || err != nil {
			return out, winner, err
		}
	}
	return r.recorded(t, at), nil, nil
}

func (a *attempt) running() bool { return a.Verdict == taken && a.Outcome == nil }

// same reports whether the answer is the one that the round was given: the same text or, of a pick that was taken, the same option with
// the same arguments, whatever stands around them.
func (r *reply) same(t *turn, at *attempt) bool {
	if at.Text == r.digest {
		return true
	}
	if at.Pick == "" {
		return false
	}
	p, _, ok := r.repicked(t)
	return ok && p.digest == at.Pick
}

// repicked reads the pick of an answer to a round that has been answered.
func (r *reply) repicked(t *turn) (p picked, d *Decision, ok bool) {
	if misformed(r.a) != nil {
		return p, nil, false
	}
	if d, ok = r.v.Decision(t.Decision); !ok {
		return p, nil, false
	}
	offered := r.v.Offered(d)
	pick, err := r.read(d, offered)
	if err != nil {
		return p, nil, false
	}
	o := find(offered, pick.Name)
	if o == nil {
		return p, nil, false
	}
	bound, err := o.Method.Check(pick.Args)
	if err != nil {
		return p, nil, false
	}
	return picked{option: *o, args: pick.Args, digest: r.pickDigest(o.Name, bound)}, d, true
}

// recorded tells what the round's answer came to. Nothing runs for it.
func (r *reply) recorded(t *turn, at *attempt) Outcome {
	out := t.open(r.v, "")
	out.Recorded, out.Option = true, at.Option
	if t.State != Open {
		out.Handle = handle(t.ID, at.Round)
	}
	if at.Outcome != nil {
		out = at.Outcome.told(out)
		out.Text = recordedRun(t, at)
		return out
	}
	if at.Verdict == taken { // its end is not known
		out.Text = unknownText(at)
		out.Result = &registry.Result{State: registry.Unknown}
		return out
	}
	out.Problem = at.Problem.err()
	out.Text = recordedRefusal(t, notRun(out.Problem))
	if t.State == Open {
		out.Text = recordedRefusal(t, r.again(t, *at))
	}
	return out
}

// notTaken refuses an answer to a round that got another one.
func (r *reply) notTaken(t *turn, at *attempt) Outcome {
	out := t.open(r.v, notTakenText(t, at))
	out.Problem = ErrNotTaken
	if t.State == Open {
		out.Text += "\n\n" + r.current(r.v, t)
	}
	return out
}

// poll is how often a turn is looked at that another process runs.
const poll = 250 * time.Millisecond

// wait waits for the end of the equal answer that runs, a little while.
func (r *reply) wait(ctx context.Context, t *turn) (Outcome, *turn, error) {
	if r.patience <= 0 {
		return r.stillRunning(t), nil, nil
	}
	limit := time.NewTimer(r.patience)
	defer limit.Stop()
	look := time.NewTicker(poll)
	defer look.Stop()
	for {
		here := r.runs.ended(t.ID)
		tick := look.C
		if here != nil {
			tick = nil
		}
		select {
		case <-ctx.Done():
			return Outcome{}, nil, ctx.Err()
		case <-limit.C:
			return r.stillRunning(t), nil, nil
		case <-here:
		case <-tick:
		}
		now, err := r.load(ctx, t.ID) // unknown by now, when the other process has died
		if err != nil {
			return Outcome{}, nil, err
		}
		if now == nil {
			return r.nothing(ErrNoTurn, noTurnText), nil, nil
		}
		if now.State != Running {
			return Outcome{}, now, nil
		}
	}
}

// stillRunning is no error: the run goes on, and the same answer sent again learns how it ended.
func (r *reply) stillRunning(t *turn) Outcome {
	at := t.last()
	out := t.outcome(runningText(t, at))
	out.Handle, out.Option, out.Recorded = handle(t.ID, at.Round), at.Option, !r.left
	return out
}

// nothing is the outcome for a turn that the caller is told nothing about.
func (r *reply) nothing(problem error, text string) Outcome {
	return Outcome{Handle: shownHandle(r.a.Handle), Text: text, Problem: problem}
}
