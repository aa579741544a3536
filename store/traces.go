package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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
)

// traces are the records on their way to the disk. They are written in order and in batches. When more come than can be written, the newest are
// dropped and counted: nobody who answers a call waits for a record.
type traces struct {
	queue   chan trace.Record
	dropped atomic.Int64

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
		}
		for closing && len(s.traces.queue) > 0 {
			batch = append(batch, <-s.traces.queue)
		}
		s.keep(batch)
		batch = batch[:0]
		if closing {
			return
		}
	}
}

// keep writes some records. Those that can't be written are counted, and the reason is logged.
func (s *Store) keep(batch []trace.Record) {
	for len(batch) > 0 {
		part := batch[:min(len(batch), flushMost)]
		batch = batch[len(part):]
		err := s.write.write(context.Background(), decide.Trail, func(w *work) error { return (&storeTx{work: w, s: s}).insertRecords(part) })
		if err != nil {
			s.traces.dropped.Add(int64(len(part)))
			s.o.Log.Warn("records of what happened could not be written", "records", len(part), "store", s.db.name, "err", err)
		}
	}
}

func (t *storeTx) insertRecords(records []trace.Record) error {
	came := t.s.Now().UnixMicro()
	for _, r := range records {
		data, err := json.Marshal(r)
		if err != nil { // arguments that are no JSON
			r.Args = nil
			if data, err = json.Marshal(r); err != nil {
				return fmt.Errorf("record %s: %w", r.ID, err)
			}
		}
		if _, err := t.exec("INSERT INTO {traces} (id, time, came, decision, method, state, record) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
			r.ID, r.Time.UnixMicro(), came, r.Decision, r.Method, r.State, data); err != nil {
			return err
		}
	}
	return nil
}

// Wanted says which records are asked for. What is empty does not matter.
type Wanted struct {
	Decision, Method, State string
	Since                   time.Time
	Limit                   int // at most so many, the newest; 0 = all
}

// ErrNoRecord says that there is no record of an id, or no longer.
var ErrNoRecord = errors.New("no record of that id")

// Trace returns the record of an id.
func (s *Store) Trace(ctx context.Context, id string) (trace.Record, error) {
	var data []byte
	err := s.db.row(ctx, "SELECT record FROM {traces} WHERE id = $1", id).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return trace.Record{}, ErrNoRecord
	}
	if err != nil {
		return trace.Record{}, fmt.Errorf("reading record %s: %w", id, err)
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
	query, args := w.query()
	rows, err := s.db.query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("reading records: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return fmt.Errorf("reading records: %w", err)
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
		return fmt.Errorf("reading records: %w", err)
	}
	return nil
}

func (w Wanted) query() (string, []any) {
	var where []string
	var args []any
	add := func(condition string, value any) {
		args = append(args, value)
		where = append(where, fmt.Sprintf(condition+"$%d", len(args)))
	}
	for _, c := range []struct{ column, value string }{{"decision", w.Decision}, {"method", w.Method}, {"state", w.State}} {
		if c.value != "" {
			add(c.column+" = ", c.value)
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

// forgetTraces removes some of the records that are too old.
func (t *storeTx) forgetTraces() (more bool, err error) {
	n, err := t.exec("DELETE FROM {traces} WHERE rowid IN (SELECT rowid FROM {traces} WHERE came < $1 LIMIT $2)",
		t.s.Now().Add(-t.s.o.Keep).UnixMicro(), sweepMost)
	return n == sweepMost, err
}
