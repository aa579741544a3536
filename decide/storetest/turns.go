package storetest

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

var turnTests = []test{
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
}

var start = time.UnixMicro(1_800_000_000_123_456).UTC()

func row(id string) decide.TurnRow {
	return decide.TurnRow{
		ID: id, Principal: "os:1000", Config: "desk /tmp/a.db", State: decide.Open, Round: 1, Version: 1,
		Expires: start.Add(time.Hour), Data: []byte(`{"decision":"d"}`),
	}
}

func insert(t *testing.T, s decide.Store, r decide.TurnRow) {
	t.Helper()
	if err := insertAs(t.Context(), s, decide.Kill, r); err != nil {
		t.Fatalf("InsertTurn(%s): %v", r.ID, err)
	}
}

func insertAs(ctx context.Context, s decide.Store, c decide.Class, r decide.TurnRow) error {
	return s.Do(ctx, c, func(tx decide.Tx) error { return tx.InsertTurn(r) })
}

func swapAs(ctx context.Context, s decide.Store, c decide.Class, was, next decide.TurnRow) (now decide.TurnRow, swapped bool, err error) {
	err = s.Do(ctx, c, func(tx decide.Tx) (err error) {
		now, swapped, err = tx.SwapTurn(was, next)
		return err
	})
	return now, swapped, err
}

func load(t *testing.T, s decide.Store, id string) decide.TurnRow {
	t.Helper()
	r, err := s.Turn(t.Context(), id)
	if err != nil {
		t.Fatalf("Turn(%s): %v", id, err)
	}
	return r
}

func same(t *testing.T, what string, got, want decide.TurnRow) {
	t.Helper()
	if !got.Expires.Equal(want.Expires) {
		t.Errorf("%s: expires %v, want %v", what, got.Expires, want.Expires)
	}
	got.Expires = want.Expires
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func inserted(t *testing.T, s decide.Store) {
	r := row("a")
	r.Version = 7 // not the caller's to say
	insert(t, s, r)
	insert(t, s, row("b"))
	same(t, "loaded", load(t, s, "a"), row("a"))
}

func once(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	other := row("a")
	other.Principal = "os:2"
	if err := insertAs(t.Context(), s, decide.Kill, other); !errors.Is(err, decide.ErrTaken) {
		t.Errorf("second Insert: %v, want ErrTaken", err)
	}
	same(t, "the first one", load(t, s, "a"), row("a"))
}

func absent(t *testing.T, s decide.Store) {
	if _, err := s.Turn(t.Context(), "nope"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("Load: %v, want ErrNoTurnRow", err)
	}
	if _, _, err := swapAs(t.Context(), s, decide.Kill, row("nope"), row("nope")); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("Swap: %v, want ErrNoTurnRow", err)
	}
	if _, err := s.Turn(t.Context(), "nope"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("Load after Swap: %v, want ErrNoTurnRow", err)
	}
}

func compared(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	next := row("a")
	next.State, next.Round, next.Data = decide.Running, 2, []byte("next")
	for _, wrong := range []struct {
		what   string
		change func(*decide.TurnRow)
	}{
		{"state", func(r *decide.TurnRow) { r.State = decide.Done }},
		{"round", func(r *decide.TurnRow) { r.Round = 2 }},
		{"version", func(r *decide.TurnRow) { r.Version = 2 }},
		{"version 0", func(r *decide.TurnRow) { r.Version = 0 }},
	} {
		was := row("a")
		wrong.change(&was)
		now, swapped, err := swapAs(t.Context(), s, decide.Kill, was, next)
		if err != nil || swapped {
			t.Errorf("another %s: swapped %v, %v", wrong.what, swapped, err)
		}
		same(t, "after another "+wrong.what, now, row("a"))
	}
	now, swapped, err := swapAs(t.Context(), s, decide.Kill, row("a"), next)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	next.Version = 2
	same(t, "returned", now, next)
	same(t, "loaded", load(t, s, "a"), next)
}

