package decide

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// processes are several engines over one store, each with a life of its own.
type processes struct {
	*world
	mu   sync.Mutex
	dead map[string]bool

	onAlive func() // what happens while somebody finds out whether a process lives
}

// sharedStore is the store as one of them sees it.
type sharedStore struct {
	*brokenStore
	p    *processes
	name string
}

func (s *sharedStore) Owner() string { return s.name }

func (s *sharedStore) Alive(owner string) (bool, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	if s.p.onAlive != nil {
		s.p.onAlive()
	}
	return !s.p.dead[owner], nil
}

func newProcesses(t testing.TB) *processes {
	p := &processes{world: newWorld(t), dead: map[string]bool{}}
	add := func(m registry.Method) { p.must(p.reg.Add(m)) }
	p.eng = p.process("a")
	add(registry.Method{Name: "again", Summary: "Sets something.", Effect: registry.Write, Idempotent: true, Run: func(context.Context, registry.Args) (any, error) {
		if p.wrote.Add(1) < 3 {
			return nil, registry.Uncertain(errors.New("cut off"))
		}
		return "set", nil
	}})
	add(registry.Method{Name: "doubt", Summary: "Is cut off.", Effect: registry.Write, Idempotent: true, Run: func(context.Context, registry.Args) (any, error) {
		p.wrote.Add(1)
		return nil, registry.Uncertain(errors.New("cut off"))
	}})
	d := ticket()
	d.Options = append(d.Options, Func("again", "again"), Func("doubt", "doubt"))
	p.must(p.eng.Replace([]Decision{d}))
	return p
}

// process is another engine over the same methods and the same store.
func (p *processes) process(name string) *Engine {
	e := New(p.reg, Options{Store: &sharedStore{p.store, p, name}, Recorder: p.trace, Config: "test", Now: p.clock.Now, Random: p.random, LongIDs: true})
	e.patience = 0
	d := ticket()
	p.must(e.Add(d))
	return e
}

// other is a further engine with the same decisions as the first one.
func (p *processes) other(name string) *Engine {
	e := p.process(name)
	d := ticket()
	d.Options = append(d.Options, Func("again", "again"), Func("doubt", "doubt"))
	p.must(e.Replace([]Decision{d}))
	return e
}

func (p *processes) kill(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead[name] = true
}

func (p *processes) calls(w WantedCalls) []CallInfo {
	p.t.Helper()
	list, err := p.eng.Calls(context.Background(), w)
	p.must(err)
	return list
}

// only is the one call on record, as it stands, without anybody looking after it first.
func (p *processes) only() CallRow {
	p.t.Helper()
	rows, err := p.store.Store.Calls(context.Background(), WantedCalls{})
	p.must(err)
	if len(rows) != 1 {
		p.t.Fatalf("%d calls are on record: %+v", len(rows), rows)
	}
	return rows[0]
}

// leaves calls a method that waits, and leaves it running.
func (p *processes) leaves(e *Engine, c Call) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		synctest.Wait()
		cancel()
	}()
	c.Caller = desk
	res, err := e.Call(ctx, e.View(), c)
	if err != nil || res.State != registry.Running {
		p.t.Errorf("leaving: %+v, %v", res, err)
	}
}

// Each row of the machine of a call.
func TestCallRows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *processes){
		"C1 is on record before the effect":               rowC1,
		"C1 no intent, no run":                            rowC1Fails,
		"C1 reads have no row":                            rowC1Read,
		"C2 C3 C4 the end is on record":                   rowC2,
		"C2 not recorded is tried again":                  rowC2Owed,
		"C4 of a dead process":                            rowC4,
		"C5 a late result":                                rowC5,
		"C5 not once it was settled":                      rowC5Settled,
		"C6 a person says how it ended":                   rowC6,
		"C6 not while its process may tell":               rowC6Alive,
		"C6 what did not run gives its key back":          rowC6NotRun,
		"C7 an idempotent native call is begun again":     rowC7,
		"C7 an idempotent pick is begun again":            rowC7Pick,
		"C7 three times at most":                          rowC7Spent,
		"C7 not what another process is busy with":        rowC7Busy,
		"C7 not what is not idempotent":                   rowC7Never,
		"K6 the same key at once in several processes":    rowK6,
		"C7 a later run that is not begun says nothing":   rowC7NotRun,
		"C7 an intent that may be on record runs nothing": rowC7Doubtful,
		"C4 not found dead for good":                      rowC4Back,
		"K6 the same key again after a doubtful intent":   rowDoubtfulAgain,
		"K6 an id that another call has":                  rowTaken,
		"C5 while what is owed is paid":                   rowC5Owed,
		"K6 an id of a turn that comes again":             rowIDAgain,
		"C4 of a call that is gone meanwhile":             rowC4Gone,
		"K6 a key is of one caller and configuration":     rowKeyOf,
		"K6 an intent that may be on record runs nothing": rowDoubtful,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test(t, newProcesses(t)) })
		})
	}
}

