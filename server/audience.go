package server

import (
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// How many streams may wait for news at a time.
const (
	maxStreams = 256
	ownStreams = maxStreams / 2 // of one caller
)

// audience are the streams that are told when lists change.
type audience struct {
	mu      sync.Mutex
	streams map[*session]struct{}
	of      map[string]int // how many a caller has
}

func newAudience() *audience {
	return &audience{streams: map[*session]struct{}{}, of: map[string]int{}}
}

// join adds a stream; false when there are too many.
func (a *audience) join(s *session) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, in := a.streams[s]; in {
		return true
	}
	if a.crowded(s.caller) {
		return false
	}
	s.pump()
	a.streams[s] = struct{}{}
	a.of[s.caller]++
	return true
}

func (a *audience) leave(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, in := a.streams[s]; !in {
		return
	}
	delete(a.streams, s)
	if a.of[s.caller]--; a.of[s.caller] == 0 {
		delete(a.of, s.caller)
	}
}

// full reports whether a caller can have no further stream.
func (a *audience) full(caller string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.crowded(caller)
}

func (a *audience) crowded(caller string) bool {
	return len(a.streams) >= maxStreams || a.of[caller] >= ownStreams
}

// lists is a set of the lists that clients keep.
type lists uint32

const (
	toolList lists = 1 << iota
	promptList
	resourceList
)

// changes are the notifications about them, in the order in which they are sent.
var changes = []struct {
	list   lists
	method string
	wanted func(mcp.SubscriptionFilter) bool
}{
	{toolList, mcp.MethodNotificationToolsListChanged, func(f mcp.SubscriptionFilter) bool { return f.ToolsListChanged }},
	{promptList, mcp.MethodNotificationPromptsListChanged, func(f mcp.SubscriptionFilter) bool { return f.PromptsListChanged }},
	{resourceList, mcp.MethodNotificationResourcesListChanged, func(f mcp.SubscriptionFilter) bool { return f.ResourcesListChanged }},
}

// tell lets every stream know that lists have changed. It waits for none: a stream that has not written the last news
// yet says it once.
func (a *audience) tell(changed lists) {
	if changed == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.streams {
		s.pended.Or(uint32(changed))
		select {
		case s.news <- struct{}{}:
		default:
		}
	}
}

// changedNote tells a client to ask for a list again.
type changedNote struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  *changedParams `json:"params,omitempty"`
}

type changedParams struct {
	Meta map[string]json.RawMessage `json:"_meta"`
}

// tell writes the news that wait. Before the handshake a client is told nothing.
func (s *session) tell() {
	changed := lists(s.pended.Swap(0))
	for _, c := range changes {
		if changed&c.list == 0 || !s.wants(c.wanted) {
			continue
		}
		note := changedNote{JSONRPC: "2.0", Method: c.method}
		if s.listen != nil {
			note.Params = &changedParams{map[string]json.RawMessage{mcp.MetaKeySubscriptionID: s.listen}}
		}
		_ = s.out.send(note) // always encodes
	}
}

func (s *session) wants(wanted func(mcp.SubscriptionFilter) bool) bool {
	if s.listen == nil {
		return s.ready.Load()
	}
	f := s.filter.Load()
	return f != nil && wanted(*f)
}

// SetSubscriptionFilter is how the SDK says what a subscriptions/listen has asked for: nothing, when it ends.
func (s *session) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	if s.listen == nil {
		return
	}
	s.filter.Store(&f)
	if f.IsEmpty() {
		s.crowd.leave(s)
	} else {
		s.crowd.join(s)
	}
}

// SubscriptionFilter is what SetSubscriptionFilter has set.
func (s *session) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	f := s.filter.Load()
	if f == nil || f.IsEmpty() {
		return mcp.SubscriptionFilter{}, false
	}
	return *f, true
}
