package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
)

// report is all that a run found.
type report struct {
	plan    plan
	rows    []row
	results []result
	busy    string // the load average when it began; "" = not told
}

// good reports whether nothing failed and every budget is kept.
func (r *report) good() bool {
	for _, c := range r.results {
		if c.failed[bare]+c.failed[ours] > 0 {
			return false
		}
	}
	return !slices.ContainsFunc(r.rows, func(l row) bool { return l.budget != "" && !l.within })
}

func (r *report) text(w io.Writer) {
	writeResults(w, r.results)
	fmt.Fprintln(w)
	writeRows(w, r.rows)
	for _, c := range r.results {
		for _, k := range []kind{bare, ours} {
			if c.failed[k] > 0 {
				fmt.Fprintf(w, "\n%d of %s failed on %s, %s, %s, %d callers; one of them: %v\n", c.failed[k], c.work, k, c.via, c.era, c.callers, c.fault[k])
			}
		}
	}
}

//go:embed page.md
var pageText string

// page writes the page of the documentation. The machine has no name in it.
func (r *report) page(path string) error {
	var rows, results bytes.Buffer
	writeRows(&rows, r.rows)
	writeResults(&results, r.results)
	text := strings.NewReplacer(
		"{machine}", fmt.Sprintf("%d cores, %s/%s, %s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version()),
		"{busy}", r.busyText(),
		"{rounds}", fmt.Sprint(r.plan.rounds),
		"{time}", r.plan.span.String(),
		"{rows}", rows.String(),
		"{results}", results.String(),
	).Replace(pageText)
	return os.WriteFile(path, []byte(text), 0o644)
}

// busyText says what else the machine did.
func (r *report) busyText() string {
	if r.busy == "" {
		return ""
	}
	return fmt.Sprintf(" When it began, %s processes wanted the %d cores (the load average).", r.busy, runtime.NumCPU())
}

// inOrder sorts rows by their number, and leaves those of one number as they are.
func inOrder(rows []row) []row {
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a.number, b.number) })
	return rows
}
