package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
)

// openHere opens a store in a file, and hands over what is below it.
func openHere(t testing.TB, o Options) (*Store, *sqlite) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turns.db")
	below, err := openSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newStore(t.Context(), below.database(path), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, below
}

// inEach runs a test over a file and over PostgreSQL, with fresh stores.
func inEach(t *testing.T, test func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where))) {
	t.Parallel()
	for name, fresh := range map[string]func(t testing.TB) Where{
		"sqlite":   func(t testing.TB) Where { return Where{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "turns.db")} },
		"postgres": func(t testing.TB) Where { return Where{Kind: "postgres", url: FreshPostgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(t *testing.T, o Options) (*Store, Where) {
				t.Helper()
				where := fresh(t)
				return openedAt(t, where, o), where
			})
		})
	}
}

func openedAt(t *testing.T, where Where, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), where, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func insertAs(ctx context.Context, s *Store, c decide.Class, r decide.TurnRow) error {
	return s.Do(ctx, c, func(tx decide.Tx) error { return tx.InsertTurn(r) })
}

func turnRow(id string, size int) decide.TurnRow {
	return decide.TurnRow{ID: id, Principal: "p", State: decide.Open, Round: 1, Expires: time.Now().Add(time.Hour), Data: make([]byte, size)}
}

// TestDiskFull: when there is no room, writes are refused with the reason and reads go on; when there is room again, all goes on.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	s, below := openHere(t, Options{})
	limit := func(pages int) {
		if _, err := below.writing.ExecContext(t.Context(), fmt.Sprint("PRAGMA max_page_count = ", pages)); err != nil {
			t.Fatal(err)
		}
	}
	if err := insertAs(t.Context(), s, decide.Kill, turnRow("first", 100)); err != nil {
		t.Fatal(err)
	}
	limit(20)
	err := insertAs(t.Context(), s, decide.Kill, turnRow("large", 1<<20))
	if err == nil || !strings.Contains(err.Error(), "full") {
		t.Fatalf("a write without room: %v", err)
	}
	if _, err := s.Turn(t.Context(), "first"); err != nil {
		t.Errorf("a read without room: %v", err)
	}
	if _, err := s.Turn(t.Context(), "large"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("what was refused: %v", err)
	}
	limit(100_000)
	if err := insertAs(t.Context(), s, decide.Kill, turnRow("large", 1<<20)); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestPlacesOfTheOver: a turn that waits and whose time is over takes nobody's place, however many others there are to be forgotten.
func TestPlacesOfTheOver(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		now := time.Now()
		s, _ := fresh(t, Options{Live: 2, Now: func() time.Time { return now }})
		for i := range 2*sweepMost + 2 {
			r := turnRow(fmt.Sprint("r", i), 1)
			r.State, r.Expires = decide.Done, now.Add(-time.Minute)
			if i >= 2*sweepMost {
				r.State, r.Expires = decide.Open, now.Add(-time.Second)
			}
			if err := insertAs(t.Context(), s, decide.Trail, r); err != nil {
				t.Fatal(err)
			}
		}
		if err := insertAs(t.Context(), s, decide.Kill, turnRow("new", 1)); err != nil {
			t.Error(err)
		}
	})
}

// TestNewerSchema: a store of a newer version is left alone, at start and when another process brings it there.
func TestNewerSchema(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		s, where := fresh(t, Options{})
		err := s.write.write(t.Context(), decide.Power, func(w *work) error {
			_, err := w.exec("INSERT INTO {goose_db_version} (version_id, is_applied) VALUES (9999, $1)", true)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := insertAs(t.Context(), s, decide.Kill, turnRow("a", 1)); !errors.Is(err, ErrNewer) {
			t.Errorf("a write: %v", err)
		}
		if other, err := Open(t.Context(), where, Options{}); !errors.Is(err, ErrNewer) {
			t.Errorf("at start: %v, %v", other, err)
		}
	})
}

// TestHeldByAnother: a write does not wait for ever for a process that holds the lock, and goes on when that lets go.
func TestHeldByAnother(t *testing.T) {
	t.Parallel()
	s, below := openHere(t, Options{})
	below.lock.most = 50 * time.Millisecond
	other, err := openLock(s.db.name + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	if err := other.take(); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := insertAs(t.Context(), s, decide.Kill, turnRow("a", 1)); !errors.Is(err, ErrBusy) {
			t.Errorf("write %d: %v, want ErrBusy", i, err)
		}
	}
	other.release()
	below.lock.most = maxWait
	for i := range 3 {
		if err := insertAs(t.Context(), s, decide.Kill, turnRow(fmt.Sprint("b", i), 1)); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
	if ok, err := other.try(); !ok || err != nil {
		t.Errorf("the lock was not let go: %v, %v", ok, err)
	}
}

// TestSweep: what is over for ten minutes goes, in small steps, but for what may have run.
func TestSweep(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		now := time.Now()
		s, _ := fresh(t, Options{Now: func() time.Time { return now }})
		const many = 2*sweepMost + 10
		for i := range many {
			r := turnRow(fmt.Sprint("r", i), 1)
			r.Expires = now.Add(-11 * time.Minute)
			if i < 5 {
				r.State = []decide.State{decide.Running, decide.Unknown, decide.Parked, decide.Done, decide.Open}[i]
			}
			if err := insertAs(t.Context(), s, decide.Trail, r); err != nil {
				t.Fatal(err)
			}
		}
		recent := turnRow("recent", 1)
		recent.Expires = now.Add(-9 * time.Minute)
		if err := insertAs(t.Context(), s, decide.Trail, recent); err != nil {
			t.Fatal(err)
		}
		s.sweep()
		var left int
		if err := s.db.row(t.Context(), "SELECT count(*) FROM {turns}").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != 4 {
			t.Errorf("%d turns are left, want those that run, may have run or wait, and the recent one", left)
		}
	})
}

// TestUnnumbered: only arguments that come in the order of their numbers, each once, lose them.
func TestUnnumbered(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"SELECT 1":          "SELECT 1",
		"a = $1 AND b = $2": "a = ? AND b = ?",
		"a = $2 AND b = $1": "a = $2 AND b = $1",
		"a = $1 AND b = $1": "a = $1 AND b = $1",
		"$1, $2, $3, $4, $5, $6, $7, $8, $9, $10": "?, ?, ?, ?, ?, ?, ?, ?, ?, ?",
		"$1, $3": "$1, $3",
	} {
		if got := unnumbered(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
