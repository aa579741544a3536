package decide

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// world is an engine over a few methods, with a clock to turn, a store to break and counters of what ran.
type world struct {
	drawn atomic.Uint32 // random numbers so far; see random
	t     testing.TB
	reg   *registry.Registry
	eng   *Engine
	store *brokenStore
	trace *trace.Memory
	clock *clock

	wrote atomic.Int32 // runs of write and destructive methods
	read  atomic.Int32 // runs of read methods
	hold  chan struct{}
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// brokenStore is a store whose steps can be watched, and made to fail or to lose.
type brokenStore struct {
	Store
	mu     sync.Mutex
	steps  []string // "K open 1 -> open 2"
	before func(op string, c Class, was, next TurnRow) error
	awaits map[State]chan struct{}
	isCut  bool
}

// cut makes the store lose the connection when something of class Power is committed: it is written, and that is not known.
func (b *brokenStore) cut(is bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isCut = is
}

// on is closed when a turn has come to that state.
func (b *brokenStore) on(s State) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := make(chan struct{})
	b.awaits = map[State]chan struct{}{s: ch}
	return ch
}

func (b *brokenStore) reached(s State) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ch := b.awaits[s]; ch != nil {
		close(ch)
		delete(b.awaits, s)
	}
}

// each lets f look at every operation before it is done, and refuse it. Nil lets all pass.
func (b *brokenStore) each(f func(op string, c Class, was, next TurnRow) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = f
}

func (b *brokenStore) hook(op string, c Class, was, next TurnRow) error {
	b.mu.Lock()
	f := b.before
	b.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(op, c, was, next)
}

func (b *brokenStore) Turn(ctx context.Context, id string) (TurnRow, error) {
	if err := b.hook("load", Trail, TurnRow{ID: id}, TurnRow{}); err != nil {
		return TurnRow{}, err
	}
	return b.Store.Turn(ctx, id)
}

// Do runs f twice: once to see what it does, which is taken back, and then, if all that may be done, for good.
func (b *brokenStore) Do(ctx context.Context, c Class, f func(Tx) error) error {
	tx := &watchedTx{c: c}
	run := func(inner Tx) error {
		tx.Tx, tx.tried, tx.steps, tx.reached = inner, nil, nil, nil
		return f(tx)
	}
	err := b.Store.Do(ctx, c, func(inner Tx) error { return errors.Join(errTrial, run(inner)) })
	if !errors.Is(err, errTrial) {
		return err
	}
	if err := inOrder(tx.tried); err != nil {
		return err
	}
	for _, t := range tx.tried {
		if err := b.hook(t.op, c, t.was, t.next); err != nil {
			return err
		}
	}
	if err := b.Store.Do(ctx, c, run); err != nil {
		return err
	}
	b.mu.Lock()
	b.steps = append(b.steps, tx.steps...)
	isCut := b.isCut && c == Power
	b.mu.Unlock()
	if isCut {
		return errCut
	}
	for _, s := range tx.reached {
		b.reached(s)
	}
	return nil
}

// inOrder refuses a transaction that takes a call before its turn: two of which each waits for the other's row would stand still.
func inOrder(tried []operation) error {
	call := false
	for _, t := range tried {
		if t.op == "swap" && call {
			return errors.New("a call was taken before its turn")
		}
		call = call || t.op != "swap" && t.op != "insert"
	}
	return nil
}

var errCut = errors.New("the connection was lost while committing")

var errTrial = errors.New("only tried")

// watchedTx notes what is done to turns.
type watchedTx struct {
	Tx
	c       Class
	tried   []operation
	steps   []string
	reached []State
}

type operation struct {
	op        string
	was, next TurnRow
}

func (tx *watchedTx) note(format string, args ...any) {
	tx.steps = append(tx.steps, fmt.Sprintf(format, append([]any{[]string{"T", "K", "P"}[tx.c]}, args...)...))
}

