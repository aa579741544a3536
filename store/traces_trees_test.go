package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/trace"
)

// ids are those of the records that are wanted, newest first.
func ids(t *testing.T, s *Store, w Wanted) (list []string) {
	t.Helper()
	for _, r := range wanted(t, s, w) {
		list = append(list, r.ID)
	}
	return list
}

// TestTreesOutOfTheStore: a store gives the same trees as the memory, of the same records.
func TestTreesOutOfTheStore(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		s, _ := fresh(t, Options{})
		m := trace.NewMemory(trace.Limits{})
		batch := longRecords(0, 400)
		for _, r := range batch {
			m.Record(t.Context(), r)
		}
		s.keep(batch)
		for _, id := range []string{"r00000000", "r00000001", "r00000002", "r00000003", "t0", "t99", "t7-2", "r00000399", "nope", ""} {
			want, record, wantErr := trace.Look{}.Find(t.Context(), m, id)
			got, gotRecord, err := trace.Look{}.Find(t.Context(), s, id)
			if (err == nil) != (wantErr == nil) || wantErr != nil && err != trace.ErrNoRecord {
				t.Fatalf("%s: %v, want %v", id, err, wantErr)
			}
			if diff := cmp.Diff(record, gotRecord); diff != "" {
				t.Errorf("%s: record (-memory +store):\n%s", id, diff)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: tree (-memory +store):\n%s", id, diff)
			}
		}
	})
}

// longRecords are so many records from one on.
func longRecords(from, n int) []trace.Record {
	start := time.Now().Add(-time.Hour).Truncate(time.Hour)
	list := make([]trace.Record, n)
	for i := range list {
		list[i] = longRecord(from+i, start)
	}
	return list
}

// TestRecordsByWhereTheyBelong: each filter finds its own, also together with others.
func TestRecordsByWhereTheyBelong(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		s, _ := fresh(t, Options{})
		s.keep(longRecords(0, 40))
		for name, tc := range map[string]struct {
			w    Wanted
			want []string
		}{
			"turn":              {Wanted{Turn: "t2"}, []string{"r00000010", "r00000009", "r00000008"}},
			"a turn's refused":  {Wanted{Turn: "t2", State: "refused"}, []string{"r00000009"}},
			"root":              {Wanted{Root: "r00000008"}, []string{"r00000011", "r00000010", "r00000009"}},
			"parent":            {Wanted{Parent: "r00000010"}, []string{"r00000011"}},
			"era and state":     {Wanted{Era: "2026-07-28", State: "opened", Limit: 2}, []string{"r00000036", "r00000028"}},
			"method and era":    {Wanted{Method: "look", Era: "2025-11-25", Limit: 1}, []string{"r00000035"}},
			"another era":       {Wanted{Era: "2024-11-05"}, nil},
			"a turn with round": {Wanted{Turn: "t2-1"}, nil},
		} {
			if diff := cmp.Diff(tc.want, ids(t, s, tc.w)); diff != "" {
				t.Errorf("%s: -want +got:\n%s", name, diff)
			}
		}
	})
}

// TestEveryFilterHasAnIndex: what few records have is found at once, and for the rest an index is read from its newest end, and no record that is not
// wanted.
func TestEveryFilterHasAnIndex(t *testing.T) {
	t.Parallel()
	s, _ := openHere(t, Options{})
	for _, w := range []Wanted{
		{}, {Decision: "x"}, {Method: "x"}, {State: "x"}, {Era: "x"}, {Turn: "x"}, {Root: "x"}, {Parent: "x"}, {Since: time.Now()}, {Decision: "x", State: "y", Method: "z"}, {Turn: "x", Since: time.Now()},
	} {
		w.Limit = 50
		query, args := w.query()
		rows, err := s.db.query(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		plan := ""
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan += detail + "; "
		}
		rows.Close()
		few := w.Turn != "" || w.Root != "" || w.Parent != "" || !w.Since.IsZero()
		if !strings.Contains(plan, "USING INDEX traces_") || strings.Contains(plan, "SCAN") && few || strings.Contains(plan, "FOR ORDER BY") {
			t.Errorf("%+v: %s", w, plan)
		}
	}
}

// taken is what all records take, and how many they are.
func taken(t *testing.T, s *Store) (bytes int64, records int) {
	t.Helper()
	if err := s.db.row(t.Context(), "SELECT CAST(coalesce(sum(size), 0) AS BIGINT), count(*) FROM {traces}").Scan(&bytes, &records); err != nil {
		t.Fatal(err)
	}
	return bytes, records
}

