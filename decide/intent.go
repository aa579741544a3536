package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// intent is one run of a method that may change something, from the record of the intent to run it (C1) to its end (C2 to C5), whether or
// not the caller is still there. A call that was picked in a turn moves together with it, in one transaction.
type intent struct {
	*Engine
	option registry.Option
	turn   *turn // as it stands in the store; nil = a native call
	row    CallRow
	body   callBody
	stored CallRow               // the row once the intent is on record
	told   func(registry.Result) // writes the record once the run has ended without its caller

	settling sync.Mutex
	begun    bool
	result   *registry.Result // once the run has ended
	done     *outcome         // the same, as rows keep it
	gone     bool             // the caller has been told that it still runs
	unpaid   bool             // the result could not be written yet

	writing sync.Mutex // held while row and turn are written: what is owed may be paid by anybody
}

// callBody is what stands in the data of a call.
type callBody struct {
	Digest   string          `json:"digest,omitempty"` // of what runs and with what
	Decision string          `json:"decision,omitempty"`
	Option   string          `json:"option,omitempty"`
	Effect   registry.Effect `json:"effect"`
	Kind     registry.Kind   `json:"kind"`
	Args     json.RawMessage `json:"args,omitempty"` // without hidden values, secret ones masked
	Runs     int             `json:"runs"`           // how often it was begun
	Outcome  *outcome        `json:"outcome,omitempty"`
	Settled  *settled        `json:"settled,omitempty"`
}

// settled says who said how an unknown call ended.
type settled struct {
	By  string    `json:"by"`
	At  time.Time `json:"at"`
	Why string    `json:"why,omitempty"`
}

const (
	maxKey       = 200            // bytes of a native call's key
	keyMemory    = 24 * time.Hour // how long after its beginning a call is known by its key
	maxKeyed     = 256 << 10      // bytes of the outcome that are kept for a key
	maxRuns      = 4              // the first one, and three of a method that is idempotent
	callIDLength = 8
)

// newIntent is a call that is not on record yet.
func (e *Engine) newIntent(who, key string, o registry.Option) *intent {
	c := &intent{Engine: e, option: o}
	c.row = CallRow{
		ID: e.letters(callIDLength), Principal: who, Config: e.config, Key: key, Method: o.Method.Name, State: registry.Running, Owner: e.owner(), Began: e.now(),
	}
	c.body = callBody{Effect: o.Method.Effect.Or(), Kind: o.Method.Kind, Runs: 1}
	return c
}

// with says what the call is made with.
func (c *intent) with(b registry.Bound) {
	c.body.Args = b.Masked()
	c.body.Digest = c.callDigest(c.option.Method, b)
}

// callDigest tells calls apart by what runs and with what.
func (e *Engine) callDigest(m *registry.Method, b registry.Bound) string {
	return e.mac("call", m.Name, m.Digest(), string(b.Canonical()))
}

func unpackCall(r CallRow) (b callBody, err error) {
	if err := json.Unmarshal(r.Data, &b); err != nil {
		return b, fmt.Errorf("call %s: reading its row: %w", r.ID, err)
	}
	return b, nil
}

func (r CallRow) holding(b callBody) (CallRow, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return r, fmt.Errorf("call %s: writing its row: %w", r.ID, err)
	}
	r.Data = data
	return r, nil
}

// put is C1: the intent goes on record. Another call may have the key; then that one comes back and this one may not run.
func (c *intent) put(tx Tx) (other *CallRow, err error) {
	row, err := c.row.holding(c.body)
	if err != nil {
		return nil, err
	}
	now, inserted, err := tx.InsertCall(row)
	if err != nil {
		return nil, err
	}
	if !inserted {
		return &now, nil
	}
	c.stored = now
	return nil, nil
}

// again is C7: a call whose end is not known is begun once more, by this process. errMoved means that somebody else was there before.
func (c *intent) again(tx Tx) error {
	next := c.row
	next.State, next.Owner, next.Released, next.Expires = registry.Running, c.owner(), false, time.Time{}
	next, err := next.holding(c.body)
	if err != nil {
		return err
	}
	now, swapped, err := tx.SwapCall(c.row, next)
	if err == nil && !swapped {
		err = errMoved
	}
	c.stored = now
	return err
}

