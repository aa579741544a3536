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

// Answers that come twice, late or from elsewhere. None of them runs anything, and only a slip can count.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	const amount = `{"order":"A-1","amount":5}`
	for _, tc := range []struct {
		name    string
		before  func(w *world, h string) string // brings the turn where it is to be; returns the handle of the first round
		late    Answer
		state   State
		problem error // that the outcome wraps; nil = none
		kind    bool  // the problem is a recorded refusal
		record  bool
		menu    bool // a menu is shown
		text    []string
		reads   int32
		writes  int32
	}{
		{name: "refused, the same text", before: afterText("no"), late: Answer{Text: "no"}, state: Open, kind: true, record: true, menu: true,
			text: []string{"refused before", "-2\""}},
		{name: "refused, another text", before: afterText("no"), late: Answer{Text: "never"}, state: Open, problem: ErrNotTaken, menu: true,
			text: []string{"Not taken", "already answered by a reply that was refused", "-2\""}},
		{name: "refused, a good pick", before: afterText("no"), late: Answer{Call: "tag"}, state: Open, problem: ErrNotTaken, menu: true, text: []string{"Not taken"}},
		{name: "refused to the end, the same text", before: afterTexts("no", "no"), late: Answer{Text: "no"}, state: Exhausted, problem: &DecisionError{},
			text: []string{"answers are spent"}},
		{name: "refused to the end, another pick", before: afterTexts("no", "no"), late: Answer{Call: "tag"}, state: Exhausted, problem: &DecisionError{}},
		{name: "done by a write, the same pick", before: afterPick("refund", amount), late: Answer{Call: "refund", Args: []byte(amount)}, state: Done, record: true,
			text: []string{"Already done at 2027-01-15 08:00:00 UTC, not run again."}, writes: 1},
		{name: "done by a write, the same pick in other words", before: afterPick("refund", amount),
			late:  Answer{Text: `I say: {"call": "refund", "args": {"amount": 5.0, "order": "A-1", "note": "none"}}`, Reason: "another"},
			state: Done, record: true, text: []string{"not run again"}, writes: 1},
		{name: "done by a write, other arguments", before: afterPick("refund", amount), late: Answer{Call: "refund", Args: []byte(`{"order":"A-1","amount":6}`)},
			state: Done, problem: ErrNotTaken, text: []string{"Not taken", "already answered by refund, which is done"}, writes: 1},
		{name: "done by a write, another option", before: afterPick("refund", amount), late: Answer{Call: "tag"}, state: Done, problem: ErrNotTaken, writes: 1},
		{name: "done by a write, both forms", before: afterPick("refund", amount), late: Answer{Call: "refund", Text: "x"}, state: Done, problem: ErrNotTaken, writes: 1},
		{name: "failed, the same pick", before: afterPick("tag_broken", ""), late: Answer{Call: "tag_broken"}, state: Failed, record: true, writes: 1},
		{name: "failed, another pick", before: afterPick("tag_broken", ""), late: Answer{Call: "tag"}, state: Failed, problem: ErrNotTaken,
			text: []string{"tag_broken, which ran and failed"}, writes: 1},
		{name: "not run, the same pick", before: afterPick("tag_missing", ""), late: Answer{Call: "tag_missing"}, state: NotRun, record: true,
			text: []string{"could not be started"}, writes: 1},
		{name: "unknown, the same pick", before: afterPick("tag_killed", ""), late: Answer{Call: "tag_killed"}, state: Unknown, record: true,
			text: []string{"It is not known whether tag_killed ran", "its call is "}, writes: 1},
		{name: "unknown, another pick", before: afterPick("tag_killed", ""), late: Answer{Call: "tag"}, state: Unknown, problem: ErrNotTaken,
			text: []string{"may have run"}, writes: 1},
		{name: "looked, the same pick", before: afterPick("look", order), late: Answer{Call: "look", Args: []byte(order)}, state: Open, record: true,
			text: []string{"Already done", "goes on as", "-2"}, reads: 1},
		{name: "looked, another pick", before: afterPick("look", order), late: Answer{Call: "tag"}, state: Open, problem: ErrNotTaken,
			text: []string{"already answered by look, which is done", "goes on as", "pick_write for [write]"}, reads: 1},
		{name: "older round, the turn done since", before: func(w *world, h string) string { w.pick(w.say(h, "no").Handle, "tag", ""); return h },
			late: Answer{Call: "close"}, state: Done, problem: ErrNotTaken, writes: 1},
		{name: "older round, refused, the turn done since", before: func(w *world, h string) string { w.pick(w.say(h, "no").Handle, "tag", ""); return h },
			late: Answer{Text: "no"}, state: Done, kind: true, record: true, text: []string{"The turn is over: it is done."}, writes: 1},
		{name: "expired, nothing ran: a fresh menu", before: afterTime(), late: Answer{Call: "tag"}, state: Open, problem: ErrExpired, menu: true,
			text: []string{"has expired. Nothing ran in it", "A new turn"}},
		{name: "expired after looking: none", before: func(w *world, h string) string {
			w.pick(h, "look", order)
			w.clock.add(65 * time.Minute)
			return w.turn(h).handle()
		},
			late: Answer{Call: "tag"}, state: Expired, problem: ErrExpired, reads: 1, text: []string{"what ran in it before stands"}},
		{name: "expired after looking, the same look: recorded", before: func(w *world, h string) string {
			w.pick(h, "look", order)
			w.clock.add(65 * time.Minute)
			w.pick(w.turn(h).handle(), "tag", "")
			return h
		},
			late: Answer{Call: "look", Args: []byte(order)}, state: Expired, record: true, reads: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := tc.before(w, w.open().Handle)
			stood := w.turn(first)
			for range 2 {
				tc.late.Handle = first
				out := w.answer(tc.late)
				if out.State != tc.state || out.Recorded != tc.record {
					t.Errorf("state %s, recorded %v, want %s, %v: %+v", out.State, out.Recorded, tc.state, tc.record, out)
				}
				checkProblem(t, out.Problem, tc.problem, tc.kind)
				if shown := strings.Contains(out.Text, "Call: {"); shown != tc.menu {
					t.Errorf("a menu is shown: %v, want %v:\n%s", shown, tc.menu, out.Text)
				}
				if (out.Options != nil) != (out.State == Open) {
					t.Errorf("%d options in state %s", len(out.Options), out.State)
				}
				contains(t, out.Text, tc.text...)
			}
			if w.read.Load() != tc.reads || w.wrote.Load() != tc.writes {
				t.Errorf("%d reads and %d writes ran, want %d and %d", w.read.Load(), w.wrote.Load(), tc.reads, tc.writes)
			}
			if now := w.turn(first); now.Round != stood.Round || now.Tries != stood.Tries || len(now.Attempts) != len(stood.Attempts) {
				t.Errorf("the late answer changed the turn: %+v, was %+v", now.body, stood.body)
			}
		})
	}
}

