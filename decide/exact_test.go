package decide

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// What may change something is picked exactly or not at all; what only reads may be picked however it is read.
func TestInexact(t *testing.T) {
	t.Parallel()
	exact := []menu.Pick{{Strategy: menu.WholeObject}, {Strategy: menu.InFence}, {Strategy: menu.Format, Form: "hermes"}, {Strategy: menu.InProse}}
	inexact := []menu.Pick{{Strategy: menu.Repaired}, {Strategy: menu.KeyLines}, {Strategy: menu.ByPhrase}}
	for _, s := range []menu.Strategy{menu.WholeObject, menu.InFence, menu.Format, menu.InProse, menu.Repaired, menu.KeyLines, menu.ByPhrase} {
		for _, l := range []menu.Liberty{menu.TrailingComma, menu.MissingClose, menu.Escaped, menu.TextAsNumber, menu.NumberAsText, menu.FoldedName} {
			inexact = append(inexact, menu.Pick{Strategy: s, Liberties: []menu.Liberty{l}})
		}
	}
	for _, effect := range []registry.Effect{registry.Read, registry.Write, registry.Destructive, ""} {
		o := registry.Option{Name: "merge", Method: &registry.Method{Name: "merge_pr", Effect: effect}}
		for _, p := range exact {
			if err := Inexact(p, o); err != nil {
				t.Errorf("[%s] by %s: %v", effect, p.Strategy, err)
			}
		}
		for _, p := range inexact {
			err := Inexact(p, o)
			if (err == nil) != (effect == registry.Read) {
				t.Errorf("[%s] by %s with %v: %v", effect, p.Strategy, p.Liberties, err)
			}
			var invalid *validate.Error
			if err == nil {
				continue
			}
			if !errors.As(err, &invalid) || invalid.Kind != validate.BadArgs || invalid.Subject != "merge" {
				t.Fatalf("got %#v", err)
			}
			text := invalid.Fix()
			for _, l := range p.Liberties {
				if !strings.Contains(text, string(l)) {
					t.Errorf("%q does not name %q", text, l)
				}
			}
			if !strings.Contains(text, "["+string(effect.Or())+"]") || !strings.Contains(text, "as one exact JSON object") {
				t.Errorf("the text is %q", text)
			}
		}
	}
}

// An inexact answer counts like any bad one, whatever way it came, and nothing of it runs; the exact one after it does.
func TestGateInATurn(t *testing.T) {
	t.Parallel()
	sound := `{"call": "refund", "args": {"order": "A", "amount": 12}}`
	for _, tc := range []struct {
		name    string
		lenient bool
		answer  Answer
		says    string
	}{
		{"a trailing comma", false, Answer{Text: `{"call": "refund", "args": {"order": "A", "amount": 12,}}`}, string(menu.TrailingComma)},
		{"single quotes in a fence", false, Answer{Text: "```json\n{'call': 'refund', 'args': {'order': 'A', 'amount': 12}}\n```"}, string(menu.OtherQuotes)},
		{"a text for a number", true, Answer{Text: `{"call": "refund", "args": {"order": "A", "amount": "12"}}`}, string(menu.TextAsNumber)},
		{"a text for a number, with its place", true, Answer{Text: `{"call": "refund", "args": {"order": "A", "amount": "12"}}`}, `- args.amount: expected a number, got the text "12"`},
		{"a name in other case", true, Answer{Text: `{"call": "Refund", "args": {"order": "A", "amount": 12}}`}, string(menu.FoldedName)},
		{"a name in other case, with the right one", true, Answer{Text: `{"call": "Refund", "args": {"order": "A", "amount": 12}}`}, `Did you mean "refund"?`},
		{"in parts, with its place", true, Answer{Call: "refund", Args: json.RawMessage(`{"order": "A", "amount": "12"}`)}, `- args.amount: expected a number, got the text "12"`},
		{"in parts, a text for a number", true, Answer{Call: "refund", Args: json.RawMessage(`{"order": "A", "amount": "12"}`)}, string(menu.TextAsNumber)},
		{"in parts, a name in other case", true, Answer{Call: "Refund", Args: json.RawMessage(`{"order": "A", "amount": 12}`)}, string(menu.FoldedName)},
		{"through a tool that would do", true, Answer{Call: "Refund", Args: json.RawMessage(`{"order": "A", "amount": 12}`), Ceiling: registry.Destructive}, string(menu.FoldedName)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			d := ticket()
			d.Reading.Lenient = tc.lenient
			w.must(w.eng.Replace([]Decision{d}))
			a := tc.answer
			a.Handle = w.open().Handle
			out := w.answer(a)
			if Kind(out.Problem) != "bad_args" || out.Option != "refund" || out.State != Open || !strings.Contains(out.Text, tc.says) {
				t.Errorf("got %s of %q, %s: %s", Kind(out.Problem), out.Option, out.State, out.Text)
			}
			w.is(out.Handle, Open, 2, 1, 0)
			if out := w.say(out.Handle, sound); out.State != Done {
				t.Errorf("the exact pick: %+v", out)
			}
			w.is(out.Handle, Done, 2, 1, 1)
		})
	}
}