func (tx *watchedTx) InsertTurn(r TurnRow) error {
	tx.tried = append(tx.tried, operation{"insert", TurnRow{}, r})
	err := tx.Tx.InsertTurn(r)
	if err == nil {
		tx.note("%s - -> %s %d", r.State, r.Round)
	}
	return err
}

func (tx *watchedTx) InsertCall(r CallRow) (CallRow, bool, error) {
	tx.tried = append(tx.tried, operation{op: "call"})
	return tx.Tx.InsertCall(r)
}

func (tx *watchedTx) SwapCall(was, next CallRow) (CallRow, bool, error) {
	op := "end"
	if next.State == registry.Running {
		op = "call"
	}
	tx.tried = append(tx.tried, operation{op: op})
	return tx.Tx.SwapCall(was, next)
}

func (tx *watchedTx) SwapTurn(was, next TurnRow) (TurnRow, bool, error) {
	tx.tried = append(tx.tried, operation{"swap", was, next})
	now, won, err := tx.Tx.SwapTurn(was, next)
	if won {
		tx.note("%s %s %d -> %s %d", was.State, was.Round, next.State, next.Round)
		tx.reached = append(tx.reached, next.State)
	}
	return now, won, err
}

// fail makes every operation of that name fail; "" makes all well again.
func (b *brokenStore) fail(op string) {
	b.each(func(o string, _ Class, _, _ TurnRow) error {
		if o == op {
			return errDisk
		}
		return nil
	})
}

var errDisk = errors.New("the disk is full")

func newWorld(t testing.TB) *world {
	w := &world{t: t, reg: registry.New(), clock: &clock{now: time.UnixMilli(1_800_000_000_000)}, hold: make(chan struct{})}
	w.store = &brokenStore{Store: NewMemory(MemoryLimits{Now: w.clock.Now})}
	w.trace = trace.NewMemory(trace.Limits{})
	w.must(w.reg.Replace(w.methods("")))
	w.eng = w.engine()
	return w
}

func (w *world) engine() *Engine {
	e := New(w.reg, Options{Store: w.store, Recorder: w.trace, Config: "test", Now: w.clock.Now, Random: w.random})
	w.must(e.Add(ticket()))
	return e
}

// methods are the methods of the world; source tells definitions of refund apart.
func (w *world) methods(source string) []registry.Method {
	order := registry.Param{Name: "order", Type: registry.String}
	return []registry.Method{
		{Name: "lookup", Summary: "Reads an order.", Effect: registry.Read, Params: []registry.Param{order}, Run: w.reads(nil)},
		{Name: "lookup_broken", Summary: "Reads an order, and fails.", Effect: registry.Read, Run: w.reads(errors.New("no such order"))},
		{Name: "refund", Summary: "Pays back.", Effect: registry.Destructive, Source: source, Run: w.writes(nil), Params: []registry.Param{
			order,
			{Name: "amount", Type: registry.Number},
			{Name: "note", Type: registry.String, Default: json.RawMessage(`"none"`)},
			{Name: "pin", Type: registry.String, Secret: true, Optional: true},
		}},
		{Name: "tag", Summary: "Tags an order.", Effect: registry.Write, Run: w.writes(nil)},
		{Name: "tag_broken", Summary: "Tags an order, and fails.", Effect: registry.Write, Run: w.writes(errors.New("no such order"))},
		{Name: "tag_missing", Summary: "Tags an order with a program that is not there.", Effect: registry.Write, Run: w.writes(registry.NotStarted(errors.New("no such program")))},
		{Name: "tag_killed", Summary: "Tags an order, perhaps.", Effect: registry.Write, Run: w.writes(registry.Uncertain(errors.New("killed")))},
		{Name: "tag_slow", Summary: "Tags an order when it may.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
			<-w.hold
			return w.writes(nil)(nil, nil)
		}},
		{Name: "wire", Summary: "Wires money.", Effect: registry.Destructive, Approval: &registry.Approval{}, Run: w.writes(nil)},
	}
}

