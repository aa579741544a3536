package menu

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
)

// soundPicks are replies that are one pick, in the forms that are read.
var soundPicks = []struct{ menu, reply string }{
	{"support", `{"call": "refund", "args": {"order_id": "A-17", "amount": 12.5, "notify": true}}`},
	{"support", "{\n  \"call\": \"escalate\",\n  \"args\": {\n    \"queue\": \"legal\",\n    \"urgent\": true,\n    \"note\": \"a } b { c [ \\\" d\"\n  }\n}"},
	{"support", `{"decision": "emit_plan", "reasoning": "two things", "payload": {"steps": [{"action": "open", "target": "close_ticket"}, {"action": "call", "target": "carrier"}], "rationale": "{\"call\": \"close_ticket\"}"}}`},
	{"support", `{"call": "tag_ticket", "args": {"tags": ["late", "gold"], "mode": "add"}}`},
	{"support", "{\"output\":\n{\"call\": \"close_ticket\"}\n}"},
	{"support", `{"tool_calls": [{"function": {"name": "set_priority", "arguments": {"level": 4}}}]}`},
	{"support", `{"call": "set_priority", "level": 4}`},
	{"ops", `{"args": {"name": "disk", "args": ["-v", "{\"call\": \"hold\"}"], "timeout_s": 1e3}, "call": "run_check"}`},
	{"ops", `{"tool": "report", "args": {"summary": "ok", "metrics": {"latency_ms": 12.0, "errors": 0}, "items": [{"id": 1, "ok": true}, {"id": 2, "ok": false}]}}`},
	{"ops", `{"call": "rollback", "args": "{\"service\": \"api\", \"version\": 41}"}`},
	{"review", `{"call": "approve_with_changes"}`},
	{"notes", `{"name": "search", "arguments": {"query": "approve or </think> ` + "```" + `", "limit": 10}}`},
}

// pickOrError fails unless a reply reads as want or as an error.
func pickOrError(t fataler, reply string, options []registry.Option, want outcome) (right bool) {
	t.Helper()
	got := readOutcome(reply, options, Reading{})
	if got.Error == "" && !got.equal(want) {
		t.Fatalf("wrong pick %s, want %s or an error, in\n%s", got, want, reply)
	}
	return got.Error == ""
}

// TestDamagedPicksAreNotGuessed cuts sound picks at every place and takes single characters out of them,
// alone, behind prose and in a fence.
func TestDamagedPicksAreNotGuessed(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, p := range soundPicks {
		options := menus[p.menu]
		want := readOutcome(p.reply, options, Reading{})
		if want.Error != "" {
			t.Errorf("no sound pick: %s: %s", want, p.reply)
			continue
		}
		for _, frame := range []string{"%s", "My pick:\n\n%s\n", "```json\n%s\n```\n", "<think>no</think>%s<|im_end|>"} {
			whole := strings.Replace(frame, "%s", p.reply, 1)
			if !pickOrError(t, whole, options, want) {
				t.Errorf("not read: %s", whole)
			}
			for i := range whole {
				pickOrError(t, whole[:i], options, want)
				pickOrError(t, whole[:i]+"\nThat is all.", options, want)
				if i > 0 && isNumberByte(whole[i-1]) && isNumberByte(whole[i]) {
					continue // what is behind shows that the number is done, and it is another number
				}
				for _, more := range []string{"\n```", "\n```\n}", "<|im_end|>", "</tool_call>"} {
					part := readOutcome(whole[:i]+more, options, Reading{})
					if part.Error == "" && !part.isPartOf(want) {
						t.Errorf("wrong pick %s, want %s or an error, in\n%s", part, want, whole[:i]+more)
					}
				}
			}
			removals(whole, func(damaged string) { pickOrError(t, damaged, options, want) })
		}
	}
}

func isNumberByte(c byte) bool { return isDigit(c) || strings.IndexByte(".-+eE", c) >= 0 }

// isPartOf reports whether o picks the same with the same arguments, or fewer of them.
func (o outcome) isPartOf(whole outcome) bool {
	var some, all map[string]json.RawMessage
	if o.Call != whole.Call || json.Unmarshal(o.Args, &some) != nil || json.Unmarshal(whole.Args, &all) != nil {
		return false
	}
	for name, value := range some {
		if byValue(value) != byValue(all[name]) {
			return false
		}
	}
	return true
}

