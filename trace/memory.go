package trace

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a Recorder that keeps the newest records in memory. The oldest ones go when a limit is
// reached. It is safe for concurrent use and never blocks on anything but its own lock.
type Memory struct {
	// Now is the clock, by which records age; set another before the first use.
	Now func() time.Time

	mu      sync.Mutex
	ring    []kept // oldest first, from head on
	head    int
	bytes   int
	seen    map[string]int // id → position since the start
	first   int            // position of the oldest record since the start
	dropped int
	limits  Limits
}

// kept is a record and when it came. That is what it ages by: its own time is whatever its writer says.
type kept struct {
	Record
	came time.Time
}

// Limits bound a Memory. The zero value gives the defaults.
type Limits struct {
	Records int           // 0 = 10,000
	Bytes   int           // of all records together, about; 0 = 64 MiB
	Age     time.Duration // from when a record came; an older one is not shown any more, and goes with the next use; 0 = 30 days
}

// NewMemory makes an empty Memory.
func NewMemory(l Limits) *Memory {
	if l.Records <= 0 {
		l.Records = 10_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Age <= 0 {
		l.Age = 30 * 24 * time.Hour
	}
	return &Memory{Now: time.Now, limits: l, seen: make(map[string]int)}
}

// Record keeps a copy of r. A record without an id gets one, one without a time the present. A
// record that is larger than the byte limit on its own is kept without its arguments, reply and output and with its
// error and reason cut; the count of Dropped says nothing of it.
func (m *Memory) Record(_ context.Context, r Record) {
	now := m.Now()
	if r.ID == "" {
		r.ID = NewID(now)
	}
	if r.Time.IsZero() {
		r.Time = now
	}
	r = copied(r)
	if size(r) > m.limits.Bytes {
		r.Args, r.Dropped, r.Reply, r.Output = nil, nil, "", ""
		r.Error = strings.ToValidUTF8(r.Error[:min(len(r.Error), 200)], "")
		r.Reason = strings.ToValidUTF8(r.Reason[:min(len(r.Reason), 200)], "")
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(now)
	m.seen[r.ID] = m.first + m.len()
	m.ring = append(m.ring, kept{r, now})
	m.bytes += size(r)
	for m.len() > 1 && (m.len() > m.limits.Records || m.bytes > m.limits.Bytes) {
		m.drop()
	}
}

// List is a copy of all records that are kept, oldest first.
func (m *Memory) List() []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.Now())
	list := make([]Record, 0, m.len())
	for _, k := range m.ring[m.head:] {
		list = append(list, copied(k.Record))
	}
	return list
}

// Get finds one record by its id. Of several with one id it is the newest.
func (m *Memory) Get(id string) (Record, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.Now())
	at, ok := m.seen[id]
	if !ok {
		return Record{}, false
	}
	return copied(m.ring[m.head+at-m.first].Record), true
}

// Trace finds one record by its id. ErrNoRecord means that there is none, or no longer.
func (m *Memory) Trace(_ context.Context, id string) (Record, error) {
	r, ok := m.Get(id)
	if !ok {
		return Record{}, ErrNoRecord
	}
	return r, nil
}

// TracesOfTurn are the newest records of a turn, at most so many, oldest first.
func (m *Memory) TracesOfTurn(_ context.Context, turn string, most int) ([]Record, error) {
	return m.newest(most, func(r *Record) bool { return r.Turn != "" && TurnOf(r.Turn) == turn }), nil
}

// TracesUnder are the newest records that began with a record, at most so many, oldest first.
func (m *Memory) TracesUnder(_ context.Context, root string, most int) ([]Record, error) {
	return m.newest(most, func(r *Record) bool { return r.Root == root }), nil
}

func (m *Memory) newest(most int, wanted func(*Record) bool) []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.Now())
	var found []Record
	for i := len(m.ring) - 1; i >= m.head && len(found) < most; i-- {
		if r := &m.ring[i].Record; wanted(r) {
			found = append(found, copied(*r))
		}
	}
	slices.Reverse(found)
	return found
}

// Kept says how many records came, also those that have gone since.
func (m *Memory) Kept() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(m.first + m.len())
}

// Dropped says how many records went because of the limits.
func (m *Memory) Dropped() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.expire(m.Now())
	return m.dropped
}

func (m *Memory) len() int { return len(m.ring) - m.head }

// expire lets the records go that are older than the limit.
func (m *Memory) expire(now time.Time) {
	for m.len() > 0 && now.Sub(m.ring[m.head].came) > m.limits.Age {
		m.drop()
	}
}

// drop lets the oldest record go. The room it took is given back when half of the slice is such room,
// so that keeping a record costs the same however many there are.
func (m *Memory) drop() {
	old := &m.ring[m.head]
	if m.seen[old.ID] == m.first {
		delete(m.seen, old.ID)
	}
	m.bytes -= size(old.Record)
	*old = kept{}
	m.head++
	m.first++
	m.dropped++
	if m.head > len(m.ring)/2 {
		m.ring = append(make([]kept, 0, 2*m.len()), m.ring[m.head:]...)
		m.head = 0
	}
}

// copied shares nothing with r.
func copied(r Record) Record {
	r.Args = slices.Clone(r.Args)
	r.Dropped = slices.Clone(r.Dropped)
	return r
}

// size is about what a record takes.
func size(r Record) int {
	n := 200 + len(r.ID) + len(r.Path) + len(r.Caller) + len(r.Method) + len(r.Decision) + len(r.Turn) + len(r.Option) +
		len(r.Args) + len(r.State) + len(r.Error) + len(r.Reason) + len(r.Strategy) + len(r.Form) + len(r.Refused) +
		len(r.Reply) + len(r.ReplyDigest) + len(r.Menu) + len(r.Call) + len(r.Output) + len(r.Model) +
		len(r.Parent) + len(r.Root) + len(r.Era) + len(r.Request) + len(r.TraceParent)
	for _, d := range r.Dropped {
		n += 16 + len(d)
	}
	return n
}

// NewID makes an id for a record: its time in milliseconds and 52 random bits, so that ids
// sort by time.
func NewID(t time.Time) string {
	var b [15]byte
	binary.BigEndian.PutUint64(b[:8], uint64(t.UnixMilli())<<16)
	rand.Read(b[6:])
	return strings.ToLower(base32.HexEncoding.EncodeToString(b[:])[:20])
}