func rowC1(t *testing.T, p *processes) {
	for _, c := range []Call{{Method: "spy"}, {Method: "spy", Key: "k"}} {
		var seen CallRow
		p.must(p.reg.Replace(append(p.methods(""), registry.Method{Name: "spy", Summary: "Looks.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
			seen = p.only()
			return nil, nil
		}})))
		if _, err := p.call(c); err != nil {
			t.Fatal(err)
		}
		if seen.State != registry.Running || seen.Owner != "a" || seen.Method != "spy" || seen.Principal != desk.ID || seen.Key != c.Key {
			t.Errorf("while it ran its row was %+v", seen)
		}
		if n, want := len(p.calls(WantedCalls{})), len(c.Key); n != want {
			t.Errorf("key %q: afterwards %d calls are on record, want %d", c.Key, n, want)
		}
	}
}

func rowC1Fails(t *testing.T, p *processes) {
	p.store.fail("call")
	_, err := p.call(Call{Method: "tag"})
	if Kind(err) != "gated" || !strings.Contains(err.Error(), errDisk.Error()) || p.wrote.Load() != 0 {
		t.Errorf("got %v, %d writes", err, p.wrote.Load())
	}
	if res, err := p.call(Call{Method: "lookup", Args: json.RawMessage(order)}); err != nil || res.State != registry.Done {
		t.Errorf("a read: %+v, %v", res, err)
	}
}

func rowC1Read(t *testing.T, p *processes) {
	_, err := p.call(Call{Method: "lookup", Args: json.RawMessage(order), Key: "k"})
	p.must(err)
	if list := p.calls(WantedCalls{}); len(list) > 0 {
		t.Errorf("calls %+v", list)
	}
}

func rowC2(t *testing.T, p *processes) {
	for method, want := range map[string]struct {
		state registry.State
		kept  bool
	}{"tag": {registry.Done, true}, "tag_broken": {registry.Failed, true}, "tag_missing": {registry.NotRun, false}, "tag_killed": {registry.Unknown, true}} {
		res, err := p.call(Call{Method: method, Key: method})
		if err != nil || res.State != want.state || res.Recorded {
			t.Errorf("%s: %+v, %v", method, res, err)
		}
		var found []CallInfo
		for _, c := range p.calls(WantedCalls{}) {
			if c.Key == method {
				found = append(found, c)
			}
		}
		if len(found) == 1 != want.kept || want.kept && (found[0].State != want.state || found[0].Ended == nil) {
			t.Errorf("%s: on record is %+v", method, found)
		}
	}
}

func rowC2Owed(t *testing.T, p *processes) {
	p.store.fail("end")
	res, err := p.call(Call{Method: "tag", Key: "k"})
	if err != nil || res.State != registry.Done || !strings.Contains(res.Content[0].Text, "not recorded") {
		t.Errorf("got %+v, %v", res, err)
	}
	if r := p.only(); r.State != registry.Running {
		t.Errorf("on record is %+v", r)
	}
	p.store.fail("")
	_, err = p.eng.Tend(t.Context())
	p.must(err)
	if r := p.only(); r.State != registry.Done {
		t.Errorf("afterwards %+v", r)
	}
}

