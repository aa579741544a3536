package trace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

func TestMemoryKeepsTheNewest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		limits trace.Limits
		sizes  []int // bytes of the arguments of each record
		want   []string
	}{
		{"nothing", trace.Limits{}, nil, nil},
		{"within the limits", trace.Limits{Records: 3}, []int{1, 1, 1}, []string{"0", "1", "2"}},
		{"records", trace.Limits{Records: 2}, []int{1, 1, 1, 1}, []string{"2", "3"}},
		{"bytes", trace.Limits{Bytes: 2500}, []int{1000, 1000, 1000}, []string{"1", "2"}},
		{"one that is too large loses its arguments", trace.Limits{Bytes: 700}, []int{1, 5000}, []string{"0", "1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := trace.NewMemory(tc.limits)
			for i, n := range tc.sizes {
				m.Record(context.Background(), trace.Record{ID: fmt.Sprint(i), Args: json.RawMessage(strings.Repeat("x", n))})
			}
			var got []string
			for _, r := range m.List() {
				got = append(got, r.ID)
				if found, ok := m.Get(r.ID); !ok || found.ID != r.ID {
					t.Errorf("Get(%q) = %+v, %v", r.ID, found, ok)
				}
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("kept (-want +got):\n%s", d)
			}
			if got, want := m.Dropped(), len(tc.sizes)-len(tc.want); got != want {
				t.Errorf("dropped %d, want %d", got, want)
			}
		})
	}
}

// A record goes when it is older than the limit: at that age it is still there, and whoever asks first sees that it
// has gone.
func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tc := range []struct {
		name string
		age  time.Duration
		at   []time.Duration // when each record comes
		look time.Duration   // when the memory is looked at
		want []string
	}{
		{"30 days unless set", 0, []time.Duration{0, day}, 30 * day, []string{"0", "1"}},
		{"more than 30 days", 0, []time.Duration{0, day}, 30*day + 1, []string{"1"}},
		{"an hour", time.Hour, []time.Duration{0, time.Minute, time.Hour}, time.Hour + time.Minute, []string{"1", "2"}},
		{"all", time.Hour, []time.Duration{0, time.Minute}, day, nil},
		{"while others come", time.Hour, []time.Duration{0, day, 2 * day}, 2 * day, []string{"2"}},
	} {
		for ask, see := range map[string]func(*trace.Memory, []string) any{
			"List":    func(m *trace.Memory, _ []string) any { return ids(m.List()) },
			"Dropped": func(m *trace.Memory, _ []string) any { return m.Dropped() },
			"Get": func(m *trace.Memory, all []string) any {
				return slices.DeleteFunc(all, func(id string) bool { _, ok := m.Get(id); return !ok })
			},
		} {
			t.Run(tc.name+"/"+ask, func(t *testing.T) {
				t.Parallel()
				start := time.UnixMilli(1_800_000_000_000)
				now := start
				m := trace.NewMemory(trace.Limits{Age: tc.age})
				m.Now = func() time.Time { return now }
				var all []string
				for i, at := range tc.at {
					now = start.Add(at)
					all = append(all, fmt.Sprint(i))
					m.Record(context.Background(), trace.Record{ID: fmt.Sprint(i), Time: start.Add(-1000 * day)})
				}
				now = start.Add(tc.look)
				var want any = len(tc.at) - len(tc.want)
				if ask != "Dropped" {
					want = append([]string{}, tc.want...)
				}
				if d := cmp.Diff(want, see(m, all)); d != "" {
					t.Errorf("-want +got:\n%s", d)
				}
			})
		}
	}
}

func ids(list []trace.Record) []string {
	all := []string{}
	for _, r := range list {
		all = append(all, r.ID)
	}
	return all
}

// What goes in and what comes out share no memory with what is kept.
func TestMemoryCopies(t *testing.T) {
	t.Parallel()
	m := trace.NewMemory(trace.Limits{})
	args := json.RawMessage(`{"a":1}`)
	m.Record(context.Background(), trace.Record{ID: "r", Args: args})
	args[2] = 'X'
	m.List()[0].Args[2] = 'Y'
	got, _ := m.Get("r")
	got.Args[2] = 'Z'
	if got, _ := m.Get("r"); string(got.Args) != `{"a":1}` {
		t.Errorf("kept %s", got.Args)
	}
}

func TestMemoryFillsIn(t *testing.T) {
	t.Parallel()
	m := trace.NewMemory(trace.Limits{})
	m.Record(context.Background(), trace.Record{Method: "a"})
	m.Record(context.Background(), trace.Record{Method: "b"})
	list := m.List()
	if list[0].ID == "" || list[0].ID == list[1].ID || list[0].Time.IsZero() {
		t.Errorf("records are %+v", list)
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_800_000_000_000)
	early, late := trace.NewID(at), trace.NewID(at.Add(time.Millisecond))
	if early >= late || len(early) != 20 {
		t.Errorf("ids %q, %q", early, late)
	}
}

// Whatever is recorded, in whatever order and under whatever ids, the memory holds what a plain slice would.
func TestMemoryAgainstSlice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		m := trace.NewMemory(trace.Limits{Records: limit})
		var want []trace.Record
		for i, id := range rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"})).Draw(t, "ids") {
			r := trace.Record{ID: id, Time: time.UnixMilli(int64(i) + 1)}
			m.Record(context.Background(), r)
			want = append(want, r)
			want = want[max(0, len(want)-limit):]
			if d := cmp.Diff(want, m.List()); d != "" {
				t.Fatalf("after %d (-want +got):\n%s", i, d)
			}
			for _, id := range []string{"a", "b", "c"} {
				var newest trace.Record
				for _, r := range want {
					if r.ID == id {
						newest = r
					}
				}
				if got, ok := m.Get(id); ok != (newest.ID != "") || got.Time != newest.Time {
					t.Fatalf("after %d: Get(%q) = %+v, %v, want %+v", i, id, got, ok, newest)
				}
			}
		}
	})
}

func TestMemoryConcurrently(t *testing.T) {
	t.Parallel()
	m := trace.NewMemory(trace.Limits{Records: 10})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				m.Record(context.Background(), trace.Record{Method: "m"})
				m.List()
			}
		})
	}
	all.Wait()
	if got := len(m.List()); got != 10 || m.Dropped() != 1590 {
		t.Errorf("kept %d, dropped %d", got, m.Dropped())
	}
}

// Each text of a record counts, the reason too.
func TestMemoryCountsReasons(t *testing.T) {
	t.Parallel()
	m := trace.NewMemory(trace.Limits{Bytes: 3000})
	for range 10 {
		m.Record(t.Context(), trace.Record{Reason: strings.Repeat("r", 1000)})
	}
	if n := len(m.List()); n != 2 {
		t.Errorf("%d records of about 1,200 bytes in 3,000", n)
	}
	m.Record(t.Context(), trace.Record{Reason: strings.Repeat("r", 5000)})
	if l := m.List(); len(l) == 0 || len(l[len(l)-1].Reason) != 200 {
		t.Errorf("a reason larger than the limit: %d records, %+.300v", len(l), l)
	}
}
