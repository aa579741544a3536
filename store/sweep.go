package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

const (
	afterwards = 10 * time.Minute // how long a turn whose time is over can still be asked about
	sweepEvery = time.Minute
	sweepMost  = 500 // rows of one transaction, so that nobody waits for long
)

// sweeper forgets turns whose time is over, and records that are too old, until the store is closed.
func (s *Store) sweeper() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
			s.sweep()
		}
	}
}

// sweep forgets what there is to forget, in small steps.
func (s *Store) sweep() {
	for more := true; more; {
		select {
		case <-s.stop:
			return
		default:
		}
		err := s.write.write(context.Background(), decide.Trail, func(ctx context.Context, tx *sql.Tx) (err error) {
			if more, err = s.forgotten(ctx, tx, "", s.o.Now().Add(-afterwards)); err != nil {
				return err
			}
			old, err := s.forgetTraces(ctx, tx)
			more = more || old
			return err
		})
		if err != nil {
			s.o.Log.Warn("what is too old could not be removed", "store", s.where.Path, "err", err)
			return
		}
	}
}

// forget removes turns whose time was over at a moment; those that may be running are kept.
func (s *Store) forget(ctx context.Context, tx *sql.Tx, which string, at time.Time, args ...any) error {
	_, err := s.forgotten(ctx, tx, which, at, args...)
	return err
}

func (s *Store) forgotten(ctx context.Context, tx *sql.Tx, which string, at time.Time, args ...any) (more bool, err error) {
	args = append([]any{at.UnixMicro()}, args...)
	done, err := tx.ExecContext(ctx, "DELETE FROM turns WHERE rowid IN (SELECT rowid FROM turns WHERE kept = 0 AND expires < ? "+which+" LIMIT ?)",
		append(args, sweepMost)...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == sweepMost, err
}
