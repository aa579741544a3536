package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
)

// BenchmarkWriteCalls is what the store does for one call of a method that writes, picked in a turn: the turn is opened, the intent and
// its result are put on record. memory.go is the store of package decide that no database stands behind.
func BenchmarkWriteCalls(b *testing.B) {
	for _, callers := range []int{1, 16} {
		for _, p := range allPlaces(b) {
			b.Run(fmt.Sprintf("%s/%d", p.name, callers), func(b *testing.B) {
				benchWriteCalls(b, openAt(b, p.fresh(b), store.Options{Live: 1 << 30}), callers)
			})
		}
		b.Run(fmt.Sprintf("memory.go/%d", callers), func(b *testing.B) { benchWriteCalls(b, decide.NewMemory(decide.MemoryLimits{}), callers) })
	}
}

func benchWriteCalls(b *testing.B, s decide.Store, callers int) {
	var n atomic.Int64
	b.SetParallelism(max(1, callers/2))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := writeCall(s, fmt.Sprint("t", n.Add(1))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func writeCall(s decide.Store, id string) error {
	ctx := context.Background()
	t := row(id)
	t.Data = make([]byte, 1<<10)
	if err := insertAs(ctx, s, decide.Kill, t); err != nil {
		return err
	}
	t, err := s.Turn(ctx, id)
	if err != nil {
		return err
	}
	c := decide.CallRow{ID: "c" + id, Principal: t.Principal, Config: t.Config, Key: "turn " + id, Turn: id, Method: "tag", State: registry.Running, Owner: "me", Began: t.Expires, Data: make([]byte, 200)}
	running := t
	running.State = decide.Running
	err = s.Do(ctx, decide.Power, func(tx decide.Tx) (err error) {
		var swapped, inserted bool
		if running, swapped, err = tx.SwapTurn(t, running); err != nil || !swapped {
			return errors.Join(err, errors.New("not swapped"))
		}
		if c, inserted, err = tx.InsertCall(c); err != nil || !inserted {
			return errors.Join(err, errors.New("not inserted"))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Do(ctx, decide.Kill, func(tx decide.Tx) error {
		next, done := c, running
		next.State, done.State = registry.Done, decide.Done
		if _, _, err := tx.SwapCall(c, next); err != nil {
			return err
		}
		_, _, err := tx.SwapTurn(running, done)
		return err
	})
}

// BenchmarkTurns is a turn of an engine, opened and answered with a method that reads.
func BenchmarkTurns(b *testing.B) {
	turns := func(s decide.Store) func(*testing.B) {
		return func(b *testing.B) {
			e := engineOver(b, s, true, "", func() {})
			for b.Loop() {
				if out := answer(b, e, openTurn(b, e), "look"); out.State != decide.Done {
					b.Fatalf("%+v", out)
				}
			}
		}
	}
	for _, p := range allPlaces(b) {
		b.Run(p.name, turns(openAt(b, p.fresh(b), store.Options{Live: 1 << 30})))
	}
	b.Run("memory.go", turns(decide.NewMemory(decide.MemoryLimits{})))
}
