package decide

import (
	"slices"
	"testing"
)

// exploration is what came of all histories up to a number of sends.
type exploration struct {
	states, steps int
	broken        map[string]string // invariant → shortest history that breaks it
}

// explore runs every history of the real engine within the scope, breadth first, so that the first history that breaks an invariant is a shortest one.
// A history is run again from its start for each way to go on. It stops early once the invariant named by until is broken.
func explore(s *setup, r rule, sc scope, until string) exploration {
	type node struct {
		parent *node
		choice choice
	}
	found := exploration{broken: map[string]string{}}
	seen := map[[32]byte]bool{}
	replay := func(n *node) *machine {
		var path []*node
		for ; n.parent != nil; n = n.parent {
			path = append(path, n)
		}
		m := newMachine(s, r, sc)
		for _, n := range slices.Backward(path) {
			m.do(n.choice)
		}
		m.check()
		return m
	}
	queue := []*node{{}}
	for len(queue) > 0 {
		n := queue[0]
		queue[0], queue = nil, queue[1:]
		m := replay(n)
		found.steps++
		if k := m.key(); !seen[k] {
			seen[k] = true
			for invariant, why := range m.broken {
				if found.broken[invariant] == "" {
					var names string
					for n := n; n.parent != nil; n = n.parent {
						names = "\n  " + n.choice.name + names
					}
					found.broken[invariant] = why + names
				}
			}
			if len(m.broken) == 0 {
				for _, c := range m.choices() {
					queue = append(queue, &node{n, c})
				}
			}
		}
		m.end()
		if found.broken[until] != "" {
			break
		}
	}
	found.states = len(seen)
	return found
}

// Every interleaving of two replicas, a client that sends and resends, reloads and an expiry keeps the invariants.
func TestEveryHistory(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	for name, sc := range map[string]scope{
		"two answers of any kind, reloads, expiry":  {sends: 2, texts: []string{tag, pin, look, no, never}, reloads: true, expires: true},
		"three answers: a write, a refusal":         {sends: 3, texts: []string{tag, no}},
		"three answers: a look, a refusal, reloads": {sends: 3, texts: []string{look, no}, reloads: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if raced {
				sc.sends, sc.texts = 2, sc.texts[:2]
			}
			found := explore(s, rule{}, sc, "")
			t.Logf("%d states, %d steps", found.states, found.steps)
			for invariant, history := range found.broken {
				t.Errorf("%s does not hold: %s", invariant, history)
			}
		})
	}
}

// Each rule is needed: without it its invariant breaks, and the shortest history says how.
func TestEveryRuleIsNeeded(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	one, two := scope{sends: 1, texts: []string{tag}}, scope{sends: 2, texts: []string{tag}}
	refusals := scope{sends: 3, texts: []string{no}}
	for _, r := range []struct {
		name   string
		breaks string // the invariant that does not hold without the rule
		rule   rule
		scope  scope
	}{
		{"a swap compares, and a turn has one call", "I1", rule{anyRow: true, anyCall: true}, two},
		{"what is running is not opened again, and a turn has one call", "I1", rule{reopens: Running, anyCall: true}, two},
		{"a swap compares", "I8", rule{anyRow: true}, two},
		{"what is running is not opened again", "I2", rule{reopens: Running}, two},
		{"the intent is on record before the effect", "I2", rule{unsaid: Running}, one},
		{"an answer is held against what was offered", "I4", rule{noDrift: true}, scope{sends: 1, texts: []string{tag}, reloads: true}},
		{"who comes while an equal answer runs is not told that it did not run", "I5", rule{loser: true}, two},
		{"done is told when it is on record", "I6", rule{unsaid: Done}, one},
		{"the time of a turn ends it only while it is open", "I7", rule{expires: true}, one},
		{"final states stay", "I8", rule{reopens: Exhausted}, refusals},
		{"a handle names its round", "I9", rule{atRound: true}, refusals},
		{"a refused answer and its try are one step", "I10", rule{apart: true}, refusals},
		{"a turn without tries is closed", "I11", rule{noTries: true}, refusals},
		{"the end of a run is on record", "I13", rule{unsaid: Done}, one},
	} {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			found := explore(s, r.rule, r.scope, r.breaks)
			history, ok := found.broken[r.breaks]
			if !ok {
				t.Fatalf("without the rule %s holds in all %d states; broken are %v", r.breaks, found.states, found.broken)
			}
			t.Logf("without the rule, after %d states: %s: %s", found.states, r.breaks, history)
			if with := explore(s, rule{}, r.scope, ""); len(with.broken) > 0 {
				t.Errorf("with the rule %v", with.broken)
			}
		})
	}
}

// The same wrong answer for ever ends the turn: I14.
func TestStubbornClient(t *testing.T) {
	t.Parallel()
	ends := func(r rule) bool {
		m := newMachine(newSetup(t), r, scope{sends: 100, texts: []string{no}})
		for m.sends > 0 && m.row().State == Open {
			m.send(0, m.known, no)
			for m.calls[0] != nil {
				m.advance(m.calls[0])
			}
		}
		return m.row().State == Exhausted
	}
	if !ends(rule{}) {
		t.Error("the turn is open after 100 wrong answers")
	}
	if ends(rule{noTries: true}) {
		t.Error("the turn ends although nothing closes it")
	}
}
