package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/decide"
)

const (
	maxBatch   = 256 // steps in one transaction
	maxWaiting = 4096
)

// ErrClosed says that the store was closed.
var ErrClosed = errors.New("the store is closed")

// step is one step of somebody, which stands or falls alone. do writes in the transaction that it is given.
type step struct {
	class decide.Class
	do    func(context.Context, *sql.Tx) error
	state atomic.Int32 // waiting, begun or left
	done  chan error
}

const (
	waiting int32 = iota
	begun
	left // by who asked, before it was begun
)

// writer puts the steps that wait at the same time into one transaction: its class is the strongest asked for, and a disk that is
// waited for is waited for once.
type writer struct {
	steps chan *step
	begin func(decide.Class) (*sql.Tx, error) // takes the lock and opens a transaction
	end   func()                              // lets the lock go

	stop chan struct{}
	gone sync.WaitGroup
}

func newWriter(begin func(decide.Class) (*sql.Tx, error), end func()) *writer {
	w := &writer{steps: make(chan *step, maxWaiting), begin: begin, end: end, stop: make(chan struct{})}
	w.gone.Go(w.work)
	return w
}

// write runs do in a transaction and returns when it is committed, as durable as class says. A context that ends before do is begun means that
// nothing was written; from then on the end is waited for, so that nobody is left in doubt.
func (w *writer) write(ctx context.Context, class decide.Class, do func(context.Context, *sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s := &step{class: class, do: do, done: make(chan error, 1)}
	select {
	case <-w.stop:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	case w.steps <- s:
	}
	select {
	case err := <-s.done:
		return err
	case <-ctx.Done():
		if s.state.CompareAndSwap(waiting, left) {
			return ctx.Err()
		}
	case <-w.stop:
		if s.state.CompareAndSwap(waiting, left) {
			return ErrClosed
		}
	}
	return <-s.done
}

func (w *writer) work() {
	for {
		select {
		case <-w.stop:
			return
		case first := <-w.steps:
			w.commit(w.batch(first))
		}
	}
}

// batch is the first step and those that wait behind it.
func (w *writer) batch(first *step) []*step {
	steps := []*step{}
	for s := first; ; {
		if s.state.CompareAndSwap(waiting, begun) {
			steps = append(steps, s)
		}
		if len(steps) == maxBatch {
			return steps
		}
		select {
		case s = <-w.steps:
		default:
			return steps
		}
	}
}

// commit runs the steps in one transaction. A step that fails is undone alone; when the transaction itself fails, nothing of it was written.
func (w *writer) commit(steps []*step) {
	if len(steps) == 0 {
		return
	}
	class := decide.Trail
	for _, s := range steps {
		class = max(class, s.class)
	}
	results, err := w.attempt(class, steps)
	for i, s := range steps {
		if err != nil {
			s.done <- err
			continue
		}
		s.done <- results[i]
	}
}

func (w *writer) attempt(class decide.Class, steps []*step) ([]error, error) {
	tx, err := w.begin(class)
	if err != nil {
		return nil, err
	}
	defer w.end()
	results := make([]error, len(steps))
	// What is begun is not called off by who asked for it.
	ctx := context.Background()
	for i, s := range steps {
		if results[i], err = alone(ctx, tx, s.do); err != nil {
			return nil, errors.Join(err, undo(tx))
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, errors.Join(fmt.Errorf("committing: %w", err), undo(tx))
	}
	return results, nil
}

// undo rolls back, unless that has happened already.
func undo(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return fmt.Errorf("rolling back: %w", err)
	}
	return nil
}

// alone runs one step between savepoints. The second error means that the transaction is lost.
func alone(ctx context.Context, tx *sql.Tx, do func(context.Context, *sql.Tx) error) (failed, lost error) {
	if _, err := tx.ExecContext(ctx, "SAVEPOINT step"); err != nil {
		return nil, fmt.Errorf("beginning a step: %w", err)
	}
	if failed = do(ctx, tx); failed != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO step"); err != nil {
			return failed, errors.Join(failed, fmt.Errorf("undoing a step: %w", err))
		}
	}
	if _, err := tx.ExecContext(ctx, "RELEASE step"); err != nil {
		return failed, fmt.Errorf("ending a step: %w", err)
	}
	return failed, nil
}

// close ends the writer. Steps that wait are not written.
func (w *writer) close() {
	close(w.stop)
	w.gone.Wait()
}
