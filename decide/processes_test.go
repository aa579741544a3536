package decide

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcp-decide/mcp-decide/registry"
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
