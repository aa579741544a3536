// Package turnstest is the suite that every implementation of decide.Turns has to pass.
package turnstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/decide"
)

// Run runs the suite. open makes an empty store; now is its clock.
func Run(t *testing.T, open func(t *testing.T, now func() time.Time) decide.Turns) {
	for _, tc := range []struct {
		name string
		test func(t *testing.T, s decide.Turns)
	}{
		{"what is inserted is loaded, as version 1", inserted},
		{"an id is inserted once", once},
		{"an id that is not there", absent},
		{"a swap needs state, round and version", compared},
		{"the fixed columns do not change", fixed},
		{"the loser gets the winner's row", loser},
		{"no memory is shared", copied},
		{"bytes stay as they are", verbatim},
		{"times keep their microseconds", times},
		{"every class is taken", classes},
		{"of many swaps of one version one wins", race},
		{"of many inserts of one id one wins", insertRace},
		{"a cancelled context changes nothing", cancelled},
		{"the key is one and secret enough", key},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.test(t, open(t, func() time.Time { return start }))
		})
	}
}

var start = time.UnixMicro(1_800_000_000_123_456).UTC()

func row(id string) decide.Row {
	return decide.Row{
		ID: id, Principal: "os:1000", Config: "desk /tmp/a.db", State: decide.Open, Round: 1, Version: 1,
		Expires: start.Add(time.Hour), Data: []byte(`{"decision":"d"}`),
	}
}

func insert(t *testing.T, s decide.Turns, r decide.Row) {
	t.Helper()
	if err := s.Insert(t.Context(), decide.Kill, r); err != nil {
		t.Fatalf("Insert(%s): %v", r.ID, err)
	}
}

func load(t *testing.T, s decide.Turns, id string) decide.Row {
	t.Helper()
	r, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatalf("Load(%s): %v", id, err)
	}
	return r
}

