package decide

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// refuse takes an answer as refused: nothing of it ran. The turn goes on with one try less (T2), or ends with
// what the decision has for that case (T4), or with nothing (T5).
func (r *reply) refuse(ctx context.Context, t *turn, d *Decision, tried *registry.Option, problem error) (Outcome, *turn, error) {
	at := attempt{Round: t.Round, At: r.now(), Verdict: refused, Text: r.digest, Reply: r.rec.Reply, Problem: recordable(problem), Number: t.Of - t.Tries + 1}
	if tried != nil {
		at.Option = tried.Name
	}
	if t.Tries > 1 && !t.spent() {
		return r.askAgain(ctx, t, at)
	}
	if o := r.fallback(t, d); o != nil {
		return r.fallBack(ctx, t, d, at, *o)
	}
	return r.exhaust(ctx, t, at)
}

// askAgain opens the next round with one try less: T2.
func (r *reply) askAgain(ctx context.Context, t *turn, at attempt) (Outcome, *turn, error) {
	now, won, err := r.step(ctx, Kill, t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.Tries--
		n.advance()
	})
	if err != nil || !won {
		return Outcome{}, now, err
	}
	r.counted(at)
	out := now.open(r.v, r.again(now, at))
	out.Option, out.Problem = at.Option, at.Problem.err()
	return out, nil, nil
}

// again words a refused answer for a turn that is open, with the ask that is current.
func (r *reply) again(t *turn, at attempt) string {
	d, ok := r.v.Decision(t.Decision)
	if !ok {
		return notRun(at.Problem.err())
	}
	a, err := r.ask(r.v, d, t)
	if err != nil {
		return notRun(at.Problem.err())
	}
	a.Title = fmt.Sprintf("%s, turn %s", d.Name, handle(t.ID, at.Round))
	return menu.Again(a, at.Number, t.Of, find(a.Options, at.Option), at.Problem.err())
}

// examples are the worked examples that again has shown in the turn so far.
func (r *reply) examples(t *turn, d *Decision) []menu.Pick {
	var shown []menu.Pick
	for _, at := range t.Attempts {
		if at.Verdict != refused {
			continue
		}
		options := r.v.Offered(d)
		if p, ok := menu.Example(options, at.Number, find(options, at.Option)); ok {
			shown = append(shown, p)
		}
	}
	return shown
}

// fallback is the option that is taken after the last refused answer; nil when there is none, or none that can be taken now.
func (r *reply) fallback(t *turn, d *Decision) *registry.Option {
	if d.OnFailure == "" {
		return nil
	}
	o := find(among(r.v.Offered(d), t.Offer), d.OnFailure)
	if o == nil || unusable(&Option{Name: o.Name, Again: o.Again}, o.Method) != "" {
		return nil
	}
	return o
}

// fallBack runs the decision's on_failure and ends the turn with it: T4. It is a read, so the run comes before the commit.
func (r *reply) fallBack(ctx context.Context, t *turn, d *Decision, at attempt, o registry.Option) (Outcome, *turn, error) {
	req := r.request(r.a.Caller, d.owner(o.Name), o.Method)
	req.Ceiling = registry.Read
	f := r.frame(ctx, t, o.Method, false)
	f.hook(&req)
	res, err := registry.Call(ctx, req)
	f.end(res)
	if err != nil {
		if ctx.Err() != nil {
			return Outcome{}, nil, err
		}
		return r.exhaust(ctx, t, at) // gated since
	}
	if ctx.Err() != nil && res.State != registry.Done {
		return Outcome{}, nil, ctx.Err() // stopped with its caller: the answer has not counted
	}
	at.Outcome = r.outcomeOf(o, res)
	at.Outcome.OnFailure = true
	now, won, err := r.step(ctx, Kill, t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.Tries = 0
		n.State, n.Origin, n.Ran = readState(res), "on_failure", true
	})
	if err != nil || !won {
		return Outcome{}, now, err
	}
	r.counted(at)
	out := now.outcome(fellBack(now, at))
	out.Option, out.Method, out.OnFailure, out.Result = o.Name, o.Method.Name, true, &res
	r.rec.Option, r.rec.Method, r.rec.Cut, r.rec.OnFailure = o.Name, o.Method.Name, res.Cut, true
	return out, nil, nil
}

// exhaust ends the turn with nothing: T5.
func (r *reply) exhaust(ctx context.Context, t *turn, at attempt) (Outcome, *turn, error) {
	now, won, err := r.step(ctx, Kill, t, func(n *turn) {
		n.Attempts = append(n.Attempts, at)
		n.Tries = 0
		n.State, n.Origin = Exhausted, "answer"
	})
	if err != nil || !won {
		return Outcome{}, now, err
	}
	r.counted(at)
	out := now.outcome(exhausted(now, at))
	out.Option, out.Problem = at.Option, now.failure()
	return out, nil, nil
}

// slip takes an answer that came in the wrong form, by the wrong tool, or for something that can't run now. Nothing ran; the turn stays
// as it is. Five of them a round are free, then each counts, or the same wrong answer could be given for ever.
func (r *reply) slip(ctx context.Context, t *turn, d *Decision, o *registry.Option, problem error) (Outcome, *turn, error) {
	if t.Slips >= freeSlips {
		return r.refuse(ctx, t, d, o, problem)
	}
	now, won, err := r.step(ctx, Kill, t, func(n *turn) { n.Slips++ })
	if err != nil || !won {
		return Outcome{}, now, err
	}
	if now.Slips > freeSlips {
		return r.refuse(ctx, now, d, o, problem)
	}
	out := now.open(r.v, slipped(now, problem))
	if o != nil {
		out.Option = o.Name
	}
	out.Problem = problem
	return out, nil, nil
}

// turnedAway takes a pick that the door did not run.
func (r *reply) turnedAway(ctx context.Context, t *turn, d *Decision, o registry.Option, err error) (Outcome, *turn, error) {
	if ctx.Err() != nil {
		return Outcome{}, nil, err
	}
	var no *registry.Refused
	if !errors.As(err, &no) {
		return r.refuse(ctx, t, d, &o, err)
	}
	if no.Kind == "approval_required" {
		err = &registry.Refused{Kind: no.Kind, Method: no.Method, Message: strings.TrimSuffix(no.Message, ".") + ". A person has to agree first, and this version can't ask one. Pick something else, or tell the user."}
	}
	return r.slip(ctx, t, d, &o, err)
}

// given is the answer as text, for the trail and for a *DecisionError.
func (r *reply) given() string {
	if r.a.Call == "" {
		return r.a.Text
	}
	if text, err := r.a.object(); err == nil {
		return text
	}
	return r.a.Call + " " + string(r.a.Args)
}
