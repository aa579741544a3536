package trace

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Counts is a Recorder that counts the answers among what it hands on. What it keeps is numbers under words of its own and under names of
// decisions, nothing of who asked or what was said. It is safe for concurrent use.
type Counts struct {
	next  Recorder // nil = nothing is handed on
	since time.Time

	mu        sync.Mutex
	all       Tally
	decisions map[string]*Tally
}

// maxCounted is how many decisions have numbers of their own. Further ones count in the sum alone.
const maxCounted = 10_000

// NewCounts makes Counts that hand every record on to next. They count from now on.
func NewCounts(next Recorder, now time.Time) *Counts {
	return &Counts{next: next, since: now, decisions: map[string]*Tally{}}
}

// Tally is what came of some turns and of the answers to them.
type Tally struct {
	Opened    int            // turns
	Answers   map[Answer]int // by how they were read and what came of them
	Firsts    int            // answers that were the first of a round of tries, and counted
	FirstsOK  int            // those of them that were taken
	Repaired  int            // answers that were taken although not read as they were written
	Retries   int            // answers that counted beyond the first of a round of tries
	Defaults  int            // turns that ended with the decision's on_failure
	Exhausted int            // turns that ended with nothing, since their tries were spent
}

// Answer is a kind of answer. Both its words are from Strategies and Outcomes.
type Answer struct{ Strategy, Outcome string }

// The outcomes that are no kind of refusal.
const (
	Taken      = "taken"       // what was picked ran, or may have run
	Recorded   = "recorded"    // an earlier equal answer was told again
	NotCounted = "not_counted" // nothing ran, and it took no try: too late, by the wrong tool, to no turn
)

const (
	noStrategy = "none"  // no pick was found
	otherWord  = "other" // a word that is in no list
)

// Strategies are all words for how a pick was found.
func Strategies() []string {
	return []string{"object", "fence", "call format", "prose", "repaired", "key lines", "phrase", "parts", noStrategy, otherWord}
}

// Outcomes are all words for what came of an answer. The kinds are those of refusals that took a try.
func Outcomes() []string {
	return []string{
		Taken, "no_action", "unknown_call", "bad_args", "ambiguous", "missing_required", "type_mismatch", "enum_violation",
		"ceiling", "gated", "approval_required", Recorded, NotCounted, otherWord,
	}
}

var strategies, outcomes = Strategies(), Outcomes()

// Record counts a record and hands it on.
func (c *Counts) Record(ctx context.Context, r Record) {
	if r.Turn != "" {
		c.count(r)
	}
	if c.next != nil {
		c.next.Record(ctx, r)
	}
}

func (c *Counts) count(r Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.add(r)
	if r.Decision == "" {
		return
	}
	t := c.decisions[r.Decision]
	if t == nil {
		if len(c.decisions) >= maxCounted {
			return
		}
		t = &Tally{}
		c.decisions[r.Decision] = t
	}
	t.add(r)
}

// add counts one record of a turn.
func (t *Tally) add(r Record) {
	if r.State == "opened" {
		t.Opened++
		return
	}
	if t.Answers == nil {
		t.Answers = map[Answer]int{}
	}
	outcome := outcomeOf(r)
	t.Answers[Answer{strategyOf(r), outcome}]++
	if r.Attempt == 0 {
		return
	}
	switch {
	case r.Attempt > 1:
		t.Retries++
	case outcome == Taken:
		t.Firsts++
		t.FirstsOK++
	default:
		t.Firsts++
	}
	if outcome == Taken && r.Repaired {
		t.Repaired++
	}
	if r.OnFailure {
		t.Defaults++
	}
	if r.State == "exhausted" {
		t.Exhausted++
	}
}

func strategyOf(r Record) string {
	if r.Strategy == "" {
		return noStrategy
	}
	return listed(r.Strategy, strategies)
}

func outcomeOf(r Record) string {
	switch {
	case r.Attempt > 0 && r.Refused == "":
		return Taken
	case r.Attempt > 0:
		return listed(r.Refused, outcomes)
	case r.State == "recorded":
		return Recorded
	}
	return NotCounted
}

func listed(word string, words []string) string {
	if slices.Contains(words, word) {
		return word
	}
	return otherWord
}

// Numbers are what Counts held at one moment.
type Numbers struct {
	Since     time.Time
	All       Tally
	Decisions map[string]Tally // by name; also of decisions that are gone
}

// Read copies the numbers.
func (c *Counts) Read() Numbers {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := Numbers{Since: c.since, All: c.all.copied(), Decisions: make(map[string]Tally, len(c.decisions))}
	for name, t := range c.decisions {
		n.Decisions[name] = t.copied()
	}
	return n
}

func (t *Tally) copied() Tally {
	c := *t
	c.Answers = maps.Clone(t.Answers)
	return c
}
