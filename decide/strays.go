package decide

import (
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/registry"
)

// maxStrays is how many runs may go on at a time whose callers have left.
const maxStrays = 64

// strays counts the runs that go on without their callers. Whoever calls and leaves, again and again, holds none of the places that
// a server has for calls, and would start runs without end.
type strays struct{ n atomic.Int64 }

func (s *strays) begin() { s.n.Add(1) }
func (s *strays) end()   { s.n.Add(-1) }

// room refuses a call that could become a stray while there are too many of them. Nothing ran.
func (s *strays) room(m *registry.Method) error {
	if m.Effect.Or() == registry.Read && m.Approval == nil || s.n.Load() < maxStrays {
		return nil
	}
	return &registry.Refused{Kind: "gated", Method: m.Name, Message: m.Name +
		" was not run: too many calls still run whose callers have left. Send it again when some of them have ended."}
}
