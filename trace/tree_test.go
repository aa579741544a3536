package trace_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// recorded is a memory with these records, a second after one another.
func recorded(list ...trace.Record) *trace.Memory {
	m := trace.NewMemory(trace.Limits{})
	m.Now = func() time.Time { return noon }
	for i, r := range list {
		r.Time = noon.Add(time.Duration(i) * time.Second)
		m.Record(context.Background(), r)
	}
	return m
}

// outline is a tree as text: a line for each part, indented.
func outline(t *trace.Tree) string {
	var b strings.Builder
	var write func(*trace.Tree, int)
	write = func(t *trace.Tree, depth int) {
		b.WriteString(strings.Repeat("  ", depth) + string(t.Kind))
		for _, word := range []string{t.Turn, t.Verdict, t.Method, t.State, t.Call} {
			if word != "" {
				b.WriteString(" " + word)
			}
		}
		if t.Record != nil {
			b.WriteString(" " + t.Record.ID)
		}
		if t.More {
			b.WriteString(" and more")
		}
		b.WriteString("\n")
		for _, below := range t.Below {
			write(below, depth+1)
		}
	}
	write(t, 0)
	return b.String()
}

// aTurn are the records of a turn k7m2 with a refused answer, one that ran a write with two calls in it, and one that was told again.
func aTurn() []trace.Record {
	return []trace.Record{
		{ID: "o", State: "opened", Decision: "ticket", Turn: "k7m2-1", Caller: "a"},
		{ID: "a1", State: "refused", Decision: "ticket", Turn: "k7m2-1", Root: "o", Attempt: 1, Refused: "bad_args", Error: "bad_args", Caller: "a"},
		{ID: "c1", State: "done", Method: "look", Root: "o", Parent: "a2", Caller: "a"},
		{ID: "c2", State: "failed", Method: "note", Root: "o", Parent: "a2", Caller: "a"},
		{ID: "a2", State: "done", Decision: "ticket", Turn: "k7m2-2", Root: "o", Attempt: 2, Option: "refund", Method: "issue_refund", Call: "abcd", Caller: "a"},
		{ID: "a3", State: "recorded", Decision: "ticket", Turn: "k7m2-2", Root: "o", Option: "refund", Caller: "a"},
	}
}

const theTurn = `turn k7m2
  opening o
  answer refused a1
  answer taken a2
    run issue_refund done abcd
      call c1
      call c2
  answer recorded a3
`

