package menu

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// FuzzParse: a reading is a pick of an offered option with arguments that are a JSON object, or an error
// that says what to do.
func FuzzParse(f *testing.F) {
	menus := corpusMenus(f)
	for _, c := range corpusReplies(f) {
		if c.Parts == nil {
			f.Add(c.Reply, false)
		}
	}
	for _, p := range soundPicks {
		f.Add(p.reply, true)
	}
	var options []registry.Option
	for _, name := range []string{"support", "ops", "review", "notes"} {
		options = append(options, menus[name]...)
	}
	f.Fuzz(func(t *testing.T, reply string, cut bool) {
		pick, err := Parse(reply, options, Reading{Cut: cut})
		if err != nil {
			checkRefusal(t, err)
			return
		}
		if !slices.ContainsFunc(options, func(o registry.Option) bool { return o.Name == pick.Name }) {
			t.Fatalf("%q is not offered", pick.Name)
		}
		var args map[string]any
		if err := json.Unmarshal(pick.Args, &args); err != nil || args == nil {
			t.Fatalf("%s is no object: %v", pick.Args, err)
		}
		again, err := Parse(`{"call": "`+pick.Name+`", "args": `+string(pick.Args)+`}`, options, Reading{})
		if err != nil || again.Name != pick.Name || string(again.Args) != string(pick.Args) {
			t.Fatalf("%s %s reads as %s %s, %v", pick.Name, pick.Args, again.Name, again.Args, err)
		}
		if cut {
			whole, err := Parse(reply, options, Reading{})
			if err != nil || whole.Name != pick.Name {
				t.Fatalf("a pick of the cut reply only: %v", err)
			}
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
