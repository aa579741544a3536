package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/store"
)

// Budgets of the store.
const (
	maxAppend   = 1.5 // of one writer, to a bare transaction of the same size
	minTogether = 2.0 // of eight writers, to one after the other
	maxHeldUp   = 500 * time.Millisecond
	minFair     = 0.4 // the slowest of four processes to the fastest
	sharers     = 4
)

// rowSize is about what a turn takes.
const rowSize = 1 << 10

// bareTransactions is what a transaction costs that inserts one row of rowSize into a SQLite file, without anything around it.
type bareTransactions struct {
	normal, full         time.Duration // CPU of one; 0 = not told here
	normalTook, fullTook time.Duration // how long one takes
}

// transactions measures them.
func transactions(dir string) (b bareTransactions, err error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.db")+"?_txlock=immediate&_pragma=journal_mode(WAL)")
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE rows (id TEXT PRIMARY KEY, principal TEXT, config TEXT, state TEXT, round INTEGER, version INTEGER, expires INTEGER, data BLOB)"); err != nil {
		return b, err
	}
	for _, level := range []struct {
		name      string
		cpu, took *time.Duration
	}{{"NORMAL", &b.normal, &b.normalTook}, {"FULL", &b.full, &b.fullTook}} {
		if _, err := db.Exec("PRAGMA synchronous = " + level.name); err != nil {
			return b, err
		}
		if *level.cpu, *level.took, err = costOf(func() error { return bareAppend(db) }); err != nil {
			return b, err
		}
	}
	return b, nil
}

func bareAppend(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	_, err = tx.Exec("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)", payload(), "os:bench", "bench", "open", 1, 1, time.Now().UnixMicro(), make([]byte, rowSize))
	return errors.Join(err, tx.Commit())
}

// costOf is what one f costs: the medians of five looks of 100 ms.
func costOf(f func() error) (cpu, took time.Duration, err error) {
	var cpus, tooks []time.Duration
	for range 5 {
		n := time.Duration(0)
		began, before := time.Now(), cpuTime()
		for time.Since(began) < 100*time.Millisecond {
			if err := f(); err != nil {
				return 0, 0, err
			}
			n++
		}
		cpus, tooks = append(cpus, (cpuTime()-before)/n), append(tooks, time.Since(began)/n)
	}
	return median(cpus), median(tooks), nil
}

// storing are the rows about the store alone.
func storing(p plan, disk bareTransactions) ([]row, error) {
	one, eight, err := appending(p)
	if err != nil {
		return nil, err
	}
	times, together := float64(one)/float64(disk.normalTook), float64(disk.fullTook)/float64(eight)
	rows := []row{
		{number: "9", what: "one writer's appends, to a bare transaction of the same size", seen: fmt.Sprintf("%s: %.2f×", short(one), times),
			budget: fmt.Sprintf("≤ %.1f×", maxAppend), within: times <= maxAppend},
		{number: "9", what: "eight writers at once, power-safe, to one bare transaction after the other", seen: fmt.Sprintf("%s/s: %.1f×", grouped(float64(time.Second)/float64(eight)), together),
			budget: fmt.Sprintf("≥ %.0f×", minTogether), within: together >= minTogether},
	}
	more, err := sharing(p)
	return append(rows, more...), err
}

// appending is what a turn takes to be inserted by one writer, kill-safe, and by eight at once, power-safe.
func appending(p plan) (one, eight time.Duration, err error) {
	where, err := store.ParseWhere(p.fresh(onDisk))
	if err != nil {
		return 0, 0, err
	}
	s, err := store.Open(context.Background(), where, store.Options{Live: 1 << 30})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	add := func(c decide.Class) error {
		r := decide.TurnRow{ID: payload(), Principal: "os:bench", Config: "bench", State: decide.Done, Round: 1, Expires: time.Now().Add(time.Hour), Data: make([]byte, rowSize)}
		return s.Do(context.Background(), c, func(tx decide.Tx) error { return tx.InsertTurn(r) })
	}
	if _, one, err = costOf(func() error { return add(decide.Kill) }); err != nil {
		return 0, 0, err
	}
	var done atomic.Int64
	var all sync.WaitGroup
	failed := make(chan error, 8)
	const span = 500 * time.Millisecond
	began := time.Now()
	for range 8 {
		all.Go(func() {
			for time.Since(began) < span {
				if err := add(decide.Power); err != nil {
					failed <- err
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	select {
	case err := <-failed:
		return 0, 0, err
	default:
	}
	return one, time.Since(began) / time.Duration(done.Load()), nil
}

// sharing lets four processes write to one file at the same time, each with four callers.
func sharing(p plan) ([]row, error) {
	file := p.fresh(onDisk)
	var servers []*target
	for range sharers {
		t, err := connect(ours, overHTTP, modern, 0, limits{Store: file})
		if err != nil {
			return nil, err
		}
		defer t.end()
		servers = append(servers, t)
	}
	spans, errs := make([]span, sharers), make([]error, sharers)
	var all sync.WaitGroup
	for i, t := range servers {
		all.Go(func() { spans[i], errs[i] = t.work(notes, 4, 3*time.Second) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var rates []float64
	var worst time.Duration
	failed := 0
	for _, s := range spans {
		rates = append(rates, s.figures().perSecond)
		worst = max(worst, s.waits[len(s.waits)-1])
		failed += s.failed
	}
	fair := slices.Min(rates) / slices.Max(rates)
	return []row{{
		number: "7c", what: "four processes on one SQLite file, four callers each, writes",
		seen:   fmt.Sprintf("%s/s in all, worst wait %s, slowest %.0f %% of fastest, %d failed", grouped(sum(rates)), short(worst), 100*fair, failed),
		budget: fmt.Sprintf("worst ≤ %s, slowest ≥ %.0f %%, none failed", short(maxHeldUp), 100*minFair),
		within: worst <= maxHeldUp && fair >= minFair && failed == 0,
	}}, nil
}

func sum(all []float64) (s float64) {
	for _, f := range all {
		s += f
	}
	return s
}
