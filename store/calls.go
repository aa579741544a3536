package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	callColumns = "id, principal, config, key, turn, method, state, owner, released, version, began, expires, data"
	callByID    = "SELECT " + callColumns + " FROM {calls} WHERE id = $1"
)

// Calls implements decide.Store.
func (s *Store) Calls(ctx context.Context, w decide.WantedCalls) ([]decide.CallRow, error) {
	where, args := []string{"NOT (final = 1 AND expires <= $1)"}, []any{s.Now().UnixMicro()}
	ofKey := w.Key != ""
	for _, c := range []struct {
		column, value string
		matters       bool // though it is empty
	}{
		{"id", w.ID, false}, {"principal", w.Principal, ofKey}, {"config", w.Config, ofKey}, {"key", w.Key, false}, {"state", string(w.State), false},
	} {
		if c.value != "" || c.matters {
			args = append(args, c.value)
			where = append(where, fmt.Sprintf("%s = $%d", c.column, len(args)))
		}
	}
	if ofKey {
		where = append(where, "key <> ''") // so that its index serves
	}
	query := "SELECT " + callColumns + " FROM {calls} WHERE " + strings.Join(where, " AND ") + " ORDER BY began DESC, id DESC"
	if w.Limit > 0 {
		args = append(args, w.Limit)
		query += fmt.Sprintf(" LIMIT $%d", len(args))
	}
	list, err := s.readCalls(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading calls: %w", s.db.explain(err))
	}
	return list, nil
}

func (s *Store) readCalls(ctx context.Context, query string, args ...any) (list []decide.CallRow, err error) {
	rows, err := s.db.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scanCall(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// Call implements decide.Tx.
func (t *storeTx) Call(id string) (decide.CallRow, error) { return scanCall(t.row(callByID, id)) }

// InsertCall implements decide.Tx.
func (t *storeTx) InsertCall(r decide.CallRow) (decide.CallRow, bool, error) {
	r.Version = 1
	inserted, err := t.addCall(r)
	if err != nil || inserted {
		return r, inserted, err
	}
	if r.Key == "" {
		return decide.CallRow{}, false, decide.ErrTaken
	}
	other, err := scanCall(t.row("SELECT "+callColumns+" FROM {calls} WHERE principal = $1 AND config = $2 AND key = $3 AND key <> ''", r.Principal, r.Config, r.Key))
	switch {
	case errors.Is(err, decide.ErrNoCallRow):
		return decide.CallRow{}, false, decide.ErrTaken
	case err != nil:
		return decide.CallRow{}, false, err
	case !other.Final() || other.Expires.After(t.s.Now()):
		return other, false, nil
	}
	if _, err := t.exec("DELETE FROM {calls} WHERE id = $1 AND version = $2", other.ID, other.Version); err != nil {
		return decide.CallRow{}, false, err
	}
	if inserted, err = t.addCall(r); err == nil && !inserted {
		err = decide.ErrTaken
	}
	return r, inserted, err
}

func (t *storeTx) addCall(r decide.CallRow) (bool, error) {
	n, err := t.exec("INSERT INTO {calls} ("+callColumns+", final) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING",
		r.ID, r.Principal, r.Config, r.Key, r.Turn, r.Method, string(r.State), r.Owner, number(r.Released), r.Version, micros(r.Began), micros(r.Expires), r.Data,
		number(r.Final()))
	return n == 1, err
}

// SwapCall implements decide.Tx.
func (t *storeTx) SwapCall(was, next decide.CallRow) (decide.CallRow, bool, error) {
	n, err := t.putCall(was, next)
	if err != nil {
		return decide.CallRow{}, false, err
	}
	if n == 0 {
		now, err := t.Call(was.ID)
		return now, false, err
	}
	now := was
	now.State, now.Owner, now.Released, now.Expires, now.Data, now.Version = next.State, next.Owner, next.Released, next.Expires, next.Data, was.Version+1
	return now, true, nil
}

// putCall writes what is next, or removes a row that nobody wants to keep.
func (t *storeTx) putCall(was, next decide.CallRow) (int64, error) {
	if next.Final() && next.Expires.IsZero() {
		return t.exec("DELETE FROM {calls} WHERE id = $1 AND state = $2 AND version = $3", was.ID, string(was.State), was.Version)
	}
	return t.exec(`UPDATE {calls} SET state = $1, owner = $2, released = $3, expires = $4, final = $5, data = $6, version = version + 1
		WHERE id = $7 AND state = $8 AND version = $9`,
		string(next.State), next.Owner, number(next.Released), micros(next.Expires), number(next.Final()), next.Data, was.ID, string(was.State), was.Version)
}

// scanCall reads a row.
func scanCall(row interface{ Scan(...any) error }) (r decide.CallRow, err error) {
	var state string
	var released, began, expires int64
	err = row.Scan(&r.ID, &r.Principal, &r.Config, &r.Key, &r.Turn, &r.Method, &state, &r.Owner, &released, &r.Version, &began, &expires, &r.Data)
	if errors.Is(err, sql.ErrNoRows) {
		return decide.CallRow{}, decide.ErrNoCallRow
	}
	for _, s := range []*string{&r.ID, &r.Principal, &r.Config, &r.Key, &r.Turn, &r.Method, &r.Owner} {
		*s = unplain(*s)
	}
	r.State, r.Released, r.Began, r.Expires = registry.State(state), released == 1, time.UnixMicro(began).UTC(), moment(expires)
	return r, err
}

// micros and moment are a time as it is stored: 0 is none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
