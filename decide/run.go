package decide

import (
	"context"
	"encoding/json"

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

// frame is the frame of a method that this answer runs.
func (r *reply) frame(ctx context.Context, t *turn, m *registry.Method, isTool bool) *frame {
	f := &frame{turn: t}
	f.call(ctx, r.Engine, m, &r.rec, isTool)
	return f
}

// look runs a read and then closes the turn (T6), or opens its next round when the option says so (T6a). Of two equal
// answers both may run; the second to commit tells what the first one recorded.
func (r *reply) look(ctx context.Context, t *turn, d *Decision, p picked) (Outcome, *turn, error) {
	o := p.option
	req, f := r.asked(d, p), r.frame(ctx, t, o.Method, r.a.Channel != Command)
	f.hook(&req)
	res, err := registry.Call(ctx, req)
	f.end(res)
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
			n.last().Seen = f.keep(res)
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
