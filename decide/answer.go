package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Answer takes one answer. A reply that can be mended is an Outcome with a Problem; the error is for a
// broken store or a cancelled context, and means that nothing is known to have changed.
func (e *Engine) Answer(ctx context.Context, v *View, a Answer) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	if a.Channel == "" {
		a.Channel = Host
	}
	r := &reply{Engine: e, v: e.orCurrent(v), a: a, digest: e.textDigest(a)}
	r.rec = trace.Record{Time: e.now(), Path: path(a.Channel), Caller: a.Caller.ID, Turn: shownHandle(a.Handle), Reason: folded(a.Reason)}
	r.rec.ReplyDigest = r.digest
	ctx = e.begin(ctx, &r.rec)
	out, err := r.answer(ctx)
	r.record(ctx, out, err)
	return out, err
}

// reply is one answer on its way through the engine.
type reply struct {
	*Engine
	v      *View
	a      Answer
	round  int
	digest string      // of the answer as it came
	shown  []menu.Pick // worked examples in the asks before
	rec    trace.Record
	left   bool // the run goes on without the caller, and its end writes the record
}

// maxLost is how often an answer is looked at again because another one came in between. Each time the turn has moved on, so
// twice is the rule and more is a sign of a broken store.
const maxLost = 4 * maxRounds

func (r *reply) answer(ctx context.Context) (Outcome, error) {
	// Long ids can't be found by trying, so that a pause would only hold up the other clients of the same principal.
	if !r.longIDs && r.guesses.paused(r.a.Caller.ID, r.now()) {
		return r.nothing(ErrPaused, pausedText), nil
	}
	id, round := parseHandle(r.a.Handle)
	t, err := r.load(ctx, id)
	if err != nil {
		return Outcome{}, err
	}
	if !r.mine(t) || round < 1 || round > t.Round {
		if id != "" && !r.longIDs && !r.mine(t) {
			r.guesses.count(r.a.Caller.ID, r.now())
		}
		return r.nothing(ErrNoTurn, noTurnText), nil
	}
	r.round = round
	r.rec.Turn, r.rec.Decision = handle(id, round), t.Decision
	ctx = r.within(ctx, t)
	for range maxLost {
		out, winner, err := r.take(ctx, t)
		if errors.Is(err, ErrNoTurnRow) { // forgotten while it was looked at
			return r.nothing(ErrNoTurn, noTurnText), nil
		}
		if winner == nil || err != nil {
			return out, err
		}
		t = winner
	}
	return Outcome{}, fmt.Errorf("turn %s: it changes faster than an answer can be taken", id)
}

// load reads a turn; nil when there is none. What is still to be written about it is written first.
func (e *Engine) load(ctx context.Context, id string) (*turn, error) {
	e.runs.pay(ctx, id)
	row, err := e.store.Turn(ctx, id)
	if errors.Is(err, ErrNoTurnRow) {
		return nil, nil
	}
	if err != nil {
		return nil, &StoreError{"reading turn " + id, err}
	}
	t, err := unpack(row)
	if err != nil {
		return nil, err
	}
	return e.reaped(ctx, t), nil
}

// mine reports whether the answer may know of the turn: it is the principal's, of this configuration, on this
// channel. A slip in the round of such a turn is no guess at an id, and neither is what can't be a handle.
func (r *reply) mine(t *turn) bool {
	return t != nil && t.Principal == r.a.Caller.ID && t.Config == r.config && t.Channel == r.a.Channel &&
		(r.a.Decision == "" || r.a.Decision == t.Decision) && !r.isElsewhere(t)
}