func rowC4(t *testing.T, p *processes) {
	b := p.other("b")
	p.leaves(p.eng, Call{Method: "tag_slow", Key: "k"})
	if n, err := b.Tend(t.Context()); n != 0 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	p.kill("a")
	if n, err := b.Tend(t.Context()); n != 1 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	if r := p.only(); r.State != registry.Unknown {
		t.Errorf("on record is %+v", r)
	}
	res, err := b.Call(t.Context(), b.View(), Call{Method: "tag_slow", Key: "k", Caller: desk})
	if err != nil || res.State != registry.Unknown || !res.Recorded || !strings.Contains(res.Content[0].Text, p.only().ID) {
		t.Errorf("the same call elsewhere: %+v, %v", res, err)
	}
	close(p.hold)
}

// rowC4Back takes a process for dead that lives, and says how its calls end afterwards.
func rowC4Back(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	b := p.other("b")
	var res registry.Result
	var out Outcome
	var all sync.WaitGroup
	all.Go(func() { res, _ = p.call(Call{Method: "tag_slow", Key: "k"}) })
	all.Go(func() { out = p.pick(h, "tag_slow", "") })
	synctest.Wait()
	p.kill("a")
	if n, err := b.Tend(t.Context()); n != 2 || err != nil {
		t.Errorf("%d reaped, %v", n, err)
	}
	close(p.hold)
	all.Wait()
	if res.State != registry.Done || out.State != Done {
		t.Errorf("told were %s and %s", res.State, out.State)
	}
	p.is(h, Done, 1, 2, 2)
	if r := p.only(); r.State != registry.Done {
		t.Errorf("on record is %+v", r)
	}
}

// late leaves a call unknown whose run goes on.
func late(t *testing.T, p *processes) {
	m := registry.Method{Name: "slow", Summary: "Takes its time.", Effect: registry.Write, Timeout: time.Second, Run: func(context.Context, registry.Args) (any, error) {
		<-p.hold
		return "at last", nil
	}}
	p.must(p.reg.Add(m))
	res, err := p.call(Call{Method: "slow", Key: "k"})
	if err != nil || res.State != registry.Unknown {
		t.Fatalf("got %+v, %v", res, err)
	}
	if r := p.only(); r.State != registry.Unknown || r.Released {
		t.Errorf("on record is %+v", r)
	}
}

func rowC5(t *testing.T, p *processes) {
	late(t, p)
	close(p.hold)
	synctest.Wait()
	res, err := p.call(Call{Method: "slow", Key: "k"})
	if err != nil || res.State != registry.Done || !res.Recorded || res.Content[0].Text != "at last" {
		t.Errorf("got %+v, %v", res, err)
	}
}

func rowC5Settled(t *testing.T, p *processes) {
	late(t, p)
	id := p.only().ID
	p.kill("a") // so it seems to b
	b := p.other("b")
	if _, err := b.Settle(t.Context(), Settlement{Call: id, As: registry.Failed, By: desk, Why: "looked"}); err != nil {
		t.Fatal(err)
	}
	close(p.hold)
	synctest.Wait()
	if r := p.only(); r.State != registry.Failed {
		t.Errorf("a late result changed %+v", r)
	}
}

func rowC6(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	p.pick(h, "tag_killed", "")
	id := p.only().ID
	for _, bad := range []Settlement{{Call: "nope", As: registry.Done}, {Call: id, As: registry.Unknown}, {Call: id, As: "yes"}, {As: registry.Done}} {
		if info, err := p.eng.Settle(t.Context(), bad); err == nil {
			t.Errorf("%+v settled: %+v", bad, info)
		}
	}
	info, err := p.eng.Settle(t.Context(), Settlement{Call: id, As: registry.Done, By: desk, Why: "it is\nin the ledger"})
	if err != nil || info.State != registry.Done || info.SettledBy != desk.ID || info.Open || strings.Contains(info.Why, "\n") {
		t.Errorf("settled: %+v, %v", info, err)
	}
	p.is(h, Done, 1, 2, 1)
	again := p.pick(h, "tag_killed", "")
	if !again.Recorded || again.State != Done || !strings.Contains(again.Result.Content[0].Text, "Settled as done by os:1000: it is") || p.wrote.Load() != 1 {
		t.Errorf("the same answer: %+v", again)
	}
	if _, err := p.eng.Settle(t.Context(), Settlement{Call: id, As: registry.Failed, By: desk}); err == nil || !strings.Contains(err.Error(), "is done") {
		t.Errorf("settled twice: %v", err)
	}
	if !slices.ContainsFunc(p.trace.List(), func(r trace.Record) bool {
		return r.Caller == desk.ID && r.Reason == "it is in the ledger" && r.State == "done" && r.Call == id
	}) {
		t.Errorf("who and why is not recorded: %+v", p.trace.List())
	}
}

