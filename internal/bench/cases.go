package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// group is what one pair of servers is measured with: it stays up for all its callers.
type group struct {
	work    work
	via     transport
	era     era
	callers []int
	store   string // of ours: the kind of store
}

// The kinds of stores.
const (
	inMemory = ""
	onDisk   = "sqlite"
	database = "postgres"
)

// groups are all that is measured.
func groups() []group {
	var all []group
	for _, e := range eras {
		all = append(all,
			group{calls, inProcess, e, []int{1, 8, 64}, inMemory},
			group{calls, stdio, e, []int{1, 8, 64}, onDisk}, group{calls, overHTTP, e, []int{1, 8, 64}, onDisk},
			group{notes, stdio, e, []int{1}, onDisk}, group{notes, overHTTP, e, []int{1, 64}, onDisk},
			group{pairs, stdio, e, []int{1}, onDisk}, group{pairs, overHTTP, e, []int{1, 64}, onDisk},
			group{lists, stdio, e, []int{1}, onDisk}, group{lists, overHTTP, e, []int{1}, onDisk})
	}
	if os.Getenv(postgresURL) != "" {
		all = append(all, group{notes, overHTTP, modern, []int{64}, database}, group{pairs, overHTTP, modern, []int{64}, database})
	}
	return all
}

// plan is how long each thing is looked at.
type plan struct {
	dir    string        // for files of stores
	span   time.Duration // of work on one server in one round
	rounds int
	log    io.Writer // what is going on
}

// result is one case: both servers under the same load, in turns.
type result struct {
	work    string
	via     transport
	era     string
	callers int
	store   string

	of     map[kind]figures // medians of the rounds
	failed map[kind]int
	fault  map[kind]error

	cpuRatio  float64 // ours to bare: the median of the rounds, each of which compares two neighbours in time
	rateRatio float64 // of units a second
}

// measure runs a group.
func (p plan) measure(g group) ([]result, error) {
	pair := map[kind]*target{}
	for _, k := range []kind{bare, ours} {
		t, err := connect(k, g.via, g.era, g.work.fillers, limits{Store: p.fresh(g.store)})
		if err != nil {
			return nil, err
		}
		defer t.end()
		pair[k] = t
	}
	var all []result
	for _, n := range g.callers {
		fmt.Fprintf(p.log, "%s, %s, %s, %d callers\n", g.work.name, g.via, g.era.name, n)
		r, err := p.inTurns(g, n, pair)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// fresh names an empty store of a kind.
func (p plan) fresh(kind string) string {
	switch kind {
	case onDisk:
		return "sqlite:" + filepath.Join(p.dir, strconv.FormatInt(serial.Add(1), 10)+".db")
	case database:
		return "env:" + postgresURL
	}
	return ""
}

// postgresURL is the variable that names a database for the rows about PostgreSQL; without it they are left out.
const postgresURL = "MCP_DECIDE_TEST_POSTGRES"

// inTurns lets the two servers work one after the other, in the other order each round.
func (p plan) inTurns(g group, callers int, pair map[kind]*target) (result, error) {
	r := result{work: g.work.name, via: g.via, era: g.era.name, callers: callers, store: g.store, of: map[kind]figures{}, failed: map[kind]int{}, fault: map[kind]error{}}
	rounds := map[kind][]figures{}
	order := []kind{bare, ours}
	for i := range p.rounds + 1 { // the first warms up
		for _, k := range order {
			d := p.span
			if i == 0 {
				d /= 2
			}
			s, err := pair[k].work(g.work, callers, d)
			if err != nil {
				return r, err
			}
			if r.failed[k] += s.failed; s.fault != nil {
				r.fault[k] = s.fault
			}
			if i > 0 {
				rounds[k] = append(rounds[k], s.figures())
			}
		}
		order[0], order[1] = order[1], order[0]
	}
	r.sum(rounds)
	return r, nil
}

// sum takes the medians.
func (r *result) sum(rounds map[kind][]figures) {
	for k, all := range rounds {
		r.of[k] = figures{
			perSecond: each(all, func(f figures) float64 { return f.perSecond }),
			p50:       each(all, func(f figures) time.Duration { return f.p50 }),
			p99:       each(all, func(f figures) time.Duration { return f.p99 }),
			cpu:       each(all, func(f figures) float64 { return f.cpu }),
			allocs:    each(all, func(f figures) float64 { return f.allocs }),
			kb:        each(all, func(f figures) float64 { return f.kb }),
		}
	}
	var cpu, rate []float64
	for i, b := range rounds[bare] {
		o := rounds[ours][i]
		if b.cpu > 0 {
			cpu = append(cpu, o.cpu/b.cpu)
		}
		rate = append(rate, o.perSecond/b.perSecond)
	}
	r.cpuRatio, r.rateRatio = median(cpu), median(rate)
}

func each[T interface{ ~float64 | ~int64 }](all []figures, of func(figures) T) T {
	values := make([]T, len(all))
	for i, f := range all {
		values[i] = of(f)
	}
	return median(values)
}