// removals gives the text without any one of its structural characters outside strings, quotes included.
func removals(text string, do func(string)) {
	inside := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inside && c == '\\':
			i++
			continue
		case c == '"':
			inside = !inside
		case inside || !strings.ContainsRune("{}[]:,\n", rune(c)):
			continue
		}
		do(text[:i] + text[i+1:])
	}
}

// harmless surroundings of a pick: none of them is a pick of its own.
var surroundings = []string{
	"The parcel is late, so money back is fair.\n",
	"<think>Maybe {\"call\": \"hold\"}, or\n{\"call\": \"close_ticket\"}\n</think>\n",
	"[THINK]\n{\"call\": \"approve\"}\n[/THINK]\n",
	"<!-- {\"call\": \"done\"} -->\n",
	"> {\"call\": \"reject\"}\n",
	"The user wrote:\n{\"call\": \"close_ticket\"}\n",
	"I will not use {\"call\": \"proceed\"}.\n",
	"    Call: {\"call\": \"close_ticket\"}\n",
	"    Call: {\"call\": \"hold\"}\n    Call: {\"call\": \"proceed\"}\n",
	"```text\n{\"call\": \"close_ticket\"}\n```\n",
	"```python\nrun({\"call\": \"hold\"})\n```\n",
	"{\"ticket\": 88, \"steps\": [{\"action\": \"close_ticket\"}]}\n",
	"```json\n{\"ticket\": {\"call\": \"close_ticket\"}}\n```\n",
	"The template said {name} and {date}.\n",
	"\ufeff\u200b",
	"\x1b[32m",
	"<tool_call>\n",
}

// TestPicksBetweenHarmlessText puts sound picks between other things, cuts the whole anywhere, and wants the
// pick or an error.
func TestPicksBetweenHarmlessText(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	right, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(soundPicks).Draw(t, "pick")
		before := rapid.SliceOfN(rapid.SampledFrom(surroundings), 0, 4).Draw(t, "before")
		after := rapid.SliceOfN(rapid.SampledFrom(surroundings), 0, 2).Draw(t, "after")
		frame := rapid.SampledFrom([]string{"%s", "%s", "Final answer: %s", "```json\n%s\n```", "**My pick:**\n%s", "- %s"}).Draw(t, "frame")
		reply := strings.Join(before, "") + strings.Replace(frame, "%s", p.reply, 1) + "\n" + strings.Join(after, "")
		want := readOutcome(p.reply, menus[p.menu], Reading{})
		all++
		if pickOrError(t, reply, menus[p.menu], want) {
			right++
		}
		cut := rapid.IntRange(0, len(reply)).Draw(t, "cut")
		pickOrError(t, reply[:cut], menus[p.menu], want)
	})
	if right < all/3 {
		t.Errorf("only %d of %d are read at all", right, all)
	}
	t.Logf("%d of %d are read", right, all)
}

// TestDifferentPicksAreNotGuessed puts two different picks into one reply, without a word of correction
// between them.
func TestDifferentPicksAreNotGuessed(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SampledFrom(soundPicks).Draw(t, "a")
		others := []string{`{"call": "close_ticket"}`, `{"call": "hold"}`, `{"call": "reject"}`, `{"call": "done"}`, `{"call": "nothing of this name"}`}
		b := rapid.SampledFrom(others).Draw(t, "b")
		if rapid.Bool().Draw(t, "swap") {
			a.reply, b = b, a.reply
		}
		if readOutcome(a.reply, menus[a.menu], Reading{}).equal(readOutcome(b, menus[a.menu], Reading{})) {
			t.Skip("the same pick")
		}
		between := rapid.SampledFrom([]string{"", "\n", "\nor\n", ", ", "\n\nBut I could also do this:\n", "\n```\n```json\n", "\nOption B:\n", "\nUser: no\n", "\nObservation: done\n"}).Draw(t, "between")
		frame := rapid.SampledFrom([]string{"%s", "```json\n%s\n```", "[%s]", "<tool_call>%s</tool_call>"}).Draw(t, "frame")
		reply := strings.Replace(frame, "%s", a.reply+between+b, 1)
		got := readOutcome(reply, menus[a.menu], Reading{})
		if got.Error == "" && got.equal(readOutcome(b, menus[a.menu], Reading{})) && strings.Contains(between, "could") {
			return // the first is the pick, the second only talked about, or the other way round
		}
		if got.Error == "" {
			t.Fatalf("picks %s in\n%s", got, reply)
		}
	})
}
