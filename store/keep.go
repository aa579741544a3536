package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/trace"
)

const (
	maxQueued  = 8192                  // records that wait to be written
	flushEvery = 50 * time.Millisecond // how long one waits at most
	flushMost  = 500                   // records of one transaction
	keepTraces = 30 * 24 * time.Hour
	sizeTraces = 1 << 30 // bytes
	aroundOne  = 400     // bytes that a record takes beside its JSON, about
)

// traces are the records on their way to the disk. They are written in order and in batches. When more come than can be written, the newest are
// dropped and counted: nobody who answers a call waits for a record.
type traces struct {
	queue   chan *trace.Record // a place for each is made at the start, so they are small
	hurry   chan chan struct{} // who waits for what has come so far to be written
	dropped atomic.Int64
	kept    atomic.Int64

	bytes atomic.Int64  // that all records take: as they were last counted, and what this process has written since
	full  chan struct{} // they take more than they may; to the sweeper

	door   sync.RWMutex // held for reading by who puts a record into the queue
	closed bool         // no more are taken
}

// take puts a record into the queue, if there is room and the store is open.
func (t *traces) take(r trace.Record) bool {
	t.door.RLock()
	defer t.door.RUnlock()
	if t.closed {
		return false
	}
	select {
	case t.queue <- &r:
		return true
	default:
		return false
	}
}

// close lets no more records in.
func (t *traces) close() {
	t.door.Lock()
	defer t.door.Unlock()
	t.closed = true
}

// Record implements trace.Recorder. It never waits.
func (s *Store) Record(_ context.Context, r trace.Record) {
	now := s.Now()
	if r.ID == "" {
		r.ID = trace.NewID(now)
	}
	if r.Time.IsZero() {
		r.Time = now
	}
	if !s.traces.take(r) {
		s.traces.dropped.Add(1)
	}
}

// Dropped is how many records could not be kept since the store was opened.
func (s *Store) Dropped() int64 { return s.traces.dropped.Load() }

// Kept is how many records were kept since the store was opened.
func (s *Store) Kept() int64 { return s.traces.kept.Load() }

// keeper writes the records that come, until the store is closed and the last of them is written.
func (s *Store) keeper() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var batch []trace.Record
	for {
		closing := false
		select {
		case <-s.stop:
			closing = true
		case r := <-s.traces.queue:
			if batch = append(batch, *r); len(batch) < flushMost {
				continue
			}
		case <-tick.C:
		case waits := <-s.traces.hurry:
			batch = s.taken(batch)
			s.keep(batch)
			batch = batch[:0]
			close(waits)
			continue
		}
		if closing {
			s.keep(s.taken(batch))
			return
		}
		s.keep(batch)
		batch = batch[:0]
	}
}

// taken adds all that wait to a batch.
func (s *Store) taken(batch []trace.Record) []trace.Record {
	for len(s.traces.queue) > 0 {
		batch = append(batch, *<-s.traces.queue)
	}
	return batch
}

// caughtUp waits until what was recorded here so far is written: who asks for records finds those of what was done before.
func (s *Store) caughtUp(ctx context.Context) {
	waits := make(chan struct{})
	select {
	case s.traces.hurry <- waits:
	case <-ctx.Done():
		return
	case <-s.stop:
		return
	}
	select {
	case <-waits:
	case <-ctx.Done():
	case <-s.stop:
	}
}

// keep writes some records. Those that can't be written are counted, and the reason is logged.
func (s *Store) keep(batch []trace.Record) {
	for len(batch) > 0 {
		part := batch[:min(len(batch), flushMost)]
		batch = batch[len(part):]
		var bytes int64
		err := s.write.write(context.Background(), decide.Trail, func(w *work) (err error) {
			bytes, err = (&storeTx{work: w, s: s}).insertRecords(part)
			return err
		})
		if err != nil {
			s.traces.dropped.Add(int64(len(part)))
			s.o.Log.Warn("records of what happened could not be written", "records", len(part), "store", s.db.name, "err", s.db.explain(err))
			continue
		}
		s.traces.kept.Add(int64(len(part)))
		if s.traces.bytes.Add(bytes) > s.o.Size {
			select {
			case s.traces.full <- struct{}{}:
			default:
			}
		}
	}
}

// insertMany is how many records one statement writes. Each statement is a way to the database and back.
const insertMany = 50

var insertOne, insertAll = insertion(1), insertion(insertMany)

const recordColumns = "id, time, came, decision, method, state, turn, root, parent, era, size, record"

// insertion is the statement for n records.
func insertion(n int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO {traces} (" + recordColumns + ") VALUES ")
	columns := strings.Count(recordColumns, ",") + 1
	for i := range n * columns {
		switch {
		case i == 0:
			b.WriteString("(")
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "$%d", i+1)
	}
	b.WriteString(") ON CONFLICT DO NOTHING")
	return b.String()
}

// insertRecords writes records and says how many bytes they take, about.
func (t *storeTx) insertRecords(records []trace.Record) (bytes int64, err error) {
	came := t.s.Now().UnixMicro()
	for len(records) > 0 {
		part, text := records[:1], insertOne
		if len(records) >= insertMany {
			part, text = records[:insertMany], insertAll
		}
		var args []any
		var sizes int64
		for i, r := range part {
			data, err := encoded(r)
			if err != nil {
				return 0, err
			}
			size := int64(len(data)) + aroundOne
			sizes += size
			args = append(args, r.ID, r.Time.UnixMicro(), came+int64(i), r.Decision, r.Method, r.State, trace.TurnOf(r.Turn), r.Root, r.Parent, r.Era, size, data)
		}
		n, err := t.exec(text, args...)
		if err != nil {
			return 0, err
		}
		bytes += sizes * n / int64(len(part))
		records = records[len(part):]
		came += int64(len(part))
	}
	return bytes, nil
}

// encoded is a record as it is stored. Arguments that are no JSON are left out.
func encoded(r trace.Record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		r.Args = nil
		if data, err = json.Marshal(r); err != nil {
			return nil, fmt.Errorf("record %s: %w", r.ID, err)
		}
	}
	return data, nil
}