func rowC6Alive(t *testing.T, p *processes) {
	late(t, p)
	settle := func() error {
		_, err := p.other("b").Settle(t.Context(), Settlement{Call: p.only().ID, As: registry.Done, By: desk})
		return err
	}
	if err := settle(); err == nil || !strings.Contains(err.Error(), "may still tell") {
		t.Errorf("while it may tell: %v", err)
	}
	p.leaves(p.eng, Call{Method: "tag_slow", Key: "l"})
	running := p.calls(WantedCalls{State: registry.Running})
	if _, err := p.eng.Settle(t.Context(), Settlement{Call: running[0].ID, As: registry.Done, By: desk}); err == nil || !strings.Contains(err.Error(), "still runs") {
		t.Errorf("while it runs: %v", err)
	}
	close(p.hold)
	synctest.Wait()
}

func rowC6NotRun(t *testing.T, p *processes) {
	_, err := p.call(Call{Method: "tag_killed", Key: "k"})
	p.must(err)
	_, err = p.eng.Settle(t.Context(), Settlement{Call: p.only().ID, As: registry.NotRun, By: desk})
	p.must(err)
	if res, err := p.call(Call{Method: "tag", Key: "k"}); err != nil || res.State != registry.Done || res.Recorded {
		t.Errorf("got %+v, %v", res, err)
	}
}

func rowC7(t *testing.T, p *processes) {
	for i, want := range []registry.State{registry.Unknown, registry.Unknown, registry.Done, registry.Done} {
		res, err := p.call(Call{Method: "again", Key: "k"})
		if err != nil || res.State != want || res.Recorded != (i == 3) {
			t.Errorf("call %d: %+v, %v, want %s", i, res, err, want)
		}
	}
	if n := p.wrote.Load(); n != 3 {
		t.Errorf("%d runs", n)
	}
}

func rowC7Pick(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	for i, want := range []State{Unknown, Unknown, Done, Done} {
		out := p.pick(h, "again", "")
		if out.State != want || out.Recorded != (i == 3) {
			t.Errorf("pick %d: %+v, want %s", i, out, want)
		}
	}
	if out := p.pick(h, "tag", ""); !errors.Is(out.Problem, ErrNotTaken) || p.wrote.Load() != 3 {
		t.Errorf("another pick: %+v, %d runs", out, p.wrote.Load())
	}
}

func rowC7Spent(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	for range 10 {
		if out := p.pick(h, "doubt", ""); out.State != Unknown {
			t.Errorf("pick: %+v", out)
		}
		if res, err := p.call(Call{Method: "doubt", Key: "k"}); err != nil || res.State != registry.Unknown {
			t.Errorf("call: %+v, %v", res, err)
		}
	}
	if n := p.wrote.Load(); n != 2*maxRuns {
		t.Errorf("%d runs, want the first one and three more of each", n)
	}
}

// rowC7NotRun cuts off a run, and the second one can't be started: the first one may have run all the same.
func rowC7NotRun(t *testing.T, p *processes) {
	p.must(p.reg.Add(registry.Method{Name: "refused", Summary: "Sets.", Effect: registry.Write, Idempotent: true, Run: func(context.Context, registry.Args) (any, error) {
		if p.wrote.Add(1)%2 == 1 {
			return nil, registry.Uncertain(errors.New("cut off"))
		}
		return nil, registry.NotStarted(errors.New("nobody listens"))
	}}))
	d := ticket()
	d.Options = append(d.Options, Func("refused", "refused"))
	p.must(p.eng.Replace([]Decision{d}))
	h := p.openOn(p.eng, Host).Handle
	for i := range 2 {
		if out := p.pick(h, "refused", ""); out.State != Unknown || out.Result.State != registry.Unknown {
			t.Errorf("pick %d: %+v", i, out)
		}
	}
	p.is(h, Unknown, 1, 2, 2)
	for i := range 2 {
		if res, err := p.call(Call{Method: "refused", Key: "k"}); err != nil || res.State != registry.Unknown {
			t.Errorf("call %d: %+v, %v", i, res, err)
		}
	}
	for _, c := range p.calls(WantedCalls{}) {
		if c.State != registry.Unknown || !c.Open {
			t.Errorf("on record is %+v", c)
		}
	}
}

