package otlp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

const (
	maxQueued  = 2048            // records that wait to be sent
	maxBatch   = 512             // records of one request
	flushEvery = 5 * time.Second // how long one waits at most
)

// Options are what an Exporter needs beside its Settings. The zero value works.
type Options struct {
	Version string        // of this program; "" = is not told
	Key     []byte        // what the ids of spans are made with: of the store; see About
	Log     *slog.Logger  // nil = silent
	Timeout time.Duration // of one request; 0 = 10 s
	Every   time.Duration // how long a record waits at most to be sent with others; 0 = 5 s
	Backoff time.Duration // before the second request, twice as long before each further one; 0 = 1 s
}

// Exporter is a trace.Recorder that sends spans to a collector, in the background: who records something never waits. What does not fit into its queue, and what the
// collector does not take, is dropped and counted. It is safe for concurrent use.
type Exporter struct {
	about    About
	settings Settings
	o        Options
	client   *http.Client
	queue    chan trace.Record

	door   sync.RWMutex // held for reading by who puts a record into the queue
	closed bool

	dropped, sent atomic.Int64
	complained    time.Time // when the log last heard of a failure; of the goroutine alone

	ctx  context.Context // of all requests
	stop context.CancelFunc
	gone chan struct{} // closed when the goroutine has ended
}

// New starts an exporter. The caller closes it.
func New(s Settings, o Options) *Exporter {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Every <= 0 {
		o.Every = flushEvery
	}
	if o.Backoff <= 0 {
		o.Backoff = time.Second
	}
	e := &Exporter{
		about: About{Service: s.Service, Version: o.Version, Key: o.Key}, settings: s, o: o, client: newClient(),
		queue: make(chan trace.Record, maxQueued), gone: make(chan struct{}),
	}
	e.ctx, e.stop = context.WithCancel(context.Background())
	go e.work()
	return e
}

// Record takes a record, unless the queue is full or the exporter closed. One whose client does not keep its own part of the trace is not sent.
func (e *Exporter) Record(_ context.Context, r trace.Record) {
	if p, ok := trace.ParseTraceParent(r.TraceParent); ok && !p.Sampled {
		return
	}
	// What is not sent does not wait either.
	r.Args, r.Dropped, r.Reply, r.Output, r.Reason = nil, nil, "", "", ""
	if !e.take(r) {
		e.dropped.Add(1)
	}
}

func (e *Exporter) take(r trace.Record) bool {
	e.door.RLock()
	defer e.door.RUnlock()
	if e.closed {
		return false
	}
	select {
	case e.queue <- r:
		return true
	default:
		return false
	}
}

// Dropped is how many records were not sent, or not taken by the collector.
func (e *Exporter) Dropped() int64 { return e.dropped.Load() }

// Sent is how many records the collector has taken.
func (e *Exporter) Sent() int64 { return e.sent.Load() }

// Close sends what waits, and ends the exporter. What could not be sent when ctx ends is dropped.
func (e *Exporter) Close(ctx context.Context) {
	e.door.Lock()
	if !e.closed {
		e.closed = true
		close(e.queue)
	}
	e.door.Unlock()
	defer context.AfterFunc(ctx, e.stop)()
	<-e.gone
}

// work sends what comes until the queue is closed and empty.
func (e *Exporter) work() {
	defer close(e.gone)
	defer e.stop()
	defer e.client.CloseIdleConnections()
	tick := time.NewTicker(e.o.Every)
	defer tick.Stop()
	var batch []trace.Record
	for open := true; open; {
		select {
		case r, more := <-e.queue:
			if open = more; more {
				batch = append(batch, r)
			}
			if more && len(batch) < maxBatch {
				continue
			}
		case <-tick.C:
		}
		e.send(batch)
		batch = batch[:0]
	}
}
