package server

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// sink takes the messages of one stream to a client.
type sink interface {
	send(message any) error   // before the answer, or beside any
	answer(message any) error // the answer to the request that the stream belongs to
}

// session is one stream to a client, as the SDK wants to see it: all of stdio, or what belongs to one HTTP request.
//
// What a handler sends through the SDK ends up in a queue, which the SDK fills without waiting. A goroutine writes it from there,
// started when something is sent for the first time. flush waits until all that was queued is written, so that nothing
// that a handler has sent is overtaken by its result.
type session struct {
	id      string
	out     sink
	asks    *asks
	caller  string // the principal, who alone may answer what is asked here
	ready   atomic.Bool
	version atomic.Value // string, of the handshake or the header

	crowd  *audience       // who is told of changed lists
	listen json.RawMessage // the id of the subscriptions/listen that the stream belongs to; nil = of none
	filter atomic.Pointer[mcp.SubscriptionFilter]
	news   chan struct{} // lists have changed: those in pending
	pended atomic.Uint32

	started     atomic.Bool
	start       sync.Once
	queue       chan mcp.JSONRPCNotification
	quit, ended chan struct{}
}

const queueSize = 256

func newSession(id, caller string, out sink, asks *asks, crowd *audience) *session {
	return &session{id: id, caller: caller, out: out, asks: asks, crowd: crowd, news: make(chan struct{}, 1)}
}

func (s *session) Initialize()                 { s.ready.Store(true) }
func (s *session) Initialized() bool           { return s.ready.Load() }
func (s *session) SessionID() string           { return s.id }
func (s *session) SetProtocolVersion(v string) { s.version.Store(v) }

func (s *session) ProtocolVersion() string {
	v, _ := s.version.Load().(string)
	return v
}

// NotificationChannel is where the SDK puts what a handler sends. It asks for it each time.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification {
	s.pump()
	return s.queue
}

// pump starts the goroutine that writes, unless it runs.
func (s *session) pump() {
	s.start.Do(func() {
		s.queue = make(chan mcp.JSONRPCNotification, queueSize)
		s.quit, s.ended = make(chan struct{}), make(chan struct{})
		go s.write()
		s.started.Store(true)
	})
}

func (s *session) write() {
	defer close(s.ended)
	for {
		select {
		case n := <-s.queue:
			if mark, ok := n.Params.AdditionalFields[flushMark].(chan struct{}); ok {
				close(mark)
				continue
			}
			_ = s.out.send(n) // what a handler made always encodes
		case <-s.news:
			s.tell()
		case <-s.quit:
			return
		}
	}
}

// flushMark is the field of a notification that is none: flush sends it behind all others.
const flushMark = "\x00flush"

// flush waits until everything that was queued before is written.
func (s *session) flush() {
	if !s.started.Load() {
		return
	}
	mark := make(chan struct{})
	var n mcp.JSONRPCNotification
	n.Params.AdditionalFields = map[string]any{flushMark: mark}
	select {
	case s.queue <- n:
	case <-s.ended:
		return
	}
	select {
	case <-mark:
	case <-s.ended:
	}
}

// stop ends the goroutine; nothing is written from the queue any more when it returns. It is called once.
func (s *session) stop() {
	if !s.started.Load() {
		return
	}
	s.end()
	<-s.ended
}

// end lets the goroutine end as soon as it has written what it is at.
func (s *session) end() { close(s.quit) }

// The rest asks the client: server requests of the time before 2026-07-28, on the stream of the request that needs the answer.

// RequestElicitation asks the client's user.
func (s *session) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var result mcp.ElicitationResult
	return &result, s.asks.ask(ctx, s, string(mcp.MethodElicitationCreate), r.Params, &result)
}

// RequestSampling asks the client's model.
func (s *session) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var result mcp.CreateMessageResult
	if err := s.asks.ask(ctx, s, string(mcp.MethodSamplingCreateMessage), r.CreateMessageParams, &result); err != nil {
		return nil, err
	}
	content, err := mcp.ParseSamplingContent(result.Content)
	if err != nil {
		return nil, fmt.Errorf("read what the client's model said: %w", err)
	}
	result.Content = content
	return &result, nil
}
