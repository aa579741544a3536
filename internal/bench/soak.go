package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// The shape of a soak.
const (
	visitors    = 32
	thinking    = 120 * time.Millisecond // between two visits of one visitor, on average
	warmUp      = 10 * time.Minute       // of the mixed load, at most a sixth of the whole: until the traces are its own too
	sampleEvery = 30 * time.Second       // at the most; a short soak looks more often
	fullTurns   = 50_000                 // closed turns that are kept: from then on the memory of turns has its size
)

// soak holds the command under a mixed load over HTTP and looks whether anything grows.
//
// It fills what is bounded first: traces and closed turns have their limits, and until those are reached memory has to grow.
// At each look the load stops and everybody hangs up, so that what is seen is what is left behind, not what is going on. After
// each look the server reads its configuration again.
func soak(o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if o.binary == "" {
		if o.binary, err = buildCommand(dir); err != nil {
			return err
		}
	}
	remote, err := newRemote()
	if err != nil {
		return err
	}
	defer remote.Close()
	srv, err := serveCommand(o.binary, dir, remote.Addr().String())
	if err != nil {
		return err
	}
	defer srv.kill()
	s := &soaking{srv: srv, out: out, began: time.Now(), counts: make([]atomic.Int64, len(visits))}
	crowd := make([]*visitor, visitors)
	for i := range crowd {
		crowd[i] = newVisitor(s, i)
	}
	if err := s.fill(crowd, o.soak); err != nil {
		return err
	}
	if err := s.mix(crowd, o.soak); err != nil {
		return err
	}
	if err := srv.end(); err != nil {
		return err
	}
	return s.verdict()
}

// soaking is one soak.
type soaking struct {
	srv   *served
	out   io.Writer
	began time.Time

	gate    sync.RWMutex   // held by each visit for reading; a look holds it alone
	counts  []atomic.Int64 // of visits
	failed  atomic.Int64
	faults  faults
	samples []sample // from the end of the warm-up on
}

// fill does what leaves turns behind, as the mix will, until as many are kept as ever will be. It takes the mix's own visits:
// turns of another size would be replaced by the mix's for as long as it lasts, and memory would change all that time.
func (s *soaking) fill(crowd []*visitor, whole time.Duration) error {
	fmt.Fprintf(s.out, "filling: %s turns\n", grouped(fullTurns))
	for s.turns() < fullTurns {
		var all sync.WaitGroup
		for _, v := range crowd {
			all.Go(func() {
				for range 50 {
					v.visit(leavesTurn)
				}
			})
		}
		all.Wait()
		if s.failed.Load() > 0 {
			s.faults.write(s.out)
			return errors.New("the memory of turns could not be filled; see above")
		}
		if time.Since(s.began) > whole/3 {
			fmt.Fprintf(s.out, "filled with %s turns only: a third of the time is over, so the memory may still grow to its limit\n", grouped(float64(s.turns())))
			return nil
		}
	}
	return nil
}

// turns is how many turns the visits have left behind.
func (s *soaking) turns() (n int64) {
	for i, v := range visits {
		if v.leaves == leavesTurn {
			n += s.counts[i].Load()
		}
	}
	return n
}

// mix is the load itself, and the looks.
func (s *soaking) mix(crowd []*visitor, whole time.Duration) error {
	stop := make(chan struct{})
	var all sync.WaitGroup
	for _, v := range crowd {
		all.Go(func() { v.stay(stop) })
	}
	defer all.Wait()
	defer close(stop)

	every := min(sampleEvery, whole/40)
	tick := time.NewTicker(every)
	defer tick.Stop()
	warm := time.Now().Add(min(warmUp, whole/6))
	lastLine := time.Time{}
	for time.Since(s.began) < whole {
		select {
		case <-tick.C:
		case err := <-s.srv.gone:
			return fmt.Errorf("the server ended: %w", err)
		}
		now, err := s.look(crowd)
		if err != nil {
			return err
		}
		if err := reload(s.srv.cmd.Process); err != nil {
			return fmt.Errorf("ask for a reload: %w", err)
		}
		if time.Now().After(warm) {
			s.samples = append(s.samples, now)
		}
		if time.Since(lastLine) >= min(time.Minute, whole/10) {
			lastLine = time.Now()
			s.tell(now, time.Now().After(warm))
		}
	}
	return nil
}

// look stops the load, lets everybody hang up, and waits until the server has noticed.
func (s *soaking) look(crowd []*visitor) (sample, error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	for _, v := range crowd {
		v.hangUp()
	}
	return s.srv.settled()
}

func (s *soaking) tell(now sample, warm bool) {
	done := int64(0)
	for i := range s.counts {
		done += s.counts[i].Load()
	}
	note := ""
	if !warm {
		note = "  (warming up)"
	}
	fmt.Fprintf(s.out, "%6s  %9s visits  %d failed  %s%s\n", time.Since(s.began).Round(time.Second), grouped(float64(done)), s.failed.Load(), now, note)
}

var errGrows = errors.New("something failed or grows; see above")

// verdict compares the beginning with the end.
func (s *soaking) verdict() error {
	fmt.Fprintln(s.out)
	for i, v := range visits {
		fmt.Fprintf(s.out, "%9s  %s\n", grouped(float64(s.counts[i].Load())), v.name)
	}
	fmt.Fprintf(s.out, "%9d  failed\n", s.failed.Load())
	s.faults.write(s.out)
	fmt.Fprintln(s.out)
	good := s.failed.Load() == 0
	lines, err := growth(s.samples)
	if err != nil {
		return err
	}
	t := table{heads: []string{"of the server at rest", "first fifth:", "last fifth:", "growth:", "allowed:", "verdict"}}
	for _, g := range lines {
		verdict := "holds"
		if !g.holds() {
			verdict, good = "grows", false
		}
		t.add(g.what, g.show(g.first), g.show(g.last), fmt.Sprintf("%+.1f %%", g.percent()), g.allowance(), verdict)
	}
	t.write(s.out)
	if !good {
		return errGrows
	}
	return nil
}
