package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mcp-decide/mcp-decide/server"
	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/trace/otlp"
)

// records are where what happened goes: to where it is kept and, if the environment says so, to a collector of spans.
type records struct {
	kept interface {
		trace.Recorder
		server.Traces
		Kept() int64
	}
	lost     func() int64   // records that could not be kept
	exporter *otlp.Exporter // nil = there is none
}

// flushing is how long the last spans have to reach their collector when the command ends.
const flushing = 2 * time.Second

// newRecords keeps records where kept is. The recorder of the engine stands before it.
func (s *setup) newRecords(w wiring, key []byte) (trace.Recorder, error) {
	about := s.found.file.Trace
	if s.store != nil {
		s.records = records{kept: s.store, lost: s.store.Dropped}
	} else {
		memory := trace.NewMemory(trace.Limits{Age: about.Keep, Bytes: int(about.MaxSize)})
		s.records = records{kept: memory, lost: func() int64 { return 0 }}
	}
	kept, err := trace.Content(about.Content, key, s.records.kept)
	if err != nil {
		return nil, err
	}
	if !w.keeps || w.env == nil {
		return kept, nil
	}
	to, err := otlp.FromEnv(w.env)
	if err != nil {
		return nil, usage("%w", err)
	}
	if to == nil {
		return kept, nil
	}
	s.records.exporter = otlp.New(*to, otlp.Options{Version: version, Key: key, Log: s.log})
	return trace.Tee(kept, s.records.exporter), nil
}

// close sends what waits to be sent.
func (r *records) close() {
	if r.exporter == nil {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), flushing)
	defer done()
	r.exporter.Close(ctx)
}

var (
	keptDesc     = prometheus.NewDesc("mcp_decide_records_kept_total", "Records of what happened that were kept.", nil, nil)
	lostDesc     = prometheus.NewDesc("mcp_decide_records_dropped_total", "Records of what happened that could not be kept.", nil, nil)
	exportedDesc = prometheus.NewDesc("mcp_decide_records_exported_total", "Records of which a collector has taken the spans.", nil, nil)
	unsentDesc   = prometheus.NewDesc("mcp_decide_records_export_dropped_total", "Records of which the spans were not exported, or not taken.", nil, nil)
)

// Describe names the numbers.
func (r *records) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{keptDesc, lostDesc, exportedDesc, unsentDesc} {
		to <- d
	}
}

// Collect tells them as they are now: those of the export where there is one.
func (r *records) Collect(to chan<- prometheus.Metric) {
	tell := func(d *prometheus.Desc, count int64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(count))
	}
	tell(keptDesc, r.kept.Kept())
	tell(lostDesc, r.lost())
	if r.exporter != nil {
		tell(exportedDesc, r.exporter.Sent())
		tell(unsentDesc, r.exporter.Dropped())
	}
}
