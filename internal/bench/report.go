package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// table is a Markdown table whose columns are aligned, so that it reads well as it is.
type table struct {
	heads []string // one that ends in : is aligned to the right
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(w io.Writer) {
	widths := make([]int, len(t.heads))
	heads, rules := make([]string, len(t.heads)), make([]string, len(t.heads))
	for i, h := range t.heads {
		heads[i] = strings.TrimSuffix(h, ":")
		widths[i] = utf8.RuneCountInString(heads[i])
		for _, row := range t.rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		rules[i] = strings.Repeat("-", widths[i])
		if heads[i] != h {
			rules[i] = rules[i][1:] + ":"
		}
	}
	for _, row := range append([][]string{heads, rules}, t.rows...) {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if heads[i] != t.heads[i] {
				cell = pad + cell
			} else {
				cell += pad
			}
			fmt.Fprintf(w, "| %s ", cell)
		}
		fmt.Fprintln(w, "|")
	}
}

// writeResults is the table of everything that was measured: two lines for each case.
func writeResults(w io.Writer, results []result) {
	t := table{heads: []string{"work", "over", "era", "callers:", "server", "per second:", "p50:", "p99:", "CPU µs:", "allocs:", "KB:", "failed:", "CPU ratio:", "rate ratio:"}}
	for _, r := range results {
		for _, k := range []kind{bare, ours} {
			f := r.of[k]
			cpuRatio, rateRatio := "", ""
			if k == ours {
				cpuRatio, rateRatio = ratioText(r.cpuRatio), ratioText(r.rateRatio)
			}
			cpu := "–"
			if f.cpu > 0 {
				cpu = fmt.Sprintf("%.0f", f.cpu)
			}
			t.add(r.work, string(r.via), r.era, fmt.Sprint(r.callers), string(k), grouped(f.perSecond), short(f.p50), short(f.p99), cpu,
				grouped(f.allocs), fmt.Sprintf("%.0f", f.kb), fmt.Sprint(r.failed[k]), cpuRatio, rateRatio)
		}
	}
	t.write(w)
}

func ratioText(r float64) string {
	if r == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", r)
}

// writeRows is the table of the budgets.
func writeRows(w io.Writer, rows []row) {
	t := table{heads: []string{"row:", "what", "seen", "budget", "verdict"}}
	for _, r := range rows {
		verdict := "over"
		switch {
		case r.budget == "":
			verdict = ""
		case r.within:
			verdict = "within"
		}
		t.add(r.number, r.what, r.seen, r.budget, verdict)
	}
	t.write(w)
}

// short is a time as the tables have it.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f µs", float64(d)/1e3)
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// grouped is a number without its fraction, its thousands parted by commas.
func grouped(f float64) string {
	digits := fmt.Sprintf("%.0f", f)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}