func afterText(text string) func(*world, string) string {
	return func(w *world, h string) string { w.say(h, text); return h }
}

func afterTexts(one, two string) func(*world, string) string {
	return func(w *world, h string) string {
		h = w.say(h, one).Handle
		w.say(h, two)
		return h
	}
}

func afterPick(option, args string) func(*world, string) string {
	return func(w *world, h string) string { w.pick(h, option, args); return h }
}

func afterTime() func(*world, string) string {
	return func(w *world, h string) string { w.clock.add(65 * time.Minute); return h }
}

func checkProblem(t *testing.T, got, want error, recorded bool) {
	t.Helper()
	var spent *DecisionError
	switch {
	case recorded:
		if got == nil || errors.Is(got, ErrNotTaken) {
			t.Errorf("problem %v, want the recorded refusal", got)
		}
	case want == nil:
		if got != nil {
			t.Errorf("problem %v, want none", got)
		}
	case errors.As(want, &spent):
		if !errors.As(got, &spent) {
			t.Errorf("problem %v, want a *DecisionError", got)
		}
	case !errors.Is(got, want):
		t.Errorf("problem %v, want %v", got, want)
	}
}

// All who come late to one expired turn are sent to one new turn.
func TestExpiredHasOneSuccessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	w.clock.add(65 * time.Minute)
	handles := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			out := w.pick(h, "tag", "")
			mu.Lock()
			defer mu.Unlock()
			handles[out.Handle]++
		})
	}
	all.Wait()
	if len(handles) != 1 || handles[h] != 0 {
		t.Errorf("sent to %v", handles)
	}
	for next := range handles {
		if out := w.pick(next, "tag", ""); out.State != Done {
			t.Errorf("the new turn came to %+v", out)
		}
	}
	if out := w.pick(h, "tag", ""); out.State != Expired || out.Options != nil {
		t.Errorf("once the new turn is answered: %+v", out)
	}
}

