package decide

import "context"

// reaped is the turn as it is once its owner is known to be dead: what ran for it has an end that nobody will tell, so it is unknown from
// then on (C4). Whoever looks at such a turn writes that down first. A store that nobody shares has no owners.
func (e *Engine) reaped(ctx context.Context, t *turn) *turn {
	if t.State != Running || t.Owner == "" || e.isAlive(t.Owner) {
		return t
	}
	now, _, err := e.step(ctx, Power, t, func(n *turn) { n.State = Unknown })
	if err != nil {
		e.log.Warn("a call whose process is gone could not be marked as unknown", "turn", t.ID, "error", err)
		return t
	}
	return now
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