func fixed(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	next := row("a")
	next.Principal, next.Config, next.Expires, next.Data = "os:2", "other", start, []byte("x")
	now, swapped, err := swapAs(t.Context(), s, decide.Kill, row("a"), next)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	want := row("a")
	want.Version, want.Data = 2, []byte("x")
	same(t, "returned", now, want)
	same(t, "loaded", load(t, s, "a"), want)
}

func loser(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	first, second := row("a"), row("a")
	first.Data, second.Data = []byte("first"), []byte("second")
	won, swapped, err := swapAs(t.Context(), s, decide.Kill, row("a"), first)
	if err != nil || !swapped {
		t.Fatalf("swapped %v, %v", swapped, err)
	}
	now, swapped, err := swapAs(t.Context(), s, decide.Kill, row("a"), second)
	if err != nil || swapped {
		t.Fatalf("the second one: swapped %v, %v", swapped, err)
	}
	same(t, "what the loser gets", now, won)
}

func copied(t *testing.T, s decide.Store) {
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
	now, _, err := swapAs(t.Context(), s, decide.Kill, row("a"), next)
	if err != nil {
		t.Fatal(err)
	}
	next.Data[0], now.Data[0] = 'X', 'Y'
	lost, _, err := swapAs(t.Context(), s, decide.Kill, row("a"), row("a"))
	if err != nil {
		t.Fatal(err)
	}
	lost.Data[0] = 'Z'
	if got := load(t, s, "a").Data; string(got) != "next" {
		t.Errorf("after Swap the data is %q", got)
	}
}

func verbatim(t *testing.T, s decide.Store) {
	for i, data := range [][]byte{nil, {0}, {0xff, 0xfe, 0, '\n', '"'}, []byte(`{"n": 1.0, "n": 1e400}`), bytes.Repeat([]byte("é"), 1<<19)} {
		r := row(fmt.Sprint("r", i))
		r.Data = data
		insert(t, s, r)
		if got := load(t, s, r.ID).Data; !bytes.Equal(got, data) {
			t.Errorf("%.40q came back as %.40q", data, got)
		}
	}
}

func times(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	if got := load(t, s, "a").Expires; got.UnixMicro() != start.Add(time.Hour).UnixMicro() {
		t.Errorf("expires %v", got)
	}
}

func classes(t *testing.T, s decide.Store) {
	for i, c := range []decide.Class{decide.Trail, decide.Kill, decide.Power} {
		r := row(fmt.Sprint("r", i))
		if err := insertAs(t.Context(), s, c, r); err != nil {
			t.Errorf("Insert of class %d: %v", c, err)
		}
		if _, swapped, err := swapAs(t.Context(), s, c, r, r); err != nil || !swapped {
			t.Errorf("Swap of class %d: %v, %v", c, swapped, err)
		}
	}
}

func race(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	var wins atomic.Int32
	together(20, func(i int) {
		next := row("a")
		next.State, next.Data = decide.Running, fmt.Append(nil, i)
		now, swapped, err := swapAs(context.Background(), s, decide.Power, row("a"), next)
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

func insertRace(t *testing.T, s decide.Store) {
	var wins atomic.Int32
	together(20, func(int) {
		switch err := insertAs(context.Background(), s, decide.Kill, row("a")); {
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

func cancelled(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := insertAs(ctx, s, decide.Kill, row("b")); !errors.Is(err, context.Canceled) {
		t.Errorf("Insert: %v", err)
	}
	next := row("a")
	next.State = decide.Done
	if _, swapped, err := swapAs(ctx, s, decide.Kill, row("a"), next); swapped || !errors.Is(err, context.Canceled) {
		t.Errorf("Swap: %v, %v", swapped, err)
	}
	if _, err := s.Turn(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("Load: %v", err)
	}
	if _, err := s.Turn(t.Context(), "b"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("the cancelled Insert: %v", err)
	}
	same(t, "after the cancelled Swap", load(t, s, "a"), row("a"))
}

func key(t *testing.T, s decide.Store) {
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
