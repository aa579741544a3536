package decide

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

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
