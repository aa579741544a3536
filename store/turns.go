package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

const (
	turnColumns = "id, principal, config, state, round, version, expires, data"
	turnByID    = "SELECT " + turnColumns + " FROM {turns} WHERE id = $1"
)

// Turn implements decide.Store.
func (s *Store) Turn(ctx context.Context, id string) (decide.TurnRow, error) {
	r, err := scanTurn(s.db.row(ctx, turnByID, id))
	if err != nil && !errors.Is(err, decide.ErrNoTurnRow) {
		err = fmt.Errorf("reading turn %s: %w", id, s.db.explain(err))
	}
	return r, err
}

// Turn implements decide.Tx.
func (t *storeTx) Turn(id string) (decide.TurnRow, error) { return scanTurn(t.row(turnByID, id)) }

// InsertTurn implements decide.Tx.
func (t *storeTx) InsertTurn(r decide.TurnRow) error {
	if err := t.admit(r.Principal); err != nil {
		return err
	}
	live, kept := flags(r.State)
	n, err := t.exec("INSERT INTO {turns} ("+turnColumns+", live, kept) VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
		r.ID, r.Principal, r.Config, string(r.State), r.Round, r.Expires.UnixMicro(), r.Data, live, kept)
	if err == nil && n == 0 {
		err = decide.ErrTaken
	}
	return err
}

// admit refuses a turn of a principal that has too many. Those whose time is over take nobody's place.
func (t *storeTx) admit(principal string) error {
	if t.s.rooms.take(principal) {
		return nil
	}
	count := func() (n int, err error) {
		err = t.row("SELECT count(*) FROM (SELECT 1 FROM {turns} WHERE principal = $1 AND live = 1 LIMIT $2) AS those", principal, t.s.o.Live).Scan(&n)
		t.s.rooms.counted(principal, t.s.o.Live-n)
		return n, err
	}
	n, err := count()
	if err != nil || n < t.s.o.Live {
		return err
	}
	if _, err := t.forgetTurns("AND live = 1 AND principal = $3", t.s.Now(), principal); err != nil {
		return err
	}
	if n, err = count(); err != nil || n < t.s.o.Live {
		return err
	}
	return &decide.FullError{Limit: fmt.Sprintf("%d turns of %s are open", n, principal)}
}

// SwapTurn implements decide.Tx.
func (t *storeTx) SwapTurn(was, next decide.TurnRow) (decide.TurnRow, bool, error) {
	live, kept := flags(next.State)
	n, err := t.exec(`UPDATE {turns} SET state = $1, round = $2, version = version + 1, data = $3, live = $4, kept = $5
		WHERE id = $6 AND state = $7 AND round = $8 AND version = $9`,
		string(next.State), next.Round, next.Data, live, kept, was.ID, string(was.State), was.Round, was.Version)
	if err != nil {
		return decide.TurnRow{}, false, err
	}
	if n == 0 {
		now, err := t.Turn(was.ID)
		return now, false, err
	}
	now := was
	now.State, now.Round, now.Data, now.Version = next.State, next.Round, next.Data, was.Version+1
	return now, true, nil
}

// scanTurn reads a row.
func scanTurn(row *sql.Row) (r decide.TurnRow, err error) {
	var state string
	var expires int64
	err = row.Scan(&r.ID, &r.Principal, &r.Config, &state, &r.Round, &r.Version, &expires, &r.Data)
	if errors.Is(err, sql.ErrNoRows) {
		return decide.TurnRow{}, decide.ErrNoTurnRow
	}
	r.ID, r.Principal, r.Config = unplain(r.ID), unplain(r.Principal), unplain(r.Config)
	r.State, r.Expires = decide.State(state), time.UnixMicro(expires).UTC()
	return r, err
}

// flags are what the indexes need to know of a state: whether the turn takes a place of its principal, and whether it is never
// forgotten, since it may have run.
func flags(s decide.State) (live, kept int) {
	final := s.Final()
	if !final && s != decide.Unknown {
		live = 1
	}
	if !final && s != decide.Open {
		kept = 1
	}
	return live, kept
}
