package decide

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Store keeps turns, and calls of methods that may change something. It is safe for concurrent use and keeps copies: it shares no memory with
// a row that it was given or gave back. Package storetest holds the suite that each implementation has to pass.
type Store interface {
	// Turn returns the turn of an id. ErrNoTurnRow means that there is none, or no longer.
	Turn(ctx context.Context, id string) (TurnRow, error)

	// Calls returns the calls that are wanted, the newest first.
	Calls(ctx context.Context, w WantedCalls) ([]CallRow, error)

	// Do runs f in one transaction, which is committed as durable as the class says when f returns nil. With an error of f nothing of it is
	// there, and that error comes back. A ctx that has ended means that f did not run; once f has begun, ctx does not stop it. f may run
	// more than once, and changes nothing but what it does by its Tx and its own variables.
	Do(ctx context.Context, c Class, f func(Tx) error) error

	// Key is the secret key of the digests in the rows: at least 16 bytes, the same for all who share the store.
	Key() []byte
}

// Tx is one transaction of a Store. It may not be used once the function that was given it has returned.
type Tx interface {
	// InsertTurn adds a turn as version 1. ErrTaken means that a row of that id is there, a *FullError that
	// there is no room for it; in both cases nothing was added.
	InsertTurn(r TurnRow) error

	// Turn returns the turn of an id, or ErrNoTurnRow.
	Turn(id string) (TurnRow, error)

	// SwapTurn puts next in the place of was if the stored row still has was's state, round and version, and
	// gives it the next version. It returns the row that is there afterwards: next when swapped, else the
	// winner's, which has not been touched. Id, principal, configuration and expiry never change.
	SwapTurn(was, next TurnRow) (now TurnRow, swapped bool, err error)

	// InsertCall adds a call as version 1, or returns the one that has its key: of the same configuration and principal, and not
	// final with its time over. ErrTaken means that another call has the id.
	InsertCall(r CallRow) (now CallRow, inserted bool, err error)

	// Call returns the call of an id, or ErrNoCallRow.
	Call(id string) (CallRow, error)

	// SwapCall puts next in the place of was if the stored row still has was's state and version, and gives it the next version. It
	// returns the row that is there afterwards, as SwapTurn does. Id, principal, configuration, key, turn, method and beginning
	// never change. A row that is final and has no Expires is removed.
	SwapCall(was, next CallRow) (now CallRow, swapped bool, err error)
}

// TurnRow is one turn as it is stored.
type TurnRow struct {
	ID        string
	Principal string // who may answer
	Config    string // the configuration that it was opened under
	State     State
	Round     int   // of the current ask, from 1
	Version   int64 // counts the swaps, from 1
	Expires   time.Time
	Data      []byte // the rest, as JSON; no store looks into it
}

func (r TurnRow) clone() TurnRow {
	r.Data = slices.Clone(r.Data)
	return r
}

// CallRow is one call as it is stored: of a method that may change something, from the intent to run it on.
type CallRow struct {
	ID        string
	Principal string // who called
	Config    string // the configuration that it was called under
	Key       string // what makes it one; "" = it is a call of its own
	Turn      string // the id of the turn that it was picked in; "" = none
	Method    string
	State     registry.State
	Owner     string // the process that runs it, or ran it last
	Released  bool   // of an unknown one: its owner has nothing to tell any more
	Version   int64  // counts the swaps, from 1
	Began     time.Time
	Expires   time.Time // from when on it may be forgotten, if it is final; zero = as soon as it is
	Data      []byte    // the rest, as JSON; no store looks into it
}

func (r CallRow) clone() CallRow {
	r.Data = slices.Clone(r.Data)
	return r
}

// Final reports whether the call can't change any more.
func (r CallRow) Final() bool {
	switch r.State {
	case registry.Done, registry.Failed, registry.NotRun:
		return true
	}
	return false
}

// WantedCalls says which calls are asked for. What is empty does not matter, but beside a Key, which Principal and Config are a part of.
type WantedCalls struct {
	ID        string
	Principal string
	Config    string
	Key       string
	State     registry.State
	Limit     int // at most so many; 0 = all
}

// Class says how durable a step has to be before it is answered.
type Class int

// The durability classes, from weak to strong. A store without a disk treats them alike.
const (
	Trail Class = iota // may be lost
	Kill               // committed: a kill loses nothing, a power cut may
	Power              // on disk
)

// Errors of a store.
var (
	ErrTaken     = errors.New("a row of that id is there")
	ErrNoTurnRow = errors.New("no turn of that id")
	ErrNoCallRow = errors.New("no call of that id")
)

// Final reports whether a turn in this state can't change any more. Unknown is not: a late result settles it.
func (s State) Final() bool {
	switch s {
	case Done, Failed, NotRun, Denied, Exhausted, Expired:
		return true
	}
	return false
}

// Owners is what a store adds to Store when several processes share it: who runs what, and whether they live. A call that runs and whose
// owner is dead has an end that nobody will tell.
type Owners interface {
	// Owner is the name of this process.
	Owner() string

	// Alive reports whether the process of that name lives. It never waits.
	Alive(owner string) (bool, error)
}
