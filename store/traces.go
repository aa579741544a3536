package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	queue   chan trace.Record
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
	case t.queue <- r:
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
			if batch = append(batch, r); len(batch) < flushMost {
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
		batch = append(batch, <-s.traces.queue)
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
			s.o.Log.Warn("records of what happened could not be written", "records", len(part), "store", s.db.name, "err", err)
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

// insertRecords writes records and says how many bytes they take.
func (t *storeTx) insertRecords(records []trace.Record) (bytes int64, err error) {
	came := t.s.Now().UnixMicro()
	for i, r := range records {
		data, err := json.Marshal(r)
		if err != nil { // arguments that are no JSON
			r.Args = nil
			if data, err = json.Marshal(r); err != nil {
				return 0, fmt.Errorf("record %s: %w", r.ID, err)
			}
		}
		size := int64(len(data)) + aroundOne
		n, err := t.exec(`INSERT INTO {traces} (id, time, came, decision, method, state, turn, root, parent, era, size, record)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
			r.ID, r.Time.UnixMicro(), came+int64(i), r.Decision, r.Method, r.State, trace.TurnOf(r.Turn), r.Root, r.Parent, r.Era, size, data)
		if err != nil {
			return 0, err
		}
		bytes += n * size
	}
	return bytes, nil
}

// Wanted says which records are asked for. What is empty does not matter.
type Wanted struct {
	Decision, Method, State, Era string
	Turn                         string // the id, without the round
	Root, Parent                 string // ids of records; see trace.Record
	Since                        time.Time
	Limit                        int // at most so many, the newest; 0 = all
}

// ErrNoRecord says that there is no record of an id, or no longer.
var ErrNoRecord = trace.ErrNoRecord

// Trace returns the record of an id.
func (s *Store) Trace(ctx context.Context, id string) (trace.Record, error) {
	s.caughtUp(ctx)
	var data []byte
	err := s.db.row(ctx, "SELECT record FROM {traces} WHERE id = $1", id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return trace.Record{}, ErrNoRecord
	}
	if err != nil {
		return trace.Record{}, fmt.Errorf("reading record %s: %w", id, s.db.explain(err))
	}
	return decoded(data)
}

func decoded(data []byte) (r trace.Record, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("a record is damaged: %w", err)
	}
	return r, nil
}

// Traces hands over the records that are wanted, newest first, until each says that it is enough by returning false, or fails.
func (s *Store) Traces(ctx context.Context, w Wanted, each func(trace.Record) (more bool, err error)) error {
	s.caughtUp(ctx)
	query, args := w.query()
	rows, err := s.db.query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("reading records: %w", s.db.explain(err))
	}
	defer rows.Close()
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return fmt.Errorf("reading records: %w", s.db.explain(err))
		}
		r, err := decoded(data)
		if err != nil {
			return err
		}
		if more, err := each(r); err != nil || !more {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reading records: %w", s.db.explain(err))
	}
	return nil
}

// TracesOfTurn implements trace.Source.
func (s *Store) TracesOfTurn(ctx context.Context, turn string, most int) ([]trace.Record, error) {
	return s.newest(ctx, Wanted{Turn: turn, Limit: most})
}

// TracesUnder implements trace.Source.
func (s *Store) TracesUnder(ctx context.Context, root string, most int) ([]trace.Record, error) {
	return s.newest(ctx, Wanted{Root: root, Limit: most})
}

// newest are the newest records that are wanted, oldest first. It wants something that few records have.
func (s *Store) newest(ctx context.Context, w Wanted) (found []trace.Record, err error) {
	if w.Turn == "" && w.Root == "" || w.Limit < 1 {
		return nil, nil
	}
	err = s.Traces(ctx, w, func(r trace.Record) (bool, error) {
		found = append(found, r)
		return true, nil
	})
	slices.Reverse(found)
	return found, err
}

func (w Wanted) query() (string, []any) {
	var where []string
	var args []any
	add := func(condition string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(condition+"$%d", len(args)))
	}
	for _, c := range []struct{ column, value string }{{"decision", w.Decision}, {"method", w.Method}, {"state", w.State}, {"era", w.Era}} {
		if c.value != "" {
			add(c.column+" = ", c.value)
		}
	}
	// Few records have these, so their indexes hold no others; the first condition says so.
	for _, c := range []struct{ column, value string }{{"turn", w.Turn}, {"root", w.Root}, {"parent", w.Parent}} {
		if c.value != "" {
			add(c.column+" <> '' AND "+c.column+" = ", c.value)
		}
	}
	if !w.Since.IsZero() {
		add("time >= ", w.Since.UnixMicro())
	}
	query := "SELECT record FROM {traces}"
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY time DESC, rowid DESC"
	if w.Limit > 0 {
		args = append(args, w.Limit)
		query += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	return query, args
}

// tooOld is when records came that are kept no longer, in microseconds since 1970: those that came before have had their time, or are the oldest
// of more than there may be. Processes that share the store come to the same, so that together they remove no more than one would.
func (s *Store) tooOld() int64 {
	old := s.Now().Add(-s.o.Keep).UnixMicro()
	cut, err := s.beyondSize(context.Background())
	if err != nil {
		s.o.Log.Warn("how much the records of what happened take can't be found out", "store", s.db.name, "err", err)
	}
	return max(old, cut)
}

// beyondSize counts what all records take. Where that is more than they may, it is when the oldest came that may stay; else 0. A twentieth goes beyond
// what has to, so that it does not begin again with the next record. It is one look at the store: others may be removing records meanwhile.
func (s *Store) beyondSize(ctx context.Context) (cut int64, err error) {
	rows, err := s.db.query(ctx, "SELECT came, size, (SELECT CAST(sum(size) AS BIGINT) FROM {traces}) FROM {traces} ORDER BY came")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var left, most int64
	for first := true; rows.Next(); first = false {
		var came, size, all int64
		if err := rows.Scan(&came, &size, &all); err != nil {
			return 0, err
		}
		if first {
			left, most = all, s.o.Size
		}
		if left <= most {
			break
		}
		left, most, cut = left-size, s.o.Size-s.o.Size/20, came+1
	}
	s.traces.bytes.Store(left)
	return cut, rows.Err()
}

// forgetTraces removes some of the records that came before a moment.
func (t *storeTx) forgetTraces(old int64) (more bool, err error) {
	n, err := t.exec("DELETE FROM {traces} WHERE rowid IN (SELECT rowid FROM {traces} WHERE came < $1 LIMIT $2)", old, sweepMost)
	return n == sweepMost, err
}
