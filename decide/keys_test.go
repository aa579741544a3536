package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

func (w *world) call(c Call) (registry.Result, error) {
	if c.Caller.ID == "" {
		c.Caller = desk
	}
	return w.eng.Call(context.Background(), w.eng.View(), c)
}

// The one difference between the two ways: a native call without a key is a new call each time it comes, a pick in its round is not.
func TestParityExemption(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		call Call
		want int32
	}{
		"native, no key":   {Call{Method: "tag"}, 2},
		"native, same key": {Call{Method: "tag", Key: "k"}, 1},
	} {
		w := newWorld(t)
		for range 2 {
			if res, err := w.call(tc.call); err != nil || res.State != registry.Done {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
		if got := w.wrote.Load(); got != tc.want {
			t.Errorf("%s: %d writes ran, want %d", name, got, tc.want)
		}
	}
	w := newWorld(t)
	h := w.open().Handle
	for range 2 {
		if out := w.pick(h, "tag", ""); out.State != Done {
			t.Errorf("pick: %+v", out)
		}
	}
	if got := w.wrote.Load(); got != 1 {
		t.Errorf("picked: %d writes ran, want 1", got)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	refund := func(args, key string) Call { return Call{Method: "refund", Args: json.RawMessage(args), Key: key} }
	for _, tc := range []struct {
		name   string
		second Call
		wait   time.Duration
		wrote  int32
		err    string
	}{
		{name: "the same", second: refund(`{"order":"A","amount":1}`, "k"), wrote: 1},
		{name: "the same in other words", second: refund(`{"amount": 1.0, "order": "A", "note": "none", "more": 1}`, "k"), wrote: 1},
		{name: "other arguments", second: refund(`{"order":"A","amount":2}`, "k"), wrote: 1, err: "was used for another call"},
		{name: "another method", second: Call{Method: "tag", Key: "k"}, wrote: 1, err: "was used for another call"},
		{name: "another key", second: refund(`{"order":"A","amount":1}`, "l"), wrote: 2},
		{name: "another principal", second: Call{Method: "refund", Args: json.RawMessage(`{"order":"A","amount":1}`), Key: "k", Caller: registry.Caller{ID: "os:2"}}, wrote: 2},
		{name: "a day later", second: refund(`{"order":"A","amount":1}`, "k"), wait: keyMemory, wrote: 2},
		{name: "bad arguments", second: refund(`{"order":"A"}`, "k"), wrote: 1, err: "missing"},
		{name: "a long key", second: refund(`{"order":"A","amount":1}`, strings.Repeat("k", 201)), wrote: 1, err: "at most 200"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first, err := w.call(refund(`{"order":"A","amount":1}`, "k"))
			w.must(err)
			w.clock.add(tc.wait)
			second, err := w.call(tc.second)
			if got := w.wrote.Load(); got != tc.wrote {
				t.Errorf("%d writes ran, want %d", got, tc.wrote)
			}
			switch {
			case tc.err == "" && err != nil, tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err) && Kind(err) != "missing_required"):
				t.Errorf("got %v, want %q", err, tc.err)
			case err == nil && tc.wrote == 1 && second.Content[0].Text != first.Content[0].Text:
				t.Errorf("got %+v, then %+v", first, second)
			}
		})
	}
}

// Equal calls that come at the same time are one; one of which nothing ran gives its key back.
func TestKeysAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			res, err := w.call(Call{Method: "tag", Key: "k"})
			if err != nil || content(Outcome{Result: &res}) != `{"n":1}` {
				t.Errorf("%+v, %v", res, err)
			}
		})
	}
	all.Wait()
	if got := w.wrote.Load(); got != 1 {
		t.Errorf("%d writes ran", got)
	}
	for range 2 {
		if _, err := w.call(Call{Method: "wire", Key: "w"}); Kind(err) != "approval_required" {
			t.Errorf("got %v", err)
		}
	}
}

