package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	slots        = 64 // calls that run at the same time; over HTTP half of them for one caller
	graceDefault = 10 * time.Second
	afterCancel  = 2 * time.Second // for what runs to end once it is told to
)

// service is where requests are served, however they came: one client on stdio has one, all of HTTP another. What it takes
// in is answered once each, also when the server stops meanwhile.
type service struct {
	s      *Server
	ledger *ledger
	asks   *asks
	slots  *places
	halted chan struct{} // closed by halt
	once   sync.Once     // of halt
}

// newService serves callers of whom each has at most one share of all that there is.
func newService(s *Server, shares int) *service {
	return &service{s: s, ledger: newLedger(maxHeld / shares), asks: newAsks(), slots: newPlaces(slots, slots/shares), halted: make(chan struct{})}
}

// halt lets calls that wait for a slot not start any more, and ends streams of news.
func (v *service) halt() { v.once.Do(func() { close(v.halted) }) }

// enter takes a request in. One that is entered has to be served.
func (v *service) enter(base context.Context, e *exchange) *fault {
	if e.method == methodListen && v.s.audience.full(e.caller.ID) {
		return newFault(codeBusy, "busy: too many streams wait for news already").to(e)
	}
	return v.ledger.enter(base, e)
}

// serve runs a request to its answer.
func (v *service) serve(e *exchange) {
	defer v.ledger.work.Done()
	defer e.cancel()
	stop := reportProgress(e)
	response := v.run(e)
	stop()
	if v.ledger.claim(e) {
		v.answer(e, response)
	}
	<-e.given // what was abandoned is answered elsewhere
}

// run waits for a slot, if e is a tool call, and asks the SDK. Other requests never wait behind calls.
func (v *service) run(e *exchange) any {
	if e.isCall() {
		leave := v.slots.take(e.caller.ID, e.ctx.Done(), v.halted)
		if leave != nil {
			defer leave()
		}
		switch {
		case leave == nil && e.ctx.Err() == nil:
			return stopping(e.id).reply()
		case e.ctx.Err() != nil:
			return v.left(e).reply()
		}
	}
	return v.s.handle(e)
}

// left says why a call that waited did not run.
func (v *service) left(e *exchange) *fault {
	if v.ledger.isClosed() {
		return stopping(e.id)
	}
	return newFault(codeBusy, "not run: its caller left before it could begin").to(e)
}

// answer writes the one answer of a claimed exchange, behind whatever its handler has sent.
func (v *service) answer(e *exchange, response any) {
	defer v.ledger.writes.Done()
	defer close(e.given)
	e.session.flush()
	if err := e.out.answer(response); err != nil {
		_ = e.out.answer(v.s.internal(e.method, err).to(e).reply())
	}
}

// drain waits for what runs until grace ends, then cancels it and answers what is left. broken says that nobody reads
// the answers.
func (v *service) drain(grace context.Context, broken <-chan struct{}) {
	ended := v.ledger.close()
	select {
	case <-ended:
		return
	case <-grace.Done():
	case <-v.s.stopped:
	case <-broken:
	}
	// Writes go on without their callers, so the engine has to end them: nobody may be told that a run goes on which
	// the end of the process kills.
	last, done := context.WithTimeout(context.Background(), afterCancel)
	defer done()
	_ = v.s.eng.Close(last) // what does not end in time is answered for below
	v.ledger.cancel()
	select {
	case <-ended:
		return
	case <-last.Done():
	}
	v.giveUp()
}

// giveUp answers what would not end. A client that does not read its answers is not waited for long.
func (v *service) giveUp() {
	left := v.ledger.abandon()
	written := make(chan struct{})
	go func() {
		defer close(written)
		for _, e := range left {
			v.answer(e, newFault(codeInternal, "the server stopped before this had ended; it is not known what was done").to(e).reply())
		}
		v.ledger.writes.Wait()
	}()
	last := time.NewTimer(afterCancel)
	defer last.Stop()
	select {
	case <-written:
	case <-last.C:
	}
}

// handle asks the SDK for the answer to e.
func (s *Server) handle(e *exchange) (response any) {
	defer func() {
		if p := recover(); p != nil {
			response = s.panicked(e.method, p).to(e).reply()
		}
	}()
	e.view = s.refresh()
	switch r := s.sdk.HandleMessage(e.scoped(), e.raw).(type) {
	case mcp.JSONRPCResponse:
		r.ID = mcp.NewRequestId(e.id.raw)
		return r
	case mcp.JSONRPCError:
		return s.protocolFault(e, r.Error).to(e).reply()
	}
	return s.internal(e.method, errors.New("the SDK gave no answer")).to(e).reply()
}

// viewOf is what the request behind ctx sees, from its start to its end.
func (s *Server) viewOf(ctx context.Context) *decide.View {
	if e := exchangeOf(ctx); e != nil && e.view != nil {
		return e.view
	}
	return s.eng.View()
}

// callerOf is who makes the request behind ctx.
func (s *Server) callerOf(ctx context.Context) registry.Caller {
	if e := exchangeOf(ctx); e != nil {
		return e.caller
	}
	return s.caller
}
