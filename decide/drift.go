package decide

import (
	"context"
	"errors"
	"fmt"
)

// drift gives a new ask because what was offered has changed since: T3. The answer is not looked at and does not
// count. The fourth time, and when nothing is left to offer, the turn expires.
func (r *reply) drift(ctx context.Context, t *turn, d *Decision) (Outcome, *turn, error) {
	at := attempt{Round: t.Round, At: r.now(), Verdict: drifted, Text: r.digest}
	if !r.canOffer(t, d) || t.Drifts == 0 || t.spent() {
		now, won, err := r.step(ctx, Kill, t, func(n *turn) {
			n.Attempts = append(n.Attempts, at)
			n.State = Expired
		})
		if err != nil || !won {
			return Outcome{}, now, err
		}
		return r.closed(ctx, now)
	}
	now, won, err := r.step(ctx, Kill, t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.Digest, n.Offer = d.digest, offers(r.v.Offered(d))
		n.Drifts--
		n.advance()
	})
	if err != nil || !won {
		return Outcome{}, now, err
	}
	a, err := r.ask(r.v, d, now)
	if err != nil {
		return Outcome{}, nil, err
	}
	out := now.open(r.v, "Not run: what can be picked has changed since it was asked. This did not count as an answer. Pick again:\n\n"+a.String())
	out.Problem = ErrChanged
	return out, nil, nil
}

// canOffer reports whether the decision as it is now can be asked with the turn's inputs.
func (r *reply) canOffer(t *turn, d *Decision) bool {
	if d == nil {
		return false
	}
	n := len(r.v.Offered(d))
	if n == 0 || n == 1 && d.None {
		return false
	}
	_, err := d.inputs.Check(t.Inputs)
	return err == nil
}

// expire closes a turn whose time is over: T12. It stays so, should the clock go back.
func (r *reply) expire(ctx context.Context, t *turn) (Outcome, *turn, error) {
	now, _, err := r.step(ctx, Kill, t, func(n *turn) { n.State = Expired })
	return Outcome{}, now, err // whoever closed it, the answer is late now
}

// closed tells the state of a turn that takes no answers. Only for an expired one in which nothing ran is there a fresh turn.
func (r *reply) closed(ctx context.Context, t *turn) (Outcome, *turn, error) {
	out := t.outcome(closedText(t))
	switch t.State {
	case Expired:
		out.Problem = ErrExpired
	case Exhausted:
		out.Problem = t.failure()
	default:
		out.Problem = ErrNotTaken
	}
	if t.State != Expired || t.Ran {
		return out, nil, nil
	}
	fresh, err := r.fresh(ctx, t)
	if err != nil {
		return Outcome{}, nil, err
	}
	if fresh == nil {
		return out, nil, nil
	}
	text := out.Text + fmt.Sprintf(" A new turn, %s, is open:\n\n", fresh.handle()) + r.current(r.v, fresh)
	out = fresh.open(r.v, text)
	out.Problem = ErrExpired
	return out, nil, nil
}

// fresh is the turn that stands in the place of an expired one: one for all who come late. Nil when there is none, or it has been answered.
func (r *reply) fresh(ctx context.Context, t *turn) (*turn, error) {
	if t.Next != "" {
		next, err := r.load(ctx, t.Next)
		if err != nil || next == nil || next.State != Open || next.Round != 1 || !r.now().Before(next.Expires) {
			return nil, err
		}
		return next, nil
	}
	d, ok := r.v.Decision(t.Decision)
	if !ok || !r.canOffer(t, d) {
		return nil, nil
	}
	next, err := r.newTurn(r.v, Opening{Decision: d, Inputs: t.Inputs, Caller: r.a.Caller, Channel: t.Channel, Full: t.Full})
	if err != nil {
		return nil, nil
	}
	next.Trace, next.TraceParent = t.Trace, t.TraceParent
	if err := r.insert(ctx, next); err != nil {
		var full *FullError
		if errors.As(err, &full) {
			return nil, nil
		}
		return nil, err
	}
	now, _, err := r.step(ctx, Kill, t, func(n *turn) {
		if n.Next == "" {
			n.Next = next.ID
		}
	})
	if errors.Is(err, ErrNoTurnRow) { // it was forgotten to make room for the new one
		return next, nil
	}
	if err != nil || now.Next == next.ID {
		return next, err
	}
	if _, _, err := r.step(ctx, Kill, next, func(n *turn) { n.State = Expired }); err != nil { // somebody else's was first
		return nil, err
	}
	return r.fresh(ctx, now)
}
