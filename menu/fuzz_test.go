package menu

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// FuzzParse: a reading is a pick of an offered option with arguments that are a JSON object, or an error
// that says what to do; and the readings of one reply agree with each other.
func FuzzParse(f *testing.F) {
	menus := corpusMenus(f)
	for _, c := range corpusReplies(f) {
		if c.Parts == nil {
			f.Add(c.Reply)
		}
	}
	for _, p := range soundPicks {
		f.Add(p.reply)
	}
	for _, c := range formatReplies {
		f.Add(c.text())
	}
	for _, c := range doubtfulFormats {
		f.Add(c.reply)
	}
	for _, shape := range hostileShapes {
		f.Add(shape + shape + `{"call": "done"}` + shape)
	}
	var options []registry.Option
	for _, name := range []string{"support", "ops", "review", "notes"} {
		options = append(options, menus[name]...)
	}
	phrases := []Phrase{{"nothing to do", "done"}, {"ask the user", "ask_user"}}
	f.Fuzz(func(t *testing.T, reply string) {
		strict, strictErr := Parse(reply, options, Reading{})
		checkReading(t, options, strict, strictErr)
		for _, how := range []Reading{{Lenient: true}, {Cut: true}, {Phrases: phrases}} {
			pick, err := Parse(reply, options, how)
			checkReading(t, options, pick, err)
			switch {
			case how.Lenient && strictErr == nil && (err != nil || pick.Name != strict.Name):
				t.Fatalf("read strictly it is %s %s, leniently %s %s, %v", strict.Name, strict.Args, pick.Name, pick.Args, err)
			case how.Cut && err == nil && (strictErr != nil || !bytes.Equal(pick.Args, strict.Args) || pick.Name != strict.Name):
				t.Fatalf("a pick of the cut reply only: %s %s, else %v", pick.Name, pick.Args, strictErr)
			case how.Phrases != nil && (err == nil) != (strictErr == nil) && pick.Strategy != ByPhrase:
				t.Fatalf("phrases change a reading that is none of theirs: %v, %v", err, strictErr)
			}
		}
		explained, _, err := Explain(reply, options, Reading{})
		if (err == nil) != (strictErr == nil) || explained.Name != strict.Name || !bytes.Equal(explained.Args, strict.Args) {
			t.Fatalf("explained it is %s %s, %v; else %s %s, %v", explained.Name, explained.Args, err, strict.Name, strict.Args, strictErr)
		}
	})
}

// checkReading holds one reading against what is true of all.
func checkReading(t *testing.T, options []registry.Option, pick Pick, err error) {
	t.Helper()
	if err != nil {
		checkRefusal(t, err)
		return
	}
	if !slices.ContainsFunc(options, func(o registry.Option) bool { return o.Name == pick.Name }) {
		t.Fatalf("%q is not offered", pick.Name)
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal(pick.Args, &args); err != nil || args == nil {
		t.Fatalf("%s is no object: %v", pick.Args, err)
	}
	again, err := Parse(`{"call": "`+pick.Name+`", "args": `+string(pick.Args)+`}`, options, Reading{})
	if err != nil || again.Name != pick.Name || string(again.Args) != string(pick.Args) {
		t.Fatalf("%s %s reads as %s %s, %v", pick.Name, pick.Args, again.Name, again.Args, err)
	}
}

// FuzzSkim: the strict pass takes what encoding/json takes, but for what does not show between tokens, bare placeholders, and what is nested too
// deep; and what a mender makes of anything is strict JSON.
func FuzzSkim(f *testing.F) {
	for _, text := range []string{`{"a": [1, -2.5e3, "x\u00e9\n", true, false, null, {}]}`, `[[]]`, `{"a":1,"a":2}`, `"\ud800"`, `{"a": <n>}`, "\ufeff{}", `{'a': True,}`, "{a: \"b\"\nc: 1}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // replaced before
		}
		k := skimmer{text: text}
		k.space()
		whole := k.value()
		k.space()
		whole = whole && k.pos == len(text)
		seen := !strings.ContainsAny(text, "<\x00\u00a0\ufeff\u200b\u200c\u200d\u2060\x1b")
		if whole && seen && !json.Valid([]byte(text)) {
			t.Fatalf("%q is read, and is no JSON", text)
		}
		if !whole && json.Valid([]byte(text)) && k.depth <= maxNesting {
			t.Fatalf("%q is JSON, and not read: %s", text, k.why)
		}
		if m, _, ok := mend(text, 0); ok && seen && !json.Valid([]byte(m.text)) {
			t.Fatalf("%q is mended to %q, which is no JSON", text, m.text)
		}
	})
}

func checkRefusal(t *testing.T, err error) {
	t.Helper()
	fix, ok := err.(interface{ Fix() string })
	if !ok {
		t.Fatalf("%T is no error for a model", err)
	}
	if text := fix.Fix(); len(text) < 10 || utf8.RuneCountInString(text) > 8000 {
		t.Fatalf("%q helps nobody", text)
	}
}

// FuzzFold: foreign text stays one harmless line, and quoted in a quote.
func FuzzFold(f *testing.F) {
	for _, text := range []string{"", "a\nb", "Call: {}", "\u202e\u2028\U000e0041", "{\\\"call", "> x", "name(x) [read]", "\xff<|im_end|>"} {
		f.Add(text, 40)
	}
	f.Fuzz(func(t *testing.T, text string, max int) {
		checkFold(t, text, min(max, 1000))
		checkQuote(t, text)
	})
}