// One fixed text, whatever is wrong with a handle, and no sign of the turn.
func TestNoSuchTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	other := New(w.reg, Options{Store: w.store, Config: "another", Now: w.clock.Now})
	w.must(other.Add(ticket()))
	for name, ask := range map[string]struct {
		eng *Engine
		a   Answer
	}{
		"unknown id":            {w.eng, Answer{Handle: "zzzz-1"}},
		"no handle":             {w.eng, Answer{Handle: ""}},
		"no round":              {w.eng, Answer{Handle: strings.TrimSuffix(h, "-1")}},
		"a round not asked":     {w.eng, Answer{Handle: strings.TrimSuffix(h, "1") + "2"}},
		"another principal":     {w.eng, Answer{Handle: h, Caller: registry.Caller{ID: "os:1001"}}},
		"no principal":          {w.eng, Answer{Handle: h, Caller: registry.Caller{ID: "-"}}},
		"another channel":       {w.eng, Answer{Handle: h, Channel: Command}},
		"another configuration": {other, Answer{Handle: h}},
	} {
		ask.a.Call = "tag"
		if ask.a.Caller.ID == "" {
			ask.a.Caller = desk
		}
		out, err := ask.eng.Answer(context.Background(), ask.eng.View(), ask.a)
		w.must(err)
		if !errors.Is(out.Problem, ErrNoTurn) || out.Text != noTurnText || out.State != "" || out.Decision != "" || out.Options != nil {
			t.Errorf("%s: %+v", name, out)
		}
	}
	w.is(h, Open, 1, 2, 0)
}

// Twenty unknown turns a minute; then nothing is looked up, not even what is there.
func TestGuessing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	for i := range 60 { // slips, and no guesses
		slip := []string{strings.TrimSuffix(h, "1") + fmt.Sprint(2+i), strings.TrimSuffix(h, "-1"), "turn " + h, ""}[i%4]
		if out := w.say(slip, "x"); !errors.Is(out.Problem, ErrNoTurn) {
			t.Fatalf("%q: %+v", slip, out)
		}
	}
	for i := range 20 {
		if out := w.say(fmt.Sprintf("zz%d-1", i), "x"); !errors.Is(out.Problem, ErrNoTurn) {
			t.Fatalf("guess %d: %+v", i, out)
		}
	}
	if out := w.pick(h, "tag", ""); !errors.Is(out.Problem, ErrPaused) {
		t.Errorf("after 20: %+v", out)
	}
	if out := w.answer(Answer{Handle: h, Call: "tag", Caller: registry.Caller{ID: "os:7"}}); !errors.Is(out.Problem, ErrNoTurn) {
		t.Errorf("another principal: %+v", out)
	}
	w.clock.add(time.Minute)
	if out := w.pick(h, "tag", ""); out.State != Done {
		t.Errorf("a minute later: %+v", out)
	}
}

// Long ids can't be found by trying, and one token may be many clients: what one of them gets wrong holds up no other.
func TestLongIDsNeedNoPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.eng.longIDs = true
	h := w.open().Handle
	for i := range 3 * maxGuesses {
		if out := w.say(fmt.Sprintf("zz%d-1", i), "x"); !errors.Is(out.Problem, ErrNoTurn) {
			t.Fatalf("guess %d: %+v", i, out)
		}
	}
	if out := w.pick(h, "tag", ""); out.State != Done {
		t.Errorf("after them all: %+v", out)
	}
}

// Slips of form are free five times a round, then each counts like a refused answer.
func TestSlips(t *testing.T) {
	t.Parallel()
	for name, slip := range map[string]struct {
		answer Answer
		text   string
		kind   string
	}{
		"call and text":   {Answer{Call: "tag", Text: "tag"}, "call with args, or text alone", "ambiguous"},
		"text and args":   {Answer{Text: `{"call":"tag"}`, Args: json.RawMessage(`{"dir":"/tmp/x"}`)}, "text and args", "ambiguous"},
		"text and a list": {Answer{Text: `{"call":"tag"}`, Args: json.RawMessage(`[1]`)}, "text and args", "ambiguous"},
		"text and broken": {Answer{Text: `{"call":"tag"}`, Args: json.RawMessage(`{"dir":`)}, "text and args", "ambiguous"},
		"neither":         {Answer{}, "call with args, or text alone", "no_action"},
		"args alone":      {Answer{Args: json.RawMessage(`{}`)}, "call with args, or text alone", "no_action"},
		"too mild a tool": {Answer{Call: "refund", Args: json.RawMessage(`{"order":"A","amount":1}`), Ceiling: registry.Write}, "call pick_destructive with turn", "ceiling"},
		"in prose":        {Answer{Text: `{"call":"tag"}`, Ceiling: registry.Read}, "call pick_write with turn", "ceiling"},
		"needs approval":  {Answer{Call: "wire"}, "can't be given here. A person has to agree first, and this version can't ask one", "approval_required"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			slip.answer.Handle = w.open().Handle
			first := slip.answer.Handle
			for i := range freeSlips {
				out := w.answer(slip.answer)
				w.is(first, Open, 1, 2, 0)
				if out.Problem == nil || Kind(out.Problem) != slip.kind || out.Handle != first || out.Attempts != 0 {
					t.Fatalf("slip %d: %+v", i+1, out)
				}
				contains(t, out.Text, "Not run", slip.text, "did not count")
				if strings.Contains(out.Text, "next one like it counts") != (i == freeSlips-1) {
					t.Errorf("slip %d: %s", i+1, out.Text)
				}
			}
			out := w.answer(slip.answer)
			w.is(first, Open, 2, 1, 0)
			if out.Attempts != 1 || Kind(out.Problem) != slip.kind {
				t.Errorf("the sixth: %+v", out)
			}
			slip.answer.Handle = out.Handle
			for range freeSlips + 1 {
				out = w.answer(slip.answer)
			}
			if w.is(first, Exhausted, 2, 0, 0); out.State != Exhausted {
				t.Errorf("for ever: %+v", out)
			}
		})
	}
}

