package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

var callTests = []test{
	{"a call is inserted as version 1", callInserted},
	{"an id of a call is taken once", callOnce},
	{"equal keys are one call", callKeyed},
	{"a key whose time is over is free", callOver},
	{"a call is swapped by state and version", callCompared},
	{"what is final and not kept is removed", callRemoved},
	{"calls are found by what they are", callsWanted},
	{"a key is found by all that makes it one", callByKey},
	{"a call that is not there", callAbsent},
	{"any text is a key", callOdd},
	{"of many inserts of one key one wins", callRace},
	{"bytes of a call stay as they are", callVerbatim},
}

func callRow(id string) decide.CallRow {
	return decide.CallRow{
		ID: id, Principal: "os:1000", Config: "desk", Method: "tag", State: registry.Running, Owner: "me", Version: 1, Began: start, Data: []byte(`{"runs":1}`),
	}
}

func keyed(id, key string) decide.CallRow {
	r := callRow(id)
	r.Key = key
	return r
}

func begin(t *testing.T, s decide.Store, r decide.CallRow) (now decide.CallRow, inserted bool, err error) {
	t.Helper()
	err = s.Do(t.Context(), decide.Power, func(tx decide.Tx) (err error) {
		now, inserted, err = tx.InsertCall(r)
		return err
	})
	return now, inserted, err
}

// began inserts a call that has to be a new one.
func began(t *testing.T, s decide.Store, r decide.CallRow) decide.CallRow {
	t.Helper()
	now, inserted, err := begin(t, s, r)
	if err != nil || !inserted {
		t.Fatalf("InsertCall(%s): inserted %v, %v", r.ID, inserted, err)
	}
	return now
}

func swapCall(t *testing.T, s decide.Store, was, next decide.CallRow) (now decide.CallRow, swapped bool, err error) {
	t.Helper()
	err = s.Do(t.Context(), decide.Kill, func(tx decide.Tx) (err error) {
		now, swapped, err = tx.SwapCall(was, next)
		return err
	})
	return now, swapped, err
}

func calls(t *testing.T, s decide.Store, w decide.WantedCalls) []decide.CallRow {
	t.Helper()
	list, err := s.Calls(t.Context(), w)
	if err != nil {
		t.Fatalf("Calls(%+v): %v", w, err)
	}
	return list
}

// call is a call as it stands, read in both ways; nil when there is none.
func call(t *testing.T, s decide.Store, id string) *decide.CallRow {
	t.Helper()
	list := calls(t, s, decide.WantedCalls{ID: id})
	var inside decide.CallRow
	err := s.Do(t.Context(), decide.Trail, func(tx decide.Tx) (err error) {
		inside, err = tx.Call(id)
		return err
	})
	switch {
	case len(list) == 0 && errors.Is(err, decide.ErrNoCallRow):
		return nil
	case len(list) != 1 || err != nil:
		t.Fatalf("call %s: %+v from outside, %v inside", id, list, err)
	}
	sameCall(t, "inside and outside", inside, list[0])
	return &inside
}

func sameCall(t *testing.T, what string, got, want decide.CallRow) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }), cmp.Comparer(bytes.Equal)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func callInserted(t *testing.T, s decide.Store) {
	r := callRow("a")
	r.Version, r.Turn, r.Key, r.Released, r.Expires = 7, "k7m2", "turn k7m2", true, start.Add(time.Hour)
	now := began(t, s, r)
	r.Version = 1
	sameCall(t, "returned", now, r)
	sameCall(t, "stored", *call(t, s, "a"), r)
}

func callOnce(t *testing.T, s decide.Store) {
	began(t, s, keyed("a", "one"))
	if _, _, err := begin(t, s, keyed("a", "two")); !errors.Is(err, decide.ErrTaken) {
		t.Errorf("another call of that id: %v, want ErrTaken", err)
	}
	sameCall(t, "the first one", *call(t, s, "a"), keyed("a", "one"))
}

