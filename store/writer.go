package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcp-decide/mcp-decide/decide"
)

const (
	maxBatch   = 256 // steps in one transaction
	maxWaiting = 4096
)

// ErrClosed says that the store was closed.
var ErrClosed error = said("the store is closed")

// step is one step of somebody, which stands or falls alone. do writes in the transaction that it is given; it may be run more than once.
type step struct {
	class decide.Class
	do    func(*work) error
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
	db    *database
	steps chan *step
	stop  chan struct{}
	gone  sync.WaitGroup
}

func newWriter(db *database) *writer {
	w := &writer{db: db, steps: make(chan *step, maxWaiting), stop: make(chan struct{})}
	for range db.lanes {
		w.gone.Go(w.work)
	}
	return w
}

// write runs do in a transaction and returns when it is committed, as durable as class says. A context that ends before do is begun means that
// nothing was written; from then on the end is waited for, so that nobody is left in doubt.
func (w *writer) write(ctx context.Context, class decide.Class, do func(*work) error) error {
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

// batch is the first step and those that wait behind it, the strongest class first. So those that nobody waits for, which write rows that
// all processes share, hold these for as short as can be.
func (w *writer) batch(first *step) []*step {
	steps := []*step{}
	for s := first; s != nil; {
		if s.state.CompareAndSwap(waiting, begun) {
			steps = append(steps, s)
		}
		s = nil
		if len(steps) < maxBatch {
			select {
			case s = <-w.steps:
			default:
			}
		}
	}
	slices.SortStableFunc(steps, func(a, b *step) int { return int(b.class - a.class) })
	return steps
}

// commit runs the steps in one transaction. A step that fails is undone alone; when the transaction itself fails, nothing of it was written.
func (w *writer) commit(steps []*step) {
	if len(steps) == 0 {
		return
	}
	results, err := w.attempts(steps)
	for i, s := range steps {
		if err != nil {
			s.done <- err
			continue
		}
		s.done <- results[i]
	}
}

// attempts runs the steps until they are written or can't be. Savepoints are only made when there is something to undo: each is a way
// to the database and back.
func (w *writer) attempts(steps []*step) (results []error, err error) {
	savepoints := false
	for tries := 1; ; {
		results, err = w.attempt(steps, savepoints)
		var failed *attemptError
		switch {
		case err == nil || !errors.As(err, &failed):
			return results, err
		case failed.alone:
			savepoints = true
		case w.db.again(failed.err, tries):
			tries++
		default:
			return nil, failed.err
		}
	}
}

// attemptError ends an attempt before its commit was sent.
type attemptError struct {
	alone bool // one step has failed and the others need not
	err   error
}

func (e *attemptError) Error() string { return e.err.Error() }
func (e *attemptError) Unwrap() error { return e.err }

func (w *writer) attempt(steps []*step, savepoints bool) (results []error, err error) {
	tx, err := w.db.begin(steps[0].class)
	if err != nil {
		return nil, &attemptError{err: err}
	}
	results = make([]error, len(steps))
	for i, s := range steps {
		t := &work{tx: tx}
		if savepoints {
			results[i], err = alone(t, s.do)
		} else {
			results[i], err = straight(t, s.do)
		}
		switch {
		case t.broken != nil && w.db.again(t.broken, 1):
			return nil, &attemptError{err: errors.Join(t.broken, tx.undo())}
		case err == nil:
		case len(steps) == 1 && !savepoints: // nobody else is undone with it
			if failed := tx.undo(); failed != nil {
				return nil, &attemptError{err: errors.Join(results[0], failed)}
			}
			return results, nil
		default:
			return nil, &attemptError{alone: !savepoints, err: errors.Join(err, tx.undo())}
		}
	}
	return results, tx.commit()
}

// straight runs one step as it is. The second error means that something is there to be undone.
func straight(w *work, do func(*work) error) (failed, undo error) {
	failed = do(w)
	if failed == nil {
		failed = w.broken
	}
	if failed != nil && (w.wrote || w.broken != nil) {
		return failed, failed
	}
	return failed, nil
}

// alone runs one step between savepoints. The second error means that the transaction is lost.
func alone(w *work, do func(*work) error) (failed, lost error) {
	if _, err := w.tx.ExecContext(w.tx.ctx, "SAVEPOINT step"); err != nil {
		return nil, fmt.Errorf("beginning a step: %w", err)
	}
	failed = do(w)
	if failed == nil {
		failed = w.broken
	}
	if failed != nil {
		if _, err := w.tx.ExecContext(w.tx.ctx, "ROLLBACK TO step"); err != nil {
			return failed, errors.Join(failed, fmt.Errorf("undoing a step: %w", err))
		}
	}
	if _, err := w.tx.ExecContext(w.tx.ctx, "RELEASE step"); err != nil {
		return failed, fmt.Errorf("ending a step: %w", err)
	}
	return failed, nil
}

// close ends the writer. Steps that wait are not written.
func (w *writer) close() {
	close(w.stop)
	w.gone.Wait()
}