func same(t *testing.T, what string, got, want decide.Row) {
	t.Helper()
	if !got.Expires.Equal(want.Expires) {
		t.Errorf("%s: expires %v, want %v", what, got.Expires, want.Expires)
	}
	got.Expires = want.Expires
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func inserted(t *testing.T, s decide.Turns) {
	r := row("a")
	r.Version = 7 // not the caller's to say
	insert(t, s, r)
	insert(t, s, row("b"))
	same(t, "loaded", load(t, s, "a"), row("a"))
}

func once(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	other := row("a")
	other.Principal = "os:2"
	if err := s.Insert(t.Context(), decide.Kill, other); !errors.Is(err, decide.ErrTaken) {
		t.Errorf("second Insert: %v, want ErrTaken", err)
	}
	same(t, "the first one", load(t, s, "a"), row("a"))
}

func absent(t *testing.T, s decide.Turns) {
	if _, err := s.Load(t.Context(), "nope"); !errors.Is(err, decide.ErrNoRow) {
		t.Errorf("Load: %v, want ErrNoRow", err)
	}
	if _, _, err := s.Swap(t.Context(), decide.Kill, row("nope"), row("nope")); !errors.Is(err, decide.ErrNoRow) {
		t.Errorf("Swap: %v, want ErrNoRow", err)
	}
	if _, err := s.Load(t.Context(), "nope"); !errors.Is(err, decide.ErrNoRow) {
		t.Errorf("Load after Swap: %v, want ErrNoRow", err)
	}
}

func compared(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	next := row("a")
	next.State, next.Round, next.Data = decide.Running, 2, []byte("next")
	for _, wrong := range []struct {
		what   string
		change func(*decide.Row)
	}{
		{"state", func(r *decide.Row) { r.State = decide.Done }},
		{"round", func(r *decide.Row) { r.Round = 2 }},
		{"version", func(r *decide.Row) { r.Version = 2 }},
		{"version 0", func(r *decide.Row) { r.Version = 0 }},
	} {
		was := row("a")
		wrong.change(&was)
		now, swapped, err := s.Swap(t.Context(), decide.Kill, was, next)
		if err != nil || swapped {
			t.Errorf("another %s: swapped %v, %v", wrong.what, swapped, err)
		}
		same(t, "after another "+wrong.what, now, row("a"))
	}
	now, swapped, err := s.Swap(t.Context(), decide.Kill, row("a"), next)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	next.Version = 2
	same(t, "returned", now, next)
	same(t, "loaded", load(t, s, "a"), next)
}

func fixed(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	next := row("a")
	next.Principal, next.Config, next.Expires, next.Data = "os:2", "other", start, []byte("x")
	now, swapped, err := s.Swap(t.Context(), decide.Kill, row("a"), next)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	want := row("a")
	want.Version, want.Data = 2, []byte("x")
	same(t, "returned", now, want)
	same(t, "loaded", load(t, s, "a"), want)
}

func loser(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	first, second := row("a"), row("a")
	first.Data, second.Data = []byte("first"), []byte("second")
	won, swapped, err := s.Swap(t.Context(), decide.Kill, row("a"), first)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	now, swapped, err := s.Swap(t.Context(), decide.Kill, row("a"), second)
	if err != nil || swapped {
		t.Fatalf("the second one: swapped %v, %v", swapped, err)
	}
	same(t, "what the loser gets", now, won)
}

func copied(t *testing.T, s decide.Turns) {
	in := row("a")
	want := bytes.Clone(in.Data)
	insert(t, s, in)
	in.Data[0] = 'X'
	load(t, s, "a").Data[0] = 'Y'
	if got := load(t, s, "a").Data; !bytes.Equal(got, want) {
		t.Fatalf("after Insert and Load the data is %q, want %q", got, want)
	}
	next := row("a")
	next.Data = []byte("next")
	now, _, err := s.Swap(t.Context(), decide.Kill, row("a"), next)
	if err != nil {
		t.Fatal(err)
	}
	next.Data[0], now.Data[0] = 'X', 'Y'
	lost, _, err := s.Swap(t.Context(), decide.Kill, row("a"), row("a"))
	if err != nil {
		t.Fatal(err)
	}
	lost.Data[0] = 'Z'
	if got := load(t, s, "a").Data; string(got) != "next" {
		t.Errorf("after Swap the data is %q", got)
	}
}

func verbatim(t *testing.T, s decide.Turns) {
	for i, data := range [][]byte{nil, {0}, {0xff, 0xfe, 0, '\n', '"'}, []byte(`{"n": 1.0, "n": 1e400}`), bytes.Repeat([]byte("é"), 1<<19)} {
		r := row(fmt.Sprint("r", i))
		r.Data = data
		insert(t, s, r)
		if got := load(t, s, r.ID).Data; !bytes.Equal(got, data) {
			t.Errorf("%.40q came back as %.40q", data, got)
		}
	}
}

func times(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	if got := load(t, s, "a").Expires; got.UnixMicro() != start.Add(time.Hour).UnixMicro() {
		t.Errorf("expires %v", got)
	}
}

func classes(t *testing.T, s decide.Turns) {
	for i, c := range []decide.Class{decide.Trail, decide.Kill, decide.Power} {
		r := row(fmt.Sprint("r", i))
		if err := s.Insert(t.Context(), c, r); err != nil {
			t.Errorf("Insert of class %d: %v", c, err)
		}
		if _, swapped, err := s.Swap(t.Context(), c, r, r); err != nil || !swapped {
			t.Errorf("Swap of class %d: %v, %v", c, swapped, err)
		}
	}
}

func race(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	var wins atomic.Int32
	together(20, func(i int) {
		next := row("a")
		next.State, next.Data = decide.Running, fmt.Append(nil, i)
		now, swapped, err := s.Swap(context.Background(), decide.Power, row("a"), next)
		switch {
		case err != nil:
			t.Errorf("swap %d: %v", i, err)
		case swapped:
			wins.Add(1)
		case now.Version != 2 || now.State != decide.Running:
			t.Errorf("swap %d lost to %+v", i, now)
		}
	})
	if wins.Load() != 1 {
		t.Errorf("%d swaps won", wins.Load())
	}
}

func insertRace(t *testing.T, s decide.Turns) {
	var wins atomic.Int32
	together(20, func(int) {
		switch err := s.Insert(context.Background(), decide.Kill, row("a")); {
		case err == nil:
			wins.Add(1)
		case !errors.Is(err, decide.ErrTaken):
			t.Errorf("Insert: %v", err)
		}
	})
	if wins.Load() != 1 {
		t.Errorf("%d inserts won", wins.Load())
	}
}

func together(n int, f func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	all.Wait()
}

func cancelled(t *testing.T, s decide.Turns) {
	insert(t, s, row("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Insert(ctx, decide.Kill, row("b")); !errors.Is(err, context.Canceled) {
		t.Errorf("Insert: %v", err)
	}
	next := row("a")
	next.State = decide.Done
	if _, swapped, err := s.Swap(ctx, decide.Kill, row("a"), next); swapped || !errors.Is(err, context.Canceled) {
		t.Errorf("Swap: %v, %v", swapped, err)
	}
	if _, err := s.Load(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: %v", err)
	}
	if _, err := s.Load(t.Context(), "b"); !errors.Is(err, decide.ErrNoRow) {
		t.Errorf("the cancelled Insert: %v", err)
	}
	same(t, "after the cancelled Swap", load(t, s, "a"), row("a"))
}

func key(t *testing.T, s decide.Turns) {
	k := s.Key()
	if len(k) < 16 || bytes.Equal(k, make([]byte, len(k))) {
		t.Errorf("the key has %d bytes: %x", len(k), k)
	}
	k[0] ^= 1
	if again := s.Key(); bytes.Equal(again, k) {
		t.Error("the key is shared memory")
	} else if k[0] ^= 1; !bytes.Equal(again, k) {
		t.Error("the key changes")
	}
}