func callKeyed(t *testing.T, s decide.Store) {
	first := began(t, s, keyed("a", "k"))
	now, inserted, err := begin(t, s, keyed("b", "k"))
	if err != nil || inserted {
		t.Fatalf("the second one: inserted %v, %v", inserted, err)
	}
	sameCall(t, "who has the key", now, first)
	if call(t, s, "b") != nil {
		t.Error("the second one is there")
	}
	for i, change := range []func(*decide.CallRow){
		func(r *decide.CallRow) { r.Principal = "os:2" },
		func(r *decide.CallRow) { r.Config = "other" },
		func(r *decide.CallRow) { r.Key = "l" },
		func(r *decide.CallRow) { r.Key = "" },
		func(r *decide.CallRow) { r.Key = "" },
	} {
		r := keyed(fmt.Sprint("c", i), "k")
		change(&r)
		began(t, s, r)
	}
}

func callOver(t *testing.T, s decide.Store) {
	for _, tc := range []struct {
		state   registry.State
		expires time.Time
		free    bool
	}{
		{registry.Done, start.Add(time.Microsecond), false},
		{registry.Done, start, true},
		{registry.Failed, start.Add(-time.Hour), true},
		{registry.Unknown, start.Add(-time.Hour), false},
		{registry.Running, start.Add(-time.Hour), false},
	} {
		name := fmt.Sprint(tc.state, tc.expires)
		r := keyed("first "+name, name)
		r.State, r.Expires = tc.state, tc.expires
		began(t, s, r)
		if _, inserted, err := begin(t, s, keyed("second "+name, name)); err != nil || inserted != tc.free {
			t.Errorf("%s until %v: inserted %v, %v", tc.state, tc.expires, inserted, err)
		}
	}
}

func callCompared(t *testing.T, s decide.Store) {
	was := began(t, s, keyed("a", "k"))
	next := was
	next.State, next.Owner, next.Released, next.Expires, next.Data = registry.Unknown, "you", true, start.Add(time.Hour), []byte("next")
	for what, change := range map[string]func(*decide.CallRow){
		"state":   func(r *decide.CallRow) { r.State = registry.Unknown },
		"version": func(r *decide.CallRow) { r.Version = 2 },
	} {
		wrong := was
		change(&wrong)
		now, swapped, err := swapCall(t, s, wrong, next)
		if err != nil || swapped {
			t.Errorf("another %s: swapped %v, %v", what, swapped, err)
		}
		sameCall(t, "after another "+what, now, was)
	}
	other := next
	other.Principal, other.Config, other.Key, other.Turn, other.Method, other.Began = "os:2", "c", "l", "t", "m", start.Add(time.Minute)
	now, swapped, err := swapCall(t, s, was, other)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	next.Version = 2
	sameCall(t, "returned", now, next)
	sameCall(t, "stored", *call(t, s, "a"), next)
}

func callRemoved(t *testing.T, s decide.Store) {
	for state, expires := range map[registry.State]time.Time{registry.Done: {}, registry.Failed: {}, registry.NotRun: {}, registry.Unknown: {}} {
		was := began(t, s, keyed(string(state), string(state)))
		next := was
		next.State, next.Expires = state, expires
		now, swapped, err := swapCall(t, s, was, next)
		if err != nil || !swapped || now.State != state {
			t.Fatalf("%s: %+v, swapped %v, %v", state, now, swapped, err)
		}
		if stays := call(t, s, string(state)) != nil; stays != (state == registry.Unknown) {
			t.Errorf("%s: it is there: %v", state, stays)
		}
		if _, inserted, err := begin(t, s, keyed("new "+string(state), string(state))); err != nil || inserted != (state != registry.Unknown) {
			t.Errorf("%s: its key: inserted %v, %v", state, inserted, err)
		}
	}
}

func callsWanted(t *testing.T, s decide.Store) {
	for i, change := range []func(*decide.CallRow){
		func(*decide.CallRow) {},
		func(r *decide.CallRow) { r.State = registry.Unknown },
		func(r *decide.CallRow) { r.Principal, r.Key = "os:2", "k" },
		func(r *decide.CallRow) { r.Key = "k" },
		func(r *decide.CallRow) { r.State, r.Expires = registry.Done, start }, // over
		func(r *decide.CallRow) { r.State, r.Expires = registry.Done, start.Add(time.Hour) },
	} {
		r := callRow(fmt.Sprint(i))
		r.Began = start.Add(time.Duration(i) * time.Second)
		change(&r)
		began(t, s, r)
	}
	for _, tc := range []struct {
		w    decide.WantedCalls
		want string
	}{
		{decide.WantedCalls{}, "53210"},
		{decide.WantedCalls{Limit: 2}, "53"},
		{decide.WantedCalls{ID: "2"}, "2"},
		{decide.WantedCalls{State: registry.Running}, "320"},
		{decide.WantedCalls{State: registry.Unknown}, "1"},
		{decide.WantedCalls{Principal: "os:2"}, "2"},
		{decide.WantedCalls{Principal: "os:1000", Config: "desk", Key: "k"}, "3"},
		{decide.WantedCalls{Principal: "os:1000", Config: "desk", Key: "l"}, ""},
		{decide.WantedCalls{Config: "other"}, ""},
	} {
		got := ""
		for _, r := range calls(t, s, tc.w) {
			got += r.ID
		}
		if got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.w, got, tc.want)
		}
	}
}

