package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Both servers do each kind of work, in both eras, and what comes back is what was asked for. Not in parallel: the SDK has one
// session on stdio in a process.
func TestWorkInProcess(t *testing.T) {
	for _, e := range eras {
		for _, w := range []work{calls, notes, pairs, lists} {
			for _, k := range []kind{bare, ours} {
				t.Run(fmt.Sprint(e.name, "/", w.name, "/", k), func(t *testing.T) {
					server, err := connect(k, inProcess, e, w.fillers, limits{})
					if err != nil {
						t.Fatal(err)
					}
					defer server.end()
					var lanes []lane
					for range 4 {
						l, err := server.wire.lane()
						if err != nil {
							t.Fatal(err)
						}
						lanes = append(lanes, l)
					}
					if s := server.drive(w, lanes, 20*time.Millisecond); s.failed > 0 || s.units == 0 {
						t.Errorf("%d of %d failed: %v", s.failed, s.units, s.fault)
					}
				})
			}
		}
	}
}

// lies is a server that answers with what it likes.
type lies string

func (l lies) close() {}
func (l lies) round(request) (*answer, error) {
	waits := make(chan *answer, 1)
	p := pipe{waiting: map[int64]chan *answer{7: waits}}
	if err := p.deliver([]byte(l)); err != nil {
		return nil, err
	}
	return <-waits, nil
}

// A reply that is not the one to the payload is a failure, whatever it looks like.
func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	other := payload()
	for name, l := range map[string]lies{
		"another payload":  lies(`{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + other + `"}]}}`),
		"part of the text": `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"payload"}]}}`,
		"nothing":          `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`,
		"a failure":        `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"no"}],"isError":true}}`,
		"an error":         `{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"no"}}`,
		"no result":        `{"jsonrpc":"2.0","id":7}`,
		"another id":       `{"jsonrpc":"2.0","id":8,"result":{"content":[]}}`,
		"a text for an id": `{"jsonrpc":"2.0","id":"7","result":{"content":[]}}`,
		"no JSON":          `{`,
	} {
		if err := calls.unit(ours, l); err == nil {
			t.Errorf("%s: taken for an answer", name)
		}
	}
}

// Over HTTP an answer is read whether it comes alone or as the last event of a stream, and its id has to be that of the
// request.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	var how string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Mcp-Name") != "echo" || r.Header.Get("Authorization") != "Bearer secret" || !bytes.Contains(body, []byte(`"id":1,`)) {
			t.Errorf("%v %s", r.Header, body)
		}
		switch how {
		case "stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case "other id":
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":2,"result":{}}`)
		case "empty stream":
			w.Header().Set("Content-Type", "text/event-stream")
		default:
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		}
	}))
	defer srv.Close()
	for _, tc := range []struct {
		how  string
		good bool
	}{{"alone", true}, {"stream", true}, {"other id", false}, {"empty stream", false}} {
		how = tc.how
		l, err := (&endpoint{era: modern, addr: srv.Listener.Addr().String(), token: "secret"}).lane()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.round(call("echo", "{}")); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.how, err)
		}
		l.close()
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	for i := range 100 {
		waits = append(waits, time.Duration(i+1))
	}
	got := []any{
		quantile(waits, 0.5), quantile(waits, 0.99), quantile(waits[:1], 0.99), quantile(nil, 0.5),
		median([]int{5, 1, 3}), median([]int{4, 1}), median[int](nil),
		grouped(1234567.4), grouped(999), grouped(1000),
		short(1500 * time.Nanosecond), short(150 * time.Microsecond), short(15 * time.Millisecond), short(150 * time.Millisecond),
	}
	want := []any{
		time.Duration(51), time.Duration(100), time.Duration(1), time.Duration(0),
		3, 1, 0,
		"1,234,567", "999", "1,000",
		"1.5 µs", "150 µs", "15.0 ms", "150 ms",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// A case is judged by its ratio alone, and one that failed makes the whole run fail.
func TestJudged(t *testing.T) {
	t.Parallel()
	at := func(via transport, e era, callers int, ratio float64) result {
		return result{work: calls.name, via: via, era: e.name, callers: callers, cpuRatio: ratio,
			of: map[kind]figures{ours: {perSecond: 5000, p99: time.Millisecond}}, failed: map[kind]int{}}
	}
	for name, tc := range map[string]struct {
		r    result
		good bool
	}{
		"within":                           {at(stdio, modern, 1, 1.49), true},
		"over":                             {at(stdio, modern, 1, 1.51), false},
		"the older era on stdio may more":  {at(stdio, legacy, 1, 1.79), true},
		"and no more than that":            {at(stdio, legacy, 1, 1.81), false},
		"the older era over HTTP may not":  {at(overHTTP, legacy, 1, 1.79), false},
		"nothing is promised in a process": {at(inProcess, modern, 1, 9), true},
	} {
		r := report{results: []result{tc.r}, rows: judged([]result{tc.r}, bareTransactions{})}
		if r.good() != tc.good {
			t.Errorf("%s: good is %v; %+v", name, r.good(), r.rows)
		}
		r.results[0].failed[ours], r.results[0].fault = 1, map[kind]error{ours: errors.New("broken")}
		var out strings.Builder
		if r.text(&out); r.good() || !strings.Contains(out.String(), "broken") {
			t.Errorf("%s: one that failed is taken for good:\n%s", name, out.String())
		}
	}
}

// The soak says of each quantity whether it grows: by more than a twentieth, or by more than a few pieces.
func TestGrowth(t *testing.T) {
	t.Parallel()
	run := func(last sample) (grows []string) {
		var all []sample
		for i := range 20 {
			s := sample{goroutines: 12, descriptors: 9, live: 100 << 20, resident: 200 << 20}
			if i >= 16 {
				s = last
			}
			all = append(all, s)
		}
		lines, err := growth(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range lines {
			if !g.holds() {
				grows = append(grows, g.what)
			}
		}
		return grows
	}
	if got := run(sample{goroutines: 14, descriptors: 11, live: 104 << 20, resident: 209 << 20}); got != nil {
		t.Errorf("within the bounds, and %v is said to grow", got)
	}
	want := []string{"goroutines", "open descriptors", "live heap", "resident memory"}
	if d := cmp.Diff(want, run(sample{goroutines: 15, descriptors: 12, live: 106 << 20, resident: 211 << 20})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if _, err := growth(make([]sample, 9)); err == nil {
		t.Error("nine looks say nothing")
	}
}

func TestMetric(t *testing.T) {
	t.Parallel()
	const page = "# HELP go_goroutines n\n# TYPE go_goroutines gauge\ngo_goroutines_max 9\ngo_goroutines 12\ngo_memstats_next_gc_bytes 4.194304e+06\n"
	if a, b, c := metric(page, "go_goroutines"), metric(page, "go_memstats_next_gc_bytes"), metric(page, "none"); a != 12 || b != 4<<20 || c != 0 {
		t.Errorf("%v, %v, %v", a, b, c)
	}
}