func (w *world) reads(err error) registry.Func {
	return func(_ context.Context, args registry.Args) (any, error) {
		w.read.Add(1)
		return map[string]any{"order": args["order"], "total": json.Number("39.90")}, err
	}
}

func (w *world) writes(err error) registry.Func {
	return func(context.Context, registry.Args) (any, error) {
		return map[string]any{"n": w.wrote.Add(1)}, err
	}
}

// ticket is the decision of the world: two answers a round of looking.
func ticket() Decision {
	look := Func("look", "lookup")
	look.Again = true
	look.Description = "Read the order first."
	return Decision{
		Name: "ticket", Summary: "Settle a ticket.", Prompt: "Handle this ticket:\n{text}\nPick exactly one option.",
		Params: []registry.Param{{Name: "text", Type: registry.String}},
		Options: []Option{look, Func("peek", "lookup"), Func("peek_broken", "lookup_broken"), Func("refund", "refund"), Func("tag", "tag"),
			Func("tag_broken", "tag_broken"), Func("tag_missing", "tag_missing"), Func("tag_killed", "tag_killed"), Func("tag_slow", "tag_slow"),
			Func("wire", "wire"), Value("close", map[string]string{"status": "closed"})},
		MaxRetries: 1,
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

var desk = registry.Caller{ID: "os:1000"}

// open opens a turn on the decision ticket.
func (w *world) open() Outcome {
	w.t.Helper()
	return w.openOn(w.eng, Host)
}

func (w *world) openOn(e *Engine, c Channel) Outcome {
	w.t.Helper()
	v := e.View()
	d, ok := v.Decision("ticket")
	if !ok {
		w.t.Fatal("there is no decision ticket")
	}
	out, err := e.Open(context.Background(), v, Opening{Decision: d, Inputs: json.RawMessage(`{"text":"It broke."}`), Caller: desk, Channel: c})
	w.must(err)
	return out
}

// pick answers with a pick in parts.
func (w *world) pick(handle, call, args string) Outcome {
	w.t.Helper()
	return w.answer(Answer{Handle: handle, Call: call, Args: json.RawMessage(args)})
}

// say answers with a reply in prose.
func (w *world) say(handle, text string) Outcome {
	w.t.Helper()
	return w.answer(Answer{Handle: handle, Text: text})
}

func (w *world) answer(a Answer) Outcome {
	w.t.Helper()
	if a.Caller.ID == "" {
		a.Caller = desk
	}
	out, err := w.eng.Answer(context.Background(), w.eng.View(), a)
	w.must(err)
	return out
}

// turn reads a turn's row.
func (w *world) turn(h string) *turn {
	w.t.Helper()
	id, _ := parseHandle(h)
	row, err := w.store.Store.Turn(context.Background(), id)
	w.must(err)
	t, err := unpack(row)
	w.must(err)
	return t
}

// is checks where a turn is: its state and round, the tries left and the writes that ran.
func (w *world) is(h string, state State, round, tries int, wrote int32) {
	w.t.Helper()
	t := w.turn(h)
	if t.State != state || t.Round != round || t.Tries != tries {
		w.t.Errorf("the turn is %s in round %d with %d tries, want %s, %d, %d", t.State, t.Round, t.Tries, state, round, tries)
	}
	if got := w.wrote.Load(); got != wrote {
		w.t.Errorf("%d writes ran, want %d", got, wrote)
	}
}

// stepped checks the last step of the store.
func (w *world) stepped(want string) {
	w.t.Helper()
	w.store.mu.Lock()
	defer w.store.mu.Unlock()
	if got := w.store.steps[len(w.store.steps)-1]; got != want {
		w.t.Errorf("the last step is %q, want %q", got, want)
	}
}

// random is the same in each run, and gives no id twice: it counts, and spreads the digits of the count over the numbers that an id
// is made of.
func (w *world) random(b []byte) {
	n := w.drawn.Add(1)
	for i := 0; i+4 <= len(b); i += 4 {
		binary.BigEndian.PutUint32(b[i:], n%uint32(len(alphabet)))
		n /= uint32(len(alphabet))
	}
}
