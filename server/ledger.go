package server

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Caps on what may wait for an answer at a time.
const (
	maxCalls  = 1024     // tool calls
	maxOthers = 1024     // other requests
	maxHeld   = 64 << 20 // bytes of all their messages; over HTTP half of them for one caller
)

// exchange is one request from the moment it was read until it is answered.
type exchange struct {
	message
	key     string // in the ledger: whose the request is, and its id
	caller  registry.Caller
	view    *decide.View // what the request sees of methods and decisions, from its start to its end
	session *session
	out     sink

	ctx    context.Context
	cancel context.CancelFunc
	fault  *fault        // what the SDK's error stands for, when a handler of ours said it
	given  chan struct{} // closed when the answer is written; over HTTP the request ends with its handler
}

func (e *exchange) isCall() bool { return e.method == methodCall }

type exchangeKey struct{}

// exchangeOf is the exchange that a handler works for; nil when it was called through the SDK by somebody else.
func exchangeOf(ctx context.Context) *exchange {
	e, _ := ctx.Value(exchangeKey{}).(*exchange)
	return e
}

// ledger knows every request that waits for its answer. Each entry leaves once: by claim, for its answer, or by
// drop, when its sender does not want one any more.
type ledger struct {
	mu     sync.Mutex
	open   map[string]*exchange
	calls  int
	held   int
	heldBy map[string]int // of it, by caller
	each   int            // the most of it for one caller
	closed bool
	work   sync.WaitGroup // of the goroutines that serve them
	writes sync.WaitGroup // of answers that are claimed and not written yet
}

// newLedger returns one that holds at most so many bytes of messages for each caller.
func newLedger(each int) *ledger {
	return &ledger{open: map[string]*exchange{}, heldBy: map[string]int{}, each: each}
}

// enter notes a request. Its context ends with base, when it is dropped, and when its goroutine has ended.
// After close it refuses everything. Each entered exchange owes one work.Done.
func (l *ledger) enter(base context.Context, e *exchange) *fault {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := 0
	if e.isCall() {
		calls = 1
	}
	switch _, taken := l.open[e.key]; {
	case l.closed:
		return stopping(e.id)
	case taken:
		// The answer to the first use of the id is still to come, so this one can't carry it.
		return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: the id %s is in use by a request that is not answered yet", e.id.raw))
	case l.calls+calls > maxCalls, len(l.open)-l.calls+1-calls > maxOthers, l.held+e.size > maxHeld, l.heldBy[e.caller.ID]+e.size > l.each:
		return newFault(codeBusy, fmt.Sprintf("busy: %d requests wait for their answers; not run, send it again when some have been answered", len(l.open))).to(e)
	}
	ctx, cancel := context.WithCancel(base)
	e.ctx, e.cancel = context.WithValue(ctx, exchangeKey{}, e), cancel
	e.given = make(chan struct{})
	l.open[e.key] = e
	l.calls += calls
	l.held += e.size
	l.heldBy[e.caller.ID] += e.size
	l.work.Add(1)
	return nil
}

// claim takes the right to answer e; false when it was answered or dropped. Each claimed exchange owes one
// writes.Done.
func (l *ledger) claim(e *exchange) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.remove(e) {
		return false
	}
	l.writes.Add(1)
	return true
}

func (l *ledger) remove(e *exchange) bool {
	if l.open[e.key] != e {
		return false
	}
	delete(l.open, e.key)
	l.held -= e.size
	if l.heldBy[e.caller.ID] -= e.size; l.heldBy[e.caller.ID] == 0 {
		delete(l.heldBy, e.caller.ID)
	}
	if e.isCall() {
		l.calls--
	}
	return true
}

// drop ends a request that its sender has cancelled: it runs no further and gets no answer. The handshake
// can't be cancelled.
func (l *ledger) drop(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.open[key]
	if !ok || e.method == methodInitialize {
		return
	}
	l.remove(e)
	close(e.given)
	e.cancel()
}

// close refuses what comes from now on, and returns a channel that is closed when all that was entered has ended.
// What waits for news is ended now: it would wait for ever.
func (l *ledger) close() <-chan struct{} {
	l.mu.Lock()
	l.closed = true
	for _, e := range l.open {
		if e.method == methodListen {
			e.cancel()
		}
	}
	l.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		l.work.Wait()
		close(ended)
	}()
	return ended
}

// isClosed reports whether what comes is refused.
func (l *ledger) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// cancel ends the contexts of all that is open.
func (l *ledger) cancel() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.open {
		e.cancel()
	}
}

// abandon claims all that is still open, for a last answer each.
func (l *ledger) abandon() []*exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := make([]*exchange, 0, len(l.open))
	for _, e := range l.open {
		left = append(left, e)
		l.remove(e)
		l.writes.Add(1)
	}
	return left
}

func stopping(id requestID) *fault {
	f := newFault(codeBusy, "not run: the server is stopping")
	f.id = id.raw
	return f
}
