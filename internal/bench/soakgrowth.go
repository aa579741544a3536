package main

import (
	"errors"
	"fmt"
)

// sample is a look at the server while nobody asks anything of it.
type sample struct {
	goroutines  float64
	descriptors float64
	live        float64 // bytes that the last collection of garbage left
	resident    float64 // bytes
}

func (s sample) String() string {
	return fmt.Sprintf("%.0f goroutines  %.0f descriptors  %.1f MiB live  %.1f MiB resident", s.goroutines, s.descriptors, s.live/(1<<20), s.resident/(1<<20))
}

// grown is one quantity at the beginning and at the end.
type grown struct {
	what        string
	first, last float64
	slack       float64 // pieces that are allowed beside the percentage: one more of twelve is no leak
	unit        float64
	form        string
}

const maxGrowth = 0.05

func (g *grown) holds() bool           { return g.last <= max(g.first*(1+maxGrowth), g.first+g.slack) }
func (g *grown) percent() float64      { return 100 * (g.last - g.first) / g.first }
func (g *grown) show(v float64) string { return fmt.Sprintf(g.form, v/g.unit) }

func (g *grown) allowance() string {
	if g.slack > 0 {
		return fmt.Sprintf("%.0f %% or %.0f", 100*maxGrowth, g.slack)
	}
	return fmt.Sprintf("%.0f %%", 100*maxGrowth)
}

// growth compares the medians of the first and of the last fifth.
func growth(samples []sample) ([]grown, error) {
	fifth := len(samples) / 5
	if fifth < 2 {
		return nil, errors.New("too few looks to say whether anything grows; let it run for longer")
	}
	var lines []grown
	for _, q := range []struct {
		what        string
		of          func(sample) float64
		slack, unit float64
		form        string
	}{
		{"goroutines", func(s sample) float64 { return s.goroutines }, 2, 1, "%.0f"},
		{"open descriptors", func(s sample) float64 { return s.descriptors }, 2, 1, "%.0f"},
		{"live heap", func(s sample) float64 { return s.live }, 0, 1 << 20, "%.1f MiB"},
		{"resident memory", func(s sample) float64 { return s.resident }, 0, 1 << 20, "%.1f MiB"},
	} {
		var first, last []float64
		for i := range fifth {
			first = append(first, q.of(samples[i]))
			last = append(last, q.of(samples[len(samples)-1-i]))
		}
		g := grown{what: q.what, first: median(first), last: median(last), slack: q.slack, unit: q.unit, form: q.form}
		if g.first == 0 {
			continue // not told on this system
		}
		lines = append(lines, g)
	}
	return lines, nil
}
