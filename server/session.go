package server

import (
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// session is the one client of a stdio server, as the SDK wants to see it.
type session struct {
	ready   atomic.Bool
	version atomic.Value // string, of the handshake
	queue   chan mcp.JSONRPCNotification
	mu      sync.Mutex // orders what flush takes from the queue
}

func newSession() *session {
	return &session{queue: make(chan mcp.JSONRPCNotification, 100)}
}

func (s *session) Initialize()                                         { s.ready.Store(true) }
func (s *session) Initialized() bool                                   { return s.ready.Load() }
func (s *session) SessionID() string                                   { return "stdio" }
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.queue }
func (s *session) SetProtocolVersion(v string)                         { s.version.Store(v) }

func (s *session) ProtocolVersion() string {
	v, _ := s.version.Load().(string)
	return v
}

// flush writes what the SDK has queued. It runs before each answer, so that whatever a handler sent goes out
// before its result, and nothing needs a goroutine that the result could overtake.
func (s *session) flush(out *output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		select {
		case n := <-s.queue:
			if err := out.send(n); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}