func callByKey(t *testing.T, s decide.Store) {
	who := []struct{ principal, config string }{{"", ""}, {"", "desk"}, {"os:1000", ""}, {"os:1000", "desk"}}
	for i, w := range who {
		r := keyed(fmt.Sprint(i), "k")
		r.Principal, r.Config = w.principal, w.config
		if list := calls(t, s, decide.WantedCalls{Principal: w.principal, Config: w.config, Key: "k"}); len(list) > 0 {
			t.Errorf("principal %q, configuration %q: the key of %+v was found", w.principal, w.config, list)
		}
		began(t, s, r)
	}
	for i, w := range who {
		list := calls(t, s, decide.WantedCalls{Principal: w.principal, Config: w.config, Key: "k"})
		if len(list) != 1 || list[0].ID != fmt.Sprint(i) {
			t.Errorf("principal %q, configuration %q: found %+v", w.principal, w.config, list)
		}
	}
}

func callAbsent(t *testing.T, s decide.Store) {
	if call(t, s, "nope") != nil {
		t.Error("it is there")
	}
	if _, _, err := swapCall(t, s, callRow("nope"), callRow("nope")); !errors.Is(err, decide.ErrNoCallRow) {
		t.Errorf("SwapCall: %v, want ErrNoCallRow", err)
	}
}

func callRace(t *testing.T, s decide.Store) {
	var wins atomic.Int32
	together(20, func(i int) {
		err := s.Do(context.Background(), decide.Power, func(tx decide.Tx) error {
			now, inserted, err := tx.InsertCall(keyed(fmt.Sprint("c", i), "k"))
			if err == nil && inserted != (now.ID == fmt.Sprint("c", i)) {
				t.Errorf("call %d: inserted %v, and the key is %s's", i, inserted, now.ID)
			}
			if inserted {
				wins.Add(1)
			}
			return err
		})
		if err != nil {
			t.Errorf("InsertCall: %v", err)
		}
	})
	if wins.Load() != 1 {
		t.Errorf("%d inserts won", wins.Load())
	}
}

func callVerbatim(t *testing.T, s decide.Store) {
	for i, data := range [][]byte{nil, {0}, {0xff, 0xfe, 0, '\n', '"'}, bytes.Repeat([]byte("é"), 1<<19)} {
		r := callRow(fmt.Sprint("r", i))
		r.Data = data
		began(t, s, r)
		if got := call(t, s, r.ID).Data; !bytes.Equal(got, data) {
			t.Errorf("%.40q came back as %.40q", data, got)
		}
	}
}

// callOdd: keys and callers are what strangers say.
func callOdd(t *testing.T, s decide.Store) {
	odd := []string{"\x00", "a\x00b", "\x0100", "\x01", "\xff\xfe", "00", "é\u2028", "'; DROP TABLE calls; --", "{calls}", "\\000"}
	for i, text := range odd {
		r := keyed(fmt.Sprint("r", i), text)
		r.Principal = "sub:" + text
		began(t, s, r)
		sameCall(t, fmt.Sprintf("%q", text), *call(t, s, r.ID), r)
		again := r
		again.ID = "again"
		if now, inserted, err := begin(t, s, again); err != nil || inserted || now.ID != r.ID {
			t.Errorf("%q again: %s, inserted %v, %v", text, now.ID, inserted, err)
		}
		if got := calls(t, s, decide.WantedCalls{Principal: r.Principal, Config: r.Config, Key: text}); len(got) != 1 {
			t.Errorf("%q: %d calls have it", text, len(got))
		}
	}
}
