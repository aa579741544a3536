package trace_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
	"pgregory.net/rapid"
)

// What is seen is what a plain reading of the rules says, node by node, whoever looks and whenever.
func TestViewsFollowTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		s.grow(t, 40, false)
		view := trace.View{Before: int64(rapid.IntRange(0, len(s.nodes)).Draw(t, "before"))}
		before := view.Before
		if before == 0 {
			before = int64(len(s.nodes))
		}
		var frame, head *past
		if calls := s.those(func(p *past) bool { return p.Kind == trace.KindCode }); len(calls) > 0 && rapid.Bool().Draw(t, "a frame") {
			frame = oneOf(t, calls)
			view.Frame, head = frame.ID, frame.top()
		} else {
			for _, p := range s.those(func(p *past) bool { return p.Caller == "" && p.Covers == nil && p.Seq < before }) {
				head = p
			}
		}
		if rapid.Bool().Draw(t, "a range") {
			view.Range = drawRange(t)
		}
		nodes, err := s.g.View(view)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.view(frame, head, before, view.Range), nodeIDs(nodes)); diff != "" {
			t.Fatalf("%+v: -want +got:\n%s", view, diff)
		}
	})
}

// What a model call may see is of its own branch, of before it, and the same for ever.
func TestContextsStand(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		s.grow(t, 30, true)
		before := s.contexts(t)
		for id, nodes := range before {
			of := s.byID[id]
			branch := map[string]bool{}
			for p := of.top(); p != nil; {
				branch[p.ID] = true
				if next := p.pred; next != nil || p.Covers == nil {
					p = next
				} else {
					p = s.byID[p.Covers[len(p.Covers)-1]]
				}
			}
			for _, n := range nodes {
				p := s.byID[n.ID]
				covered := !slices.ContainsFunc(p.Covers, func(id string) bool { return !branch[id] })
				if p.Seq >= of.Seq || !branch[p.top().ID] && (p.Covers == nil || !covered) {
					t.Fatalf("%s sees %s", id, n.ID)
				}
				if !p.Status.IsFinal() && n.Status.IsFinal() || n.Status != trace.StatusRunning && p.Ended > of.Seq {
					t.Fatalf("%s sees how %s ended, which was later", id, n.ID)
				}
			}
		}
		s.grow(t, 30, true)
		after := s.contexts(t)
		for id := range before {
			if diff := cmp.Diff(before[id], after[id]); diff != "" {
				t.Fatalf("%s -before +later:\n%s", id, diff)
			}
		}
	})
}

// contexts is what each model call sees.
func (s *session) contexts(t *rapid.T) map[string][]trace.Node {
	contexts := map[string][]trace.Node{}
	for _, p := range s.those(func(p *past) bool { return p.Kind == trace.KindLLM }) {
		nodes, err := s.g.Context(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		contexts[p.ID] = nodes
	}
	return contexts
}

// A final status never changes, whatever is asked for and whatever else happens.
func TestFinalStatusesStay(t *testing.T) {
	t.Parallel()
	all := append([]trace.Status{trace.StatusRunning, trace.StatusUnknown, "", "odd"}, finals...)
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		final := map[string]trace.Node{}
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			s.grow(t, 10, false)
			for _, p := range s.nodes {
				if row, _ := s.g.Row(p.ID); row.Status.IsFinal() {
					final[p.ID] = row
				}
				e := trace.End{Status: rapid.SampledFrom(all).Draw(t, "status"), Output: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "output")}
				err := s.g.Finish(p.ID, e)
				was, isFinal := final[p.ID]
				if isFinal != errors.Is(err, trace.ErrFinal) {
					t.Fatalf("%s, which is %s, is made %s: %v", p.ID, was.Status, e.Status, err)
				}
				row, _ := s.g.Row(p.ID)
				if isFinal {
					if diff := cmp.Diff(was, row); diff != "" {
						t.Fatalf("-was +is:\n%s", diff)
					}
				}
				p.Status = row.Status
			}
		}
	})
}

