package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

// BenchmarkTraces: what trace ls and trace show ask for, of 100,000 records in 25,000 turns, each below 200 ms. The slow ones are the filters that go
// together and match nothing, so that all records of the first one are looked at.
func BenchmarkTraces(b *testing.B) {
	s, _ := openHere(b, Options{})
	const many = 100_000
	start := time.Now().Add(-24 * time.Hour)
	for i := 0; i < many; i += flushMost {
		var part []trace.Record
		for j := i; j < i+flushMost; j++ {
			part = append(part, longRecord(j, start))
		}
		s.keep(part)
	}
	if s.Kept() != many {
		b.Fatalf("%d records are kept", s.Kept())
	}
	list := func(w Wanted) func(*testing.B) {
		return func(b *testing.B) {
			w.Limit = 50
			for b.Loop() {
				if err := s.Traces(b.Context(), w, func(trace.Record) (bool, error) { return true, nil }); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	for name, w := range map[string]Wanted{
		"all": {}, "decision": {Decision: "common"}, "method": {Method: "look"}, "state": {State: "done"}, "era": {Era: "2026-07-28"},
		"turn": {Turn: "t12345"}, "root": {Root: "r00049380"}, "parent": {Parent: "r00049382"}, "since": {Since: start},
		"few of the decision": {Decision: "rare"}, "none of the decision": {Decision: "nothing"}, "none since": {Since: time.Now()},
		"none of decision and state": {Decision: "common", State: "failed"}, "none of method and state": {Method: "look", State: "denied"},
		"none of era and state": {Era: "2026-07-28", State: "denied"}, "none of era and method": {Era: "2026-07-28", Method: "never"},
		"none of four": {State: "done", Method: "look", Decision: "common", Era: "2025-11-25"}, "turn and state": {Turn: "t12345", State: "done"},
	} {
		b.Run("ls/"+name, list(w))
	}
	look := func(id string) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if t, _, err := (trace.Look{}).Find(b.Context(), s, id); err != nil || len(t.Below) != 3 {
					b.Fatalf("%+v, %v", t, err)
				}
			}
		}
	}
	b.Run("count", func(b *testing.B) { // what the sweeper does each minute
		for b.Loop() {
			if cut, err := s.beyondSize(b.Context()); err != nil || cut != 0 {
				b.Fatal(cut, err)
			}
		}
	})
	b.Run("show/record", look("r00049382"))
	b.Run("show/turn", look("t12345"))
}

// longRecord is record i of many: of each four one is an opening, two are its answers, and one is a call in the run of the second.
func longRecord(i int, start time.Time) trace.Record {
	turn := i / 4
	opening := fmt.Sprintf("r%08d", 4*turn)
	r := trace.Record{
		ID: fmt.Sprintf("r%08d", i), Time: start.Add(time.Duration(i) * 100 * time.Millisecond), Path: "menu", Caller: "token:desk", Root: opening,
		Era: []string{"2025-11-25", "2026-07-28"}[turn%2], Request: "tools/call pick_write", Decision: "common", Turn: fmt.Sprintf("t%d-1", turn),
	}
	if turn%1000 == 7 {
		r.Decision = "rare"
	}
	switch i % 4 {
	case 0:
		r.State, r.Root, r.Menu = "opened", "", strings.Repeat("m", 43)
	case 1:
		r.State, r.Error, r.Refused, r.Attempt, r.Reply = "refused", "bad_args", "bad_args", 1, strings.Repeat("Let me see. ", 40)
	case 2:
		r.State, r.Attempt, r.Option, r.Method, r.Call, r.Args = "done", 2, "refund", "issue_refund", "abcdefgh", json.RawMessage(`{"order_id":"A-1042","amount":12.5}`)
		r.Reply, r.Output = strings.Repeat("Let me see. ", 40), strings.Repeat("Refunded. ", 40)
	case 3:
		r.State, r.Path, r.Turn, r.Decision, r.Method, r.Parent, r.Request = "done", "native", "", "", "look", fmt.Sprintf("r%08d", i-1), ""
	}
	return r
}

// BenchmarkKeeping is what it takes to write a batch of records.
func BenchmarkKeeping(b *testing.B) {
	s, _ := openHere(b, Options{})
	start := time.Now()
	for n := 0; b.Loop(); n++ {
		part := make([]trace.Record, flushMost)
		for i := range part {
			part[i] = longRecord(n*flushMost+i, start)
		}
		s.keep(part)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*flushMost), "µs/record")
}
