package main

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/mcp-decide/mcp-decide/trace"
)

// metrics are what /metrics tells of a server: numbers alone. A label's value is one of a fixed few, never a name that a
// client or a file brings along, so that nobody can make the page grow or write on it.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
	calls    *prometheus.CounterVec
}

// requestBuckets are in seconds: from a list that is ready to the longest call that is allowed.
var requestBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 600}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_decide_http_requests_total", Help: "Requests that were answered, refused ones too.",
		}, []string{"route", "method", "code"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mcp_decide_http_request_duration_seconds", Help: "How long requests took, to the end of their answers.", Buckets: requestBuckets,
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "mcp_decide_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_decide_calls_total", Help: "Calls, answers and opened turns, by the way they came and what came of them.",
		}, []string{"path", "state"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "mcp_decide_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.took, m.inFlight, m.calls, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// answers tells what is counted of answers too, each time that the page is asked for.
func (m *metrics) answers(c *trace.Counts) { m.registry.MustRegister(answerNumbers{c}) }

// records tells what became of the records too.
func (m *metrics) records(r *records) { m.registry.MustRegister(r) }

// page serves the numbers.
func (m *metrics) page(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ErrorHandling: promhttp.ContinueOnError,
	})
}

// observe counts a request that has been answered. The route is a pattern of ours, or "" where there is none.
func (m *metrics) observe(route, method string, status int, took time.Duration) {
	route = cmp.Or(route, "none")
	m.requests.WithLabelValues(route, oneOf(method, httpMethods), class(status)).Inc()
	m.took.WithLabelValues(route).Observe(took.Seconds())
}

// counted counts the requests that are being answered.
func (m *metrics) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.inFlight.Inc()
		defer m.inFlight.Dec() // also when next panics
		next.ServeHTTP(w, r)
	})
}

// counting is a recorder that counts what another one keeps.
func (m *metrics) counting(next trace.Recorder) trace.Recorder { return &countingRecorder{m, next} }

type countingRecorder struct {
	m    *metrics
	next trace.Recorder
}

// Record counts a record and hands it on.
func (c *countingRecorder) Record(ctx context.Context, r trace.Record) {
	c.m.calls.WithLabelValues(oneOf(r.Path, callPaths), oneOf(r.State, callStates)).Inc()
	c.next.Record(ctx, r)
}

var (
	httpMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete, http.MethodOptions}
	callPaths   = []string{"native", "menu", "command"}
	callStates  = []string{
		"opened", "open", "parked", "running", "done", "failed", "unknown", "not_run", "denied", "refused", "exhausted", "expired", "recorded",
	}
)

// oneOf is the value if it is one of those, else other.
func oneOf(value string, those []string) string {
	if slices.Contains(those, value) {
		return value
	}
	return "other"
}

// class is a status as 2xx.
func class(status int) string {
	if status < 100 || status > 599 {
		return "other"
	}
	return strconv.Itoa(status/100) + "xx"
}
