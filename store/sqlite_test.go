package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/decide/storetest"
	"github.com/mcp-decide/mcp-decide/store"
)

func open(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	return openAt(t, "sqlite:"+path, o)
}

func TestStore(t *testing.T) {
	t.Parallel()
	for _, p := range allPlaces(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t *testing.T, now func() time.Time) decide.Store {
				return openAt(t, p.fresh(t), store.Options{Now: now})
			})
		})
	}
}

func row(id string) decide.TurnRow {
	return decide.TurnRow{ID: id, Principal: "os:1000", Config: "desk", State: decide.Open, Round: 1, Expires: time.Now().Add(time.Hour), Data: []byte(`{}`)}
}

func insertAs(ctx context.Context, s decide.Store, c decide.Class, r decide.TurnRow) error {
	return s.Do(ctx, c, func(tx decide.Tx) error { return tx.InsertTurn(r) })
}

func swapAs(ctx context.Context, s *store.Store, c decide.Class, was, next decide.TurnRow) (now decide.TurnRow, swapped bool, err error) {
	err = s.Do(ctx, c, func(tx decide.Tx) (err error) {
		now, swapped, err = tx.SwapTurn(was, next)
		return err
	})
	return now, swapped, err
}

func insert(t testing.TB, s *store.Store, rows ...decide.TurnRow) {
	t.Helper()
	for _, r := range rows {
		if err := insertAs(t.Context(), s, decide.Kill, r); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKept: what one process wrote the next one reads, with the same key, and nobody else can read the files.
func TestKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder", "turns.db")
	first := open(t, path, store.Options{})
	insert(t, first, row("a"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := insertAs(t.Context(), first, decide.Kill, row("b")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a closed store: %v", err)
	}
	second := open(t, path, store.Options{})
	if _, err := second.Turn(t.Context(), "a"); err != nil {
		t.Errorf("the turn is lost: %v", err)
	}
	if !bytes.Equal(first.Key(), second.Key()) || first.Owner() == second.Owner() {
		t.Errorf("keys %x and %x, owners %s and %s", first.Key(), second.Key(), first.Owner(), second.Owner())
	}
	err := filepath.WalkDir(filepath.Dir(path), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestFilesThatAreNone: what is no store is refused with what to do, and left as it is.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"a text":      {func(path string) error { return os.WriteFile(path, bytes.Repeat([]byte("Dear diary. "), 500), 0o600) }, "no SQLite database"},
		"a folder":    {func(path string) error { return os.Mkdir(path, 0o700) }, "is a directory"},
		"no folder":   {func(path string) error { return os.WriteFile(filepath.Dir(path), nil, 0o600) }, "not a directory"},
		"half a file": {half, "damaged"},
		"three bytes": {func(path string) error { return os.WriteFile(path, []byte("abc"), 0o600) }, "no SQLite database"},

		"the database of another program": {theirs("CREATE TABLE places (url TEXT)"), "another program, with tables such as places"},
		"one with a table named as ours":  {theirs("CREATE TABLE settings (name TEXT)"), "another program, with tables such as settings"},
		"one that counts its steps too":   {theirs("CREATE TABLE goose_db_version (id INTEGER)", "CREATE TABLE users (name TEXT)"), "another program, with tables such as users"},
	} {
		dir := filepath.Join(t.TempDir(), "d")
		if name != "no folder" {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "turns.db")
		if err := c.make(path); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		s, err := store.Open(t.Context(), store.Where{Kind: "sqlite", Path: path}, store.Options{})
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s: it was changed", name)
		}
		if _, err := os.Lstat(path + ".lock"); err == nil && strings.Contains(c.want, "no SQLite") {
			t.Errorf("%s: a lock was made beside it", name)
		}
	}
}

// TestLinks: processes that come to a file by different links share its lock, and see that the others live.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, link := range []struct{ from, to string }{{"near.db", "real/s.db"}, {"far.db", "near.db"}, {"real/back.db", "../far.db"}} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(link.from)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link.to, filepath.Join(dir, link.from)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	var all []*store.Store
	for _, name := range []string{"far.db", "real/s.db", "near.db", "real/back.db"} {
		all = append(all, open(t, filepath.Join(dir, name), store.Options{}))
	}
	for i, s := range all {
		for j, other := range all {
			if alive, err := s.Alive(other.Owner()); !alive || err != nil {
				t.Errorf("%d takes %d for dead: %v", i, j, err)
			}
		}
	}
	locks, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if len(locks) > 0 || err != nil {
		t.Errorf("locks beside the links: %v, %v", locks, err)
	}
}

// theirs makes a database with the tables of somebody else.
func theirs(tables ...string) func(path string) error {
	return func(path string) error {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if _, err := db.Exec(t); err != nil {
				return errors.Join(err, db.Close())
			}
		}
		return db.Close()
	}
}

// half makes a store and cuts the file in the middle.
func half(path string) error {
	s, err := store.Open(context.Background(), store.Where{Kind: "sqlite", Path: path}, store.Options{})
	if err != nil {
		return err
	}
	for i := range 50 {
		r := row(fmt.Sprint("r", i))
		r.Data = bytes.Repeat([]byte("x"), 4000)
		if err := insertAs(context.Background(), s, decide.Kill, r); err != nil {
			return err
		}
	}
	if err := s.Close(); err != nil {
		return err
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(whole[:4096:4096], bytes.Repeat([]byte{0xff}, len(whole)/2)...), 0o600)
}

// TestPrincipalsHaveLimits: too many open turns of one principal are refused, and one whose time is over takes no place.
func TestPrincipalsHaveLimits(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		now := time.Now()
		s := openAt(t, p.fresh(t), store.Options{Live: 3, Now: func() time.Time { return now }})
		over := row("over")
		over.Expires = now.Add(-time.Second)
		insert(t, s, over, row("a"), row("b"))
		insert(t, s, row("c"))
		if _, err := s.Turn(t.Context(), "over"); !errors.Is(err, decide.ErrNoTurnRow) {
			t.Errorf("one whose time is over is still there: %v", err)
		}
		var full *decide.FullError
		if err := insertAs(t.Context(), s, decide.Kill, row("d")); !errors.As(err, &full) {
			t.Errorf("a fourth turn: %v", err)
		}
		other := row("e")
		other.Principal = "os:2"
		insert(t, s, other)
		done := row("a")
		done.State = decide.Done
		was, err := s.Turn(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if _, swapped, err := swapAs(t.Context(), s, decide.Kill, was, done); err != nil || !swapped {
			t.Fatal(swapped, err)
		}
		insert(t, s, row("d"))
	})
}

// TestStepsStandAlone: of many writes at once, those that are refused undo nothing of the others.
func TestStepsStandAlone(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		s := openAt(t, p.fresh(t), store.Options{})
		insert(t, s, row("taken"))
		var all sync.WaitGroup
		for i := range 200 {
			all.Go(func() {
				r, want := row(fmt.Sprint("r", i)), error(nil)
				if i%3 == 0 {
					r, want = row("taken"), decide.ErrTaken
				}
				if err := insertAs(t.Context(), s, decide.Class(i%3), r); !errors.Is(err, want) {
					t.Errorf("%s: %v, want %v", r.ID, err, want)
				}
			})
		}
		all.Wait()
		for i := range 200 {
			if _, err := s.Turn(t.Context(), fmt.Sprint("r", i)); i%3 != 0 && err != nil {
				t.Errorf("r%d: %v", i, err)
			}
		}
	})
}
