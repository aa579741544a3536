package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// name is what a case of a group is called on the command line.
func (g group) name(callers int) string {
	return strings.ReplaceAll(fmt.Sprintf("%s/%s/%s/%d", g.work.name, g.via, g.era.name, callers), " ", "")
}

// wants reports whether any case of a group is asked for.
func (o options) wants(g group) bool {
	for _, n := range g.callers {
		if o.names(g.name(n)) {
			return true
		}
	}
	return false
}

// names reports whether something of that name is asked for.
func (o options) names(name string) bool { return o.only == nil || o.only.MatchString(name) }

// profiles puts our side alone under one load and writes what it did.
func profiles(o options) error {
	for _, g := range groups() {
		for _, n := range g.callers {
			if g.name(n) == o.load && g.via != inProcess {
				return profiled(o, g, n)
			}
		}
	}
	var names []string
	for _, g := range groups() {
		for _, n := range g.callers {
			if g.via != inProcess {
				names = append(names, g.name(n))
			}
		}
	}
	return fmt.Errorf("there is no load %q; there are:\n  %s", o.load, strings.Join(names, "\n  "))
}

const profileTime = 10 * time.Second

func profiled(o options, g group, callers int) error {
	dir, err := filepath.Abs(o.profile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	t, err := connect(ours, g.via, g.era, g.work.fillers, limits{Store: plan{dir: dir}.fresh(g.store)})
	if err != nil {
		return err
	}
	defer t.end()
	if _, err := t.work(g.work, callers, time.Second); err != nil { // warms up
		return err
	}
	cpu, heap := filepath.Join(dir, "cpu.pprof"), filepath.Join(dir, "heap.pprof")
	if err := t.ask(question{Do: "profile", Path: cpu}); err != nil {
		return err
	}
	s, err := t.work(g.work, callers, profileTime)
	if err != nil {
		return err
	}
	if err := t.ask(question{Do: "write", Path: heap}); err != nil {
		return err
	}
	f := s.figures()
	fmt.Printf("%s: %s/s, CPU %.0f µs, %s allocations, %.0f KB each\n\n", o.load, grouped(f.perSecond), f.cpu, grouped(f.allocs), f.kb)
	fmt.Printf("where the time went:     go tool pprof -http=: %s\n", cpu)
	fmt.Printf("what was allocated:      go tool pprof -http=: -sample_index=alloc_space %s\n", heap)
	fmt.Printf("what is held:            go tool pprof -http=: -sample_index=inuse_space %s\n", heap)
	return nil
}
