package decide

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// What is wrong with a decision is said when it is added, with its name and the option's.
func TestAddRefuses(t *testing.T) {
	t.Parallel()
	text := registry.Param{Name: "text", Type: registry.String}
	again := func(name, method string) Option {
		o := Func(name, method)
		o.Again = true
		return o
	}
	says := func(option string, phrases ...string) Decision {
		d := Decision{Options: []Option{Func("tag", "tag"), Func("look", "lookup"), Func("ask_first", "read_asked"), Value("leave", 1), Value("stay", 2)}}
		for _, p := range phrases {
			d.Reading.Phrases = append(d.Reading.Phrases, menu.Phrase{Text: p, Option: option})
		}
		return d
	}
	two := says("leave", "I leave it")
	two.Reading.Phrases = append(two.Reading.Phrases, menu.Phrase{Text: "i  LEAVE it.", Option: "stay"})
	for _, tc := range []struct {
		name string
		d    Decision
		want string
	}{
		{"a phrase that writes", says("tag", "I tag it"), `phrase "I tag it": the effect of the option "tag" is write; a phrase can stand for one with effect read alone`},
		{"a phrase that needs a value", says("look", "I look at it"), `phrase "I look at it": the argument "order" of the option "look" needs a value`},
		{"a phrase for no option", says("lave", "I leave it"), `phrase "I leave it": there is no option "lave"; did you mean "leave"?`},
		{"a phrase for the abstaining option that is not offered", says(NoneOfThese, "None fits"), `there is no option "none_of_these"`},
		{"a phrase that is a name", says("leave", "Stay!"), `phrase "Stay!": it is just the name of the option "stay"`},
		{"a phrase without words", says("leave", "+1"), `phrase "+1": it has no letter`},
		{"an empty phrase", says("leave", ""), `it has no letter`},
		{"a long phrase", says("leave", strings.Repeat("x", 201)), `it has 201 characters; at most 200`},
		{"a phrase with a bell", says("leave", "I leave\a"), "control characters"},
		{"a phrase that is no text", says("leave", "I leave\xff"), "not valid UTF-8"},
		{"two phrases that are one", two, `phrase "i  LEAVE it.": it differs from "I leave it", which stands for "leave", by case, blanks or marks alone`},
		{"a phrase that asks", says("leave", "Shall I leave it?"), `phrase "Shall I leave it?": a reply of just these words picks nothing`},
		{"many phrases", says("leave", make([]string, 101)...), "there are 101; at most 100"},
		{"a reading that was cut", Decision{Options: []Option{Func("tag", "tag")}, Reading: menu.Reading{Cut: true}}, "set Answer.Cut"},
		{"a reading with examples", Decision{Options: []Option{Func("tag", "tag")}, Reading: menu.Reading{Shown: []menu.Pick{{Name: "tag"}}}}, "leave Shown empty"},
		{"a bad name", Decision{Name: "a b", Options: []Option{Func("tag", "tag")}}, `decision "a b": the name "a b" has ' ' at character 2`},
		{"no options", Decision{}, "it has no options"},
		{"none alone", Decision{None: true}, "it has no options"},
		{"negative retries", Decision{Options: []Option{Func("tag", "tag")}, MaxRetries: -1}, "max_retries is -1"},
		{"too many retries", Decision{Options: []Option{Func("tag", "tag")}, MaxRetries: 20}, "at most 19"},
		{"a negative ttl", Decision{Options: []Option{Func("tag", "tag")}, TTL: -time.Second}, "ttl is -1s"},
		{"an option twice", Decision{Options: []Option{Func("tag", "tag"), Value("tag", 1)}}, `option 2: the name "tag" is taken`},
		{"options that look alike", Decision{Options: []Option{Func("tag", "tag"), Value("TAG", 1)}}, "differs only by case"},
		{"a bad option name", Decision{Options: []Option{Func("", "tag")}}, "option 1: the name is empty"},
		{"the kept name", Decision{Options: []Option{Value(NoneOfThese, 1)}}, "kept for the abstaining option"},
		{"no such method", Decision{Options: []Option{Func("x", "refnud")}}, `option "x": there is no method "refnud"; did you mean "refund"?`},
		{"no method", Decision{Options: []Option{{Name: "x"}}}, `option "x": it names no method`},
		{"both", Decision{Options: []Option{{Name: "x", Method: "tag", Own: Value("x", 1).Own}}}, "give one of the two"},
		{"a function of its own", Decision{Options: []Option{{Name: "x", Own: &registry.Method{Name: "x"}}}}, "register a function and name it"},
		{"a value that is no JSON", Decision{Options: []Option{Value("x", math.Inf(1))}}, "can't be written as JSON"},
		{"a field named decision", Decision{Options: []Option{Schema("x", "", []registry.Param{{Name: "decision"}})}}, "holds the option's name"},
		{"again on a write", Decision{Options: []Option{again("x", "tag")}}, "only an option with effect read can say `then: again`; the effect of \"tag\" is write"},
		{"on_failure is no option", Decision{Options: []Option{Func("tag", "tag")}, OnFailure: "tgaa"}, `on_failure: there is no option "tgaa"`},
		{"on_failure writes", Decision{Options: []Option{Func("tag", "tag")}, OnFailure: "tag"}, "its effect is write; only read is allowed"},
		{"on_failure needs a value", Decision{Options: []Option{Func("x", "lookup")}, OnFailure: "x"}, `its argument "order" needs a value`},
		{"on_failure goes on", Decision{Options: []Option{again("x", "lookup_broken")}, OnFailure: "x"}, "it says `then: again`"},
		{"on_failure needs approval", Decision{Options: []Option{Func("x", "read_asked")}, OnFailure: "x"}, "a person has to agree to it"},
		{"again with approval", Decision{Options: []Option{again("x", "read_asked")}}, "may have to agree"},
		{"a hidden input", Decision{Options: []Option{Func("tag", "tag")}, Params: []registry.Param{{Name: "who", Type: registry.String, From: "caller.id"}}}, `input "who": hidden values`},
		{"a bad input", Decision{Options: []Option{Func("tag", "tag")}, Params: []registry.Param{{Name: "n", Type: "int"}}}, "inputs: "},
		{"a brace", Decision{Options: []Option{Func("tag", "tag")}, Params: []registry.Param{text}, Prompt: "See {txt}"}, `{txt} is none of its inputs; did you mean "text"?`},
		{"an open brace", Decision{Options: []Option{Func("tag", "tag")}, Prompt: "See {"}, "prompt: "},
		{"a NUL", Decision{Options: []Option{Func("tag", "tag")}, Prompt: "See \x000\x00"}, "NUL"},
		{"a long prompt", Decision{Options: []Option{Func("tag", "tag")}, Prompt: strings.Repeat("x", maxPrompt+1)}, "at most 100000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.must(w.reg.Add(registry.Method{Name: "read_asked", Summary: "Reads.", Effect: registry.Read, Approval: &registry.Approval{}, Run: w.reads(nil)}))
			if tc.d.Name == "" {
				tc.d.Name = "d"
			}
			err := w.eng.Add(tc.d)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), `decision "`) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			if len(w.eng.View().Decisions()) != 1 {
				t.Error("it was added nevertheless")
			}
		})
	}
}