// errMoved says that a row has moved on since it was read.
var errMoved = errors.New("the row has moved on")

// repeats makes of c a call whose end is not known, to be begun once more. False: it may not, or is another one.
func (c *intent) repeats(was CallRow, with registry.Bound) bool {
	b, err := unpackCall(was)
	if err != nil || b.Digest != c.callDigest(c.option.Method, with) || !c.isRepeatable(c.option.Method, was, b) {
		return false
	}
	b.Runs++
	b.Outcome = nil
	c.row, c.body = was, b
	return true
}

// isRepeatable reports whether a call may be begun once more: the same one, of a method that says that a second equal call changes nothing
// further, and that nobody is busy with. What the caller alone can fill in may be another thing by now.
func (e *Engine) isRepeatable(m *registry.Method, was CallRow, b callBody) bool {
	if !m.Idempotent || was.State != registry.Unknown || b.Runs >= maxRuns {
		return false
	}
	for i := range m.Params {
		if m.Params[i].Hidden() {
			return false
		}
	}
	return was.Released || !e.isAlive(was.Owner)
}

// start notes that the intent is on record, so that the run may begin.
func (c *intent) start() {
	c.begun, c.row = true, c.stored
	c.runs.begin(c.stored.place())
}

// place is what others wait at for the end of a call.
func (r CallRow) place() string { return cmp.Or(r.Turn, r.ID) }

// doubtful is called when the intent may or may not be on record. Nothing ran, and that is written down as soon as the store can be written. Where
// another call has the id, there is no doubt, and that call is not to be touched.
func (c *intent) doubtful(err error) {
	if errors.Is(err, ErrTaken) {
		return
	}
	none := c.outcomeOf(c.option, c.whole(registry.Result{State: registry.NotRun, Content: []registry.Block{registry.Text("The intent could not be recorded, so nothing was started.")}}))
	c.runs.owe(c.row.place(), func(ctx context.Context) error {
		c.writing.Lock()
		row, t, err := c.reload(ctx)
		if err == nil {
			c.row, c.turn = row, t
		}
		c.writing.Unlock()
		if err != nil || row.ID == "" {
			return err
		}
		return c.write(ctx, none, true)
	})
}

// whole is what all runs of the call came to together. One that was not begun says nothing about those before it, whose end is not known.
func (c *intent) whole(res registry.Result) registry.Result {
	if res.State == registry.NotRun && c.body.Runs > 1 {
		res.State = registry.Unknown
		res.Content = append([]registry.Block{registry.Text("It was not begun once more, and it is not known whether it ran before.")}, res.Content...)
	}
	return res
}

// ended takes the result when the run has ended, or was given up: C2, C3 or C4, with T13.
func (c *intent) ended(res registry.Result) {
	if !c.begun {
		return
	}
	c.settling.Lock()
	defer c.settling.Unlock()
	if c.result != nil {
		return
	}
	res = c.whole(res)
	c.result, c.done = &res, c.outcomeOf(c.option, res)
	c.settle(c.done, !res.Pending)
	if c.gone {
		c.strays.end()
		c.told(res)
	}
}

// late takes the result of a run that was given up as unknown: C5, with T14.
func (c *intent) late(res registry.Result) {
	c.settling.Lock()
	defer c.settling.Unlock()
	c.settle(c.outcomeOf(c.option, res), !res.Pending)
}

// leave lets the caller go while the run goes on, and marks that; false when it has ended by now.
func (c *intent) leave(left *bool) bool {
	c.settling.Lock()
	defer c.settling.Unlock()
	if c.result != nil {
		return false
	}
	c.gone, *left = true, true
	c.strays.begin()
	return true
}

// settle writes the end of the run. What can't be written now is owed.
func (c *intent) settle(done *outcome, released bool) {
	pay := func(ctx context.Context) error { return c.write(ctx, done, released) }
	if err := pay(context.Background()); err != nil {
		c.log.Error("the result of a call is not recorded yet", "method", c.stored.Method, "turn", c.stored.Turn, "call", c.stored.ID, "error", err)
		c.unpaid = true
		c.runs.owe(c.stored.place(), pay)
	}
	c.runs.end(c.stored.place())
}