// rowC7Doubtful breaks the connection when the intent to begin a call once more is committed. The first run may have run.
func rowC7Doubtful(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	for name, ask := range map[string]func() error{
		"native": func() error {
			_, err := p.call(Call{Method: "doubt", Key: "k"})
			return err
		},
		"pick": func() error {
			_, err := p.eng.Answer(t.Context(), p.eng.View(), Answer{Handle: h, Call: "doubt", Caller: desk})
			return err
		},
	} {
		p.must(ask())
		p.store.cut(true)
		if err := ask(); err == nil {
			t.Errorf("%s: the second run was begun", name)
		}
		p.store.cut(false)
	}
	for _, c := range p.calls(WantedCalls{}) {
		if c.State != registry.Unknown || !c.Open {
			t.Errorf("on record is %+v", c)
		}
	}
	p.is(h, Unknown, 1, 2, 2)
}

func rowC7Busy(t *testing.T, p *processes) {
	p.must(p.reg.Add(registry.Method{Name: "set", Summary: "Sets.", Effect: registry.Write, Idempotent: true, Timeout: time.Second, Run: func(context.Context, registry.Args) (any, error) {
		p.wrote.Add(1)
		<-p.hold
		return nil, registry.Uncertain(errors.New("cut off"))
	}}))
	b := p.other("b")
	call := func(e *Engine) registry.Result {
		res, err := e.Call(t.Context(), e.View(), Call{Method: "set", Key: "k", Caller: desk})
		p.must(err)
		return res
	}
	for _, e := range []*Engine{p.eng, b, p.eng} { // its run has not returned: a second one beside it could be the older one's undoing
		if res := call(e); res.State != registry.Unknown || p.wrote.Load() != 1 {
			t.Errorf("%+v, %d runs", res, p.wrote.Load())
		}
	}
	close(p.hold)
	synctest.Wait()
	if call(b); p.wrote.Load() != 2 {
		t.Errorf("%d runs once the first one has returned", p.wrote.Load())
	}
}

func rowC7Never(t *testing.T, p *processes) {
	h := p.openOn(p.eng, Host).Handle
	for range 3 {
		out := p.pick(h, "tag_killed", "")
		res, err := p.call(Call{Method: "tag_killed", Key: "k"})
		if out.State != Unknown || err != nil || res.State != registry.Unknown {
			t.Errorf("%+v, %+v, %v", out, res, err)
		}
	}
	if n := p.wrote.Load(); n != 2 {
		t.Errorf("%d runs", n)
	}
}

