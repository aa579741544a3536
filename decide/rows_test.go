package decide

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

const order = `{"order":"A-1"}`

// Each row of the machine of a turn: what moves it, by which transaction of which class, and what a resend then gets.
func TestRows(t *testing.T) {
	t.Parallel()
	rows := map[string]func(*testing.T, *world){
		"T1 opens":                               rowT1,
		"T1 leaves nothing when it fails":        rowT1Fails,
		"T2 refused with tries left":             rowT2,
		"T2 counts once however often it comes":  rowT2Resent,
		"T2 not counted when it can't be stored": rowT2Fails,
		"T3 an option's definition changed":      rowT3,
		"T3 three times, then expired":           rowT3Spent,
		"T3 the decision is gone":                rowT3Gone,
		"T4 the last refused, on_failure taken":  rowT4,
		"T4 on_failure fails":                    rowT4Failed,
		"T4 on_failure gated: exhausted":         rowT4Gated,
		"T5 the last refused, nothing to take":   rowT5,
		"T6 a read ends the turn":                rowT6,
		"T6 a read that fails ends it too":       rowT6Failed,
		"T6 the loser tells the winner's record": rowT6Loser,
		"T6 a read whose caller leaves is none":  rowT6Left,
		"T4 on_failure whose caller leaves":      rowT4Left,
		"T6a looks, and the turn goes on":        rowT6a,
		"T6a up to the last round":               rowT6aSpent,
		"T7 claims before it runs":               rowT7,
		"T7 no intent, no run":                   rowT7Fails,
		"T12 expires from the opening":           rowT12,
		"T12 does not touch what runs":           rowT12Running,
		"T13 done, failed, not_run, unknown":     rowT13,
		"T13 not recorded is tried again":        rowT13Owed,
		"T13 without its caller":                 rowT13Gone,
	}
	for name, test := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t))
		})
	}
}

func rowT1(t *testing.T, w *world) {
	out := w.open()
	w.stepped("K - -> open 1")
	w.is(out.Handle, Open, 1, 2, 0)
	if out.State != Open || out.Decision != "ticket" || len(out.Options) != 11 || out.Problem != nil || out.Attempts != 0 {
		t.Errorf("opened %+v", out)
	}
	want := []string{"ticket, turn " + out.Handle, "> (text: as you gave it, 9 characters)", "look(order: string) [read]", "Nothing has run yet.",
		"pick_read for [read], pick_write for [write] or pick_destructive for [destructive] with turn \"" + out.Handle + "\"", "Open for 60 minutes."}
	contains(t, out.Text, want...)
}

func rowT1Fails(t *testing.T, w *world) {
	v := w.eng.View()
	d, _ := v.Decision("ticket")
	open := func(inputs string) error {
		out, err := w.eng.Open(context.Background(), v, Opening{Decision: d, Inputs: json.RawMessage(inputs), Caller: desk})
		if err == nil || out.Handle != "" {
			t.Errorf("opened %+v, %v", out, err)
		}
		return err
	}
	var invalid *validate.Error
	if err := open(`{}`); !errors.As(err, &invalid) || invalid.Kind != validate.MissingRequired {
		t.Errorf("without its input: %v", err)
	}
	w.store.fail("insert")
	if err := open(`{"text":"x"}`); !errors.Is(err, errDisk) {
		t.Errorf("on a full disk: %v", err)
	}
}

func rowT2(t *testing.T, w *world) {
	first := w.open().Handle
	out := w.say(first, "I would rather not.")
	w.stepped("K open 1 -> open 2")
	w.is(first, Open, 2, 1, 0)
	var invalid *validate.Error
	if !errors.As(out.Problem, &invalid) || invalid.Kind != validate.NoAction || out.State != Open || out.Attempts != 1 || out.Recorded {
		t.Errorf("outcome %+v", out)
	}
	if out.Handle == first || !strings.HasSuffix(out.Handle, "-2") {
		t.Errorf("the next ask is %s", out.Handle)
	}
	contains(t, out.Text, "Pick 1 of 2 for turn "+first, "with turn \""+out.Handle+"\"")

	out = w.pick(out.Handle, "refund", `{"order":"A-1","amount":"39,90 EUR"}`)
	if out.Problem == nil || w.wrote.Load() != 0 {
		t.Errorf("a wrong amount: %+v", out)
	}
}

