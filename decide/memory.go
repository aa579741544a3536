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

// Memory keeps turns and calls in memory, for as long as the process lives. A turn that is closed is forgotten ten minutes
// after its time is over, or earlier when there is no room; one that runs, or may have run, never.
type Memory struct {
	mu     sync.Mutex
	rows   map[string]*kept
	due    dueHeap        // by expiry: what the sweeper looks at
	closed *list.List     // ids of final turns, oldest first: what makes room
	live   map[string]int // principal → turns that count against the limit
	bytes  int
	calls  memoryCalls
	key    []byte
	limits MemoryLimits
}

// MemoryLimits bound a Memory. The zero value gives the defaults.
type MemoryLimits struct {
	Live   int              // turns of one principal that wait for an answer, a person or an end; 0 = 10,000
	Closed int              // closed turns of all principals; 0 = 50,000
	Bytes  int              // of all turns, about; 0 = 256 MiB
	Calls  int              // calls that have ended; 0 = 10,000. They take 64 MiB at most
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
	row    TurnRow
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
	if l.Calls <= 0 {
		l.Calls = 10_000
	}
	m := &Memory{calls: newMemoryCalls(l), rows: make(map[string]*kept), closed: list.New(), live: make(map[string]int), key: make([]byte, 32), limits: l}
	rand.Read(m.key)
	return m
}

// Turn implements Store.
func (m *Memory) Turn(ctx context.Context, id string) (TurnRow, error) {
	if err := ctx.Err(); err != nil {
		return TurnRow{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turn(id)
}

// Do implements Store.
func (m *Memory) Do(ctx context.Context, _ Class, f func(Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	tx := &memoryTx{m: m}
	if err := f(tx); err != nil {
		for _, undo := range slices.Backward(tx.undo) {
			undo()
		}
		return err
	}
	m.room(0)
	m.calls.room()
	return nil
}

// memoryTx is one transaction of a Memory, and how to take it back.
type memoryTx struct {
	m    *Memory
	undo []func()
}

// InsertTurn implements Tx.
func (tx *memoryTx) InsertTurn(r TurnRow) error {
	m := tx.m
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
	tx.undo = append(tx.undo, func() { m.forget(k) })
	return nil
}

// Turn implements Tx.
func (tx *memoryTx) Turn(id string) (TurnRow, error) { return tx.m.turn(id) }

func (m *Memory) turn(id string) (TurnRow, error) {
	k := m.rows[id]
	if k == nil {
		return TurnRow{}, ErrNoTurnRow
	}
	return k.row.clone(), nil
}

// SwapTurn implements Tx.
func (tx *memoryTx) SwapTurn(was, next TurnRow) (TurnRow, bool, error) {
	k := tx.m.rows[was.ID]
	if k == nil {
		return TurnRow{}, false, ErrNoTurnRow
	}
	if k.row.State != was.State || k.row.Round != was.Round || k.row.Version != was.Version {
		return k.row.clone(), false, nil
	}
	before, now := k.row, k.row
	now.State, now.Round, now.Data = next.State, next.Round, slices.Clone(next.Data)
	now.Version++
	tx.m.put(k, now)
	tx.undo = append(tx.undo, func() { tx.m.put(k, before) })
	return now.clone(), true, nil
}

// put gives a turn that is there another row.
func (m *Memory) put(k *kept, r TurnRow) {
	m.uncount(k)
	m.bytes += weight(r) - weight(k.row)
	k.row = r
	m.count(k)
}

// Key implements Store.
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
func weight(r TurnRow) int {
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