// write writes the end of a call, and of its turn. A call whose end is known keeps it, and one that somebody else has taken over is his.
// released says that nothing further will be told.
func (c *intent) write(ctx context.Context, done *outcome, released bool) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	row, t := c.row, c.turn
	for range maxLost {
		next, class, ok, err := c.next(row, done, released)
		if err != nil || !ok {
			return err
		}
		var now CallRow
		var moved *turn
		err = c.store.Do(ctx, class, func(tx Tx) (err error) {
			if moved, err = move(tx, t, row.ID, done); err != nil { // the turn first, as everywhere
				return err
			}
			var swapped bool
			if now, swapped, err = tx.SwapCall(row, next); err == nil && !swapped {
				err = errMoved
			}
			return err
		})
		switch {
		case err == nil:
			c.row, c.turn = now, moved
			return nil
		case errors.Is(err, ErrNoCallRow):
			return nil
		case !errors.Is(err, errMoved):
			return err
		}
		if row, t, err = c.reload(ctx); err != nil || row.ID == "" {
			return err
		}
	}
	return fmt.Errorf("call %s: it changes faster than it can be written", c.row.ID)
}

// next is the row once the end is written; false when there is nothing to write.
func (c *intent) next(row CallRow, done *outcome, released bool) (next CallRow, class Class, ok bool, err error) {
	late := row.State == registry.Unknown && !row.Released
	if row.Owner != c.owner() || row.State != registry.Running && !late {
		return next, class, false, nil
	}
	if late && done.State == registry.Unknown && !released {
		return next, class, false, nil
	}
	next, class = row, settleClass(done, late)
	next.State, next.Released = done.State, released
	if row.Key != "" && row.Turn == "" && done.State != registry.NotRun {
		next.Expires = row.Began.Add(keyMemory) // the same call sent again gets this outcome
	}
	if next.Final() && next.Expires.IsZero() { // it goes, and nobody reads what is in it
		return next, class, true, nil
	}
	b, err := unpackCall(row)
	if err != nil {
		return next, class, false, err
	}
	b.Outcome = done.kept()
	next, err = next.holding(b)
	return next, class, err == nil, err
}

// move writes the end of a call into its turn.
func move(tx Tx, t *turn, call string, done *outcome) (*turn, error) {
	if t == nil || t.State != Running && (t.State != Unknown || done.State == registry.Unknown) {
		return t, nil
	}
	if at := t.last(); at == nil || at.Call != call {
		return t, nil
	}
	n := t.clone()
	n.State, n.Origin = State(done.State), "answer"
	n.last().Outcome = done
	row, err := n.pack()
	if err != nil {
		return nil, err
	}
	now, swapped, err := tx.SwapTurn(t.TurnRow, row)
	if err == nil && !swapped {
		err = errMoved
	}
	n.TurnRow = now
	return n, err
}

// reload reads the call and its turn again. Without an error and an id there is no such call any more.
func (c *intent) reload(ctx context.Context) (row CallRow, t *turn, err error) {
	err = c.store.Do(ctx, Trail, func(tx Tx) (err error) {
		if row, err = tx.Call(c.row.ID); err != nil || row.Turn == "" {
			return err
		}
		tr, err := tx.Turn(row.Turn)
		if err != nil {
			return err
		}
		t, err = unpack(tr)
		return err
	})
	if errors.Is(err, ErrNoCallRow) || errors.Is(err, ErrNoTurnRow) {
		return CallRow{}, nil, nil
	}
	return row, t, err
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
	if len(res.Structured) <= maxValue {
		done.Structured = res.Structured
	}
	if value, err := json.Marshal(res.Value); err == nil && res.Value != nil && len(value) <= maxValue {
		done.Value = value
	}
	return done
}

// kept is the outcome as it is kept for a key: without a content that is very large.
func (o *outcome) kept() *outcome {
	n := len(o.Value) + len(o.Structured)
	for _, b := range o.Content {
		n += 100 + len(b.Text) + len(b.Data) + len(b.URI) + len(b.Description) + len(b.Annotations) + len(b.Meta)
	}
	if n <= maxKeyed {
		return o
	}
	small := *o
	small.Value, small.Structured = nil, nil
	small.Content = []registry.Block{registry.Text("This call was made before under the same key and is not run again; its result was too large to be kept.")}
	return &small
}
