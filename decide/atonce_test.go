package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"pgregory.net/rapid"
)

// Fifty answers to one round at once, equal and different ones, over two engines on one store: one effect.
func TestFiftyAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		w := newWorld(t)
		engines := []*Engine{w.eng, w.engine()}
		h := w.open().Handle
		var mu sync.Mutex
		told := map[string]int{}
		var all sync.WaitGroup
		begin := make(chan struct{})
		for i := range 50 {
			all.Go(func() {
				<-begin
				a := Answer{Handle: h, Call: "refund", Args: fmt.Appendf(nil, `{"order":"A","amount":%d}`, 1+i%3), Caller: desk}
				e := engines[i%2]
				out, err := e.Answer(context.Background(), e.View(), a)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case errors.Is(out.Problem, ErrNotTaken):
					told["not taken"]++
				case out.Problem != nil:
					t.Errorf("answer %d: %+v", i, out)
				case out.State == Done && content(out) == `{"n":1}`:
					told[fmt.Sprint("done, recorded ", out.Recorded)]++
				default:
					t.Errorf("answer %d: %+v", i, out)
				}
			})
		}
		close(begin)
		all.Wait()
		w.is(h, Done, 1, 2, 1)
		if told["done, recorded false"] != 1 || told["done, recorded true"]+told["not taken"] != 49 {
			t.Errorf("told %v", told)
		}
	}
}

// keeper is what must hold whatever is done to turns, in whatever order.
type keeper struct {
	*world
	handles []string         // all that were ever printed
	final   map[string]State // turns that were seen closed
	ran     map[string]int32 // turn → writes that ran in it
	version int
	full    bool
}

// failed reports an error, which only a full disk gives.
func (k *keeper) failed(t *rapid.T, err error) bool {
	if err != nil && !(k.full && errors.Is(err, errDisk)) {
		t.Fatalf("the disk is full: %v; got %v", k.full, err)
	}
	return err != nil
}

func (k *keeper) note(t *rapid.T, out Outcome, before int32) {
	id, _ := parseHandle(out.Handle)
	if out.State != "" && id != "" {
		k.handles = append(k.handles, out.Handle)
	}
	if wrote := k.wrote.Load() - before; wrote > 0 {
		if wrote > 1 || out.Result == nil || out.Recorded {
			t.Fatalf("%d writes ran, and the outcome is %+v", wrote, out)
		}
		k.ran[id]++
	} else if out.Result != nil && !out.Recorded && out.Option == "tag" {
		t.Fatalf("nothing ran, and the outcome is %+v", out)
	}
	if out.Result == nil && out.Problem == nil && out.State != Open && out.State != Running && out.State != Unknown {
		t.Fatalf("an outcome without result and problem: %+v", out)
	}
	if (out.Options != nil) != (out.State == Open) {
		t.Fatalf("%d options in state %s", len(out.Options), out.State)
	}
}

// check looks at every turn.
func (k *keeper) check(t *rapid.T) {
	for _, h := range k.handles {
		id, _ := parseHandle(h)
		stored, err := k.store.Store.Turn(context.Background(), id)
		if errors.Is(err, ErrNoTurnRow) {
			continue // long closed, and forgotten
		}
		k.must(err)
		row, err := unpack(stored)
		k.must(err)
		if k.ran[row.ID] > 1 {
			t.Fatalf("I1: %d writes ran in turn %s", k.ran[row.ID], row.ID)
		}
		if was := k.final[row.ID]; was != "" && was != row.State {
			t.Fatalf("I8: turn %s was %s and is %s", row.ID, was, row.State)
		}
		if row.State.Final() {
			k.final[row.ID] = row.State
		}
		if n := len(row.refusals()); n > 2 {
			t.Fatalf("I10: %d answers were refused", n)
		}
		if row.State == Open && (row.Tries < 1 || row.Round > maxRounds) {
			t.Fatalf("I11: turn %s is open with %d tries in round %d", row.ID, row.Tries, row.Round)
		}
		if k.ran[row.ID] > 0 && row.State != Done && row.State != Failed && row.State != Unknown && row.State != NotRun {
			t.Fatalf("I7: a write ran and turn %s is %s", row.ID, row.State)
		}
		if row.State == Running {
			t.Fatalf("I13: turn %s is running and nobody runs it", row.ID)
		}
	}
}

// Random openings, answers to any round that was ever printed, reloads, a clock and a store that fails: the
// invariants hold after each.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		k := &keeper{world: newWorld(t), final: map[string]State{}, ran: map[string]int32{}}
		rt.Repeat(map[string]func(*rapid.T){
			"": k.check,
			"open": func(t *rapid.T) {
				v := k.eng.View()
				d, _ := v.Decision("ticket")
				out, err := k.eng.Open(context.Background(), v, Opening{Decision: d, Inputs: json.RawMessage(`{"text":"x"}`), Caller: desk})
				if k.failed(t, err) {
					return
				}
				k.note(t, out, k.wrote.Load())
			},
			"answer": func(t *rapid.T) {
				if len(k.handles) == 0 {
					t.Skip("no turn")
				}
				a := rapid.SampledFrom([]Answer{
					{Call: "tag"}, {Call: "tag_broken"}, {Call: "tag_missing"}, {Call: "tag_killed"}, {Call: "look", Args: []byte(order)}, {Call: "peek", Args: []byte(order)},
					{Call: "refund", Args: []byte(`{"order":"A","amount":1}`)}, {Call: "refund", Args: []byte(`{"order":"A"}`)}, {Text: tag}, {Text: no}, {Text: never},
					{Call: "tag", Ceiling: registry.Read}, {Call: "wire"}, {}, {Call: "tag", Text: "tag"}, {Call: "close"}, {Call: "nothing"},
				}).Draw(t, "answer")
				a.Handle, a.Caller = rapid.SampledFrom(k.handles).Draw(t, "handle"), desk
				before := k.wrote.Load()
				out, err := k.eng.Answer(context.Background(), k.eng.View(), a)
				if k.failed(t, err) {
					if k.wrote.Load() != before {
						t.Fatalf("I2: something ran although the intent was not recorded")
					}
					return
				}
				k.note(t, out, before)
				again, err := k.eng.Answer(context.Background(), k.eng.View(), a)
				if k.failed(t, err) {
					return
				}
				if out.Result != nil && (!again.Recorded || again.State != out.State && !(again.State == Expired)) {
					t.Fatalf("the same answer again: %+v, then %+v", out, again)
				}
			},
			"reload": func(t *rapid.T) {
				k.version++
				if err := k.eng.Reload(k.methods(fmt.Sprint(k.version%3)), []Decision{ticket()}); err != nil {
					t.Fatal(err)
				}
			},
			"wait": func(t *rapid.T) {
				k.clock.add(rapid.SampledFrom([]time.Duration{time.Minute, 30 * time.Minute, 61 * time.Minute}).Draw(t, "time"))
			},
			"another process": func(*rapid.T) { k.eng = k.engine() },
			"fill the disk": func(t *rapid.T) {
				k.full = !k.full
				op := map[bool]string{true: rapid.SampledFrom([]string{"load", "insert", "open"}).Draw(t, "what")}[k.full]
				k.store.each(func(o string, _ Class, was, _ TurnRow) error {
					if op == o || op == "open" && o == "swap" && was.State == Open {
						return errDisk
					}
					return nil
				})
			},
		})
	})
}
