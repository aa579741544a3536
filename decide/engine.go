package decide

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Engine opens turns, takes answers and calls methods. It is safe for concurrent use.
type Engine struct {
	registry *registry.Registry
	store    Store
	owners   Owners // nil = the store is this process's alone
	picker   Picker
	recorder trace.Recorder
	log      *slog.Logger
	config   string
	longIDs  bool
	now      func() time.Time
	random   func([]byte)
	patience time.Duration // how long an answer waits for the end of an equal one that runs

	mu        sync.RWMutex // decisions, and the registry's methods while both are swapped
	decisions *decisions
	names     registry.Names // of the decisions

	guesses guesses
	runs    runs
	strays  strays
	issued  issued
	rate    registry.Rate // of methods that name none
	rates   *rates
	life    *registry.Life
}

// Options of an Engine. The zero value works.
type Options struct {
	Store    Store          // where turns and calls live; nil = in memory
	Picker   Picker         // who answers at once for Make; nil = the host picks, by Open and Answer
	Recorder trace.Recorder // nil = nothing is recorded
	Log      *slog.Logger   // nil = silent
	Rate     registry.Rate  // how often each caller may call a registered method that names no rate of its own; the zero value = any number of times
	Config   string         // the identity of the configuration: server name and file path
	LongIDs  bool           // turn ids of 128 random bits (HTTP) instead of short ones (stdio)
	Now      func() time.Time
	Random   func([]byte) // fills with random bytes; nil = crypto/rand
}

// New makes an engine over a registry.
func New(reg *registry.Registry, o Options) *Engine {
	e := &Engine{
		registry: reg, store: o.Store, picker: o.Picker, recorder: o.Recorder, log: o.Log,
		config: o.Config, longIDs: o.LongIDs, now: o.Now, random: o.Random, patience: 10 * time.Second, decisions: indexed(nil), life: registry.NewLife(),
		rate: o.Rate,
	}
	if e.now == nil {
		e.now = time.Now
	}
	e.rates = newRates(e.now())
	if e.random == nil {
		e.random = func(b []byte) { rand.Read(b) }
	}
	if e.store == nil {
		e.store = NewMemory(MemoryLimits{Now: e.now})
	}
	e.owners, _ = e.store.(Owners)
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// Config is the identity of the configuration that turns, calls and records belong to.
func (e *Engine) Config() string { return e.config }

// Close ends what still runs, also for callers who have left, and waits until it has ended or ctx does. From then on nothing is run
// any more. A write that was stopped is unknown, and recorded so.
func (e *Engine) Close(ctx context.Context) error { return e.life.End(ctx) }