// All problems of all decisions come at once, and nothing changes.
func TestReplaceAllOrNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := w.eng.Replace([]Decision{{Name: "a"}, {Name: "b", MaxRetries: -1, Options: []Option{Func("x", "nope")}}})
	for _, want := range []string{`decision "a": it has no options`, `decision "b": max_retries`, `option "x": there is no method "nope"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
	if err := w.eng.Replace([]Decision{ticket(), ticket()}); err == nil || !strings.Contains(err.Error(), "is taken") {
		t.Errorf("twice the same: %v", err)
	}
	if err := w.eng.Reload(w.methods("")[:2], []Decision{ticket()}); err == nil || !strings.Contains(err.Error(), `no method "refund"`) {
		t.Errorf("methods without those of the decision: %v", err)
	}
	v := w.eng.View()
	if _, ok := v.Decision("ticket"); !ok || len(v.Decisions()) != 1 || len(v.Methods.Methods()) != 9 {
		t.Errorf("there are now %d decisions and %d methods", len(v.Decisions()), len(v.Methods.Methods()))
	}
}

// A view is what it was when it was taken.
func TestViewStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := w.eng.View()
	w.must(w.eng.Reload(nil, nil))
	d, ok := v.Decision("ticket")
	if !ok || len(v.Offered(d)) != 11 {
		t.Errorf("the old view has %d options", len(v.Offered(d)))
	}
	if len(w.eng.View().Decisions()) != 0 {
		t.Error("the new view has decisions")
	}
}

// Values and schemas resolve by running, like everything else.
func TestOwnOptions(t *testing.T) {
	t.Parallel()
	fields := []registry.Param{{Name: "queue", Type: registry.String}, {Name: "urgent", Type: registry.Boolean, Optional: true}}
	for _, tc := range []struct {
		option Option
		args   string
		want   string
	}{
		{Value("it", "CONVERSATION_OVER"), "", "CONVERSATION_OVER"},
		{Value("it", nil), "", "null"},
		{Value("it", map[string]any{"b": "<&>", "a": 1}), "", `{"a":1,"b":"<&>"}`},
		{Value("it", json.RawMessage(`{"b": 1.0, "a": 2}`)), "", `{"b": 1.0, "a": 2}`},
		{Schema("it", "Give it away.", fields), `{"urgent":true,"queue":"billing"}`, `{"decision":"it","queue":"billing","urgent":true}`},
		{Schema("it", "", fields), `{"queue":"billing"}`, `{"decision":"it","queue":"billing"}`},
		{Schema("it", "Empty.", nil), "", `{"decision":"it"}`},
	} {
		w := newWorld(t)
		w.must(w.eng.Replace([]Decision{{Name: "ticket", Prompt: "Pick.", Params: []registry.Param{{Name: "text"}}, Options: []Option{tc.option}, None: true}}))
		opened := w.open()
		if last := opened.Options[len(opened.Options)-1].Name; last != NoneOfThese {
			t.Errorf("the last option is %q", last)
		}
		out := w.pick(opened.Handle, "it", tc.args)
		if got := content(out); got != tc.want || out.State != Done || !strings.HasPrefix(out.Text, "Took it. Nothing was changed.") {
			t.Errorf("%+v gives %q, want %q; %s", tc.option, got, tc.want, out.Text)
		}
		if out := w.pick(w.open().Handle, NoneOfThese, ""); content(out) != NoneOfThese {
			t.Errorf("none gives %q", content(out))
		}
	}
}

// A decision all of whose options are off can't be opened.
func TestNothingToOffer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	methods := w.methods("")
	methods[3].Off = "a program is missing"
	w.must(w.eng.Reload(methods, []Decision{{Name: "d", Prompt: "Pick.", Options: []Option{Func("tag", "tag")}, None: true}}))
	d, _ := w.eng.View().Decision("d")
	if out, err := w.eng.Open(t.Context(), w.eng.View(), Opening{Decision: d, Caller: desk}); err == nil || Kind(err) != "gated" {
		t.Errorf("opened %+v, %v", out, err)
	}
	if _, err := w.eng.Open(t.Context(), w.eng.View(), Opening{Decision: &Decision{Name: "x"}}); err == nil {
		t.Error("a decision that was not added was opened")
	}
}