// What was left out since it can't run now is told as that, not as unknown.
func TestPickOfWhatIsOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	methods := w.methods("")
	methods[3].Off = "a program is missing"
	w.must(w.eng.Reload(methods, []Decision{ticket()}))
	out := w.open()
	if len(out.Options) != 10 || strings.Contains(out.Text, "tag()") {
		t.Errorf("offered %d options:\n%s", len(out.Options), out.Text)
	}
	out = w.pick(out.Handle, "tag", "")
	if Kind(out.Problem) != "gated" || out.State != Open || w.wrote.Load() != 0 {
		t.Errorf("outcome %+v", out)
	}
}

// An option that has come since the ask was not offered, so it is none of the picks.
func TestOnlyWhatWasOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	off := w.methods("")
	off[3].Off = "a program is missing"
	w.must(w.eng.Reload(off, []Decision{ticket()}))
	h := w.open().Handle
	w.must(w.eng.Reload(w.methods(""), []Decision{ticket()}))
	if out := w.pick(h, "tag", ""); Kind(out.Problem) != "unknown_call" || w.wrote.Load() != 0 {
		t.Errorf("outcome %+v", out)
	}
}

// An equal answer waits for the end of the one that runs, ten seconds at most.
func TestEqualAnswerWaits(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]bool{"in one process": false, "in two": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				h := w.open().Handle
				first := make(chan Outcome, 1)
				go func() { first <- w.pick(h, "tag_slow", "") }()
				synctest.Wait()
				if other {
					w.eng = w.engine()
				}
				begin := time.Now()
				out := w.pick(h, "tag_slow", "")
				if took := time.Since(begin); took != 10*time.Second || out.State != Running || out.Problem != nil || !strings.Contains(out.Text, "Send the same answer again to turn "+h) {
					t.Errorf("after %v: %+v", took, out)
				}
				if out := w.pick(h, "close", ""); !errors.Is(out.Problem, ErrNotTaken) || !strings.Contains(out.Text, "tag_slow, which is still running") {
					t.Errorf("another pick: %+v", out)
				}
				second := make(chan Outcome, 1)
				go func() { second <- w.pick(h, "tag_slow", "") }()
				synctest.Wait()
				close(w.hold)
				a, b := <-first, <-second
				if a.State != Done || a.Recorded || b.State != Done || !b.Recorded || content(a) != content(b) {
					t.Errorf("the first got %+v, the second %+v", a, b)
				}
				w.is(h, Done, 1, 2, 1)
			})
		})
	}
}

// A result that comes after its time settles what was given up as unknown.
func TestLateResult(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		methods := w.methods("")
		for i := range methods {
			methods[i].Timeout = time.Second
		}
		w.must(w.eng.Reload(methods, []Decision{ticket()}))
		h := w.open().Handle
		out := w.pick(h, "tag_slow", "")
		if out.State != Unknown || out.Result.State != registry.Unknown || w.turn(h).State != Unknown {
			t.Fatalf("after its time: %+v", out)
		}
		contains(t, out.Text, "It is not known whether tag_slow ran")
		w.stepped("P running 1 -> unknown 1")
		close(w.hold)
		synctest.Wait()
		w.stepped("P unknown 1 -> done 1")
		if again := w.pick(h, "tag_slow", ""); !again.Recorded || again.State != Done || content(again) != `{"n":1}` {
			t.Errorf("later: %+v", again)
		}
	})
}