func rowK6(t *testing.T, p *processes) {
	engines := []*Engine{p.eng, p.other("b"), p.other("c")}
	for _, e := range engines {
		e.patience = time.Hour
	}
	var all sync.WaitGroup
	for i := range 30 {
		all.Go(func() {
			e := engines[i%len(engines)]
			res, err := e.Call(t.Context(), e.View(), Call{Method: "tag", Key: "k", Caller: desk})
			if err != nil || content(Outcome{Result: &res}) != `{"n":1}` {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	all.Wait()
	if n := p.wrote.Load(); n != 1 {
		t.Errorf("%d effects", n)
	}
}

// rowDoubtfulAgain: who sends the same key again after an intent that may be on record does not wait for somebody to look after it.
func rowDoubtfulAgain(t *testing.T, p *processes) {
	p.eng.patience = 10 * time.Second
	p.store.cut(true)
	if res, err := p.call(Call{Method: "tag", Key: "k"}); err == nil {
		t.Errorf("it ran: %+v", res)
	}
	p.store.cut(false)
	if res, err := p.call(Call{Method: "tag", Key: "k"}); err != nil || res.State != registry.Done || res.Recorded {
		t.Errorf("got %+v, %v", res, err)
	}
}

// rowTaken gives a call the id of one that runs.
func rowTaken(t *testing.T, p *processes) {
	p.leaves(p.eng, Call{Method: "tag_slow"})
	was := p.only()
	drawn := p.drawn.Load()
	for range 2 {
		p.eng.random = func(b []byte) {
			p.drawn.Store(0)
			p.random(b)
		}
		if _, err := p.call(Call{Method: "tag"}); err == nil {
			t.Error("two calls have one id")
		}
	}
	p.eng.random = p.random
	p.drawn.Store(drawn)
	_, err := p.eng.Tend(t.Context())
	p.must(err)
	if r := p.only(); r.State != registry.Running || r.Version != was.Version || p.wrote.Load() != 0 {
		t.Errorf("the one that runs is %+v, %d writes", r, p.wrote.Load())
	}
	close(p.hold)
	synctest.Wait()
}

// rowC5Owed lets others pay what is owed while the late result comes.
func rowC5Owed(t *testing.T, p *processes) {
	p.must(p.reg.Add(registry.Method{Name: "slow", Summary: "Takes its time.", Effect: registry.Write, Timeout: time.Second, Run: func(context.Context, registry.Args) (any, error) {
		<-p.hold
		return "at last", nil
	}}))
	p.store.fail("end")
	if res, err := p.call(Call{Method: "slow", Key: "k"}); err != nil || res.State != registry.Unknown {
		t.Errorf("got %+v, %v", res, err)
	}
	p.store.fail("")
	close(p.hold)
	for range 3 {
		_, err := p.eng.Tend(t.Context())
		p.must(err)
	}
	synctest.Wait()
	if r := p.only(); r.State != registry.Done {
		t.Errorf("on record is %+v", r)
	}
}

// rowIDAgain opens a turn with the short id of one that is forgotten, and whose call a person has settled.
func rowIDAgain(t *testing.T, p *processes) {
	p.eng.longIDs = false
	p.drawn.Store(0)
	h := p.openOn(p.eng, Host).Handle
	p.pick(h, "tag_killed", "")
	_, err := p.eng.Settle(t.Context(), Settlement{Call: p.only().ID, As: registry.Done, By: desk})
	p.must(err)
	p.clock.add(2 * time.Hour)
	next := p.other("b")
	next.longIDs = false
	p.drawn.Store(0)
	if again := p.openOn(next, Host).Handle; again != h {
		t.Fatalf("the turns are %s and %s", h, again)
	}
	p.drawn.Store(1000)
	out, err := next.Answer(t.Context(), next.View(), Answer{Handle: h, Call: "tag", Caller: desk})
	if err != nil || out.State != Done {
		t.Errorf("got %+v, %v", out, err)
	}
}

// rowC4Gone lets a call end, whose process dies at that moment, while somebody looks at it.
func rowC4Gone(t *testing.T, p *processes) {
	b := p.other("b")
	for name, look := range map[string]func(id string) error{
		"the same key": func(string) error {
			_, err := b.Call(t.Context(), b.View(), Call{Method: "tag", Key: "k", Caller: desk})
			return err
		},
		"settling": func(id string) error {
			_, err := b.Settle(t.Context(), Settlement{Call: id, As: registry.Done, By: desk})
			if errors.Is(err, ErrNoCall) {
				return nil
			}
			return cmp.Or(err, errors.New("it was settled"))
		},
	} {
		row := CallRow{ID: name, Principal: desk.ID, Config: "test", Key: "k", Method: "tag", State: registry.Running, Owner: "gone", Data: []byte("{}")}
		swap := func(was CallRow, s registry.State) {
			p.must(p.store.Store.Do(t.Context(), Kill, func(tx Tx) error {
				if was.Version == 0 {
					_, _, err := tx.InsertCall(was)
					return err
				}
				next := was
				next.State = s
				_, _, err := tx.SwapCall(was, next)
				return err
			}))
		}
		swap(row, "")
		p.kill("gone")
		p.onAlive = func() { swap(p.only(), registry.NotRun); p.onAlive = nil }
		if err := look(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func rowKeyOf(t *testing.T, p *processes) {
	_, err := p.call(Call{Method: "tag", Key: "k"})
	p.must(err)
	nameless := New(p.reg, Options{Store: p.store, Now: p.clock.Now, Random: p.random})
	for _, c := range []struct {
		e   *Engine
		who string
	}{{p.eng, ""}, {nameless, desk.ID}, {nameless, ""}} {
		before := p.wrote.Load()
		res, err := c.e.Call(t.Context(), c.e.View(), Call{Method: "tag", Key: "k", Caller: registry.Caller{ID: c.who}})
		if err != nil || res.Recorded || p.wrote.Load() != before+1 {
			t.Errorf("caller %q of configuration %q: %+v, %v", c.who, c.e.config, res, err)
		}
	}
}

// rowDoubtful breaks the connection when the intent is committed: it is on record, and who wrote it does not know.
func rowDoubtful(t *testing.T, p *processes) {
	for name, ask := range map[string]func() (State, error){
		"native": func() (State, error) {
			res, err := p.call(Call{Method: "tag", Key: "k"})
			return State(res.State), err
		},
		"pick": func() (State, error) {
			out, err := p.eng.Answer(t.Context(), p.eng.View(), Answer{Handle: p.openOn(p.eng, Host).Handle, Call: "tag", Caller: desk})
			return out.State, err
		},
	} {
		p.store.cut(true)
		if state, err := ask(); err == nil {
			t.Errorf("%s: %s", name, state)
		}
		p.store.cut(false)
		if r := p.only(); r.State != registry.Running {
			t.Errorf("%s: on record is %+v", name, r)
		}
		_, err := p.eng.Tend(t.Context())
		p.must(err)
		rows, err := p.store.Calls(t.Context(), WantedCalls{})
		if err != nil || len(rows) > 0 || p.wrote.Load() != 0 {
			t.Errorf("%s: afterwards %+v, %v, %d writes", name, rows, err, p.wrote.Load())
		}
	}
	if res, err := p.call(Call{Method: "tag", Key: "k"}); err != nil || res.State != registry.Done {
		t.Errorf("the same call again: %+v, %v", res, err)
	}
}

// TestCallsOfProcesses: whatever processes call, die and come to, with a store that fails now and then, a key has one effect at most unless its
// method is idempotent, and what is told as done stays done.
func TestCallsOfProcesses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) { callsOfProcesses(rt, newProcesses(t)) })
	})
}

func callsOfProcesses(rt *rapid.T, p *processes) {
	close(p.hold)
	engines := map[string]*Engine{"a": p.eng}
	last := 'a'
	told := map[string]registry.State{}
	for range rapid.IntRange(1, 25).Draw(rt, "steps") {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(engines))).Draw(rt, "process")
		e := engines[name]
		switch rapid.SampledFrom([]string{"call", "call", "call", "kill", "fail", "settle", "tend"}).Draw(rt, "what") {
		case "call":
			res, err := e.Call(context.Background(), e.View(), Call{Method: "tag_killed", Key: "k", Caller: desk})
			if err == nil && told["k"] != "" && (CallRow{State: told["k"]}).Final() && res.State != told["k"] {
				rt.Fatalf("told as %s, now %s", told["k"], res.State)
			}
			if err == nil {
				told["k"] = res.State
			}
		case "kill":
			p.kill(name)
			delete(engines, name)
			last++
			engines[string(last)] = p.other(string(last))
		case "fail":
			p.store.fail(rapid.SampledFrom([]string{"", "", "call", "end"}).Draw(rt, "op"))
		case "settle":
			rows, err := p.store.Store.Calls(context.Background(), WantedCalls{})
			p.must(err)
			if len(rows) > 0 {
				if info, err := e.Settle(context.Background(), Settlement{Call: rows[0].ID, As: registry.Done, By: desk}); err == nil {
					told["k"] = info.State
				}
			}
		case "tend":
			_, _ = e.Tend(context.Background())
		}
		if n := p.wrote.Load(); n > 1 {
			rt.Fatalf("%d effects of one key", n)
		}
	}
	for name := range engines {
		p.kill(name)
	}
	p.store.fail("")
	if _, err := p.other("z").Tend(context.Background()); err != nil {
		rt.Fatal(err)
	}
	rows, err := p.store.Store.Calls(context.Background(), WantedCalls{State: registry.Running})
	if err != nil || len(rows) > 0 {
		rt.Fatalf("running without an owner: %+v, %v", rows, err)
	}
}