// A caller who leaves loses nothing: the next equal call with the key waits for the end.
func TestKeyOfACallerWhoLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			synctest.Wait()
			cancel()
		}()
		res, err := w.eng.Call(ctx, w.eng.View(), Call{Method: "tag_slow", Key: "k", Caller: desk})
		if err != nil || res.State != registry.Running {
			t.Errorf("got %+v, %v", res, err)
		}
		go func() {
			synctest.Wait()
			close(w.hold)
		}()
		res, err = w.call(Call{Method: "tag_slow", Key: "k"})
		if err != nil || res.State != registry.Done || w.wrote.Load() != 1 {
			t.Errorf("got %+v, %v, %d writes", res, err, w.wrote.Load())
		}
		if n := len(w.trace.List()); n != 2 {
			t.Errorf("%d records", n)
		}
	})
}

// A memory lets go the calls that ended first; what still runs, or may have run, is never forgotten.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(0)
	m := NewMemory(MemoryLimits{Calls: 100, Now: func() time.Time { return now }})
	call := func(id string, state registry.State, size int) {
		err := m.Do(t.Context(), Kill, func(tx Tx) error {
			_, _, err := tx.InsertCall(CallRow{ID: id, Principal: "p", Key: id, State: state, Began: now, Expires: now.Add(time.Hour), Data: make([]byte, size)})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count := func(want int) {
		t.Helper()
		rows, err := m.Calls(t.Context(), WantedCalls{})
		if err != nil || len(rows) != want || len(m.calls.byID) != want || len(m.calls.byKey) != want || m.calls.bytes < 0 {
			t.Errorf("%d calls, %d by id, %d by key, %d bytes, %v; want %d", len(rows), len(m.calls.byID), len(m.calls.byKey), m.calls.bytes, err, want)
		}
	}
	call("running", registry.Running, 0)
	call("unknown", registry.Unknown, 0)
	for i := range 1000 {
		call(fmt.Sprint(i), registry.Done, 1000)
	}
	count(102)
	for i := range 70 {
		call(fmt.Sprint("large", i), registry.Done, 1<<20)
	}
	if m.calls.bytes > maxCallBytes {
		t.Errorf("%d bytes", m.calls.bytes)
	}
	now = now.Add(time.Hour)
	call("last", registry.Running, 0)
	count(3)
}

// A call that could not be started changed nothing: the same one with its key is tried again, also when that is only known later.
func TestKeyOfACallThatDidNotRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := true
	w.must(w.reg.Add(registry.Method{Name: "pay", Summary: "Pays.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
		if refused {
			return nil, registry.NotStarted(errors.New("connection refused"))
		}
		return "paid", nil
	}}))
	for _, want := range []registry.State{registry.NotRun, registry.NotRun, registry.Done} {
		refused = want == registry.NotRun
		if res, err := w.call(Call{Method: "pay", Key: "k"}); err != nil || res.State != want {
			t.Errorf("got %+v, %v, want %s", res, err, want)
		}
	}
}

// A result that is very large is not kept for its key; that the call ran is.
func TestLargeResultsAreNotKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := 0
	w.must(w.reg.Add(registry.Method{Name: "snap", Summary: "Takes a picture.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
		ran++
		return registry.Image(make([]byte, 3<<20), "image/png"), nil
	}}))
	for i := range 2 {
		res, err := w.call(Call{Method: "snap", Key: "k"})
		w.must(err)
		if isLarge := len(res.Content[0].Data) == 3<<20; isLarge != (i == 0) || res.State != registry.Done || res.Recorded != (i == 1) || ran != 1 {
			t.Errorf("call %d: %s, recorded %v, large %v, %d runs", i, res.State, res.Recorded, isLarge, ran)
		}
	}
}

// Of a read nothing is kept: it may run again.
func TestKeyOfARead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, order := range []string{"A", "A", "B"} {
		res, err := w.call(Call{Method: "lookup", Args: json.RawMessage(`{"order":"` + order + `"}`), Key: "k"})
		if err != nil || res.State != registry.Done {
			t.Errorf("%+v, %v", res, err)
		}
	}
	if n := w.read.Load(); n != 3 {
		t.Errorf("%d reads ran", n)
	}
}

func TestCallUnknownMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.call(Call{Method: "refnd"})
	var no *registry.Refused
	if !errors.As(err, &no) || no.Kind != "not_found" || !strings.Contains(no.Message, `did you mean "refund"?`) {
		t.Errorf("got %v", err)
	}
}
