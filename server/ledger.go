package server

import (
	"context"
	"fmt"
	"sync"
)

// Caps on what may wait for an answer at a time.
const (
	maxCalls  = 1024     // tool calls
	maxOthers = 1024     // other requests
	maxHeld   = 64 << 20 // bytes of all their messages
)

// exchange is one request from the moment it was read until it is answered.
type exchange struct {
	message
	ctx    context.Context
	cancel context.CancelFunc
	fault  *fault // what the SDK's error stands for, when a handler of ours said it
}

func (e *exchange) isCall() bool { return e.method == methodCall }

type exchangeKey struct{}

// exchangeOf is the exchange that a handler works for; nil when it was not read from stdio.
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
	closed bool
	work   sync.WaitGroup // of the goroutines that serve them
	writes sync.WaitGroup // of answers that are claimed and not written yet
}

func newLedger() *ledger { return &ledger{open: map[string]*exchange{}} }

// enter notes a request. Its context ends with base, when it is dropped, and when its goroutine has ended.
// After close it refuses everything. Each entered exchange owes one work.Done.
func (l *ledger) enter(base context.Context, m message) (*exchange, *fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := 0
	if m.method == methodCall {
		calls = 1
	}
	switch _, taken := l.open[m.id.key]; {
	case l.closed:
		return nil, stopping(m.id)
	case taken:
		// The answer to the first use of the id is still to come, so this one can't carry it.
		return nil, newFault(codeInvalidRequest, fmt.Sprintf("invalid request: the id %s is in use by a request that is not answered yet", m.id.raw))
	case l.calls+calls > maxCalls, len(l.open)-l.calls+1-calls > maxOthers, l.held+m.size > maxHeld:
		f := newFault(codeBusy, fmt.Sprintf("busy: %d requests wait for their answers; not run, send it again when some have been answered", len(l.open)))
		f.id = m.id.raw
		return nil, f
	}
	e := &exchange{message: m}
	ctx, cancel := context.WithCancel(base)
	e.ctx, e.cancel = context.WithValue(ctx, exchangeKey{}, e), cancel
	l.open[m.id.key] = e
	l.calls += calls
	l.held += m.size
	l.work.Add(1)
	return e, nil
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
	if l.open[e.id.key] != e {
		return false
	}
	delete(l.open, e.id.key)
	l.held -= e.size
	if e.isCall() {
		l.calls--
	}
	return true
}

// drop ends a request that its sender has cancelled: it runs no further and gets no answer. The handshake
// can't be cancelled.
func (l *ledger) drop(id requestID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.open[id.key]
	if !ok || e.method == methodInitialize {
		return
	}
	l.remove(e)
	e.cancel()
}

// close refuses what comes from now on, and returns a channel that is closed when all that was entered has ended.
func (l *ledger) close() <-chan struct{} {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		l.work.Wait()
		close(ended)
	}()
	return ended
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
