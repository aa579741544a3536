package decide

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// machine drives the engine itself, step by step: two replicas over one store, a client that sends and resends, reloads, a
// clock. Each operation of the store and each effect is one step; between two steps of one answer any step
// of another may come. The same choices always give the same history.
type machine struct {
	rule    rule // that is switched off
	scope   scope
	setup   *setup
	store   *Memory
	engines [2]*Engine
	config  [2]int // which definitions each replica has
	calls   [2]*sending
	now     time.Time
	current *sending // whose goroutine runs; all others are parked
	dead    bool

	sends, expiries int // left
	id              string
	known           int // the newest round that the client has seen

	effects []effect
	notRun  map[string]bool   // "round text" of which the client was told that it did not run
	isDone  map[string]bool   // and that it is done
	bad     map[string]bool   // refused answers that were sent, "round text"
	broken  map[string]string // invariant → what broke it
}

type effect struct {
	key    string
	config int
}

// sending is one answer on its way through a replica.
type sending struct {
	m       *machine
	replica int
	round   int
	text    string
	view    int
	parked  chan string // what it will do next; "" = it has ended
	resume  chan struct{}
	next    string
	seen    []string // all that it has learned: what it does next depends on nothing else
	out     Outcome
	err     error
}

// setup is what all machines share: two states of the configuration.
type setup struct {
	views [2]*View
	bare  [2]*Engine
}

const machineRetries = 1

// What the client may send: two writes, a read after which the turn goes on, and two replies without a pick.
const (
	tag   = `{"call":"tag"}`
	pin   = `{"call":"pin"}`
	look  = `{"call":"look"}`
	no    = "no"
	never = "never"
)

type machineKey struct{}

