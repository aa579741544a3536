package decide

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Open opens a turn and returns its ask. The error means that nothing was opened: a *validate.Error when the inputs
// do not fit, a *FullError when there are too many turns.
func (e *Engine) Open(ctx context.Context, v *View, o Opening) (Outcome, error) {
	r := trace.Record{Time: e.now(), Path: path(o.Channel), Caller: o.Caller.ID, State: "opened"}
	if o.Decision != nil {
		r.Decision = o.Decision.Name
	}
	ctx = e.begin(ctx, &r)
	out, err := e.open(ctx, e.orCurrent(v), o)
	r.Took, r.Turn = e.now().Sub(r.Time), out.Handle
	if err != nil {
		r.State, r.Error = string(refused), inAWord(err)
	} else {
		r.Menu = e.menuDigest(out.Text)
	}
	e.record(ctx, r)
	return out, err
}

func (e *Engine) open(ctx context.Context, v *View, o Opening) (Outcome, error) {
	if o.Decision == nil || o.Decision.inputs == nil {
		return Outcome{}, errors.New("opening a turn: the decision was not added to an engine")
	}
	if _, err := o.Decision.inputs.Check(o.Inputs); err != nil {
		return Outcome{}, err
	}
	t, err := e.newTurn(v, o)
	if err != nil {
		return Outcome{}, err
	}
	within := trace.ScopeOf(ctx)
	t.Trace, t.TraceParent = within.Root, within.TraceParent
	if err := e.insert(ctx, t); err != nil { // T1
		var full *FullError
		if errors.As(err, &full) {
			return Outcome{}, fmt.Errorf("opening a turn on %q: %w", o.Decision.Name, err)
		}
		return Outcome{}, &StoreError{"opening a turn on " + o.Decision.Name, err}
	}
	a, err := e.ask(v, o.Decision, t)
	if err != nil {
		return Outcome{}, err
	}
	return t.open(v, a.String()), nil
}

// newTurn is a turn in its first round, without an id.
func (e *Engine) newTurn(v *View, o Opening) (*turn, error) {
	d := o.Decision
	offered := offers(v.Offered(d))
	if len(offered) == 0 || len(offered) == 1 && d.None {
		return nil, &registry.Refused{Kind: "gated", Method: d.Name, Message: fmt.Sprintf("None of the options of %s can be picked now.", d.Name)}
	}
	now := e.now()
	channel := o.Channel
	if channel == "" {
		channel = Host
	}
	t := &turn{}
	t.Principal, t.Config, t.State, t.Round, t.Version = o.Caller.ID, e.config, Open, 1, 1
	t.Opened, t.Expires = now, now.Add(d.ttl())
	t.Decision, t.Digest, t.Channel, t.Full, t.Inputs = d.Name, d.digest, channel, o.Full, o.Inputs
	t.Opener = e.owner()
	t.Offer, t.Tries, t.Of, t.Drifts = offered, d.MaxRetries+1, d.MaxRetries+1, maxDrifts
	return t, nil
}

// insert stores a new turn under an id that no live row has, and that was not given out before. Short ids grow when the
// short ones run out. Long ones are random enough never to come twice, so nobody has to remember them.
func (e *Engine) insert(ctx context.Context, t *turn) error {
	const length, perLength = 3, 8
	for i := range 4 * perLength {
		if t.ID = e.newID(length + i/perLength); !e.longIDs && !e.issued.first(t.ID) {
			continue
		}
		row, err := t.pack()
		if err != nil {
			return err
		}
		if err = e.store.Do(ctx, Kill, func(tx Tx) error { return tx.InsertTurn(row) }); !errors.Is(err, ErrTaken) {
			return err
		}
	}
	return errors.New("no free turn id was found")
}

// offers are the options of an ask as a row keeps them.
func offers(options []registry.Option) []offer {
	list := make([]offer, len(options))
	for i, o := range options {
		list[i] = offer{Option: o.Name, Digest: o.Method.Digest(), Again: o.Again}
	}
	return list
}
