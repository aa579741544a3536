package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/decide"
)

// Do implements decide.Store. What waits at the same time shares one transaction, and each f stands or falls alone in it.
func (s *Store) Do(ctx context.Context, c decide.Class, f func(decide.Tx) error) error {
	var refused error
	err := s.write.write(ctx, c, func(w *work) error {
		refused = f(&storeTx{work: w, s: s})
		return refused
	})
	if err == nil || err == refused { //nolint:errorlint // exactly that one: what f says is not ours to word
		return s.db.explain(err)
	}
	return fmt.Errorf("writing to the store: %w", s.db.explain(err))
}

// storeTx is what one f does.
type storeTx struct {
	*work
	s *Store
}

// work is what one step does in a transaction, and what is to be known of it when it has failed.
type work struct {
	tx     *transaction
	wrote  bool  // something is there that was not
	broken error // of a statement: the transaction may be lost with it
}

// row reads one row.
func (w *work) row(text string, args ...any) *sql.Row {
	row := w.tx.QueryRowContext(w.tx.ctx, w.text(text), plainArgs(args)...)
	w.note(row.Err())
	return row
}

// exec says how many rows were written.
func (w *work) exec(text string, args ...any) (int64, error) {
	done, err := w.tx.ExecContext(w.tx.ctx, w.text(text), plainArgs(args)...)
	w.note(err)
	if err != nil {
		return 0, err
	}
	n, err := done.RowsAffected()
	w.wrote = w.wrote || n > 0
	return n, err
}

// text is a statement as this database knows it. One that is no SELECT may write, whatever else it returns.
func (w *work) text(text string) string {
	if !strings.HasPrefix(text, "SELECT") {
		w.wrote = w.wrote || strings.Contains(text, "RETURNING")
	}
	return w.tx.tables.Replace(text)
}

func (w *work) note(err error) {
	if w.broken == nil && err != nil && !errors.Is(err, sql.ErrNoRows) {
		w.broken = err
	}
}
