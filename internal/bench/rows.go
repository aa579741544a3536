package main

import (
	"fmt"
	"time"
)

// row is one line of the budgets: what is promised, what was seen.
type row struct {
	number string
	what   string
	seen   string
	budget string // "" = for information
	within bool   // of the budget
}

// The budgets. Ratios are ours to the bare SDK, in CPU time of the server for each unit.
const (
	maxCall       = 1.5
	maxLegacyPipe = 1.8 // stdio, the older era: the bare call takes so little there
	maxPair       = 3.0
	maxWrite      = 2.5
	maxWriteExtra = 3.0 // of the CPU of the two transactions that a write is on record by
	maxPairExtra  = 5.0 // of the CPU of the two transactions of an opening and its answer
	maxList       = 2.0
	maxRender     = time.Millisecond
	maxCleanPick  = 50 * time.Microsecond // of 1 KB
	minProse      = 100.0                 // MB a second, here and below
	minText       = 40.0
	minHostile    = 20.0
	maxGrowth8    = 16.0   // of the time for a reply that is eight times as long: caches may cost twice as much, what is quadratic eight times
	maxToText     = 4.0    // of a hostile reply to one that is a long text
	minReads      = 2000.0 // a second, with 64 clients over HTTP
	minWrites     = 1000.0
	minPairs      = 800.0
	minWritesSQL  = 500.0 // on PostgreSQL
	maxWait       = 100 * time.Millisecond
)

// judged holds the results against the budgets.
func judged(results []result, disk bareTransactions) []row {
	var rows []row
	for _, via := range []transport{stdio, overHTTP} {
		for _, e := range eras {
			budget := maxCall
			if via == stdio && e.name == legacy.name {
				budget = maxLegacyPipe
			}
			rows = append(rows, ratio("1", "a read, called natively", results, calls, via, e, nil, budget)...)
		}
	}
	for _, e := range eras {
		rows = append(rows, ratio("2", "open + pick of a read, to two bare calls", results, pairs, stdio, e, []int{1}, 0)...)
		rows = append(rows, ratio("2", "open + pick of a read, to two bare calls", results, pairs, overHTTP, e, []int{1}, 0)...)
		rows = append(rows, ratio("2", "open + pick of a read, to two bare calls", results, pairs, overHTTP, e, []int{64}, maxPair)...)
		rows = append(rows, ratio("1b", "a write, called natively", results, notes, overHTTP, e, []int{64}, maxWrite)...)
	}
	for _, r := range results {
		switch {
		case r.callers != 1 || r.store != onDisk:
		case r.work == notes.name:
			rows = append(rows, r.extra("1b", "a write", disk.full+disk.normal, "a bare FULL and a bare NORMAL transaction", maxWriteExtra))
		case r.work == pairs.name:
			rows = append(rows, r.extra("2", "open + pick of a read", 2*disk.normal, "two bare NORMAL transactions", maxPairExtra))
		}
	}
	for _, via := range []transport{stdio, overHTTP} {
		for _, e := range eras {
			rows = append(rows, ratio("5", "tools/list of 1,000 methods", results, lists, via, e, nil, maxList)...)
		}
	}
	for _, r := range results {
		if r.via == overHTTP && r.callers == 64 {
			rows = append(rows, load(r))
		}
	}
	return rows
}

// ratio is a row about the CPU ratio of the cases that match. With a budget of 0 it is for information.
func ratio(number, what string, results []result, w work, via transport, e era, callers []int, budget float64) []row {
	var rows []row
	for _, r := range results {
		if r.work != w.name || r.via != via || r.era != e.name || r.store == database || len(callers) > 0 && r.callers != callers[0] {
			continue
		}
		line := row{number: number, what: fmt.Sprintf("%s; %s, %s, %s", what, via, e.name, people(r.callers)), seen: "not measured here"}
		if r.cpuRatio > 0 {
			line.seen = fmt.Sprintf("%.2f×", r.cpuRatio)
		}
		if budget > 0 && r.cpuRatio > 0 {
			line.budget, line.within = fmt.Sprintf("≤ %.1f×", budget), r.cpuRatio <= budget
		}
		rows = append(rows, line)
	}
	return rows
}

// load is a row about what 64 clients get in absolute terms.
func load(r result) row {
	o, b := r.of[ours], r.of[bare]
	line := row{
		number: "7",
		what:   fmt.Sprintf("%s; HTTP, %s, 64 clients, %s", r.work, r.era, r.storeName()),
		seen:   fmt.Sprintf("%s/s, p99 %s, %d failed (bare: %s/s, %s)", grouped(o.perSecond), short(o.p99), r.failed[ours], grouped(b.perSecond), short(b.p99)),
	}
	if r.store == database {
		line.number = "7b"
	}
	switch least := r.least(); {
	case r.work == calls.name:
		line.budget = fmt.Sprintf("≥ %s/s, p99 ≤ %s, none failed", grouped(least), short(maxWait))
		line.within = o.perSecond >= least && o.p99 <= maxWait && r.failed[ours] == 0
	case least > 0:
		line.budget = fmt.Sprintf("≥ %s/s, none failed", grouped(least))
		line.within = o.perSecond >= least && r.failed[ours] == 0
	}
	return line
}

// least is how many a second there have to be; 0 = there is no budget.
func (r *result) least() float64 {
	switch {
	case r.work == calls.name:
		return minReads
	case r.work == notes.name && r.store == database:
		return minWritesSQL
	case r.work == notes.name:
		return minWrites
	case r.work == pairs.name && r.store == onDisk:
		return minPairs
	}
	return 0
}

func (r *result) storeName() string {
	return map[string]string{inMemory: "memory", onDisk: "SQLite", database: "PostgreSQL"}[r.store]
}

// extra is a row about what one caller's unit costs beyond the bare one, held against the transactions that it is kept by.
func (r *result) extra(number, what string, bareCost time.Duration, of string, budget float64) row {
	more := r.of[ours].cpu - r.of[bare].cpu
	times := more / (float64(bareCost.Nanoseconds()) / 1000)
	line := row{
		number: number, what: fmt.Sprintf("%s, beyond the bare call; %s, %s, 1 caller", what, r.via, r.era), seen: "not measured here",
	}
	if bareCost > 0 && r.of[bare].cpu > 0 {
		line.seen = fmt.Sprintf("%.0f µs of CPU: %.2f× %s", more, times, of)
		line.budget, line.within = fmt.Sprintf("≤ %.0f×", budget), times <= budget
	}
	return line
}

func people(n int) string {
	if n == 1 {
		return "1 caller"
	}
	return fmt.Sprint(n, " callers")
}
