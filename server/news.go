package server

import (
	"net/http"
	"time"

	"github.com/mcp-decide/mcp-decide/server/guard"
)

// heartbeat is how often a silent stream of news says that it is still there.
const heartbeat = 25 * time.Second

// news is the stream that clients from before 2026-07-28 GET: what they are told that belongs to no request of theirs.
func (h *endpoint) news(w http.ResponseWriter, r *http.Request) {
	t := newStream(w, r)
	if !t.takesEvents {
		http.Error(w, "a GET opens a stream of events; Accept must name text/event-stream", http.StatusNotAcceptable)
		return
	}
	caller, _ := guard.CallerOf(r.Context())
	s := newSession(h.scope(caller.ID, r), caller.ID, t, h.asks, h.s.audience)
	s.Initialize()
	if h.stopping() || !h.s.audience.join(s) {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many streams wait for news already", http.StatusServiceUnavailable)
		return
	}
	defer s.stop()
	defer h.s.audience.leave(s)
	t.open()
	t.beat(r.Context().Done(), h.halted)
}

// beat keeps a stream of news alive until it is over.
func (t *stream) beat(gone, halted <-chan struct{}) {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			t.comment("still here")
		case <-gone:
			return
		case <-halted:
			return
		}
	}
}

// open sends the head of a stream of events before there is any.
func (t *stream) open() {
	t.mu.Lock()
	t.begin()
	t.mu.Unlock()
	t.comment("here is what changes")
}

func (v *service) stopping() bool {
	select {
	case <-v.halted:
		return true
	default:
		return false
	}
}
