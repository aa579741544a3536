package otlp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

// collector is a server that takes spans, and answers as it is told.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  [][]byte
	headers []http.Header
	answer  func(n int, w http.ResponseWriter) // to request n, from 1; nil = 200
}

func newCollector(t *testing.T, answer func(n int, w http.ResponseWriter)) *collector {
	t.Helper()
	c := &collector{answer: answer}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.bodies, c.headers = append(c.bodies, body), append(c.headers, r.Header)
		n := len(c.bodies)
		c.mu.Unlock()
		if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s with %s", r.Method, r.URL, r.Header.Get("Content-Type"))
		}
		if c.answer != nil {
			c.answer(n, w)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.bodies)
}

// records are the ids of the records of which it has spans, in order, without those of requests that it did not take.
func (c *collector) records(t *testing.T, from int) (ids []string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, body := range c.bodies[from:] {
		_, spans := spansIn(t, body)
		for _, s := range spans {
			ids = append(ids, s.attribute(attrRecord))
		}
	}
	return ids
}

func (c *collector) settings(headers string) Settings {
	h, err := readHeaders(headers)
	if err != nil {
		panic(err)
	}
	return Settings{URL: c.URL + "/v1/traces", Headers: h, Service: "desk"}
}

// quick are options under which nothing waits for long.
func quick(log io.Writer) Options {
	return Options{Every: time.Millisecond, Backoff: time.Millisecond, Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

func call(i int) trace.Record {
	return trace.Record{ID: fmt.Sprintf("r%04d", i), Time: noon, Took: time.Millisecond, Method: "m", State: "done", Output: strings.Repeat("x", 1000)}
}

// closed closes an exporter, which must not take for ever.
func closed(t *testing.T, e *Exporter) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), 20*time.Second)
	defer done()
	e.Close(ctx)
}

// TestExport: all that is recorded arrives, in order and in batches, at the latest when the exporter is closed; what comes afterwards is dropped and counted.
func TestExport(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	e := New(c.settings("authorization=Bearer%20canary"), Options{Every: time.Hour, Version: "1.2.3"})
	const many = 1200
	for i := range many {
		e.Record(t.Context(), call(i))
	}
	closed(t, e)
	closed(t, e)
	e.Record(t.Context(), call(many))
	if e.Sent() != many || e.Dropped() != 1 {
		t.Errorf("%d were sent and %d dropped", e.Sent(), e.Dropped())
	}
	for i, id := range c.records(t, 0) {
		if want := call(i).ID; id != want {
			t.Fatalf("record %d is %s", i, id)
		}
	}
	if got := c.requests(); got != 3 {
		t.Errorf("%d requests", got)
	}
	if h := c.headers[0]; h.Get("Authorization") != "Bearer canary" || h.Get("User-Agent") != "mcp-decide/1.2.3" {
		t.Errorf("headers %v", h)
	}
}

// TestExportGoesOn: a record is sent without waiting for the end.
func TestExportGoesOn(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	e := New(c.settings(""), quick(io.Discard))
	defer closed(t, e)
	e.Record(t.Context(), call(1))
	for deadline := time.Now().Add(10 * time.Second); e.Sent() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it is never sent")
		}
	}
}

// TestBusyCollectors: 429, 502, 503 and 504 are tried again, other answers are not, and neither for ever.
func TestBusyCollectors(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		statuses []int // of the answers; the last one stays
		requests int
		sent     int64
	}{
		"at once":              {[]int{200}, 1, 1},
		"202":                  {[]int{202}, 1, 1},
		"too many, then well":  {[]int{429, 429, 200}, 3, 1},
		"not there, then well": {[]int{503, 502, 504, 200}, 4, 1},
		"never there":          {[]int{503}, maxTries, 0},
		"refused":              {[]int{400}, 1, 0},
		"no right":             {[]int{401}, 1, 0},
		"broken":               {[]int{500}, 1, 0},
		"elsewhere":            {[]int{307}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			c := newCollector(t, func(n int, w http.ResponseWriter) {
				w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
				w.WriteHeader(tc.statuses[min(n, len(tc.statuses))-1])
			})
			e := New(c.settings("x-key=canary"), quick(&log))
			e.Record(t.Context(), call(1))
			closed(t, e)
			if c.requests() != tc.requests || e.Sent() != tc.sent || e.Dropped() != 1-tc.sent {
				t.Errorf("%d requests, %d sent, %d dropped", c.requests(), e.Sent(), e.Dropped())
			}
			for i, body := range c.bodies {
				if !bytes.Equal(body, c.bodies[0]) {
					t.Errorf("request %d is another one", i)
				}
			}
			if failed := strings.Contains(log.String(), "could not be exported"); failed != (tc.sent == 0) || strings.Contains(log.String(), "canary") {
				t.Errorf("the log: %s", log.String())
			}
		})
	}
}

