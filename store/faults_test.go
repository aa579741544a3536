package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/store"
)

// What a disk, a backup or a careless hand can do to the files of a store, and what becomes of it: it is opened with what was there, or refused with
// what to do. It is never begun anew without a word.

// copyStore copies the files of a store as they are at this moment, as a kill would leave them.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err == nil {
			if err := os.WriteFile(to+suffix, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// filled is a store with turns t0, t1, ... that nobody has closed.
func filled(t *testing.T, n int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	s := open(t, path, store.Options{})
	for i := range n {
		r := row(fmt.Sprint("t", i))
		r.Data = bytes.Repeat([]byte{byte('a' + i%26)}, 2000)
		insert(t, s, r)
	}
	return path
}

// TestTruncatedWAL cuts the log of a store that was not closed, anywhere: what was written before the cut is there, in its order, and all goes on.
func TestTruncatedWAL(t *testing.T) {
	t.Parallel()
	const turns = 40
	path := filled(t, turns)
	whole, err := os.ReadFile(path + "-wal")
	if err != nil || len(whole) < 10_000 {
		t.Fatalf("%d bytes of log, %v", len(whole), err)
	}
	for i := range rounds(t, 12) {
		cut := filepath.Join(t.TempDir(), "store.db")
		copyStore(t, path, cut)
		n := rand.IntN(len(whole))
		if i == 0 {
			n = 0
		}
		log := whole[:n]
		if i%3 == 2 { // the end is not missing, but rubbish
			log = append(bytes.Clone(log), bytes.Repeat([]byte{0xa5}, 4096)...)
		}
		if err := os.WriteFile(cut+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, cut, store.Options{})
		there := 0
		for ; there < turns; there++ {
			if r, err := s.Turn(t.Context(), fmt.Sprint("t", there)); errors.Is(err, decide.ErrNoTurnRow) {
				break
			} else if err != nil || len(r.Data) != 2000 {
				t.Fatalf("cut at %d: turn %d: %v", n, there, err)
			}
		}
		for after := there; after < turns; after++ {
			if _, err := s.Turn(t.Context(), fmt.Sprint("t", after)); !errors.Is(err, decide.ErrNoTurnRow) {
				t.Errorf("cut at %d: turn %d is missing and turn %d is there, %v", n, there, after, err)
			}
		}
		insert(t, s, row("next"))
	}
}

// TestDamagedPages puts rubbish into the file: it is refused with what to do, or what is read is what was written.
func TestDamagedPages(t *testing.T) {
	t.Parallel()
	const turns = 40
	path := filled(t, turns)
	clean := filepath.Join(t.TempDir(), "clean.db")
	copyStore(t, path, clean)
	if s, err := store.Open(t.Context(), store.Where{Kind: "sqlite", Path: clean}, store.Options{}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil { // all is in the file now
		t.Fatal(err)
	}
	whole, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	for range rounds(t, 12) {
		bad := bytes.Clone(whole)
		at := rand.IntN(len(bad)/4096) * 4096
		for i := range 4096 {
			bad[at+i] = byte(rand.Uint32())
		}
		place := filepath.Join(t.TempDir(), "store.db")
		if err := os.WriteFile(place, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(place, turns); err != nil && !bytes.Contains([]byte(err.Error()), []byte("name another file")) {
			t.Errorf("page %d: %v", at/4096, err)
		}
		if after, err := os.ReadFile(place); err != nil || len(after) < len(bad) {
			t.Errorf("page %d: %d bytes are left of %d, %v", at/4096, len(after), len(bad), err)
		}
	}
}

// readAll reads all turns of a store. Those that are not found are no error.
func readAll(path string, turns int) (err error) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Where{Kind: "sqlite", Path: path}, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for i := range turns {
		r, err := s.Turn(ctx, fmt.Sprint("t", i))
		if errors.Is(err, decide.ErrNoTurnRow) {
			continue
		}
		if err != nil {
			return err
		}
		if want := bytes.Repeat([]byte{byte('a' + i%26)}, 2000); !bytes.Equal(r.Data, want) {
			return fmt.Errorf("turn %d reads %.20q", i, r.Data)
		}
	}
	return nil
}

// TestKilledWhileOpening: a process that is killed while it makes the tables leaves a file that the next one brings to its end.
func TestKilledWhileOpening(t *testing.T) {
	t.Parallel()
	for range rounds(t, 10) {
		path := filepath.Join(t.TempDir(), "store.db")
		var all sync.WaitGroup
		for range 3 {
			cmd, out := child(t, "opener", path)
			all.Go(func() {
				time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // somewhere in the middle
				_ = cmd.Process.Kill()                                      // it may have ended
				_, _ = io.ReadAll(out)
				_ = cmd.Wait()
			})
		}
		all.Wait()
		insert(t, open(t, path, store.Options{}), row("a"))
	}
}