// TestRecordsTakeNoMoreThanTheyMay: above the cap the oldest go, and nothing but records.
func TestRecordsTakeNoMoreThanTheyMay(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		const most, many = 2 << 20, 8000
		s, _ := fresh(t, Options{Size: most})
		if err := insertAs(t.Context(), s, decide.Kill, turnRow("keep", 2)); err != nil {
			t.Fatal(err)
		}
		for i := 0; i < many; i += flushMost {
			part := longRecords(i, flushMost)
			s.keep(part)
			s.keep(part[:10]) // those are there
		}
		until(t, "records take what they may", func() bool {
			bytes, _ := taken(t, s)
			return bytes <= most
		})
		bytes, records := taken(t, s)
		if bytes < most*9/10 || records == 0 {
			t.Errorf("%d records are left, of %d bytes", records, bytes)
		}
		var want []string
		for i := range records {
			want = append(want, fmt.Sprintf("r%08d", many-1-i))
		}
		if got := ids(t, s, Wanted{}); !slices.Equal(got, want) {
			t.Errorf("not the newest are left: %v … %v", got[0], got[len(got)-1])
		}
		if _, err := s.Turn(t.Context(), "keep"); err != nil {
			t.Errorf("the turn: %v", err)
		}
	})
}

// TestTrimmersRemoveNoMoreThanOneWould: two processes that find at the same moment that there is too much remove it once.
func TestTrimmersRemoveNoMoreThanOneWould(t *testing.T) {
	inEach(t, func(t *testing.T, fresh func(t *testing.T, o Options) (*Store, Where)) {
		first, where := fresh(t, Options{})
		second := openedAt(t, where, Options{})
		for i := 0; i < 4000; i += flushMost {
			first.keep(longRecords(i, flushMost))
		}
		const most = 1 << 20
		first.o.Size, second.o.Size = most, most
		var both sync.WaitGroup
		both.Go(first.sweep)
		both.Go(second.sweep)
		both.Wait()
		if bytes, _ := taken(t, first); bytes > most || bytes < most*9/10 {
			t.Errorf("%d bytes are left of %d", bytes, most)
		}
		if got := first.traces.bytes.Load(); got > most {
			t.Errorf("%d bytes are said to be left", got)
		}
	})
}

// TestTrimmingBlocksNobody: while many records go, others are written.
func TestTrimmingBlocksNobody(t *testing.T) {
	t.Parallel()
	s, _ := openHere(t, Options{})
	for i := 0; i < 8000; i += flushMost {
		s.keep(longRecords(i, flushMost))
	}
	const most = 1 << 20
	s.o.Size = most
	var trimming sync.WaitGroup
	done := make(chan struct{})
	trimming.Go(func() { s.sweep(); close(done) })
	turns := 0
	for open := true; open; turns++ {
		select {
		case <-done:
			open = false
		default:
		}
		if err := insertAs(t.Context(), s, decide.Kill, turnRow(fmt.Sprintf("t%d", turns), 2)); err != nil {
			t.Fatal(err)
		}
	}
	trimming.Wait()
	if bytes, records := taken(t, s); bytes > most || records == 0 || turns < 3 {
		t.Errorf("%d records of %d bytes are left; meanwhile %d turns were opened", records, bytes, turns)
	}
}

// TestOlderRecordsAreFound: what a store of an earlier version holds is found by its turn, and counted.
func TestOlderRecordsAreFound(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "turns.db")
	db, err := sql.Open("sqlite", dataSource(path))
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := steps.UpTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for i, turn := range []string{"k7m2-1", "k7m2-12", "", "odd", "a-b-3", "x12"} {
		data, _ := json.Marshal(trace.Record{ID: fmt.Sprint("r", i), Turn: turn, State: "done", Time: time.UnixMicro(int64(i))})
		if _, err := db.ExecContext(t.Context(), "INSERT INTO traces (id, time, came, decision, method, state, record) VALUES (?, ?, ?, '', '', 'done', ?)",
			fmt.Sprint("r", i), i, time.Now().UnixMicro(), data); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(t.Context(), "INSERT INTO traces VALUES ('bad', 9, 9000000000000000, '', '', '', 'no JSON')"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(context.Background(), Where{Kind: "sqlite", Path: path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for turn, want := range map[string][]string{"k7m2": {"r1", "r0"}, "odd": {"r3"}, "a-b": {"r4"}, "x12": {"r5"}} {
		if got := ids(t, s, Wanted{Turn: turn}); !slices.Equal(got, want) {
			t.Errorf("of %s there are %v, want %v", turn, got, want)
		}
	}
	if bytes, records := taken(t, s); records != 7 || bytes < 7*aroundOne+100 {
		t.Errorf("%d records take %d bytes", records, bytes)
	}
}
