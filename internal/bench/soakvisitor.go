package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// visitor is one client among many. It does one thing after the other, at random.
type visitor struct {
	s     *soaking
	token string
	rnd   *rand.Rand
	lanes map[string]lane // by era; under the gate
}

func newVisitor(s *soaking, n int) *visitor {
	return &visitor{s: s, token: s.srv.tokens[n%len(s.srv.tokens)], rnd: rand.New(rand.NewPCG(1, uint64(n))), lanes: map[string]lane{}}
}

// stay visits until stop is closed.
func (v *visitor) stay(stop <-chan struct{}) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-stop:
			return
		case <-pause.C:
		}
		v.visit(leavesNothing)
		pause.Reset(time.Duration(v.rnd.Int64N(int64(2 * thinking))))
	}
}

// visit does one thing out of those that leave so much behind.
func (v *visitor) visit(least leaving) {
	v.s.gate.RLock()
	defer v.s.gate.RUnlock()
	n := v.rnd.IntN(weights(least))
	for i := range visits {
		if visits[i].leaves < least {
			continue
		}
		if n -= visits[i].weight; n < 0 {
			err := visits[i].do(v)
			v.s.counts[i].Add(1)
			if err != nil {
				v.s.failed.Add(1)
				v.s.faults.add(fmt.Errorf("%s: %w", visits[i].name, err))
				v.hangUp()
			}
			return
		}
	}
}

// hangUp ends the visitor's connections.
func (v *visitor) hangUp() {
	for _, l := range v.lanes {
		l.close()
	}
	clear(v.lanes)
}

func (v *visitor) endpoint(e era) *endpoint {
	return &endpoint{era: e, addr: v.s.srv.addr, token: v.token}
}

// line is the visitor's connection, in one era or the other.
func (v *visitor) line() (*httpLane, error) {
	e := eras[v.rnd.IntN(len(eras))]
	if l, ok := v.lanes[e.name]; ok {
		return l.(*httpLane), nil
	}
	l, err := v.endpoint(e).lane()
	if err != nil {
		return nil, err
	}
	v.lanes[e.name] = l
	return l.(*httpLane), nil
}

// faults are the errors that came, each text once.
type faults struct {
	mu   sync.Mutex
	seen map[string]int
}

const maxFaults = 20

func (f *faults) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	if text := err.Error(); len(f.seen) < maxFaults || f.seen[text] > 0 {
		f.seen[text]++
	}
}

func (f *faults) write(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range slices.Sorted(maps.Keys(f.seen)) {
		fmt.Fprintf(w, "%9d× %s\n", f.seen[text], text)
	}
}
