// Command bench measures the server against the bare SDK, in turns and in one run: the same handler behind both, the same client
// for both, each reply checked. It prints what a call costs on each, their ratios, and whether those are within the budgets.
//
//	go run ./internal/bench            all of it, about four minutes
//	go run ./internal/bench -write     the same, and docs/benchmarks.md is written
//	go run ./internal/bench -profile D our side alone under one load; profiles in folder D
//	go run ./internal/bench -soak 1h   the command under a mixed load over HTTP, and whether anything grows
//
// A server is a process of its own, this program again, which is asked over a connection of its own what it has used. Only
// ratios are judged, and the load that 64 clients get; on a busy machine read the ratios alone.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"time"
)

func main() {
	var o options
	flag.DurationVar(&o.span, "time", 250*time.Millisecond, "how long each server works in each round of each case")
	flag.IntVar(&o.rounds, "rounds", 11, "how many rounds each case has")
	only := flag.String("only", "", "a regular expression: only what matches it of work/over/era/callers, functions, store and command")
	flag.BoolVar(&o.write, "write", false, "write docs/benchmarks.md")
	flag.StringVar(&o.binary, "command", "", "the built mcp-decide; built when not given")
	flag.StringVar(&o.profile, "profile", "", "write profiles of our side into this folder instead")
	flag.StringVar(&o.load, "load", "call/HTTP/2026-07-28/64", "the case to profile: work/over/era/callers")
	flag.DurationVar(&o.soak, "soak", 0, "run the soak for so long instead")
	child := flag.String("child", "", "for this program itself: be a server")
	flag.Parse()
	if *only != "" {
		o.only = regexp.MustCompile(*only)
	}
	if err := run(o, *child); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are what can be asked for.
type options struct {
	span          time.Duration
	rounds        int
	only          *regexp.Regexp // nil = all
	write         bool
	binary        string
	profile, load string
	soak          time.Duration
}

func run(o options, child string) error {
	switch {
	case child != "":
		return beChild(child)
	case o.profile != "":
		return profiles(o)
	case o.soak > 0:
		return soak(o, os.Stdout)
	}
	return compare(o, os.Stdout)
}

var errOver = errors.New("something failed or is over its budget; see the tables")

// compare is the whole of the comparison.
func compare(o options, out io.Writer) error {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, busy := plan{dir: dir, span: o.span, rounds: o.rounds, log: os.Stderr}, busyness()
	var results []result
	for _, g := range groups() {
		if !o.wants(g) {
			continue
		}
		r, err := p.measure(g)
		if err != nil {
			return err
		}
		results = append(results, r...)
	}
	disk, err := transactions(dir)
	if err != nil {
		return err
	}
	rows := judged(results, disk)
	more, err := single(o, p, disk)
	if err != nil {
		return err
	}
	rows = append(rows, more...)
	r := report{rows: inOrder(rows), results: results, plan: p, busy: busy}
	r.text(out)
	if o.write {
		if err := r.page("docs/benchmarks.md"); err != nil {
			return err
		}
	}
	if !r.good() {
		return errOver
	}
	return nil
}

// single are the rows that are not about two servers.
func single(o options, p plan, disk bareTransactions) (rows []row, err error) {
	if o.names("store") {
		if rows, err = storing(p, disk); err != nil {
			return nil, err
		}
	}
	if o.names("functions") {
		more, err := micro()
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	if o.names("command") {
		more, err := startup(o.binary)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}