func rowT2Resent(t *testing.T, w *world) {
	first := w.open().Handle
	told := w.pick(first, "refund", `{"order": "A-1"}`)
	for range 3 {
		again := w.pick(first, "refund", `{"order":"A-1"}`)
		w.is(first, Open, 2, 1, 0)
		if !again.Recorded || again.Handle != told.Handle || again.Problem.Error() != told.Problem.Error() || !strings.Contains(again.Text, told.Text) {
			t.Errorf("the resend got %+v, want what was told first: %+v", again, told)
		}
	}
}

func rowT2Fails(t *testing.T, w *world) {
	first := w.open().Handle
	w.store.fail("swap")
	if out, err := w.eng.Answer(context.Background(), w.eng.View(), Answer{Handle: first, Text: "no", Caller: desk}); !errors.Is(err, errDisk) {
		t.Errorf("got %+v, %v", out, err)
	}
	w.store.fail("")
	w.is(first, Open, 1, 2, 0)
	if out := w.pick(first, "close", ""); out.State != Done {
		t.Errorf("then: %+v", out)
	}
}

func rowT3(t *testing.T, w *world) {
	first := w.open().Handle
	w.must(w.eng.Reload(w.methods("v2"), []Decision{ticket()}))
	out := w.pick(first, "close", "") // it is another option that changed
	w.stepped("K open 1 -> open 2")
	w.is(first, Open, 2, 2, 0)
	if !errors.Is(out.Problem, ErrChanged) || out.Attempts != 0 {
		t.Errorf("outcome %+v", out)
	}
	contains(t, out.Text, "has changed", "turn "+out.Handle, "refund(")
	again := w.pick(first, "close", "")
	if again.Handle != out.Handle || !errors.Is(again.Problem, ErrNotTaken) {
		t.Errorf("the resend got %+v", again)
	}
	if out = w.pick(out.Handle, "refund", `{"order":"A-1","amount":1}`); out.State != Done || w.wrote.Load() != 1 {
		t.Errorf("then: %+v", out)
	}
}

func rowT3Spent(t *testing.T, w *world) {
	h := w.open().Handle
	for i := range 3 {
		w.must(w.eng.Reload(w.methods(strings.Repeat("v", i+2)), []Decision{ticket()}))
		h = w.pick(h, "close", "").Handle
	}
	w.is(h, Open, 4, 2, 0)
	d := ticket()
	d.Prompt = "Another question about:\n{text}"
	w.must(w.eng.Reload(w.methods("vvvv"), []Decision{d}))
	out := w.pick(h, "close", "")
	w.is(h, Expired, 4, 2, 0)
	if !errors.Is(out.Problem, ErrExpired) || out.State != Open || out.Handle == h {
		t.Errorf("outcome %+v, want a fresh turn", out)
	}
}

func rowT3Gone(t *testing.T, w *world) {
	h := w.open().Handle
	w.must(w.eng.Replace(nil))
	out := w.pick(h, "close", "")
	w.is(h, Expired, 1, 2, 0)
	if !errors.Is(out.Problem, ErrExpired) || out.State != Expired || out.Options != nil {
		t.Errorf("outcome %+v", out)
	}
}

func withFallback(w *world, name string) string {
	d := ticket()
	d.OnFailure = name
	w.must(w.eng.Replace([]Decision{d}))
	h := w.open().Handle
	return w.say(h, "no").Handle
}

