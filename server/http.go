package server

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/server/guard"
)

// endpoint serves MCP over Streamable HTTP. It keeps nothing of one request for the next, in neither era of the protocol: any of
// several servers may take any request. Requests to clients and news go out on the streams that are open.
type endpoint struct {
	*service
	front   http.Handler // a guard with its defaults, for a mux without one
	counter atomic.Uint64
	refused perMinute // messages
}

func newEndpoint(s *Server) *endpoint {
	h := &endpoint{service: newService(s, 2)}
	g, err := guard.New(guard.Options{Unauthenticated: true, Log: s.log})
	if err != nil {
		panic(err) // the options are constant
	}
	g.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.route(w, r.WithContext(guard.WithCaller(r.Context(), s.caller)))
	}))
	h.front = g
	return h
}

// Handler serves MCP over Streamable HTTP, in both eras of the protocol, for a mux of yours. The caller of a request is the one that
// a guard before it has found (guard.CallerOf). Without a guard it takes Options.Caller, and lets in only what comes to a
// loopback name and from no web page: put a guard in front for anything else.
func (s *Server) Handler() http.Handler { return s.http }

// Drain ends serving over HTTP: new requests are refused, streams of news end, and what runs is waited for until ctx ends. What
// still runs then is ended with the engine, writes too, and answered with an error.
func (s *Server) Drain(ctx context.Context) {
	s.http.halt()
	s.http.drain(ctx, nil)
}

func (h *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, guarded := guard.CallerOf(r.Context()); !guarded {
		h.front.ServeHTTP(w, r)
		return
	}
	h.route(w, r)
}

func (h *endpoint) route(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet && !isModern(r.Header):
		h.news(w, r)
	case r.Method == http.MethodGet:
		notAllowed(w, "POST", "since 2026-07-28 there is no stream to GET; ask for news with subscriptions/listen")
	default:
		notAllowed(w, "GET, POST", "MCP is spoken with POST; there are no sessions to end")
	}
}

func notAllowed(w http.ResponseWriter, allowed, why string) {
	w.Header().Set("Allow", allowed)
	http.Error(w, why, http.StatusMethodNotAllowed)
}

// scope is whose ids a request's id is one of: those of its session, a name that only its client knows, or nobody else's.
func (h *endpoint) scope(caller string, r *http.Request) string {
	if id := r.Header.Get(headerSession); id != "" && !isModern(r.Header) {
		return caller + "\x00" + id + "\x00"
	}
	return strconv.FormatUint(h.counter.Add(1), 10) + "\x00"
}
