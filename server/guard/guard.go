package guard

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Options say who may come in, and how much of everything. An empty list means nobody.
type Options struct {
	Hosts   []string // names under which the server may be reached beside loopback ones: name or name:port. No wildcards
	Origins []string // other origins whose pages may call it: https://app.example.com. No wildcards

	Tokens          []Token   // who may come in. Without any, New fails unless Unauthenticated
	Unauthenticated bool      // everybody may, as Caller{ID: "anonymous"}. Not together with Tokens
	Metadata        *Metadata // of RFC 9728; nil = none is served

	MaxBody      int64         // bytes of a request body; 0 = 4 MiB
	MaxHeld      int64         // bytes of all request bodies in flight; 0 = 64 MiB, and at least twice MaxBody. Further ones are answered 503; so is one token beyond half of it
	BodyTimeout  time.Duration // for a whole request body; 0 = 30 s
	WriteTimeout time.Duration // for one write, not for the whole answer; 0 = 30 s
	MaxRequests  int           // in flight, beside those to open routes; 0 = 1024. Further ones are answered 503, and 429 beyond half of it for one token

	Log     *slog.Logger                                               // nil = silent
	Observe func(route, method string, status int, took time.Duration) // after each request; nil = none. See Guard
}

// Guard is an http.Handler with one chain of checks for all its routes: host name, origin, token, how many are in
// flight, size of the body. Only a request that passes all of them reaches a handler. Make one with New.
//
// Options.Observe gets the pattern of the route, "" for a path without one; the method, "other" for one that HTTP does not
// define; and the status, 0 when the handler broke off without an answer. So strangers can't make up names of metrics.
type Guard struct {
	hosts       hosts
	origins     origins
	anonymous   *principal // set if everybody may come in
	tokens      atomic.Pointer[credentials]
	metadata    *metadata
	maxBody     int64
	bodyTimeout time.Duration
	writeTime   time.Duration
	log         *slog.Logger
	quiet       *quiet
	observe     func(route, method string, status int, took time.Duration)

	maxHeld        int64
	heldBytes      atomic.Int64
	most, share    int64 // requests in flight: in all, and of one principal
	held, openHeld atomic.Int64

	mux    *http.ServeMux
	mu     sync.RWMutex
	routes map[string]route
	order  []string

	replacing sync.Mutex
	blind     sync.Once // that deadlines can't be set has been logged
}

type route struct {
	known, open bool
}

// New checks the options. The guard has no routes yet but those of the metadata.
func New(o Options) (*Guard, error) {
	g := &Guard{
		maxBody:     cmp.Or(o.MaxBody, defaultMaxBody),
		bodyTimeout: cmp.Or(o.BodyTimeout, defaultBodyTimeout),
		writeTime:   cmp.Or(o.WriteTimeout, 30*time.Second),
		most:        int64(cmp.Or(o.MaxRequests, defaultMaxRequests)),
		log:         cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		quiet:       newQuiet(5, 60),
		observe:     o.Observe,
		mux:         http.NewServeMux(),
		routes:      map[string]route{},
	}
	g.maxHeld = max(cmp.Or(o.MaxHeld, defaultMaxHeld), 2*g.maxBody)
	if g.maxBody < 0 || o.MaxHeld < 0 || g.bodyTimeout < 0 || g.writeTime < 0 || g.most < 0 {
		return nil, errors.New("limits of the guard: a negative one would let nothing in; 0 means the default")
	}
	g.share = (g.most + 1) / 2

	var err error
	if g.hosts, err = newHosts(o.Hosts); err != nil {
		return nil, err
	}
	if g.origins, err = newOrigins(o.Origins); err != nil {
		return nil, err
	}
	if g.metadata, err = newMetadata(o.Metadata); err != nil {
		return nil, err
	}
	if o.Unauthenticated {
		g.anonymous = &principal{pass: passed{&registry.Caller{ID: "anonymous"}, g.maxBody}}
	}
	if err := g.setTokens(o.Tokens); err != nil {
		return nil, err
	}
	if g.metadata != nil {
		for _, p := range g.metadata.paths {
			g.HandleOpen(p, g.metadata)
		}
	}
	return g, nil
}

// Replace puts tokens in the place of all that were known, at once. Requests that came in before go on. On an error
// nothing changes.
func (g *Guard) Replace(tokens []Token) error { return g.setTokens(tokens) }

