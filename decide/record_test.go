package decide

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Every opening, answer and call leaves one record, with what was bound and nothing that is secret.
func TestRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.open().Handle
	w.answer(Answer{Handle: h, Call: "tag", Ceiling: registry.Read, Reason: "it is\nbroken"})
	h2 := w.say(h, "no").Handle
	args := `{"order":"A","amount":1,"pin":"1234","colour":"red"}`
	w.pick(h2, "refund", args)
	w.pick(h2, "refund", args)
	w.pick(h2, "tag", "")
	w.say("nope-1", "x")
	_, err := w.call(Call{Method: "refund", Args: json.RawMessage(args)})
	w.must(err)
	_, err = w.call(Call{Method: "tag_broken", Path: "command"})
	w.must(err)
	_, _ = w.call(Call{Method: "wire"})

	bound := json.RawMessage(`{"order":"A","amount":1,"note":"none","pin":"***"}`)
	want := []trace.Record{
		{Path: "menu", Decision: "ticket", Turn: h, State: "opened"},
		{Path: "menu", Decision: "ticket", Turn: h, Option: "tag", Method: "tag", State: "refused", Error: "ceiling", Reason: `it is broken`, Strategy: "parts"},
		{Path: "menu", Decision: "ticket", Turn: h, State: "refused", Error: "no_action", Attempt: 1, Refused: "no_action"},
		{Path: "menu", Decision: "ticket", Turn: h2, Option: "refund", Method: "refund", Args: bound, Dropped: []string{"args.colour"}, State: "done", Strategy: "parts", Attempt: 2, Output: `{"n":1}`},
		{Path: "menu", Decision: "ticket", Turn: h2, Option: "refund", State: "recorded"},
		{Path: "menu", Decision: "ticket", Turn: h2, State: "refused", Error: "not_taken"},
		{Path: "menu", Turn: "nope-1", State: "refused", Error: "no_turn"},
		{Path: "native", Method: "refund", Args: bound, Dropped: []string{"args.colour"}, State: "done", Output: `{"n":2}`},
		{Path: "command", Method: "tag_broken", Args: json.RawMessage(`{}`), State: "failed", Error: "no such order", Output: "tag_broken failed: no such order"},
		{Path: "native", Method: "wire", State: "refused", Error: "approval_required"},
	}
	for i := range want {
		want[i].Caller, want[i].Config, want[i].Time = desk.ID, w.eng.Config(), w.clock.Now()
	}
	got := w.trace.List()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(trace.Record{}, "ID", "RunTook", "Root", "ReplyDigest", "Menu", "Call")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	all, err := json.Marshal(got)
	if err != nil || strings.Contains(string(all), "1234") {
		t.Errorf("the records hold a secret: %s, %v", all, err)
	}
}

// The time that an answer took is the engine's clock's.
func TestRecordTook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(w.reg.Add(registry.Method{Name: "slow", Summary: "Slow.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) {
		w.clock.add(time.Second)
		return nil, nil
	}}))
	if _, err := w.call(Call{Method: "slow"}); err != nil {
		t.Fatal(err)
	}
	if got := w.trace.List()[0].Took; got != time.Second {
		t.Errorf("took %v", got)
	}
}

// What names no turn and no method is told and recorded as one short line, whatever somebody made up.
func TestMadeUpNamesAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := "\x1b[2J\nk7m2" + strings.Repeat("A", 1<<20)
	out := w.say(name, "x")
	_, err := w.call(Call{Method: name})
	var no *registry.Refused
	if !errors.As(err, &no) {
		t.Fatal(err)
	}
	l := w.trace.List()
	for what, got := range map[string]string{"outcome": out.Handle, "recorded turn": l[0].Turn, "recorded method": l[1].Method, "refused method": no.Method} {
		if n := utf8.RuneCountInString(got); n > maxNamed || strings.ContainsAny(got, "\x1b\n") || !strings.Contains(got, "k7m2A") {
			t.Errorf("%s: %d characters: %+.100q", what, n, got)
		}
	}
}

// An answer that ends a turn with nothing is recorded as that, with the kind of the last refusal.
func TestRecordOfTheLastRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say(w.say(w.open().Handle, "no").Handle, "no")
	if last := w.trace.List()[2]; last.State != "exhausted" || last.Error != "no_action" {
		t.Errorf("recorded %+v", last)
	}
}
