package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

var txTests = []test{
	{"a transaction stands or falls as a whole", whole},
	{"a transaction sees what it wrote", own},
	{"of many transactions none is half done", halfDone},
}

var errStop = errors.New("stopped")

func whole(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	was := began(t, s, keyed("c", "k"))
	err := s.Do(t.Context(), decide.Power, func(tx decide.Tx) error {
		next := row("a")
		next.State, next.Data = decide.Running, []byte("next")
		if _, swapped, err := tx.SwapTurn(row("a"), next); err != nil || !swapped {
			t.Errorf("SwapTurn: %v, %v", swapped, err)
		}
		if err := tx.InsertTurn(row("b")); err != nil {
			t.Errorf("InsertTurn: %v", err)
		}
		if _, inserted, err := tx.InsertCall(keyed("d", "l")); err != nil || !inserted {
			t.Errorf("InsertCall: %v, %v", inserted, err)
		}
		done := was
		done.State = registry.Done
		if _, swapped, err := tx.SwapCall(was, done); err != nil || !swapped {
			t.Errorf("SwapCall: %v, %v", swapped, err)
		}
		return errStop
	})
	if !errors.Is(err, errStop) {
		t.Fatalf("Do: %v", err)
	}
	same(t, "the turn", load(t, s, "a"), row("a"))
	if _, err := s.Turn(t.Context(), "b"); !errors.Is(err, decide.ErrNoTurnRow) {
		t.Errorf("the other turn: %v", err)
	}
	if c := call(t, s, "c"); c == nil {
		t.Error("the call is gone")
	} else {
		sameCall(t, "the call", *c, was)
	}
	if call(t, s, "d") != nil {
		t.Error("the other call is there")
	}
	began(t, s, keyed("e", "l")) // the key is free
}

func own(t *testing.T, s decide.Store) {
	err := s.Do(t.Context(), decide.Kill, func(tx decide.Tx) error {
		if err := tx.InsertTurn(row("a")); err != nil {
			return err
		}
		if r, err := tx.Turn("a"); err != nil || r.Version != 1 {
			t.Errorf("Turn: %+v, %v", r, err)
		}
		if err := tx.InsertTurn(row("a")); !errors.Is(err, decide.ErrTaken) {
			t.Errorf("InsertTurn: %v, want ErrTaken", err)
		}
		if _, err := tx.Turn("b"); !errors.Is(err, decide.ErrNoTurnRow) {
			t.Errorf("another Turn: %v", err)
		}
		if _, _, err := tx.InsertCall(keyed("c", "k")); err != nil {
			return err
		}
		if now, inserted, err := tx.InsertCall(keyed("d", "k")); err != nil || inserted || now.ID != "c" {
			t.Errorf("InsertCall: %+v, %v, %v", now, inserted, err)
		}
		_, err := tx.Call("c")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	load(t, s, "a")
}

// halfDone moves a turn and a call together from many sides: whoever wins the one wins the other.
func halfDone(t *testing.T, s decide.Store) {
	insert(t, s, row("a"))
	first := began(t, s, callRow("c"))
	together(16, func(i int) {
		mark := fmt.Append(nil, i)
		err := s.Do(context.Background(), decide.Power, func(tx decide.Tx) error {
			next := row("a")
			next.Data = mark
			if _, swapped, err := tx.SwapTurn(row("a"), next); err != nil || !swapped {
				return err
			}
			call := first
			call.Data = mark
			_, swapped, err := tx.SwapCall(first, call)
			if err == nil && !swapped {
				err = errors.New("the turn was won and the call was lost")
			}
			return err
		})
		if err != nil {
			t.Errorf("transaction %d: %v", i, err)
		}
	})
	turn, c := load(t, s, "a"), call(t, s, "c")
	if turn.Version != 2 || c.Version != 2 || string(turn.Data) != string(c.Data) {
		t.Errorf("the turn is version %d by %s, the call version %d by %s", turn.Version, turn.Data, c.Version, c.Data)
	}
}
