package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

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
		s.o.Log.Warn("how much the records of what happened take can't be found out", "store", s.db.name, "err", s.db.explain(err))
	}
	return max(old, cut)
}

// beyondSize counts what all records take. Where that is more than they may, it is when the oldest came that may stay; else 0. A twentieth goes beyond
// what has to, so that it does not begin again with the next record. What may go is found in one look at the store: others may be removing records
// meanwhile. It is a look at all of them for some databases, so it is not taken for nothing.
func (s *Store) beyondSize(ctx context.Context) (cut int64, err error) {
	var all int64
	if err := s.db.row(ctx, "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM {traces}").Scan(&all); err != nil {
		return 0, err
	}
	if all <= s.o.Size {
		s.traces.bytes.Store(all)
		return 0, nil
	}
	rows, err := s.db.query(ctx, "SELECT came, size, (SELECT CAST(sum(size) AS BIGINT) FROM {traces}) FROM {traces} ORDER BY came")
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	var left, most int64
	for first := true; rows.Next(); first = false {
		var came, size int64
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