// The same liberties are nothing against an option that only reads.
func TestNoGateForReads(t *testing.T) {
	t.Parallel()
	for _, answer := range []Answer{
		{Text: `{'call': 'peek', 'args': {'order': 'A',}}`},
		{Text: `{"call": "Peek", "args": {"order": "A"}}`},
		{Call: "PEEK", Args: json.RawMessage(`{"order": "A"}`)},
	} {
		w := newWorld(t)
		d := ticket()
		d.Reading.Lenient = true
		w.must(w.eng.Replace([]Decision{d}))
		answer.Handle = w.open().Handle
		if out := w.answer(answer); out.State != Done || out.Option != "peek" {
			t.Errorf("%+v: %+v", answer, out)
		}
	}
}

// An inexact pick says nothing about an option that can't run now, and runs nothing.
func TestGateOfOptionsThatAreOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	methods := w.methods("")
	methods[3].Off = "a program is missing"
	w.must(w.eng.Reload(methods, []Decision{ticket()}))
	out := w.say(w.open().Handle, `{'call': 'tag'}`)
	if Kind(out.Problem) != "gated" || out.State != Open {
		t.Errorf("got %s, %s: %s", Kind(out.Problem), out.State, out.Text)
	}
	w.is(out.Handle, Open, 1, 2, 0)
}

// gatedReply is a reply that means something else than to merge PR T-17, or can't be trusted to mean it.
type gatedReply struct {
	Why   string `json:"why"`
	Reply string `json:"reply"`
	Cut   bool   `json:"cut"`
}

// None of the replies that were seen to fool other readers makes the gated option run, strictly or leniently read, with the last try
// or an earlier one. The same pick, written exactly, does run, so that the test can fail.
func TestNoGatedPick(t *testing.T) {
	t.Parallel()
	replies := gatedReplies(t)
	for _, lenient := range []bool{false, true} {
		for _, r := range replies {
			w := gatedWorld(t, lenient)
			h := w.open().Handle
			for range 2 {
				out := w.answer(Answer{Handle: h, Text: r.Reply, Cut: r.Cut})
				h = out.Handle
			}
			if n := w.wrote.Load(); n > 0 {
				t.Errorf("%s, lenient %v: merged by %q", r.Why, lenient, r.Reply)
			}
		}
		w := gatedWorld(t, lenient)
		if out := w.say(w.open().Handle, `{"call": "merge", "args": {"ticket": "T-17"}}`); out.State != Done || w.wrote.Load() != 1 {
			t.Errorf("the exact pick, lenient %v: %+v", lenient, out)
		}
	}
}

func gatedReplies(t *testing.T) []gatedReply {
	t.Helper()
	f, err := os.Open("testdata/gated.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var replies []gatedReply
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r gatedReply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Why == "" || r.Reply == "" {
			t.Fatalf("line %d: %v", len(replies)+1, err)
		}
		replies = append(replies, r)
	}
	if err := lines.Err(); err != nil || len(replies) < 23 {
		t.Fatalf("%d replies, %v", len(replies), err)
	}
	return replies
}

// gatedWorld is a world whose decision offers to merge, which is destructive, and to do nothing.
func gatedWorld(t *testing.T, lenient bool) *world {
	w := newWorld(t)
	merge := registry.Method{Name: "merge_pr", Summary: "Merges.", Effect: registry.Destructive, Run: w.writes(nil), Params: []registry.Param{
		{Name: "ticket", Type: registry.String}, {Name: "why", Type: registry.String, Optional: true},
	}}
	w.must(w.reg.Add(merge))
	d := Decision{
		Name: "ticket", Prompt: "Ticket:\n{text}", Params: []registry.Param{{Name: "text", Type: registry.String}}, MaxRetries: 1,
		Options: []Option{Func("merge", "merge_pr"), Value("no_work", "nothing"), Value("wait", "waits")},
		Reading: menu.Reading{Lenient: lenient, Phrases: []menu.Phrase{{Text: "there is nothing to do", Option: "no_work"}}},
	}
	w.must(w.eng.Replace([]Decision{d}))
	return w
}
