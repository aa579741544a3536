package trace_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// Whatever stands in records, what is kept stands under words of a fixed list, the sums agree, and every record is handed on.
func TestCountsAddUp(t *testing.T) {
	t.Parallel()
	words := func(known ...string) *rapid.Generator[string] {
		return rapid.OneOf(rapid.SampledFrom(append(known, "")), rapid.StringN(0, 8, 20))
	}
	record := rapid.Custom(func(t *rapid.T) trace.Record {
		return trace.Record{
			Path: "menu", Turn: words("k7m2-1").Draw(t, "turn"), Decision: words("a", "b").Draw(t, "decision"), State: words("opened", "done", "recorded", "exhausted").Draw(t, "state"),
			Strategy: words(trace.Strategies()...).Draw(t, "strategy"), Refused: words(trace.Outcomes()...).Draw(t, "refused"),
			Attempt: rapid.IntRange(0, 3).Draw(t, "attempt"), Repaired: rapid.Bool().Draw(t, "repaired"), OnFailure: rapid.Bool().Draw(t, "on failure"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		memory := trace.NewMemory(trace.Limits{})
		start := time.UnixMilli(1_800_000_000_000)
		counts := trace.NewCounts(memory, start)
		records := rapid.SliceOf(record).Draw(t, "records")
		of := map[string]int{} // records of turns
		for _, r := range records {
			counts.Record(t.Context(), r)
			if r.Turn != "" {
				of[r.Decision]++
				of["in all"]++
			}
		}
		if n := len(memory.List()); n != len(records) {
			t.Fatalf("%d of %d were handed on", n, len(records))
		}
		got := counts.Read()
		if !got.Since.Equal(start) {
			t.Fatalf("since %v", got.Since)
		}
		check := func(name string, tally trace.Tally, records int) {
			sum, counted := tally.Opened, 0
			for a, n := range tally.Answers {
				if !slices.Contains(trace.Strategies(), a.Strategy) || !slices.Contains(trace.Outcomes(), a.Outcome) {
					t.Fatalf("%s: counted under %+v", name, a)
				}
				if sum += n; a.Outcome != trace.Recorded && a.Outcome != trace.NotCounted {
					counted += n
				}
			}
			if sum != records || tally.Firsts+tally.Retries < counted-of["in all"] || tally.FirstsOK > tally.Firsts {
				t.Fatalf("%s: of %d records %+v", name, records, tally)
			}
		}
		check("in all", got.All, of["in all"])
		for name, tally := range got.Decisions {
			check(name, tally, of[name])
		}
	})
}

// What Read gave does not change afterwards.
func TestCountsCopies(t *testing.T) {
	t.Parallel()
	counts := trace.NewCounts(nil, time.Now())
	taken := trace.Record{Turn: "k7m2-1", Decision: "d", State: "done", Strategy: "object", Attempt: 1}
	counts.Record(t.Context(), taken)
	before := counts.Read()
	counts.Record(t.Context(), taken)
	want := trace.Tally{Answers: map[trace.Answer]int{{Strategy: "object", Outcome: "taken"}: 1}, Firsts: 1, FirstsOK: 1}
	if diff := cmp.Diff([]trace.Tally{want, want}, []trace.Tally{before.All, before.Decisions["d"]}); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Names of decisions can't make the counts grow for ever.
func TestCountsAreBounded(t *testing.T) {
	t.Parallel()
	counts := trace.NewCounts(nil, time.Now())
	const many = 12_000
	for i := range many {
		counts.Record(t.Context(), trace.Record{Turn: "k7m2-1", Decision: fmt.Sprint(i), State: "opened"})
	}
	if got := counts.Read(); len(got.Decisions) != 10_000 || got.All.Opened != many {
		t.Errorf("%d decisions, %d turns", len(got.Decisions), got.All.Opened)
	}
}

func TestCountsConcurrently(t *testing.T) {
	t.Parallel()
	counts := trace.NewCounts(trace.NewMemory(trace.Limits{}), time.Now())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				counts.Record(t.Context(), trace.Record{Turn: "k7m2-1", Decision: "d", State: "done", Strategy: "object", Attempt: 1})
				counts.Read()
			}
		})
	}
	all.Wait()
	if got := counts.Read().All.FirstsOK; got != 1600 {
		t.Errorf("counted %d", got)
	}
}