func rowT4(t *testing.T, w *world) {
	h := withFallback(w, "close")
	out := w.say(h, "no!")
	w.stepped("K open 2 -> done 2")
	if out.State != Done || !out.OnFailure || out.Option != "close" || out.Problem != nil || out.Recorded || out.Attempts != 2 {
		t.Errorf("outcome %+v", out)
	}
	if got := content(out); got != `{"status":"closed"}` {
		t.Errorf("its result is %q", got)
	}
	if row := w.turn(h); row.Origin != "on_failure" {
		t.Errorf("the origin is %q", row.Origin)
	}
	again := w.say(h, "no!")
	if !again.Recorded || !again.OnFailure || again.Option != "close" || content(again) != content(out) {
		t.Errorf("the resend got %+v", again)
	}
}

func rowT4Failed(t *testing.T, w *world) {
	h := withFallback(w, "peek_broken")
	out := w.say(h, "no!")
	w.stepped("K open 2 -> failed 2")
	if out.State != Failed || !out.OnFailure || out.Result == nil || out.Result.State != registry.Failed {
		t.Errorf("outcome %+v", out)
	}
}

func rowT4Gated(t *testing.T, w *world) {
	h := withFallback(w, "peek_broken")
	methods := w.methods("")
	d := ticket()
	d.OnFailure = "peek_broken"
	methods[1].Off = "a program is missing"
	w.must(w.eng.Reload(methods, []Decision{d}))
	h = w.say(h, "no!").Handle // changed: a new ask, without the option
	out := w.say(h, "no!")
	if out.State != Exhausted || out.OnFailure || w.read.Load() != 0 {
		t.Errorf("outcome %+v", out)
	}
}

func rowT5(t *testing.T, w *world) {
	h := w.open().Handle
	h = w.say(h, "one").Handle
	out := w.pick(h, "refund", `{"order":"A-1"}`)
	w.stepped("K open 2 -> exhausted 2")
	var spent *DecisionError
	if out.State != Exhausted || out.Options != nil || !errors.As(out.Problem, &spent) {
		t.Fatalf("outcome %+v", out)
	}
	if spent.Kind != validate.MissingRequired || len(spent.Problems) != 1 || spent.Attempts != 2 || len(spent.Replies) != 2 || spent.Replies[0] != "" {
		// The replies are not kept: an option takes a secret.
		t.Errorf("error %+v", spent)
	}
	again := w.pick(h, "refund", `{"order":"A-1"}`)
	if again.State != Exhausted || !errors.As(again.Problem, &spent) {
		t.Errorf("the resend got %+v", again)
	}
}

func rowT6(t *testing.T, w *world) {
	h := w.open().Handle
	out := w.pick(h, "peek", order)
	w.stepped("K open 1 -> done 1")
	if out.State != Done || out.Handle != h || out.Option != "peek" || out.Method != "lookup" || out.Problem != nil || out.Options != nil {
		t.Errorf("outcome %+v", out)
	}
	if out.Text != "Ran peek (lookup). Nothing was changed.\nThe turn is over." {
		t.Errorf("text %q", out.Text)
	}
	again := w.say(h, "I pick this.\n\n{\"call\": \"peek\", \"args\": {\"order\": \"A\\u002d1\"}}")
	if !again.Recorded || content(again) != content(out) || w.read.Load() != 1 {
		t.Errorf("the same pick in other words got %+v, %d reads", again, w.read.Load())
	}
}

func rowT6Failed(t *testing.T, w *world) {
	h := w.open().Handle
	out := w.pick(h, "peek_broken", "")
	w.stepped("K open 1 -> failed 1")
	if out.State != Failed || out.Result == nil || out.Result.Err == nil || out.Problem != nil {
		t.Errorf("outcome %+v", out)
	}
	if again := w.pick(h, "peek_broken", ""); !again.Recorded || again.State != Failed || again.Result.Err == nil || w.read.Load() != 1 {
		t.Errorf("the resend got %+v", again)
	}
}