// take holds an answer against the turn as it was read. A winner is the turn as somebody else has moved it meanwhile: the answer is
// to be held against that.
func (r *reply) take(ctx context.Context, t *turn) (out Outcome, winner *turn, err error) {
	if t.State == Open && !r.now().Before(t.Expires) {
		return r.expire(ctx, t)
	}
	if t.State != Open || t.Round != r.round {
		return r.late(ctx, t)
	}
	d, ok := r.v.Decision(t.Decision)
	if !ok || d.digest != t.Digest || !stands(t.Offer, r.v.Offered(d)) {
		return r.drift(ctx, t, d)
	}
	r.keepReply(d)
	if problem := misformed(r.a); problem != nil {
		return r.slip(ctx, t, d, nil, problem)
	}
	offered := among(r.v.Offered(d), t.Offer)
	r.shown = r.examples(t, d)
	pick, err := r.read(d, offered)
	if off, ok := r.offPick(d, err); ok {
		pick, err, offered = off, nil, r.v.all(d)
	}
	if err != nil {
		return r.refuse(ctx, t, d, subject(err, offered), err)
	}
	o := find(offered, pick.Name)
	if o == nil {
		return Outcome{}, nil, fmt.Errorf("turn %s: the reader gave %q, which is not offered", t.ID, pick.Name)
	}
	r.note(pick, o)
	if o.Method.Off != "" {
		return r.run(ctx, t, d, picked{option: *o}) // the door says why not
	}
	if err := Inexact(pick, *o); err != nil {
		return r.refuse(ctx, t, d, o, InPlaces(err, r.given(), offered, r.how(d)))
	}
	if r.a.Ceiling != "" && !r.a.Ceiling.Covers(o.Method.Effect.Or()) {
		return r.slip(ctx, t, d, o, wrongTool(o, t))
	}
	bound, err := o.Method.Check(pick.Args)
	if err != nil {
		return r.refuse(ctx, t, d, o, err)
	}
	r.rec.Args, r.rec.Dropped = bound.Masked(), bound.Dropped
	return r.run(ctx, t, d, picked{option: *o, args: pick.Args, digest: r.pickDigest(o.Name, bound)})
}

// note writes down which option a pick is of, and how it was read.
func (r *reply) note(pick menu.Pick, o *registry.Option) {
	r.rec.Option, r.rec.Method = o.Name, o.Method.Name
	r.rec.Strategy, r.rec.Form, r.rec.Repaired = string(pick.Strategy), pick.Form, pick.Repaired()
	if r.a.Call != "" {
		r.rec.Strategy, r.rec.Form = inParts, ""
	}
}

// inParts is the strategy, in a record, of a pick that was given as call and args: there was nothing to find.
const inParts = "parts"

// read reads the pick out of the answer. A pick given in parts goes through the reader too, so that both forms are held to
// the same rules.
func (r *reply) read(d *Decision, offered []registry.Option) (menu.Pick, error) {
	if r.a.Call == "" {
		return menu.Parse(r.a.Text, offered, r.how(d))
	}
	if len(r.a.Args) > 0 {
		if _, err := validate.Decode(r.a.Args); err != nil {
			return menu.Pick{}, about(r.a.Call, err)
		}
	}
	text, err := r.a.object()
	if err != nil {
		return menu.Pick{}, err
	}
	return menu.Parse(text, offered, r.how(d))
}

// how says how the answer is read.
func (r *reply) how(d *Decision) menu.Reading {
	how := d.Reading
	how.Cut, how.Shown = r.a.Cut, r.shown
	if r.a.Call != "" {
		how.Phrases = nil // a name is not a sentence
	}
	return how
}

// about says which option an error is about.
func about(option string, err error) error {
	var invalid *validate.Error
	if !errors.As(err, &invalid) {
		return err
	}
	return validate.NewError(option, invalid.Problems...)
}

// offPick finds out whether an unknown pick names an option that is left out since its method can't run now: that is
// another thing to be told than that there is no such option.
func (r *reply) offPick(d *Decision, err error) (menu.Pick, bool) {
	var invalid *validate.Error
	if !errors.As(err, &invalid) || invalid.Kind != validate.UnknownCall {
		return menu.Pick{}, false
	}
	all := r.v.all(d)
	pick, err := r.read(d, all)
	if err != nil {
		return menu.Pick{}, false
	}
	o := find(all, pick.Name)
	return pick, o != nil && o.Method.Off != ""
}

