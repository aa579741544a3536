package decide

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Turns keeps turns. Each method is one transaction and safe for concurrent use. An implementation keeps copies:
// it shares no memory with a row that it was given or gave back. Package turnstest holds the suite that each has to pass.
type Turns interface {
	// Insert adds a row as version 1. ErrTaken means that a row of that id is there, a *FullError that
	// there is no room for it; in both cases nothing was added.
	Insert(ctx context.Context, c Class, r Row) error

	// Load returns the row of an id. ErrNoRow means that there is none, or no longer.
	Load(ctx context.Context, id string) (Row, error)

	// Swap puts next in the place of was if the stored row still has was's state, round and version, and
	// gives it the next version. It returns the row that is there afterwards: next when swapped, else the
	// winner's, which has not been touched. Id, principal, configuration and expiry never change.
	Swap(ctx context.Context, c Class, was, next Row) (now Row, swapped bool, err error)

	// Key is the secret key of the digests in the rows: at least 16 bytes, the same for all who share the store.
	Key() []byte
}

// Row is one turn as it is stored.
type Row struct {
	ID        string
	Principal string // who may answer
	Config    string // the configuration that it was opened under
	State     State
	Round     int   // of the current ask, from 1
	Version   int64 // counts the swaps, from 1
	Expires   time.Time
	Data      []byte // the rest, as JSON; no store looks into it
}

func (r Row) clone() Row {
	r.Data = slices.Clone(r.Data)
	return r
}

// Class says how durable a step has to be before it is answered.
type Class int

// The durability classes, from weak to strong. A store without a disk treats them alike.
const (
	Trail Class = iota // may be lost
	Kill               // committed: a kill loses nothing, a power cut may
	Power              // on disk
)

// Errors of a store of turns.
var (
	ErrTaken = errors.New("a turn of that id is there")
	ErrNoRow = errors.New("no turn of that id")
)

// Final reports whether a turn in this state can't change any more. Unknown is not: a late result settles it.
func (s State) Final() bool {
	switch s {
	case Done, Failed, NotRun, Denied, Exhausted, Expired:
		return true
	}
	return false
}

// Owners is what a store adds to Turns when several processes share it: who runs what, and whether they live. A turn that runs and whose
// owner is dead has an end that nobody will tell.
type Owners interface {
	// Owner is the name of this process.
	Owner() string

	// Alive reports whether the process of that name lives. It never waits.
	Alive(owner string) (bool, error)
}