func (g *Guard) setTokens(tokens []Token) error {
	if g.anonymous != nil {
		if len(tokens) > 0 {
			return errors.New("tokens are given, and everybody is let in without one: choose one of the two")
		}
		return nil
	}
	g.replacing.Lock()
	defer g.replacing.Unlock()
	c, err := newCredentials(tokens, g.maxBody, g.tokens.Load())
	if err != nil {
		return err
	}
	g.tokens.Store(c)
	return nil
}

// Handle adds a route that needs a token. The pattern is a path as http.ServeMux reads it, without method and host: which
// methods there are is the handler's to say. It panics on a pattern that is wrong or taken, as http.ServeMux does.
func (g *Guard) Handle(pattern string, h http.Handler) { g.add(pattern, h, false) }

// HandleOpen adds a route that needs no token, for what may be known to everybody who can reach the server. All other
// checks stay.
func (g *Guard) HandleOpen(pattern string, h http.Handler) { g.add(pattern, h, true) }

func (g *Guard) add(pattern string, h http.Handler, open bool) {
	if !strings.HasPrefix(pattern, "/") {
		panic("guard: pattern " + pattern + ": a path is expected, without method and host")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mux.Handle(pattern, h)
	g.routes[pattern] = route{known: true, open: open}
	g.order = append(g.order, pattern)
}

// Routes returns every pattern, in the order in which they were added.
func (g *Guard) Routes() []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Clone(g.order)
}

// find returns the route of a request and its pattern. A path that is not in its plain form has none: http.ServeMux
// would redirect it, which tells strangers what there is.
func (g *Guard) find(r *http.Request) (route, string) {
	clean := path.Clean(r.URL.Path)
	if r.URL.Path != clean && r.URL.Path != clean+"/" || !strings.HasPrefix(clean, "/") {
		return route{}, ""
	}
	_, pattern := g.mux.Handler(r)
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.routes[pattern], pattern
}

func (g *Guard) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	began := time.Now()
	w := &response{
		ResponseWriter: rw,
		control:        http.NewResponseController(rw),
		timeout:        g.writeTime,
		lasting:        r.ProtoMajor > 1,
		varies:         len(g.origins) > 0,
	}
	rt, pattern := g.find(r)
	if g.observe != nil {
		defer func() { g.observe(pattern, knownMethod(r.Method), w.status, time.Since(began)) }()
	}
	defer g.contain(w, pattern)
	g.pass(w, r, rt)
}

// pass is the chain. Its order matters: nothing about routes is told before the token is known, nothing of the body is
// read before its size is, and a request takes a slot only when it may come in.
func (g *Guard) pass(w *response, r *http.Request, rt route) {
	own, ok := g.hosts.of(r)
	if !ok {
		g.refuse(w, r, &wrongHost)
		return
	}
	if w.cross, ok = g.origins.check(r, own); !ok {
		g.refuse(w, r, &wrongOrigin)
		return
	}
	if isPreflight(r, w.cross) {
		preflight(w, r)
		return
	}
	p := g.who(w, r, rt)
	switch {
	case p == nil:
		g.refuse(w, r, &noToken)
		return
	case !rt.known:
		g.refuse(w, r, &unknownPath)
		return
	case r.ContentLength > g.maxBody:
		g.refuse(w, r, &tooLarge)
		return
	}
	leave, full := g.enter(rt, p)
	if full != nil {
		g.refuse(w, r, full)
		return
	}
	defer leave()

	w.close = rt.open // who needs no token holds no connection
	r = r.WithContext(context.WithValue(r.Context(), passedKey{}, &p.pass))
	limited := limitBody(w.ResponseWriter, r.Body, g.maxBody, g.bodyTimeout)
	limited.room = &room{g.maxHeld, &g.heldBytes, p.own}
	defer limited.giveUp()
	if limited.blind {
		g.blind.Do(func() {
			g.log.Warn("slow clients are not ended: something before the guard hides deadlines, like an http.ResponseWriter without Unwrap")
		})
	}
	r.Body = limited
	g.mux.ServeHTTP(w, r)
	if r.MultipartForm != nil {
		_ = r.MultipartForm.RemoveAll() // net/http sees only the request it made
	}
}

// who returns who asks, or nil for a stranger where a token is needed.
func (g *Guard) who(w *response, r *http.Request, rt route) *principal {
	if rt.open {
		return &principal{pass: passed{maxBody: g.maxBody}}
	}
	if g.anonymous != nil {
		return g.anonymous
	}
	secret, sent := bearer(r)
	p := g.tokens.Load().find(secret)
	if p == nil {
		w.Header().Set("WWW-Authenticate", g.challenge(sent))
	}
	return p
}

// knownMethod bounds what a client can make of a metric.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return "other"
}