// TestWaits: as long as the collector asks for, but never for long, and else longer each time.
func TestWaits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		header string
		want   time.Duration
	}{
		{"7", 7 * time.Second}, {"0", 0}, {"", 0}, {"-1", 0}, {"soon", 0}, {"99999999", maxWait}, {"99999999999999999999", 0}, {"1.5", 0},
		{noon.Add(12 * time.Second).Format(http.TimeFormat), 12 * time.Second}, {noon.Add(-time.Hour).Format(http.TimeFormat), 0}, {noon.Add(time.Hour).Format(http.TimeFormat), maxWait},
	} {
		e := &Exporter{o: Options{Backoff: time.Second}}
		asked := retryAfter(tc.header, noon)
		if asked == 0 {
			if tc.want != 0 {
				t.Errorf("%q asks for nothing", tc.header)
			}
			continue
		}
		if got := e.waitFor(1, asked); got != tc.want {
			t.Errorf("%q waits %v, want %v", tc.header, got, tc.want)
		}
	}
	e := &Exporter{o: Options{Backoff: time.Second}}
	for try := 1; try <= 40; try++ {
		most := min(time.Second<<min(try-1, 20), maxWait)
		if got := e.waitFor(try, 0); got < most/2 || got > most {
			t.Errorf("try %d waits %v, at most %v", try, got, most)
		}
	}
}

// TestPartialSuccess: what a collector says that it did not take is dropped.
func TestPartialSuccess(t *testing.T) {
	t.Parallel()
	for answer, dropped := range map[string]int64{
		`{"partialSuccess":{"rejectedSpans":"2","errorMessage":"canary"}}`: 2, `{"partialSuccess":{"rejectedSpans":1}}`: 1, `{"partialSuccess":{"rejectedSpans":99}}`: 3,
		`{"partialSuccess":{}}`: 0, `{}`: 0, ``: 0, `no JSON`: 0, `{"partialSuccess":{"rejectedSpans":"-4"}}`: 0, `{"partialSuccess":{"rejectedSpans":"many"}}`: 0,
		strings.Repeat(" ", maxAnswer) + `{"partialSuccess":{"rejectedSpans":"2"}}`: 0,
	} {
		c := newCollector(t, func(_ int, w http.ResponseWriter) { io.WriteString(w, answer) })
		e := New(c.settings(""), Options{Every: time.Hour})
		for i := range 3 {
			e.Record(t.Context(), call(i))
		}
		closed(t, e)
		if e.Dropped() != dropped || e.Sent() != 3-dropped {
			t.Errorf("%.80q: %d dropped, %d sent", answer, e.Dropped(), e.Sent())
		}
	}
}

// TestASilentCollectorHoldsUpNobody: while it does not answer, records are taken without waiting, up to the queue's length; the rest is dropped and counted. The end does not wait
// longer than it may.
func TestASilentCollectorHoldsUpNobody(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	asked := make(chan struct{}, 100)
	c := newCollector(t, func(int, http.ResponseWriter) { asked <- struct{}{}; <-silent })
	var log bytes.Buffer
	e := New(c.settings("x-key=canary"), quick(&log))
	e.Record(t.Context(), call(0))
	<-asked
	const many = 3 * maxQueued
	for i := range many {
		e.Record(t.Context(), call(i+1))
	}
	if got := e.Dropped(); got != many-maxQueued {
		t.Errorf("%d were dropped, of %d for %d places", got, many, maxQueued)
	}
	ctx, done := context.WithCancel(t.Context())
	done()
	e.Close(ctx)
	close(silent)
	if e.Dropped() != many+1 || e.Sent() != 0 {
		t.Errorf("%d were dropped, %d sent", e.Dropped(), e.Sent())
	}
	if strings.Contains(log.String(), "canary") || strings.Count(log.String(), "could not be exported") != 1 {
		t.Errorf("the log: %s", log.String())
	}
}

// TestNoCollector: where nobody listens, the log says so once, without what may be secret in the address.
func TestNoCollector(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	s := c.settings("x-key=canary")
	s.URL += "?token=canary"
	c.Close()
	var log bytes.Buffer
	e := New(s, quick(&log))
	for i := range 10 {
		e.Record(t.Context(), call(i))
	}
	closed(t, e)
	if e.Dropped() != 10 || strings.Contains(log.String(), "canary") || !strings.Contains(log.String(), "host=127.0.0.1:") {
		t.Errorf("%d dropped; the log: %s", e.Dropped(), log.String())
	}
}

// TestWhatTheClientDoesNotKeep is not sent: its trace would have no beginning.
func TestWhatTheClientDoesNotKeep(t *testing.T) {
	t.Parallel()
	c := newCollector(t, nil)
	e := New(c.settings(""), Options{Every: time.Hour})
	kept, left := call(1), call(2)
	kept.TraceParent, left.TraceParent = parent, strings.TrimSuffix(parent, "01")+"00"
	e.Record(t.Context(), left)
	e.Record(t.Context(), kept)
	closed(t, e)
	if got := c.records(t, 0); len(got) != 1 || got[0] != kept.ID || e.Dropped() != 0 {
		t.Errorf("sent %v, %d dropped", got, e.Dropped())
	}
}
