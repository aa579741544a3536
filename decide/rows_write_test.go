package decide

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

func rowT7(t *testing.T, w *world) {
	h := w.open().Handle
	claimed := false
	w.store.each(func(op string, c Class, was, next TurnRow) error {
		if op == "swap" && next.State == Running {
			claimed = c == Power && was.State == Open && w.wrote.Load() == 0
		}
		return nil
	})
	out := w.pick(h, "tag", "")
	if !claimed || out.State != Done || w.wrote.Load() != 1 {
		t.Errorf("claimed first: %v; outcome %+v", claimed, out)
	}
	if out.Text != "Ran tag.\nThe turn is over." {
		t.Errorf("text %q", out.Text)
	}
}

func rowT7Fails(t *testing.T, w *world) {
	h := w.open().Handle
	w.store.fail("swap")
	out, err := w.eng.Answer(context.Background(), w.eng.View(), Answer{Handle: h, Call: "tag", Caller: desk})
	if !errors.Is(err, errDisk) || out.Result != nil {
		t.Errorf("got %+v, %v", out, err)
	}
	w.store.fail("")
	w.is(h, Open, 1, 2, 0)
}

// ranTwice is a store that takes back a first try of each step, which it made beside another one.
type ranTwice struct {
	Store
	beside func(Tx)
}

func (s *ranTwice) Do(ctx context.Context, c Class, f func(Tx) error) error {
	err := s.Store.Do(ctx, c, func(tx Tx) error {
		s.beside(tx)
		return errors.Join(errTrial, f(tx))
	})
	if !errors.Is(err, errTrial) {
		return err
	}
	return s.Store.Do(ctx, c, f)
}

// TestTakenBack: a step that lost against another one, which was taken back with it, is the next time what it was before.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	was := w.turn(h).TurnRow
	w.eng.store = &ranTwice{w.store.Store, func(tx Tx) {
		next := was
		next.State, next.Data = Exhausted, []byte(`{"decision":"another"}`)
		if _, swapped, err := tx.SwapTurn(was, next); !swapped || err != nil {
			t.Errorf("the step beside: %v, %v", swapped, err)
		}
	}}
	if out := w.say(h, "no"); out.State != Open || out.Attempts != 1 {
		t.Errorf("got %+v", out)
	}
	w.is(h, Open, 2, 1, 0)
}

func rowT12(t *testing.T, w *world) {
	h := w.open().Handle
	w.clock.add(30 * time.Minute)
	h = w.say(h, "no").Handle // a new round gets no more time
	w.clock.add(30 * time.Minute)
	out := w.pick(h, "tag", "")
	w.is(h, Expired, 2, 1, 0)
	if !errors.Is(out.Problem, ErrExpired) {
		t.Errorf("outcome %+v", out)
	}
	w.clock.add(-50 * time.Minute)
	if late := w.pick(h, "tag", ""); !errors.Is(late.Problem, ErrExpired) || w.wrote.Load() != 0 {
		t.Errorf("with the clock back: %+v", late)
	}
	w.is(h, Expired, 2, 1, 0)
}

func rowT12Running(t *testing.T, w *world) {
	h := w.open().Handle
	done := make(chan Outcome)
	running := w.store.on(Running)
	go func() { done <- w.pick(h, "tag_slow", "") }()
	<-running
	w.clock.add(2 * time.Hour)
	if other := w.pick(h, "close", ""); !errors.Is(other.Problem, ErrNotTaken) || other.State != Running {
		t.Errorf("another answer got %+v", other)
	}
	close(w.hold)
	if out := <-done; out.State != Done {
		t.Errorf("outcome %+v", out)
	}
	w.is(h, Done, 1, 2, 1)
}

func rowT13(t *testing.T, w *world) {
	for _, tc := range []struct {
		option string
		state  State
		class  string
		wrote  int32
	}{
		{"tag", Done, "K", 1},
		{"tag_broken", Failed, "K", 2},
		{"tag_missing", NotRun, "K", 3},
		{"tag_killed", Unknown, "P", 4},
	} {
		h := w.open().Handle
		out := w.pick(h, tc.option, "")
		w.stepped(tc.class + " running 1 -> " + string(tc.state) + " 1")
		w.is(h, tc.state, 1, 2, tc.wrote)
		if out.State != tc.state || out.Result == nil || out.Result.State != registry.State(tc.state) || out.Options != nil || out.Problem != nil {
			t.Errorf("%s: outcome %+v", tc.option, out)
		}
		again := w.pick(h, tc.option, "")
		if !again.Recorded || again.State != tc.state || again.Result.State != registry.State(tc.state) || again.Options != nil {
			t.Errorf("%s: the resend got %+v", tc.option, again)
		}
	}
	h := w.open().Handle
	w.pick(h, "refund", `{"order":"A-1","amount":1}`)
	w.stepped("P running 1 -> done 1")
}

func rowT13Owed(t *testing.T, w *world) {
	h := w.open().Handle
	w.store.each(func(op string, _ Class, was, _ TurnRow) error {
		if op == "swap" && was.State == Running {
			return errDisk
		}
		return nil
	})
	out := w.pick(h, "tag", "")
	if out.State != Done || content(out) != `{"n":1}` || !strings.Contains(out.Text, "not recorded") {
		t.Errorf("outcome %+v", out)
	}
	w.is(h, Running, 1, 2, 1)
	w.store.fail("")
	if again := w.pick(h, "tag", ""); !again.Recorded || again.State != Done {
		t.Errorf("the resend got %+v", again)
	}
	w.is(h, Done, 1, 2, 1)
}

func rowT13Gone(t *testing.T, w *world) {
	h := w.open().Handle
	ctx, cancel := context.WithCancel(context.Background())
	left := make(chan Outcome)
	running := w.store.on(Running)
	go func() {
		out, err := w.eng.Answer(ctx, w.eng.View(), Answer{Handle: h, Call: "tag_slow", Caller: desk})
		if err != nil {
			t.Error(err)
		}
		left <- out
	}()
	<-running
	cancel()
	if out := <-left; out.State != Running || out.Problem != nil || !strings.HasPrefix(out.Text, "Still running") {
		t.Errorf("the caller who left got %+v", out)
	}
	close(w.hold)
	out := w.pick(h, "tag_slow", "") // waits for the end
	if !out.Recorded || out.State != Done || content(out) != `{"n":1}` {
		t.Errorf("the resend got %+v", out)
	}
	w.is(h, Done, 1, 2, 1)
}
