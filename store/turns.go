package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

const columns = "id, principal, config, state, round, version, expires, data"

// Insert implements decide.Turns.
func (s *Store) Insert(ctx context.Context, c decide.Class, r decide.Row) error {
	err := s.write.write(ctx, c, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.admit(ctx, tx, r.Principal); err != nil {
			return err
		}
		live, kept := flags(r.State)
		done, err := tx.ExecContext(ctx, "INSERT INTO turns ("+columns+", live, kept) VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			r.ID, r.Principal, r.Config, string(r.State), r.Round, r.Expires.UnixMicro(), r.Data, live, kept)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return decide.ErrTaken
	})
	return named("inserting turn "+r.ID, err)
}

// admit refuses a turn of a principal that has too many. Those whose time is over take nobody's place.
func (s *Store) admit(ctx context.Context, tx *sql.Tx, principal string) error {
	count := func() (n int, err error) {
		err = tx.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM turns WHERE principal = ? AND live = 1 LIMIT ?)", principal, s.o.Live).Scan(&n)
		return n, err
	}
	n, err := count()
	if err != nil || n < s.o.Live {
		return err
	}
	if err := s.forget(ctx, tx, "AND principal = ?", s.o.Now(), principal); err != nil {
		return err
	}
	if n, err = count(); err != nil || n < s.o.Live {
		return err
	}
	return &decide.FullError{Limit: fmt.Sprintf("%d turns of %s are open", n, principal)}
}

// Load implements decide.Turns.
func (s *Store) Load(ctx context.Context, id string) (decide.Row, error) {
	r, err := scanned(s.db.reading.QueryRowContext(ctx, "SELECT "+columns+" FROM turns WHERE id = ?", id))
	return r, named("reading turn "+id, err)
}

// Swap implements decide.Turns.
func (s *Store) Swap(ctx context.Context, c decide.Class, was, next decide.Row) (now decide.Row, swapped bool, err error) {
	err = s.write.write(ctx, c, func(ctx context.Context, tx *sql.Tx) error {
		live, kept := flags(next.State)
		done, err := tx.ExecContext(ctx, `UPDATE turns SET state = ?, round = ?, version = version + 1, data = ?, live = ?, kept = ?
			WHERE id = ? AND state = ? AND round = ? AND version = ?`,
			string(next.State), next.Round, next.Data, live, kept, was.ID, string(was.State), was.Round, was.Version)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if err != nil {
			return err
		}
		swapped = n == 1
		now, err = scanned(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM turns WHERE id = ?", was.ID))
		return err
	})
	if err != nil {
		return decide.Row{}, false, named("writing turn "+was.ID, err)
	}
	return now, swapped, nil
}

// scanned reads a row.
func scanned(row *sql.Row) (r decide.Row, err error) {
	var state string
	var expires int64
	err = row.Scan(&r.ID, &r.Principal, &r.Config, &state, &r.Round, &r.Version, &expires, &r.Data)
	if errors.Is(err, sql.ErrNoRows) {
		return decide.Row{}, decide.ErrNoRow
	}
	r.State, r.Expires = decide.State(state), time.UnixMicro(expires).UTC()
	return r, err
}

// flags are what the indexes need to know of a state: whether the turn takes a place of its principal, and whether it is never
// forgotten, since it may have run.
func flags(s decide.State) (live, kept int) {
	final := s.Final()
	if !final && s != decide.Unknown {
		live = 1
	}
	if !final && s != decide.Open {
		kept = 1
	}
	return live, kept
}

// named says what was being done, but for the errors that the caller compares with.
func named(doing string, err error) error {
	var full *decide.FullError
	switch {
	case err == nil, errors.Is(err, decide.ErrTaken), errors.Is(err, decide.ErrNoRow), errors.As(err, &full):
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
