package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Options of a Server. The zero value works.
type Options struct {
	Name, Title, Version string          // "" = mcp-decide, the name, dev
	Instructions         string          // the author's; ours are added
	Notice               string          // one more line for instructions: that the demo runs, and where was looked
	Caller               registry.Caller // who the one client of a stdio server is
	Offer                registry.Offer  // overrides every method's offer; "" = as declared
	Counts               *trace.Counts   // what decide://stats tells; nil = there is no such resource
	Traces               Traces          // what decide://traces/{id} shows; nil = there is no such resource
	Log                  *slog.Logger    // nil = silent
	Grace                time.Duration   // after the end of input or a signal, for what still runs; 0 = 10 s
}

// cacheFor is how long a client of the newer era may keep a list without asking again. One that listens is told when it
// changes.
const cacheFor = time.Minute

// Server serves one engine.
type Server struct {
	eng    *decide.Engine
	sdk    *sdk.MCPServer
	log    *slog.Logger
	caller registry.Caller
	offer  registry.Offer
	counts *trace.Counts
	traces Traces
	grace  time.Duration
	newRef func() string // makes the reference of an internal error

	catalog   atomic.Pointer[catalog]
	refreshMu sync.Mutex
	audience  *audience
	http      *endpoint

	stopped  chan struct{} // closed by Stop
	stopOnce sync.Once
}

// New makes a server. The error names what can't be offered: a name or a schema that no tool may have, or two things of
// one name.
func New(eng *decide.Engine, o Options) (*Server, error) {
	s := &Server{
		eng:     eng,
		log:     o.Log,
		caller:  o.Caller,
		offer:   o.Offer,
		counts:  o.Counts,
		traces:  o.Traces,
		grace:   cmp.Or(o.Grace, graceDefault),
		newRef:  func() string { return rand.Text()[:8] },
		stopped: make(chan struct{}),

		audience: newAudience(),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	c, err := s.build(eng.View())
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.Name, "mcp-decide")
	completions := completer{s}
	s.sdk = sdk.NewMCPServer(name, cmp.Or(o.Version, "dev"),
		sdk.WithTitle(cmp.Or(o.Title, name)),
		sdk.WithInstructions(instructions(o.Instructions, o.Notice, c)),
		sdk.WithToolCapabilities(true),
		sdk.WithPromptCapabilities(true),
		sdk.WithResourceCapabilities(false, true),
		sdk.WithCompletions(),
		sdk.WithPromptCompletionProvider(completions),
		sdk.WithResourceCompletionProvider(completions),
		sdk.WithCacheHints(cacheFor.Milliseconds(), mcp.CacheScopePrivate),
		sdk.WithHooks(hooks()),
	)
	s.http = newEndpoint(s)
	s.sdk.SetResourceTemplates(s.templates()...)
	s.publish(c)
	return s, nil
}

// publish makes c what clients see.
func (s *Server) publish(c *catalog) {
	s.sdk.SetTools(c.tools...)
	s.sdk.SetPrompts(c.prompts...)
	s.sdk.SetResources(c.resources...)
	s.catalog.Store(c)
}

func hooks() *sdk.Hooks {
	h := &sdk.Hooks{}
	h.AddOnError(keepFault)
	h.AddAfterReadResource(keepNoStats)
	return h
}

// keepFault hands the fault that a handler returned to the exchange it worked for: the SDK makes one code of all errors.
func keepFault(ctx context.Context, _ any, _ mcp.MCPMethod, _ any, err error) {
	e := exchangeOf(ctx)
	if e == nil {
		return
	}
	var f *fault
	var lacks mcp.MissingRequiredClientCapabilityError
	switch {
	case errors.As(err, &f):
		e.fault = f
	case errors.As(err, &lacks):
		e.fault = newFault(mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, plain(lacks.Error(), 300))
		e.fault.data = map[string]any{"requiredCapabilities": map[string]any{lacks.Capability: struct{}{}}}
	}
}