func TestTrees(t *testing.T) {
	t.Parallel()
	const whole = theTurn
	for _, tc := range []struct {
		name    string
		records []trace.Record
		id      string
		want    string // "" = there is nothing
		record  string // which was asked for; "" = none was
	}{
		{"a turn by its id", aTurn(), "k7m2", whole, ""},
		{"a turn by a handle", aTurn(), "k7m2-2", whole, ""},
		{"an opening", aTurn(), "o", whole, "o"},
		{"an answer", aTurn(), "a1", whole, "a1"},
		{"a call in a run", aTurn(), "c2", whole, "c2"},
		{"no such id", aTurn(), "k7m3", "", ""},
		{"an empty id", aTurn(), "", "", ""},
		{"a call that stands alone", []trace.Record{{ID: "c", State: "done", Method: "m"}, {ID: "d", State: "done", Method: "m"}}, "c", "call c\n", "c"},
		{"calls in calls", []trace.Record{
			{ID: "c3", Parent: "c2", Root: "c1", State: "done", Method: "m"},
			{ID: "c2", Parent: "c1", Root: "c1", State: "done", Method: "m"},
			{ID: "c1", State: "done", Method: "m"},
		}, "c3", "call c1\n  call c2\n    call c3\n", "c3"},
		{"a turn in a call", []trace.Record{
			{ID: "o", Parent: "c", Root: "c", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "a", Parent: "c", Root: "c", State: "done", Decision: "d", Turn: "t-1", Attempt: 1, Method: "m"},
			{ID: "c", State: "done", Method: "outer"},
		}, "c", "call c\n  turn t\n    opening o\n    answer taken a\n      run m done\n", "c"},
		{"that turn alone", []trace.Record{
			{ID: "o", Parent: "c", Root: "c", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "a", Parent: "c", Root: "c", State: "done", Decision: "d", Turn: "t-1", Attempt: 1, Method: "m"},
			{ID: "c", State: "done", Method: "outer"},
		}, "t", "turn t\n  opening o\n  answer taken a\n    run m done\n", ""},
		{"a call whose run goes on", []trace.Record{
			{ID: "c2", Parent: "c1", Root: "c1", State: "done", Method: "m"},
			{ID: "c3", Parent: "c1", Root: "c1", State: "done", Method: "m"},
		}, "c2", "call c2\n  call c3\n", "c2"},
		{"an opening that was lost", aTurn()[1:], "k7m2", strings.Replace(whole, "  opening o\n", "", 1), ""},
		{"an opening that was lost, by an answer", aTurn()[1:], "a2", strings.Replace(whole, "  opening o\n", "", 1), "a2"},
		{"an opening that was refused", []trace.Record{{ID: "r", State: "refused", Decision: "d", Error: "full"}}, "r", "call r\n", "r"},
		{"on_failure", []trace.Record{
			{ID: "o", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "a", Root: "o", State: "done", Decision: "d", Turn: "t-1", Attempt: 2, Refused: "no_action", OnFailure: true, Method: "m", Option: "leave"},
		}, "t", "turn t\n  opening o\n  answer refused a\n    run m done\n", ""},
		{"an answer to no turn", []trace.Record{{ID: "a", State: "refused", Turn: "nope", Error: "no_turn"}}, "a", "turn nope\n  answer not_counted a\n", "a"},
		{"the newest of two turns of one id", append(aTurn(),
			trace.Record{ID: "p", State: "opened", Decision: "ticket", Turn: "k7m2-1"},
			trace.Record{ID: "b", State: "refused", Decision: "ticket", Turn: "k7m2-1", Root: "p", Attempt: 1, Refused: "no_action"},
		), "k7m2", "turn k7m2\n  opening p\n  answer refused b\n", ""},
		{"the older of two turns of one id", append(aTurn(),
			trace.Record{ID: "p", State: "opened", Decision: "ticket", Turn: "k7m2-1"},
		), "a3", whole, "a3"},
		{"answers of a version that did not tie them", []trace.Record{
			{ID: "o", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "a", State: "refused", Decision: "d", Turn: "t-1", Attempt: 1, Refused: "no_action"},
			{ID: "p", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "b", State: "done", Decision: "d", Turn: "t-1", Attempt: 1, Method: "m"},
		}, "a", "turn t\n  opening o\n  answer refused a\n", "a"},
		{"the turn opened in the place of an expired one", []trace.Record{
			{ID: "o", State: "opened", Decision: "d", Turn: "t-1"},
			{ID: "a", Root: "o", State: "refused", Decision: "d", Turn: "t-1", Error: "expired"},
			{ID: "b", Root: "o", State: "done", Decision: "d", Turn: "u-1", Attempt: 1, Method: "m"},
		}, "o", "turn t\n  opening o\n  answer not_counted a\n  turn u\n    answer taken b\n      run m done\n", "o"},
		{"a record in its own run", []trace.Record{{ID: "c", Parent: "c", Root: "c", State: "done", Method: "m"}}, "c", "call c\n", "c"},
		{"two records in each other's", []trace.Record{
			{ID: "c", Parent: "d", Root: "c", State: "done", Method: "m"}, {ID: "d", Parent: "c", Root: "c", State: "done", Method: "m"},
		}, "c", "call\n", "c"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tree, r, err := trace.Look{}.Find(t.Context(), recorded(tc.records...), tc.id)
			if tc.want == "" {
				if !errors.Is(err, trace.ErrNoRecord) || tree != nil || r != nil {
					t.Fatalf("%+v, %+v, %v", tree, r, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, outline(tree)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := r != nil; got != (tc.record != "") || r != nil && r.ID != tc.record {
				t.Errorf("the record is %+v, want %q", r, tc.record)
			}
		})
	}
}

// TestTreesOfOthers: what may not be seen is not there, and is not told from what there is not.
func TestTreesOfOthers(t *testing.T) {
	t.Parallel()
	list := append(aTurn(),
		trace.Record{ID: "g", State: "refused", Turn: "k7m2-2", Error: "no_turn", Caller: "b"},
		trace.Record{ID: "h", State: "refused", Turn: "k7m9-2", Error: "no_turn", Caller: "b"},
	)
	m := recorded(list...)
	mine := func(caller string) trace.Look {
		return trace.Look{Only: func(r trace.Record) bool { return r.Caller == caller }}
	}
	for _, id := range []string{"o", "a2", "c1", "nope", ""} {
		if _, _, err := mine("b").Find(t.Context(), m, id); err != trace.ErrNoRecord {
			t.Errorf("%s of another: %v", id, err)
		}
	}
	// Of a turn of somebody else there is no more than of one that there never was: the own vain answer.
	theirs, _, err := mine("b").Find(t.Context(), m, "k7m2")
	never, _, err2 := mine("b").Find(t.Context(), m, "k7m9")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	if got, want := outline(theirs), strings.NewReplacer("k7m9", "k7m2", " h\n", " g\n").Replace(outline(never)); got != want {
		t.Errorf("a turn of another:\n%s\none that there is not:\n%s", got, want)
	}
	own, _, err := mine("a").Find(t.Context(), m, "k7m2")
	if err != nil || strings.Contains(outline(own), " g\n") {
		t.Errorf("the own turn: %v\n%s", err, outline(own))
	}
}

// TestLargeTrees: of too many records the newest are there, with the first and the one that was asked for, and it is said that there are more.
func TestLargeTrees(t *testing.T) {
	t.Parallel()
	list := []trace.Record{{ID: "o", State: "opened", Decision: "d", Turn: "t-1"}}
	for i := range 50 {
		list = append(list, trace.Record{ID: fmt.Sprintf("a%02d", i), Root: "o", State: "refused", Decision: "d", Turn: "t-1", Error: "not_taken"})
	}
	m := recorded(list...)
	tree, r, err := trace.Look{Most: 10}.Find(t.Context(), m, "a03")
	if err != nil || r.ID != "a03" || !tree.More {
		t.Fatalf("%+v, %v", tree, err)
	}
	out := outline(tree)
	for _, want := range []string{"opening o", " a03\n", " a41\n", " a49\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, " a10\n") || len(tree.Below) > 12 {
		t.Errorf("%d parts:\n%s", len(tree.Below), out)
	}
}

// TestTreesHoldEveryRecordOnce: whatever order records come in, and whichever of them are lost, each that is under one root stands in its tree once.
func TestTreesHoldEveryRecordOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "records")
		var list []trace.Record
		for i := range n {
			r := trace.Record{ID: fmt.Sprintf("r%02d", i), State: "done", Method: "m", Time: noon.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "time")) * time.Second)}
			if i > 0 {
				r.Root = "r00"
				if rapid.Bool().Draw(t, "nested") {
					r.Parent = fmt.Sprintf("r%02d", rapid.IntRange(0, i-1).Draw(t, "parent"))
				}
			}
			if turn := rapid.IntRange(0, 4).Draw(t, "turn"); turn > 0 {
				r.Turn, r.Decision = fmt.Sprintf("t%d-1", turn), "d"
				r.State = rapid.SampledFrom([]string{"opened", "refused", "done", "recorded"}).Draw(t, "state")
			}
			list = append(list, r)
		}
		// A turn stands in one run: its records can't be in the run of each other.
		for i := range list {
			if list[i].Turn != "" {
				list[i].Parent = ""
			}
		}
		m := trace.NewMemory(trace.Limits{})
		for _, i := range rapid.Permutation(indexes(n)).Draw(t, "order") {
			m.Record(context.Background(), list[i])
		}
		if list[0].Turn != "" && list[0].State != "opened" {
			return // it is found by its turn, which has only its own
		}
		tree, _, err := trace.Look{}.Find(context.Background(), m, "r00")
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		var walk func(*trace.Tree)
		walk = func(p *trace.Tree) {
			if p.Record != nil {
				ids = append(ids, p.Record.ID)
			}
			for _, below := range p.Below {
				walk(below)
			}
		}
		walk(tree)
		slices.Sort(ids)
		var want []string
		for _, r := range list {
			want = append(want, r.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("the tree has %v, want %v:\n%s", ids, want, outline(tree))
		}
	})
}

func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
