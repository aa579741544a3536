package decide

import (
	"container/heap"
	"container/list"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Memory keeps turns in memory, for as long as the process lives. A turn that is closed is forgotten ten minutes
// after its time is over, or earlier when there is no room; one that runs, or may have run, never.
type Memory struct {
	mu     sync.Mutex
	rows   map[string]*kept
	due    dueHeap        // by expiry: what the sweeper looks at
	closed *list.List     // ids of final turns, oldest first: what makes room
	live   map[string]int // principal → turns that count against the limit
	bytes  int
	key    []byte
	limits MemoryLimits
}

// MemoryLimits bound a Memory. The zero value gives the defaults.
type MemoryLimits struct {
	Live   int              // turns of one principal that wait for an answer, a person or an end; 0 = 10,000
	Closed int              // closed turns of all principals; 0 = 50,000
	Bytes  int              // of all rows, about; 0 = 256 MiB
	Now    func() time.Time // nil = time.Now
}

// FullError says that a turn can't be opened because there is no room for it.
type FullError struct {
	Limit string // what is full
}

func (e *FullError) Error() string {
	return fmt.Sprintf("no room for another turn: %s; answer some, or wait until they expire", e.Limit)
}

// afterwards is how long a turn whose time is over can still be asked about.
const afterwards = 10 * time.Minute

type kept struct {
	row    Row
	at     int           // in due; -1 = not there
	closed *list.Element // in closed, when final
}

// NewMemory makes an empty Memory.
func NewMemory(l MemoryLimits) *Memory {
	if l.Live <= 0 {
		l.Live = 10_000
	}
	if l.Closed <= 0 {
		l.Closed = 50_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 256 << 20
	}
	if l.Now == nil {
		l.Now = time.Now
	}
	m := &Memory{rows: make(map[string]*kept), closed: list.New(), live: make(map[string]int), key: make([]byte, 32), limits: l}
	rand.Read(m.key)
	return m
}

// Insert implements Turns.
func (m *Memory) Insert(ctx context.Context, _ Class, r Row) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.limits.Now()
	m.sweep(now.Add(-afterwards))
	if m.rows[r.ID] != nil {
		return ErrTaken
	}
	if m.live[r.Principal] >= m.limits.Live {
		m.sweep(now) // a turn that nobody can answer any more takes nobody's place
	}
	if n := m.live[r.Principal]; n >= m.limits.Live {
		return &FullError{Limit: fmt.Sprintf("%d turns of %s are open", n, r.Principal)}
	}
	if m.room(weight(r)); m.bytes+weight(r) > m.limits.Bytes {
		return &FullError{Limit: fmt.Sprintf("turns that are open or may have run take %d of %d bytes", m.bytes, m.limits.Bytes)}
	}
	r = r.clone()
	r.Version = 1
	k := &kept{row: r, at: -1}
	m.rows[r.ID] = k
	heap.Push(&m.due, k)
	m.bytes += weight(r)
	m.count(k)
	return nil
}

// Load implements Turns.
func (m *Memory) Load(ctx context.Context, id string) (Row, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.rows[id]
	if k == nil {
		return Row{}, ErrNoRow
	}
	return k.row.clone(), nil
}

// Swap implements Turns.
func (m *Memory) Swap(ctx context.Context, _ Class, was, next Row) (Row, bool, error) {
	if err := ctx.Err(); err != nil {
		return Row{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.rows[was.ID]
	if k == nil {
		return Row{}, false, ErrNoRow
	}
	if k.row.State != was.State || k.row.Round != was.Round || k.row.Version != was.Version {
		return k.row.clone(), false, nil
	}
	m.uncount(k)
	m.bytes -= weight(k.row)
	k.row.State, k.row.Round, k.row.Data = next.State, next.Round, slices.Clone(next.Data)
	k.row.Version++
	m.bytes += weight(k.row)
	m.count(k)
	now := k.row.clone()
	m.room(0)
	return now, true, nil
}

// Key implements Turns.
func (m *Memory) Key() []byte { return slices.Clone(m.key) }

// counts reports whether a turn counts against its principal's limit. One whose end is not known does not: it may stay so for ever.
func counts(s State) bool { return !s.Final() && s != Unknown }

// count adds a row to the live or to the closed ones, and puts it before the sweeper unless it may be running.
func (m *Memory) count(k *kept) {
	switch {
	case k.row.State.Final():
		k.closed = m.closed.PushBack(k.row.ID)
	case counts(k.row.State):
		m.live[k.row.Principal]++
	}
	if k.at < 0 && sweepable(k.row.State) {
		heap.Push(&m.due, k)
	}
}

func (m *Memory) uncount(k *kept) {
	if k.closed != nil {
		m.closed.Remove(k.closed)
		k.closed = nil
	}
	if !counts(k.row.State) {
		return
	}
	p := k.row.Principal
	if m.live[p]--; m.live[p] == 0 {
		delete(m.live, p)
	}
}

// room lets the oldest closed turns go until n more bytes fit and there are not too many of them. Nothing can be run
// twice by that: an answer to a turn that is gone is an answer to no turn.
func (m *Memory) room(n int) {
	for m.closed.Len() > m.limits.Closed || (m.bytes+n > m.limits.Bytes && m.closed.Len() > 0) {
		m.forget(m.rows[m.closed.Front().Value.(string)])
	}
}

// sweep forgets what expired before limit. What may be running is only taken off the heap; it comes back when its end is known.
func (m *Memory) sweep(limit time.Time) {
	for len(m.due) > 0 && m.due[0].row.Expires.Before(limit) {
		if k := m.due[0]; sweepable(k.row.State) {
			m.forget(k)
		} else {
			heap.Pop(&m.due)
		}
	}
}

func sweepable(s State) bool { return s == Open || s.Final() }

func (m *Memory) forget(k *kept) {
	m.uncount(k)
	if k.at >= 0 {
		heap.Remove(&m.due, k.at)
	}
	m.bytes -= weight(k.row)
	delete(m.rows, k.row.ID)
}

// weight is about what a row takes.
func weight(r Row) int {
	return 400 + len(r.ID) + len(r.Principal) + len(r.Config) + len(r.Data)
}

type dueHeap []*kept

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].row.Expires.Before(h[j].row.Expires) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}
func (h *dueHeap) Push(x any) {
	k := x.(*kept)
	k.at = len(*h)
	*h = append(*h, k)
}
func (h *dueHeap) Pop() any {
	old := *h
	k := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	k.at = -1
	return k
}
