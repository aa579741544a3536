package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// span is one stretch of work on one server.
type span struct {
	units   int
	failed  int
	fault   error // of the first unit that failed
	took    time.Duration
	waits   []time.Duration // of the units that ended well, sorted
	cpu     time.Duration   // of the server
	mallocs uint64
	bytes   uint64
}

// maxFailures is how many units may fail before a span is given up.
const maxFailures = 1000

// work lets callers do units for a time.
func (t *target) work(w work, callers int, d time.Duration) (span, error) {
	lanes := make([]lane, callers)
	for i := range lanes {
		l, err := t.wire.lane()
		if err != nil {
			return span{}, err
		}
		lanes[i] = l
	}
	before, err := t.usage()
	if err != nil {
		return span{}, err
	}
	s := t.drive(w, lanes, d)
	after, err := t.usage()
	if err != nil {
		return span{}, err
	}
	for _, l := range lanes {
		l.close()
	}
	s.cpu, s.mallocs, s.bytes = after.CPU-before.CPU, after.Mallocs-before.Mallocs, after.Allocated-before.Allocated
	if s.units == s.failed {
		return s, fmt.Errorf("no unit of %q ended well on %s: %w", w.name, t.kind, cmp.Or(s.fault, errors.New("none was done in time")))
	}
	return s, nil
}

// drive is work without the usage.
func (t *target) drive(w work, lanes []lane, d time.Duration) span {
	var (
		mu   sync.Mutex
		all  span
		over atomic.Bool
		done sync.WaitGroup
	)
	began := time.Now()
	stop := time.AfterFunc(d, func() { over.Store(true) })
	defer stop.Stop()
	for i := range lanes {
		done.Go(func() {
			mine := span{waits: make([]time.Duration, 0, 1<<12)}
			for !over.Load() && mine.failed < maxFailures {
				mine.one(t, w, &lanes[i])
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(mine)
		})
	}
	done.Wait()
	all.took = time.Since(began)
	slices.Sort(all.waits)
	return all
}

// one does a unit. A lane on which one failed is of no more use.
func (s *span) one(t *target, w work, l *lane) {
	at := time.Now()
	err := w.unit(t.kind, *l)
	s.units++
	if err == nil {
		s.waits = append(s.waits, time.Since(at))
		return
	}
	s.failed++
	s.fault = cmp.Or(s.fault, err)
	(*l).close()
	if next, err := t.wire.lane(); err == nil {
		*l = next
	}
}

func (s *span) add(other span) {
	s.units += other.units
	s.failed += other.failed
	s.fault = cmp.Or(s.fault, other.fault)
	s.waits = append(s.waits, other.waits...)
}

// figures are what a span comes to for each unit that ended well.
type figures struct {
	perSecond float64
	p50, p99  time.Duration
	cpu       float64 // µs
	allocs    float64
	kb        float64
}

func (s *span) figures() figures {
	n := float64(len(s.waits))
	return figures{
		perSecond: n / s.took.Seconds(),
		p50:       quantile(s.waits, 0.50),
		p99:       quantile(s.waits, 0.99),
		cpu:       float64(s.cpu.Nanoseconds()) / 1000 / n,
		allocs:    float64(s.mallocs) / n,
		kb:        float64(s.bytes) / 1024 / n,
	}
}

// quantile is the value below which the part q of sorted values lies.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// median of numbers; 0 of none.
func median[T cmp.Ordered](values []T) T {
	var none T
	if len(values) == 0 {
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
