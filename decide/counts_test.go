package decide

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// What the answers to one turn add to the counts.
func TestAnswersAreCounted(t *testing.T) {
	t.Parallel()
	say := func(texts ...string) []Answer {
		var all []Answer
		for _, text := range texts {
			all = append(all, Answer{Text: text})
		}
		return all
	}
	const peek, look = `{"call": "peek", "args": {"order": "A"}}`, `{"call": "look", "args": {"order": "A"}}`
	type sums = map[string]int
	for _, tc := range []struct {
		name      string
		onFailure string
		answers   []Answer
		want      sums // beside the one turn
	}{
		{"none", "", nil, sums{}},
		{"an object", "", say(peek), sums{"object taken": 1, "firsts": 1, "firsts taken": 1}},
		{"a fence", "", say("Let me look.\n```json\n" + peek + "\n```"), sums{"fence taken": 1, "firsts": 1, "firsts taken": 1}},
		{"prose", "", say("Let me look.\n" + peek), sums{"prose taken": 1, "firsts": 1, "firsts taken": 1}},
		{"parts", "", []Answer{{Call: "peek", Args: []byte(`{"order":"A"}`)}}, sums{"parts taken": 1, "firsts": 1, "firsts taken": 1}},
		{"repaired", "", say(`{"call": "peek", "args": {"order": "A",}}`), sums{"repaired taken": 1, "firsts": 1, "firsts taken": 1, "repaired": 1}},
		{"a write", "", say(`{"call": "tag"}`), sums{"object taken": 1, "firsts": 1, "firsts taken": 1}},
		{"a write that fails", "", say(`{"call": "tag_broken"}`), sums{"object taken": 1, "firsts": 1, "firsts taken": 1}},
		{"a write that is repaired, then one that is not", "", say(`{'call': 'tag'}`, `{"call": "tag"}`),
			sums{"repaired bad_args": 1, "object taken": 1, "firsts": 1, "retries": 1}},
		{"no pick, then one", "", say("Well.", peek), sums{"none no_action": 1, "object taken": 1, "firsts": 1, "retries": 1}},
		{"a pick that does not fit", "", say(`{"call": "peek"}`), sums{"object missing_required": 1, "firsts": 1}},
		{"a wrong name", "", say(`{"call": "pick"}`), sums{"none unknown_call": 1, "firsts": 1}},
		{"two picks", "", say(peek + "\n" + look), sums{"none ambiguous": 1, "firsts": 1}},
		{"the same again", "", say(peek, peek, peek), sums{"object taken": 1, "firsts": 1, "firsts taken": 1, "none recorded": 2}},
		{"another one, too late", "", say(peek, look), sums{"object taken": 1, "firsts": 1, "firsts taken": 1, "none not_counted": 1}},
		{"spent", "", say("no", "no", "no again"), sums{"none no_action": 2, "none not_counted": 1, "firsts": 1, "retries": 1, "exhausted": 1}},
		{"spent, with a safe default", "close", say("no", "no", "no again"),
			sums{"none no_action": 2, "none not_counted": 1, "firsts": 1, "retries": 1, "defaults": 1}},
		{"a look, then a pick", "", say(look, peek), sums{"object taken": 2, "firsts": 2, "firsts taken": 2}},
		{"a look after a retry, then a pick after another", "", say("no", look, "no", peek), sums{"none no_action": 2, "object taken": 2, "firsts": 2, "retries": 2}},
		{"the wrong tool, then the right one", "", []Answer{{Call: "tag", Ceiling: registry.Read}, {Call: "tag", Ceiling: registry.Write}},
			sums{"parts not_counted": 1, "parts taken": 1, "firsts": 1, "firsts taken": 1}},
		{"neither text nor call", "", []Answer{{}}, sums{"none not_counted": 1}},
		{"what needs an approval", "", say(`{"call": "wire"}`), sums{"object not_counted": 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w, counts := countingWorld(t, tc.onFailure)
			handle := w.open().Handle
			for _, a := range tc.answers {
				a.Handle = handle
				if out := w.answer(a); out.State == Open {
					handle = out.Handle
				}
			}
			tc.want["opened"] = 1
			got := counts.Read()
			for what, tally := range map[string]trace.Tally{"in all": got.All, "of the decision": got.Decisions["ticket"]} {
				if diff := cmp.Diff(tc.want, sumsOf(tally)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if n := len(w.trace.List()); n != 1+len(tc.answers) {
				t.Errorf("%d records were handed on", n)
			}
		})
	}
}

// countingWorld is a world whose records are counted.
func countingWorld(t *testing.T, onFailure string) (*world, *trace.Counts) {
	w := newWorld(t)
	counts := trace.NewCounts(w.trace, w.clock.Now())
	w.eng = New(w.reg, Options{Store: w.store, Recorder: counts, Config: "test", Now: w.clock.Now, Random: w.random})
	d := ticket()
	d.OnFailure = onFailure
	w.must(w.eng.Add(d))
	return w, counts
}

// sumsOf are the numbers of a tally that are not 0.
func sumsOf(t trace.Tally) map[string]int {
	sums := map[string]int{
		"opened": t.Opened, "firsts": t.Firsts, "firsts taken": t.FirstsOK, "repaired": t.Repaired, "retries": t.Retries,
		"defaults": t.Defaults, "exhausted": t.Exhausted,
	}
	for a, n := range t.Answers {
		sums[a.Strategy+" "+a.Outcome] = n
	}
	maps.DeleteFunc(sums, func(_ string, n int) bool { return n == 0 })
	return sums
}

// The words of the reader and of the checks are those that are counted under.
func TestCountedWords(t *testing.T) {
	t.Parallel()
	for _, s := range []menu.Strategy{menu.WholeObject, menu.InFence, menu.Format, menu.InProse, menu.Repaired, menu.KeyLines, menu.ByPhrase, inParts} {
		if !slices.Contains(trace.Strategies(), string(s)) {
			t.Errorf("%q is not counted under its name", s)
		}
	}
	for _, k := range []validate.Kind{validate.NoAction, validate.UnknownCall, validate.BadArgs, validate.Ambiguous, validate.MissingRequired, validate.TypeMismatch, validate.EnumViolation} {
		if !slices.Contains(trace.Outcomes(), string(k)) {
			t.Errorf("%q is not counted under its name", k)
		}
	}
}

// An answer to no turn counts in the sum, and for no decision.
func TestAnswersToNoTurnAreCounted(t *testing.T) {
	t.Parallel()
	w, counts := countingWorld(t, "")
	w.say("nope-1", "x")
	_, _ = w.call(Call{Method: "tag"})
	got := counts.Read()
	if n := got.All.Answers[trace.Answer{Strategy: "none", Outcome: trace.NotCounted}]; n != 1 || len(got.All.Answers) != 1 || len(got.Decisions) != 0 {
		t.Errorf("counted %+v", got)
	}
}
