package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/mcp-decide/mcp-decide/decide"
)

// Do implements decide.Store. What waits at the same time shares one transaction, and each f stands or falls alone in it.
func (s *Store) Do(ctx context.Context, c decide.Class, f func(decide.Tx) error) error {
	var refused error
	err := s.write.write(ctx, c, func(ctx context.Context, tx *sql.Tx) error {
		refused = f(&storeTx{s: s, ctx: ctx, tx: tx})
		return refused
	})
	if err == nil || err == refused { //nolint:errorlint // exactly that one: what f says is not ours to word
		return err
	}
	return fmt.Errorf("writing to the store: %w", err)
}

// storeTx is what one f does.
type storeTx struct {
	s   *Store
	ctx context.Context
	tx  *sql.Tx
}

func (t *storeTx) row(query string, args ...any) *sql.Row {
	return t.tx.QueryRowContext(t.ctx, query, args...)
}

// exec says how many rows were written.
func (t *storeTx) exec(query string, args ...any) (int64, error) {
	done, err := t.tx.ExecContext(t.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}