// A Graph made of its rows is the same, in whatever order they come and although some come twice, from before they ended.
func TestRebuiltIsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		s.grow(t, 20, true)
		rows := s.g.Rows()
		s.grow(t, 20, true)
		rows = append(rows, s.g.Rows()...)
		seed := rapid.Uint64().Draw(t, "seed")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		text, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ReplaceAll(string(text), "out "+canary, ""), canary) {
			t.Fatalf("a hidden call in the rows: %s", text)
		}
		var read []trace.Node
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		again, missing, err := trace.Rebuild(trace.GraphLimits{}, read)
		if err != nil || len(missing) > 0 {
			t.Fatalf("missing %v, error %v", missing, err)
		}
		if diff := cmp.Diff(s.g.Rows(), again.Rows()); diff != "" {
			t.Fatalf("rows -was +is:\n%s", diff)
		}
		for _, n := range s.g.Rows() {
			if n.Kind != trace.KindLLM || s.insideHidden(n.ID) {
				continue
			}
			want, err := s.g.Context(n.ID)
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.Context(n.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("what %s sees -was +is:\n%s", n.ID, diff)
			}
		}
	})
}

func (s *session) insideHidden(id string) bool {
	for p := s.byID[id]; p != nil; p = p.caller {
		if p.Expose == trace.ExposeHidden {
			return true
		}
	}
	return false
}

// A session with hidden calls looks, to all but those, like one in which their callers had done what they do.
func TestHiddenCallsNeverShow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := newSession()
		s.grow(t, 40, true)
		plain := newSession()
		visible := map[string]string{} // the node that stands for one, "" = none does
		for _, p := range s.nodes {
			n := p.Node
			n.Seq, n.Ended, n.Status, n.Output = 0, 0, "", ""
			n.Caller, n.Predecessor = visible[p.Caller], ""
			if q := p.follows(); q != nil {
				n.Predecessor = q.ID
			}
			if n.Covers != nil {
				n.Status = trace.StatusDone
			}
			switch {
			case p.Expose == trace.ExposeHidden:
				visible[p.ID] = n.Caller
				continue
			case p.Caller != "" && n.Caller == "": // inside a hidden call that nobody visible made
				continue
			}
			visible[p.ID] = p.ID
			if n.Caller != "" && n.Expose == "" {
				n.Expose = p.exposes() // by who called it, hidden or not
			}
			mustAdd(t, plain.g, n)
		}
		for _, p := range s.nodes {
			if visible[p.ID] != p.ID {
				if _, ok := s.g.Row(p.ID); ok {
					t.Fatalf("%s has a row", p.ID)
				}
				continue
			}
			if p.Kind != trace.KindLLM || s.insideHidden(p.ID) {
				continue
			}
			want, err := plain.g.Context(p.ID)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.g.Context(p.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(nodeIDs(want), nodeIDs(got)); diff != "" {
				t.Fatalf("what %s sees -without +with hidden calls:\n%s", p.ID, diff)
			}
			for _, n := range got {
				if n.Expose == trace.ExposeHidden || strings.Contains(n.Name+n.Doc+n.Input, canary) {
					t.Fatalf("%s sees the hidden %s", p.ID, n.ID)
				}
			}
		}
	})
}

// Two branches show the same however what happened in them took turns.
func TestOrderOfBranchesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		both := newSession()
		root := both.add(t, trace.Node{ID: "root", Kind: trace.KindUser, Predecessor: ""})
		steps := map[string][]trace.Node{}
		for _, branch := range []string{"a", "b"} {
			one := newSession()
			one.add(t, trace.Node{ID: "root", Kind: trace.KindUser})
			one.grow(t, 20, true)
			rename := func(id string) string {
				if id == "" || id == root.ID {
					return id
				}
				return branch + id
			}
			for _, p := range one.nodes[1:] {
				n := p.Node
				n.Seq, n.Ended = 0, 0
				n.ID, n.Caller, n.Predecessor = rename(n.ID), rename(n.Caller), rename(n.Predecessor)
				n.Covers = nil
				steps[branch] = append(steps[branch], n)
			}
		}
		seen := map[string]string{}
		for turn := range 2 {
			s := newSession()
			s.add(t, trace.Node{ID: "root", Kind: trace.KindUser})
			left := map[string][]trace.Node{"a": steps["a"], "b": steps["b"]}
			for len(left["a"])+len(left["b"]) > 0 {
				branch := "a"
				if len(left["a"]) == 0 || len(left["b"]) > 0 && rapid.Bool().Draw(t, "b is next") {
					branch = "b"
				}
				n := left[branch][0]
				left[branch] = left[branch][1:]
				s.add(t, n)
			}
			for id, nodes := range s.contexts(t) {
				text := trace.Transcript(trace.Render(nodes))
				if turn > 0 && seen[id] != text {
					t.Fatalf("%s sees\n%s\nand in another order\n%s", id, seen[id], text)
				}
				seen[id] = text
			}
		}
	})
}