func newSetup(t testing.TB) *setup {
	s := &setup{}
	for config := range 2 {
		run := func(ctx context.Context, _ registry.Args) (any, error) {
			ctx.Value(machineKey{}).(*machine).run(config)
			return "ran", nil
		}
		reg := registry.New()
		source := fmt.Sprint("definition ", config)
		for _, m := range []registry.Method{
			{Name: "tag", Summary: "Tags.", Effect: registry.Write, Source: source, Run: run},
			{Name: "pin", Summary: "Pins.", Effect: registry.Destructive, Run: run},
			{Name: "look", Summary: "Looks.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) { return "seen", nil }},
		} {
			if err := reg.Add(m); err != nil {
				t.Fatal(err)
			}
		}
		look := Func("look", "look")
		look.Again = true
		s.bare[config] = New(reg, Options{})
		if err := s.bare[config].Add(Decision{Name: "d", Prompt: "Pick.", MaxRetries: machineRetries, Options: []Option{Func("tag", "tag"), Func("pin", "pin"), look}}); err != nil {
			t.Fatal(err)
		}
		s.views[config] = s.bare[config].View()
	}
	return s
}

// scope bounds the histories.
type scope struct {
	sends   int
	texts   []string
	reloads bool // each replica may reload once
	expires bool // the turn's time may run out
}

func newMachine(s *setup, r rule, sc scope) *machine {
	m := &machine{rule: r, scope: sc, setup: s, sends: sc.sends, known: 1, now: time.UnixMilli(1_800_000_000_000),
		notRun: map[string]bool{}, isDone: map[string]bool{}, bad: map[string]bool{}, broken: map[string]string{}}
	if sc.expires {
		m.expiries = 1
	}
	now := func() time.Time { return m.now }
	m.store = NewMemory(MemoryLimits{Now: now})
	m.store.key = []byte("a key that is always the same one")
	for p := range m.engines {
		m.engines[p] = New(nil, Options{Store: &steppedStore{m.store, m}, Now: now, Random: func(b []byte) { clear(b) }})
		m.engines[p].patience = 0
	}
	d, _ := s.views[0].Decision("d")
	out, err := m.engines[0].Open(context.Background(), s.views[0], Opening{Decision: d, Caller: desk})
	if err != nil {
		panic(err)
	}
	m.id, _ = parseHandle(out.Handle)
	return m
}

// choice is one thing that can happen next.
type choice struct {
	what    string // advance, send, expire, force
	replica int
	round   int
	text    string
	reload  bool // the replica takes the new configuration first
	name    string
}

// choices are all that can happen next. A reload is part of the sending after it: what is under way keeps its view, so
// that a reload at any other moment is the same as one right before the next sending.
func (m *machine) choices() []choice {
	var list []choice
	for p, c := range m.calls {
		if c != nil {
			list = append(list, choice{what: "advance", replica: p, name: fmt.Sprintf("replica %d: %s", p, c.next)})
			continue
		}
		if m.sends == 0 || p == 1 && m.sends == m.scope.sends {
			continue // the replicas are alike until something is sent to one
		}
		for round := max(1, m.known-1); round <= m.known; round++ {
			for _, text := range m.scope.texts {
				c := choice{what: "send", replica: p, round: round, text: text, name: fmt.Sprintf("client sends %s in round %d to replica %d", text, round, p)}
				list = append(list, c)
				if m.scope.reloads && m.config[p] == 0 {
					c.reload, c.name = true, fmt.Sprintf("replica %d reloads; %s", p, c.name)
					list = append(list, c)
				}
			}
		}
	}
	if m.expiries > 0 {
		list = append(list, choice{what: "expire", name: "the turn's time is over"})
	}
	return append(list, m.rule.choices(m)...)
}

// do makes a choice come true.
func (m *machine) do(c choice) {
	switch c.what {
	case "advance":
		m.advance(m.calls[c.replica])
	case "send":
		if c.reload {
			m.config[c.replica] = 1
		}
		m.send(c.replica, c.round, c.text)
	case "expire":
		m.expiries--
		m.now = m.now.Add(time.Hour)
	case "force":
		m.force(State(c.text))
	}
}

// send starts an answer; it comes to rest before it reads the turn.
func (m *machine) send(replica, round int, text string) {
	m.sends--
	if !strings.HasPrefix(text, "{") {
		m.bad[key(round, text)] = true
	}
	c := &sending{m: m, replica: replica, round: round, text: text, view: m.config[replica], parked: make(chan string), resume: make(chan struct{})}
	m.calls[replica] = c
	m.current = c
	ctx := context.WithValue(context.Background(), machineKey{}, m)
	answer := Answer{Handle: handle(m.id, m.rule.round(m, round)), Text: text, Caller: desk}
	go func() {
		c.out, c.err = m.engines[replica].Answer(ctx, m.setup.views[c.view], answer)
		c.parked <- ""
	}()
	m.rest(c)
}

// advance lets a parked answer do its next step.
func (m *machine) advance(c *sending) {
	m.current = c
	c.resume <- struct{}{}
	m.rest(c)
}

// rest waits until the answer is parked before its next step, or has ended.
func (m *machine) rest(c *sending) {
	if c.next = <-c.parked; c.next == "" {
		m.calls[c.replica] = nil
		m.reply(c)
	}
}

// park stops the running goroutine before a step.
func (m *machine) park(next string) *sending {
	c := m.current
	if m.dead {
		return c
	}
	c.parked <- next
	<-c.resume
	return c
}

// end lets all goroutines come to their ends.
func (m *machine) end() {
	m.dead = true
	for _, c := range m.calls {
		if c != nil {
			m.current = c
			close(c.resume)
			<-c.parked
		}
	}
}

// run is the effect of a write.
func (m *machine) run(config int) {
	c := m.park("the effect of " + m.current.text)
	if m.dead {
		return
	}
	c.seen = append(c.seen, "ran")
	m.effects = append(m.effects, effect{key(c.round, c.text), config})
	row := m.row()
	at := row.last()
	if at == nil || at.Verdict != taken || row.State != Running && row.State != Unknown {
		m.breaks("I2", "an effect without its intent on record; the turn is %s", row.State)
		return
	}
	for _, o := range row.Offer {
		def, _ := m.setup.views[config].Methods.Find(o.Option)
		if o.Option == at.Option && def.Digest() != o.Digest {
			m.breaks("I4", "%s ran by another definition than the one offered", o.Option)
		}
	}
}

// reply is what the client learns.
func (m *machine) reply(c *sending) {
	if c.err != nil {
		return
	}
	k := key(c.round, c.text)
	if _, round := parseHandle(c.out.Handle); strings.HasPrefix(c.out.Handle, m.id+"-") && round > m.known {
		m.known = round
	}
	switch {
	case c.out.State == Done && c.out.Problem == nil && c.out.Result != nil:
		m.isDone[k] = true
	case c.out.Problem != nil || m.rule.tellsNotRun(c.out):
		m.notRun[k] = true
	}
}

func key(round int, text string) string { return fmt.Sprint(round, " ", text) }

func (m *machine) row() *turn {
	r, err := m.store.Turn(context.Background(), m.id)
	if err != nil {
		panic(err)
	}
	t, err := unpack(r)
	if err != nil {
		panic(err)
	}
	return t
}

func (m *machine) breaks(invariant, format string, args ...any) {
	if m.broken[invariant] == "" {
		m.broken[invariant] = fmt.Sprintf(format, args...)
	}
}

// check looks at what must hold between any two steps.
func (m *machine) check() {
	t := m.row()
	if len(m.effects) > 1 {
		m.breaks("I1", "%d effects in one turn", len(m.effects))
	}
	for _, e := range m.effects {
		if m.notRun[e.key] {
			m.breaks("I5", "%s ran although the client was told that it did not", e.key)
		}
		switch t.State {
		case Running, Done, Failed, Unknown:
		default:
			m.breaks("I7", "something ran and the turn is %s", t.State)
		}
	}
	for k := range m.isDone {
		round, text, _ := strings.Cut(k, " ")
		if at := t.attempt(int(round[0] - '0')); !strings.Contains(text, "look") && (t.State != Done || at == nil || at.Outcome == nil) {
			m.breaks("I6", "the client was told that %s is done, and the turn is %s", k, t.State)
		}
	}
	refusedNow, refusedAll := len(t.refusals()), 0
	for _, a := range t.Attempts {
		if a.Verdict == refused {
			refusedAll++
		}
	}
	if refusedAll > len(m.bad) {
		m.breaks("I9", "%d tries were spent on %d refused answers", refusedAll, len(m.bad))
	}
	if refusedNow > machineRetries+1 {
		m.breaks("I10", "%d answers were refused in a row", refusedNow)
	}
	if t.State == Open && t.Tries < 1 {
		m.breaks("I11", "the turn is open with %d tries", t.Tries)
	}
	if t.State == Running && m.calls[0] == nil && m.calls[1] == nil {
		m.breaks("I13", "the turn is running and nobody runs it")
	}
}

// key is all that decides how a history can go on.
func (m *machine) key() [32]byte {
	row, err := m.store.Turn(context.Background(), m.id)
	if err != nil {
		panic(err)
	}
	b := append(make([]byte, 0, 2048), row.Data...)
	b = fmt.Append(b, row.State, row.Round, row.Version, len(m.store.rows), m.config, m.sends, m.expiries, m.known, m.effects, m.broken)
	for _, c := range m.calls {
		if c != nil {
			b = append(b, c.next...)
			b = append(b, c.text...)
			b = append(b, byte(c.round), byte(c.view))
			for _, seen := range c.seen {
				b = append(b, seen...)
			}
		}
		b = append(b, 0)
	}
	for _, facts := range []map[string]bool{m.bad, m.notRun, m.isDone} {
		for _, k := range slices.Sorted(maps.Keys(facts)) {
			b = append(append(b, k...), 1)
		}
		b = append(b, 0)
	}
	return sha256.Sum256(b)
}

// steppedStore parks before each operation.
type steppedStore struct {
	*Memory
	m *machine
}

func (s *steppedStore) Turn(ctx context.Context, id string) (TurnRow, error) {
	c := s.m.park("reads the turn")
	if s.m.dead {
		return TurnRow{}, errDisk
	}
	r, err := s.Memory.Turn(ctx, id)
	c.seen = append(c.seen, fmt.Sprint("read ", r.Version, err))
	return s.m.rule.loaded(s.m, c, r), err
}

func (s *steppedStore) Do(ctx context.Context, class Class, f func(Tx) error) error {
	if s.m.current == nil { // the turn is opened
		return s.Memory.Do(ctx, class, f)
	}
	c := s.m.park("writes")
	if s.m.dead {
		return errDisk
	}
	return s.Memory.Do(ctx, class, func(tx Tx) error { return f(&steppedTx{tx, s.m, c}) })
}

// steppedTx breaks the rule that is switched off, and looks at what is swapped.
type steppedTx struct {
	Tx
	m *machine
	c *sending
}

func (tx *steppedTx) SwapTurn(was, next TurnRow) (TurnRow, bool, error) {
	before, err := tx.Turn(was.ID)
	if err != nil {
		return TurnRow{}, false, err
	}
	now, won, err := tx.m.rule.swap(tx.Tx, was, next)
	if won && before.State.Final() && now.State != before.State {
		tx.m.breaks("I8", "the turn was %s and became %s", before.State, now.State)
	}
	tx.c.seen = append(tx.c.seen, fmt.Sprint("swapped ", won, now.Version, err))
	return now, won, err
}

func (tx *steppedTx) InsertCall(r CallRow) (CallRow, bool, error) {
	if k := tx.m.store.calls.byKey[r.name()]; k != nil && tx.m.rule.anyCall {
		tx.m.store.calls.remove(k)
	}
	return tx.Tx.InsertCall(r)
}

func (tx *steppedTx) SwapCall(was, next CallRow) (CallRow, bool, error) {
	now, won, err := tx.Tx.SwapCall(was, next)
	tx.c.seen = append(tx.c.seen, fmt.Sprint("swapped the call ", won, err))
	return now, won, err
}
