package main

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/mcp-decide/mcp-decide/trace"
)

// answerNumbers are the counts of answers as a collector: the same numbers that decide://stats tells. The words in the labels
// are those of trace.Counts, a fixed few.
type answerNumbers struct{ counts *trace.Counts }

var (
	answersDesc = prometheus.NewDesc("mcp_decide_answers_total",
		"Answers to turns, by how the pick in them was found and what came of them.", []string{"strategy", "outcome"}, nil)
	firstRepliesDesc = prometheus.NewDesc("mcp_decide_first_reply_total",
		"First answers of a round of tries, taken or refused.", []string{"outcome"}, nil)
	repairedDesc  = prometheus.NewDesc("mcp_decide_repaired_answers_total", "Answers that were taken although not read as they were written.", nil, nil)
	retriesDesc   = prometheus.NewDesc("mcp_decide_retries_total", "Answers that counted beyond the first of a round of tries.", nil, nil)
	defaultsDesc  = prometheus.NewDesc("mcp_decide_safe_defaults_total", "Turns that ended with the option of on_failure.", nil, nil)
	exhaustedDesc = prometheus.NewDesc("mcp_decide_turns_exhausted_total", "Turns that ended with nothing, since their tries were spent.", nil, nil)
)

// Describe names the numbers.
func (n answerNumbers) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{answersDesc, firstRepliesDesc, repairedDesc, retriesDesc, defaultsDesc, exhaustedDesc} {
		to <- d
	}
}

// Collect tells them as they are now.
func (n answerNumbers) Collect(to chan<- prometheus.Metric) {
	t := n.counts.Read().All
	tell := func(d *prometheus.Desc, count int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(count), labels...)
	}
	for a, count := range t.Answers {
		tell(answersDesc, count, a.Strategy, a.Outcome)
	}
	tell(firstRepliesDesc, t.FirstsOK, trace.Taken)
	tell(firstRepliesDesc, t.Firsts-t.FirstsOK, "refused")
	tell(repairedDesc, t.Repaired)
	tell(retriesDesc, t.Retries)
	tell(defaultsDesc, t.Defaults)
	tell(exhaustedDesc, t.Exhausted)
}