// Both equal reads run; the one that commits second tells what the first one recorded.
func rowT6Loser(t *testing.T, w *world) {
	h := w.open().Handle
	var other Outcome
	w.store.each(func(op string, _ Class, was, next TurnRow) error {
		if op == "swap" && next.State == Done {
			w.store.each(nil)
			other = w.pick(h, "peek", order)
		}
		return nil
	})
	out := w.pick(h, "peek", order)
	if other.Recorded || !out.Recorded || content(out) != content(other) || w.read.Load() != 2 {
		t.Errorf("%d reads; the winner %+v, the loser %+v", w.read.Load(), other, out)
	}
}

func rowT6a(t *testing.T, w *world) {
	first := w.open().Handle
	second := w.say(first, "hm").Handle
	out := w.pick(second, "look", order)
	w.stepped("K open 2 -> open 3")
	w.is(first, Open, 3, 2, 0) // tries renewed
	if out.State != Open || !strings.HasSuffix(out.Handle, "-3") || out.Result == nil || out.Options == nil {
		t.Errorf("outcome %+v", out)
	}
	if want := "Ran look (lookup). Nothing was changed.\nThe turn goes on as " + out.Handle + "; the same options stand."; out.Text != want {
		t.Errorf("text %q, want %q", out.Text, want)
	}
	again := w.pick(second, "look", order)
	if !again.Recorded || again.Handle != out.Handle || again.State != Open || content(again) != content(out) || w.read.Load() != 1 {
		t.Errorf("the resend got %+v", again)
	}
	last := w.pick(out.Handle, "refund", `{"order":"A-1","amount":39.9}`)
	if last.State != Done || w.wrote.Load() != 1 {
		t.Errorf("then: %+v", last)
	}
}

func rowT6aSpent(t *testing.T, w *world) {
	h := w.open().Handle
	for range maxRounds - 1 {
		h = w.pick(h, "look", order).Handle
	}
	w.is(h, Open, maxRounds, 2, 0)
	out := w.pick(h, "look", order)
	w.is(h, Done, maxRounds, 2, 0)
	contains(t, out.Text, "20 rounds are used")
}

// content is the text of an outcome's result.
func content(out Outcome) string {
	if out.Result == nil {
		return ""
	}
	var b strings.Builder
	for _, block := range out.Result.Content {
		b.WriteString(block.Text)
	}
	return b.String()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("the text lacks %q:\n%s", p, text)
		}
	}
}

// leavesIn has the caller leave while the i-th method runs, which stops then.
func leavesIn(w *world, i int) context.Context {
	ctx, leave := context.WithCancel(context.Background())
	methods := w.methods("")
	run := methods[i].Run
	methods[i].Run = func(within context.Context, args registry.Args) (any, error) {
		if ctx.Err() != nil {
			return run(within, args) // the next caller stays
		}
		leave()
		<-within.Done()
		return nil, within.Err()
	}
	w.must(w.reg.Replace(methods))
	return ctx
}

func rowT6Left(t *testing.T, w *world) {
	h := w.open().Handle
	ctx := leavesIn(w, 0)
	a := Answer{Handle: h, Call: "peek", Args: json.RawMessage(order), Caller: desk}
	if out, err := w.eng.Answer(ctx, w.eng.View(), a); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left got %+v, %v", out, err)
	}
	w.is(h, Open, 1, 2, 0)
	w.stepped("K - -> open 1")
	if out := w.answer(a); out.State != Done || out.Recorded || w.read.Load() != 1 {
		t.Errorf("the same answer again: %+v, %d reads", out, w.read.Load())
	}
}

func rowT4Left(t *testing.T, w *world) {
	h := withFallback(w, "peek_broken")
	ctx := leavesIn(w, 1)
	if out, err := w.eng.Answer(ctx, w.eng.View(), Answer{Handle: h, Text: "no!", Caller: desk}); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller who left got %+v, %v", out, err)
	}
	w.is(h, Open, 2, 1, 0)
	if out := w.say(h, "no!"); out.State != Failed || !out.OnFailure || out.Recorded {
		t.Errorf("the same answer again: %+v", out)
	}
}