// object is a pick given in parts, as the reply it stands for.
func (a Answer) object() (string, error) {
	b, err := json.Marshal(struct {
		Call string          `json:"call"`
		Args json.RawMessage `json:"args,omitempty"`
	}{a.Call, a.Args})
	return string(b), err
}

// misformed says what is wrong with the form of an answer: it has to be a reply or a pick.
func misformed(a Answer) error {
	p := validate.Problem{Path: "call, text", Expected: "one of the two", Hint: "Give call with args, or text alone."}
	switch {
	case a.Call != "" && a.Text != "":
		p.Kind, p.Read = validate.Ambiguous, "both"
	case a.Text != "" && a.hasArgs():
		p.Path, p.Kind, p.Read = "text, args", validate.Ambiguous, "text and args"
	case a.Call == "" && a.Text == "":
		p.Kind, p.Read = validate.NoAction, "neither"
	default:
		return nil
	}
	return validate.NewError("", p)
}

// hasArgs reports whether arguments were given. Beside a text they would be lost: the pick in it has its own.
func (a Answer) hasArgs() bool {
	v, err := validate.Decode(a.Args)
	if err != nil {
		return len(bytes.TrimSpace(a.Args)) > 0
	}
	fields, ok := v.(map[string]any)
	return v != nil && (!ok || len(fields) > 0)
}

// wrongTool refuses a pick that came through a tool below its effect and names the right one.
func wrongTool(o *registry.Option, t *turn) error {
	effect := o.Method.Effect.Or()
	return &registry.Refused{Kind: "ceiling", Method: o.Name, Message: fmt.Sprintf(
		"%s is [%s]: call %s with turn %q and the same call and args.", o.Name, effect, PickTool(effect), t.handle())}
}

// stands reports whether all that was offered is still offered and would still run the same.
func stands(offered []offer, now []registry.Option) bool {
	for _, was := range offered {
		o := find(now, was.Option)
		if o == nil || o.Method.Digest() != was.Digest || o.Again != was.Again {
			return false
		}
	}
	return true
}

// among are the options that were offered; one that has come since is not.
func among(now []registry.Option, offered []offer) []registry.Option {
	was := make(map[string]bool, len(offered))
	for _, o := range offered {
		was[o.Option] = true
	}
	var list []registry.Option
	for _, o := range now {
		if was[o.Name] {
			list = append(list, o)
		}
	}
	return list
}

func find(options []registry.Option, name string) *registry.Option {
	for i := range options {
		if options[i].Name == name {
			return &options[i]
		}
	}
	return nil
}

// subject is the option that an error speaks of; nil when none was recognised.
func subject(err error, offered []registry.Option) *registry.Option {
	var invalid *validate.Error
	if !errors.As(err, &invalid) {
		return nil
	}
	return find(offered, invalid.Subject)
}

// step swaps a turn for what apply makes of it, as long as it still is in the same state and round; a counter that somebody
// else raised meanwhile is no reason to lose. Won or not, the turn that is there afterwards comes back. What also does is
// part of the same transaction, when it is won. A step that has begun no longer hangs on the caller.
func (e *Engine) step(ctx context.Context, c Class, t *turn, apply func(*turn), also ...func(Tx) error) (now *turn, won bool, err error) {
	ctx = context.WithoutCancel(ctx)
	for range maxLost {
		next := t.clone()
		apply(next)
		row, err := next.pack()
		if err != nil {
			return nil, false, err
		}
		var stored TurnRow
		err = e.store.Do(ctx, c, func(tx Tx) (err error) {
			if stored, won, err = tx.SwapTurn(t.TurnRow, row); err != nil || !won {
				return err
			}
			for _, f := range also {
				if err := f(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, false, &StoreError{"writing turn " + t.ID, err}
		}
		if won {
			next.TurnRow = stored
			return next, true, nil
		}
		if now, err = unpack(stored); err != nil {
			return nil, false, err
		}
		if now.State != t.State || now.Round != t.Round {
			return now, false, nil
		}
		t = now
	}
	return nil, false, fmt.Errorf("turn %s: it changes faster than it can be written", t.ID)
}
