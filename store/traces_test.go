package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

func record(i int, at time.Time) trace.Record {
	return trace.Record{
		ID: fmt.Sprintf("r%05d", i), Time: at.Add(time.Duration(i) * time.Millisecond), Path: "menu", Caller: "os:1", Decision: []string{"a", "b"}[i%2], Method: "m",
		State: []string{"done", "refused", "opened"}[i%3], Args: json.RawMessage(`{"n": 1.50, "s": "<&\u0000>"}`), Turn: "k7m2-1", Took: time.Second,
	}
}

func wanted(t *testing.T, s *Store, w Wanted) (found []trace.Record) {
	t.Helper()
	err := s.Traces(t.Context(), w, func(r trace.Record) (bool, error) {
		found = append(found, r)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestRecordsAreKept: what was recorded before the store was closed is there when it is opened again, newest first, and found by what it is about.
func TestRecordsAreKept(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		first, where := fresh(t, Options{})
		start := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
		const many = 3000
		var all sync.WaitGroup
		for lane := range 6 {
			all.Go(func() {
				for i := lane; i < many; i += 6 {
					first.Record(context.Background(), record(i, start))
				}
			})
		}
		all.Wait()
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		first.Record(t.Context(), record(many, start)) // too late, and no panic
		if first.Dropped() != 1 {
			t.Errorf("%d records were dropped, of which one came too late", first.Dropped())
		}
		s, err := Open(t.Context(), where, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		found := wanted(t, s, Wanted{})
		if len(found) != many {
			t.Fatalf("%d of %d records are there", len(found), many)
		}
		for i, r := range found {
			want := record(many-1-i, start)
			if r.ID != want.ID || !r.Time.Equal(want.Time) || r.State != want.State || r.Took != want.Took {
				t.Fatalf("record %d is %+v, want %+v", i, r, want)
			}
		}
		if n := len(wanted(t, s, Wanted{Decision: "a", State: "done"})); n != many/6 {
			t.Errorf("%d records of a that are done, want %d", n, many/6)
		}
		if n := len(wanted(t, s, Wanted{Since: start.Add(2990 * time.Millisecond)})); n != 10 {
			t.Errorf("%d records since the last ten", n)
		}
		if got := wanted(t, s, Wanted{Limit: 3}); len(got) != 3 || got[0].ID != "r02999" {
			t.Errorf("the newest three are %v", got)
		}
		one, err := s.Trace(t.Context(), "r00007")
		if err != nil || one.ID != "r00007" || string(one.Args) == "" {
			t.Errorf("one record: %+v, %v", one, err)
		}
		if _, err := s.Trace(t.Context(), "nope"); !errors.Is(err, ErrNoRecord) {
			t.Errorf("no record: %v", err)
		}
	})
}

// TestRecordsThatCantBeKept: what can't be written is counted and blocks nobody, and what comes afterwards is kept.
func TestRecordsThatCantBeKept(t *testing.T) {
	t.Parallel()
	s, below := openHere(t, Options{})
	start := time.Now()
	odd := record(1, start)
	odd.Args = json.RawMessage("no JSON")
	s.Record(t.Context(), odd)
	until(t, "the odd one is kept without its arguments", func() bool {
		r, err := s.Trace(t.Context(), odd.ID)
		return err == nil && string(r.Args) == ""
	})
	if _, err := below.writing.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err)
	}
	large := record(2, start)
	large.Reason = string(make([]byte, 1<<20))
	s.Record(t.Context(), large)
	until(t, "the large one is dropped", func() bool { return s.Dropped() == 1 })
	if _, err := below.writing.ExecContext(t.Context(), "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	s.Record(t.Context(), record(3, start))
	until(t, "the next one is kept", func() bool {
		_, err := s.Trace(t.Context(), "r00003")
		return err == nil
	})
}

// until looks again and again until something holds, for ten seconds at most.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never comes to it that %s", what)
		}
	}
}

// TestRecordsAge: records go when they were kept for long enough, whatever time they say themselves.
func TestRecordsAge(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		now := time.Now()
		var mu sync.Mutex
		clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		s, _ := fresh(t, Options{Keep: time.Hour, Now: clock})
		s.Record(t.Context(), record(1, now.Add(-time.Hour*9)))
		until(t, "it is kept", func() bool { return len(wanted(t, s, Wanted{})) == 1 })
		s.sweep()
		if n := len(wanted(t, s, Wanted{})); n != 1 {
			t.Errorf("after a moment %d records are left", n)
		}
		mu.Lock()
		now = now.Add(61 * time.Minute)
		mu.Unlock()
		s.sweep()
		if n := len(wanted(t, s, Wanted{})); n != 0 {
			t.Errorf("after an hour %d records are left", n)
		}
	})
}
