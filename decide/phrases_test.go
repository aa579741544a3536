package decide

import (
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/menu"
)

// hearing is a world whose decision knows these phrases.
func hearing(t *testing.T, how menu.Reading) *world {
	w := newWorld(t)
	d := ticket()
	d.None, d.Reading = true, how
	w.must(w.eng.Replace([]Decision{d}))
	return w
}

var spoken = menu.Reading{Phrases: []menu.Phrase{
	{Text: "nothing is left to do", Option: "close"}, {Text: "I can't say which one fits", Option: NoneOfThese}, {Text: "Let me peek", Option: "peek_broken"},
}}

// A phrase takes its option when nothing else is picked, and is recorded as what it is; in parts there are no phrases.
func TestPhrases(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		answer Answer
		option string // "" = refused
	}{
		{"a phrase", Answer{Text: "Well. Nothing is left to do."}, "close"},
		{"one for the abstaining option", Answer{Text: "I can't say which one fits."}, NoneOfThese},
		{"one for a method", Answer{Text: "Let me peek."}, "peek_broken"},
		{"a pick beside a phrase", Answer{Text: "Nothing is left to do.\n" + `{"call": "tag"}`}, "tag"},
		{"a phrase denied", Answer{Text: "I do not think that nothing is left to do."}, ""},
		{"two phrases", Answer{Text: "Nothing is left to do. Let me peek."}, ""},
		{"a phrase as the option of a pick", Answer{Call: "nothing is left to do"}, ""},
		{"a phrase in a reply that was cut", Answer{Text: "Nothing is left to do", Cut: true}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := hearing(t, spoken)
			tc.answer.Handle = w.open().Handle
			out := w.answer(tc.answer)
			if tc.option == "" {
				if out.Problem == nil || out.Result != nil {
					t.Errorf("it picks %s", out.Option)
				}
				return
			}
			if out.Option != tc.option || out.Result == nil {
				t.Fatalf("it picks %q: %s", out.Option, out.Text)
			}
			last := w.trace.List()[1]
			if byPhrase := last.Strategy == string(menu.ByPhrase); byPhrase != (tc.option != "tag") || last.Attempt != 1 {
				t.Errorf("recorded %+v", last)
			}
		})
	}
}

// A phrase may be as long in any script.
func TestLongPhrasesAreHeard(t *testing.T) {
	t.Parallel()
	for _, letter := range []string{"x", "ж", "事", "\U0001d41a"} {
		if p := (menu.Phrase{Text: strings.Repeat(letter, maxPhrase), Option: "x"}); !Heard(p) {
			t.Errorf("%d × %q", maxPhrase, letter)
		}
	}
}

// A change of how replies are read is a change of what an answer means: a turn that is open is asked again, and an answer to the ask of
// before is not looked at.
func TestAnotherReadingIsAnotherDecision(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]menu.Reading{
		"lenient":       {Lenient: true, Phrases: spoken.Phrases},
		"no phrases":    {},
		"other words":   {Phrases: []menu.Phrase{{Text: "we are done", Option: "close"}, spoken.Phrases[1], spoken.Phrases[2]}},
		"other options": {Phrases: []menu.Phrase{{Text: "nothing is left to do", Option: "peek_broken"}, spoken.Phrases[1], spoken.Phrases[2]}},
	} {
		w := hearing(t, spoken)
		h := w.open().Handle
		d := ticket()
		d.None, d.Reading = true, spoken
		w.must(w.eng.Replace([]Decision{d}))
		if out := w.say(h, "Well."); Kind(out.Problem) != "no_action" {
			t.Errorf("%s: the same reading: %v", name, out.Problem)
		}
		h = w.open().Handle
		d.Reading = now
		w.must(w.eng.Replace([]Decision{d}))
		out := w.say(h, "Nothing is left to do.")
		if Kind(out.Problem) != "changed" || !strings.HasSuffix(out.Handle, "-2") {
			t.Errorf("%s: %s, %v", name, out.Handle, out.Problem)
		}
		w.is(h, Open, 2, 2, 0)
	}
}
