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
		{name: "ten minutes later", second: refund(`{"order":"A","amount":1}`, "k"), wait: keyMemory, wrote: 2},
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

// The memory of keys is bounded; what still runs is never forgotten.
func TestKeysAreBounded(t *testing.T) {
	t.Parallel()
	var k keys
	now := time.UnixMilli(0)
	running, _, err := k.claim(keyName{"p", "running"}, "c", now)
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxKeys + 100 {
		one, mine, err := k.claim(keyName{"p", fmt.Sprint(i)}, "c", now)
		if err != nil || !mine {
			t.Fatalf("key %d: %v, %v", i, mine, err)
		}
		k.settle(one, registry.Result{}, nil)
	}
	if len(k.byName) > maxKeys || k.order.Len() != len(k.byName) {
		t.Errorf("%d keys, %d in order", len(k.byName), k.order.Len())
	}
	if one, mine, err := k.claim(keyName{"p", "running"}, "c", now.Add(time.Hour)); err != nil || mine || one != running {
		t.Errorf("what runs was forgotten: %v, %v", mine, err)
	}
	if len(k.byName) != 1 {
		t.Errorf("%d keys after an hour", len(k.byName))
	}
	var full keys
	for i := range maxKeys {
		if _, _, err := full.claim(keyName{"p", fmt.Sprint(i)}, "c", now); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := full.claim(keyName{"p", "one more"}, "c", now); err == nil {
		t.Error("more keys than there is room for")
	}
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

	var k keys
	now := time.UnixMilli(0)
	first, _, _ := k.claim(keyName{"p", "k"}, "c", now)
	k.settle(first, registry.Result{State: registry.Unknown}, nil)
	k.amend(first, registry.Result{State: registry.NotRun})
	second, mine, err := k.claim(keyName{"p", "k"}, "c", now)
	if err != nil || !mine {
		t.Fatalf("the key is still taken: %v, %v", mine, err)
	}
	k.amend(first, registry.Result{State: registry.NotRun}) // too late: the key is another call's now
	if one, mine, err := k.claim(keyName{"p", "k"}, "c", now); one != second || mine || err != nil || k.bytes != 0 {
		t.Errorf("the second call lost its key: %v, %v, %d bytes", mine, err, k.bytes)
	}
}

// Results are kept up to a number of bytes. What changed something is known for longer than its result.
func TestKeptResultsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := 0
	image := func(context.Context, registry.Args) (any, error) {
		ran++
		return registry.Image(make([]byte, 3<<20), "image/png"), nil
	}
	w.must(w.reg.Add(registry.Method{Name: "snap", Summary: "Takes a picture.", Effect: registry.Write, Run: image}))
	w.must(w.reg.Add(registry.Method{Name: "show", Summary: "Shows a picture.", Effect: registry.Read, Run: image}))
	call := func(method string, key int) registry.Result {
		res, err := w.call(Call{Method: method, Key: fmt.Sprint(method, key)})
		w.must(err)
		return res
	}
	for i := range 20 {
		call("snap", i)
		call("show", i)
	}
	k := &w.eng.keys
	held := 0
	for _, one := range k.byName {
		for _, b := range one.result.Content {
			held += len(b.Data)
		}
	}
	if held > maxKept || k.bytes > maxKept || held < maxKept/4 {
		t.Errorf("%d bytes are held, %d counted, at most %d allowed", held, k.bytes, maxKept)
	}
	ran = 0
	if res := call("snap", 19); len(res.Content[0].Data) != 3<<20 || ran != 0 {
		t.Errorf("the newest one: %d runs, %+.200v", ran, res.Content)
	}
	if res := call("snap", 0); res.State != registry.Done || ran != 0 {
		t.Errorf("the oldest write: %d runs, %+.200v", ran, res)
	}
	if res := call("show", 0); len(res.Content[0].Data) != 3<<20 || ran != 1 {
		t.Errorf("the oldest read: %d runs, %+.200v", ran, res)
	}
	w.clock.add(keyMemory)
	call("show", 100)
	if n := len(k.byName); n != 1 || k.full.Len() != 1 || k.bytes > 10<<20 {
		t.Errorf("ten minutes later: %d keys, %d results, %d bytes", n, k.full.Len(), k.bytes)
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
