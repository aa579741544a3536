package store

import (
	"context"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

const (
	afterwards = 10 * time.Minute // how long a turn whose time is over can still be asked about
	sweepEvery = time.Minute
	sweepMost  = 500 // rows of one transaction, so that nobody waits for long
)

// sweeper forgets turns whose time is over, and records that are too old or too many, until the store is closed.
func (s *Store) sweeper() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		case <-s.traces.full:
		}
		s.sweep()
	}
}

// sweep forgets what there is to forget, in small steps.
func (s *Store) sweep() {
	old := s.tooOld()
	for more := true; more; {
		select {
		case <-s.stop:
			return
		default:
		}
		err := s.write.write(context.Background(), decide.Trail, func(w *work) (err error) {
			t := &storeTx{work: w, s: s}
			more = false
			for _, forget := range []func() (bool, error){
				func() (bool, error) { return t.forgetTurns("", s.Now().Add(-afterwards)) },
				t.forgetCalls,
				func() (bool, error) { return t.forgetTraces(old) },
			} {
				left, err := forget()
				if err != nil {
					return err
				}
				more = more || left
			}
			return nil
		})
		if err != nil {
			s.o.Log.Warn("what is too old could not be removed", "store", s.db.name, "err", s.db.explain(err))
			return
		}
	}
}

// forgetTurns removes turns whose time was over at a moment; those that may be running are kept.
func (t *storeTx) forgetTurns(which string, at time.Time, args ...any) (more bool, err error) {
	n, err := t.exec("DELETE FROM {turns} WHERE kept = 0 AND expires < $1 AND id IN (SELECT id FROM {turns} WHERE kept = 0 AND expires < $1 "+which+" LIMIT $2)",
		append([]any{at.UnixMicro(), sweepMost}, args...)...)
	return n == sweepMost, err
}

// forgetCalls removes calls that have ended and are known by nothing any more.
func (t *storeTx) forgetCalls() (more bool, err error) {
	n, err := t.exec("DELETE FROM {calls} WHERE final = 1 AND expires <= $1 AND id IN (SELECT id FROM {calls} WHERE final = 1 AND expires <= $1 LIMIT $2)", t.s.Now().UnixMicro(), sweepMost)
	return n == sweepMost, err
}
