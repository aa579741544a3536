package decide

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

// What a dead process was running has an end that nobody will tell, so it is unknown from then on (C4). Whoever looks at such a call or turn
// writes that down first. A store that nobody shares has no owners, and no dead.

// reaped is the turn as it is once its owner is known to be dead.
func (e *Engine) reaped(ctx context.Context, t *turn) *turn {
	if t.State != Running || t.Owner == "" || e.isAlive(t.Owner) {
		return t
	}
	call := ""
	if at := t.last(); at != nil {
		call = at.Call
	}
	now, _, err := e.step(ctx, Power, t, func(n *turn) { n.State = Unknown }, func(tx Tx) error {
		_, err := bury(tx, call)
		return err
	})
	if err != nil {
		e.log.Warn("a call whose process is gone could not be marked as unknown", "turn", t.ID, "error", err)
		return t
	}
	return now
}

// bury marks a call as unknown that runs, and whose owner is dead. It is not released: an owner who was only out of reach may still tell how it
// ended (C5), for as long as nobody else has said so. One that is not there is no error.
func bury(tx Tx, id string) (CallRow, error) {
	row, err := tx.Call(id)
	if errors.Is(err, ErrNoCallRow) || err == nil && row.State != registry.Running {
		return row, nil
	}
	if err != nil {
		return row, err
	}
	next := row
	next.State = registry.Unknown
	now, swapped, err := tx.SwapCall(row, next)
	if err == nil && !swapped {
		err = errMoved
	}
	return now, err
}

// reapedCall is the call as it is once its owner is known to be dead; the zero value, when it is gone by now.
func (e *Engine) reapedCall(ctx context.Context, r CallRow) CallRow {
	if r.State != registry.Running || r.Owner == "" || e.isAlive(r.Owner) {
		return r
	}
	now := r
	err := e.store.Do(context.WithoutCancel(ctx), Power, func(tx Tx) (err error) {
		if err := buryTurn(tx, r.Turn); err != nil {
			return err
		}
		now, err = bury(tx, r.ID)
		return err
	})
	if err != nil {
		e.log.Warn("a call whose process is gone could not be marked as unknown", "call", r.ID, "error", err)
		return r
	}
	return now
}

// buryTurn marks the turn of such a call as unknown. One that does not run any more, or is not there, is no error.
func buryTurn(tx Tx, id string) error {
	if id == "" {
		return nil
	}
	row, err := tx.Turn(id)
	if errors.Is(err, ErrNoTurnRow) || err == nil && row.State != Running {
		return nil
	}
	if err != nil {
		return err
	}
	next := row
	next.State = Unknown
	_, _, err = tx.SwapTurn(row, next)
	return err
}

// Tend writes what could not be written before, marks as unknown what dead processes were running, and says how many calls that were. A server does
// that when it starts and from time to time, so that a person hears of it even when no client asks.
func (e *Engine) Tend(ctx context.Context) (int, error) {
	e.runs.payAll(ctx)
	rows, err := e.store.Calls(ctx, WantedCalls{State: registry.Running})
	if err != nil {
		return 0, fmt.Errorf("looking for calls of dead processes: %w", err)
	}
	n := 0
	for _, r := range rows {
		if e.reapedCall(ctx, r).State == registry.Unknown {
			n++
		}
	}
	return n, nil
}

// isAlive reports whether the process of that name may still tell something. When that can't be found out, it may.
func (e *Engine) isAlive(owner string) bool {
	if e.owners == nil {
		return true
	}
	alive, err := e.owners.Alive(owner)
	if err != nil {
		e.log.Warn("it can't be found out whether a process lives", "owner", owner, "error", err)
		return true
	}
	return alive
}

// owner is the name of this process in a store that others share; "" in one of its own.
func (e *Engine) owner() string {
	if e.owners == nil {
		return ""
	}
	return e.owners.Owner()
}

// isElsewhere reports whether a turn with a short id belongs to another process that lives: a short id is one that the other's client may
// have by chance, and its own process is there to take the answer.
func (r *reply) isElsewhere(t *turn) bool {
	return !r.longIDs && t.Opener != "" && t.Opener != r.owner() && r.isAlive(t.Opener)
}
