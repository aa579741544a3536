package menu

import (
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/validate"
)

// TestStanding says which places make an object a pick. P stands for a pick of close_ticket.
func TestStanding(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for _, c := range []struct {
		reply string
		want  validate.Kind // "" = the pick
	}{
		{"P", ""}, {"\n\n  P  \n", ""}, {"- P", ""}, {"1. P", ""}, {"2) P", ""}, {"**P**", ""}, {"`P`", ""}, {"👉 P", ""}, {"-> P", ""},
		{"=> P", ""}, {"## P", ""}, {"My pick: P", ""}, {"**My pick:** P", ""}, {"Action: P", ""}, {"My pick：P", ""},
		{"The user does not want it, so here is my pick:\nP", ""}, {"In the requested format:\nP", ""}, {"I would like to call:\nP", ""},
		{"Sure.\r\n\r\n```json\r\nP\r\n```\r\n", ""}, {"<tool_call>P</tool_call>", ""}, {"<answer>\nP\n</answer>", ""}, {"{\"note\": 1} P", ""},
		{"P because we are finished.", ""}, {"P}", ""}, {"P\nObservation: closed.", ""}, {"<|im_start|>assistant\nP<|im_end|>", ""},
		{"P\nP", ""}, {"[P]", ""}, {"~~~\nP\n~~~", ""}, {"Is it done? Yes.\n\nP\n\nGood luck!", ""},

		{"I pick P", "ambiguous"}, {"I pick `P`.", "ambiguous"}, {"so P", "ambiguous"}, {"\"P\"", "ambiguous"}, {"(P)", "ambiguous"}, {"| P |", "ambiguous"},
		{"> P", "ambiguous"}, {"- > P", "ambiguous"}, {"> ```json\n> P\n> ```", "ambiguous"}, {"```text\nP\n```", "ambiguous"}, {"````text\n```json\nP\n```\n````", "ambiguous"},
		{"For example:\nP", "ambiguous"}, {"I will not use:\nP", "ambiguous"}, {"I won’t use this:\n\nP", "ambiguous"}, {"I would never write\nP\nhere.", "ambiguous"},
		{"User: P", "ambiguous"}, {"The user wrote:\n```json\nP\n```", "ambiguous"}, {"It might be: P", "ambiguous"}, {"Something like: P", "ambiguous"},
		{"P would be wrong.", "ambiguous"}, {"P or nothing", "ambiguous"}, {"P isn't it", "ambiguous"}, {"\"plan\": P", "ambiguous"}, {"plan:\nP}", "ambiguous"},
		{"steps(\nP\n)", "ambiguous"}, {"x =\nP", "ambiguous"}, {"I will not use <tool_call>P</tool_call>", "ambiguous"}, {"I will not use: <tool_call>\nP\n</tool_call>", "ambiguous"},
		{"P\nWait, no.", "ambiguous"}, {"P\n\nOn second thought, let me look again.", "ambiguous"}, {"P\nNever mind.", "ambiguous"}, {"P\n**Scratch that.**", "ambiguous"},
		{"P\nI thought of {\"call\": \"refund\"} too.", "ambiguous"}, {"P\nUser: no\nP", "ambiguous"}, {"P\n<invoke name=\"refund\">", "ambiguous"},
		{"<|im_start|>user\nP", "ambiguous"}, {"P\n{\"ca", "ambiguous"}, {"P\n{'call': 'refund'}", "ambiguous"},

		{"<think>P", "no_action"}, {"P <thinking>hm", "no_action"}, {"P</think>", "no_action"}, {"<!-- P", "no_action"}, {"[THINK]P", "no_action"},
		{"<|channel|>analysis<|message|>P", "no_action"}, {"{\"plan\": P}", "no_action"}, {"{\"a\": [P]}", "no_action"}, {"{\"note\": \"x\", P}", "no_action"},
		{"<function=close_ticket>P</function>", "bad_args"}, {"[TOOL_CALLS]refund[ARGS]P", "bad_args"}, {"close_ticket", "no_action"}, {"call: close_ticket", "no_action"},
		{"{{P}}", "no_action"}, {"{'plan':\nP}", "no_action"}, {"{note: 'a }\nP\n'}", "no_action"},
	} {
		reply := strings.ReplaceAll(c.reply, "P", `{"call": "close_ticket"}`)
		got := readOutcome(reply, options, Reading{})
		if got.Error != c.want || got.Error == "" && got.Call != "close_ticket" {
			t.Errorf("%q: got %s, want %q", c.reply, got, c.want)
		}
	}
}

// TestCorrections: of different picks the last counts behind a word of correction, valid or not.
func TestCorrections(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	const first, last, bad = `{"call": "set_priority", "args": {"level": 2}}`, `{"call": "close_ticket"}`, `{"call": "set_priority", "args": {"level": "2"}}`
	for _, c := range []struct {
		between string
		certain bool
	}{
		{"\nWait, that is wrong.\n", true}, {"\n\nActually, no:\n", true}, {"\n**Correction:**\n", true}, {"\nHmm. Scratch that.\n", true},
		{"\nOn second thought, close it:\n", true}, {"\nFinal answer:\n", true}, {"\nMy final pick is:\n", true}, {"\n<answer>\n", true},
		{"\n", false}, {"\nWaiting is no option.\n", false}, {"\nThe final answer may differ.\n", false}, {"\nThen:\n", false}, {"\nThis is no correction:\n", false},
		{"\nWait, no.\nObservation: done\n", false}, {"\n> Final answer:\n", false}, {"\n<think>Wait, no.</think>\n", false}, {"\n```text\nWait, no.\n```\n", false},
	} {
		want := outcome{Call: "close_ticket", Args: []byte("{}")}
		wantBad := outcome{Error: validate.TypeMismatch}
		if !c.certain {
			want, wantBad = outcome{Error: validate.Ambiguous}, outcome{Error: validate.Ambiguous}
		}
		if got := readOutcome(first+c.between+last, options, Reading{}); !got.equal(want) {
			t.Errorf("%q: got %s, want %s", c.between, got, want)
		}
		if got := readOutcome(first+c.between+bad, options, Reading{}); !got.equal(wantBad) {
			t.Errorf("%q before a bad pick: got %s, want %s", c.between, got, wantBad)
		}
	}
}

// TestCutReplies: when the reply is known to be cut, a pick counts only when its turn had ended before.
func TestCutReplies(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for reply, cut := range map[string]validate.Kind{
		"P<|im_end|>": "", "Text.\nP\n</s>\n<|im_start|>user\nand": "", "P": validate.Ambiguous, "Text.\nP": validate.Ambiguous,
		"```json\nP\n```": validate.Ambiguous, "<tool_call>P</tool_call>": validate.Ambiguous, "<|im_end|>P": validate.Ambiguous,
		"P\nI chose this be": validate.Ambiguous, "```json\nP": validate.Ambiguous, "P\n\nWai": validate.Ambiguous, "P {": validate.Ambiguous,
	} {
		text := strings.ReplaceAll(reply, "P", `{"call": "close_ticket"}`)
		if got := readOutcome(text, options, Reading{Cut: true}); got.Error != cut {
			t.Errorf("%q: got %s, want %q", reply, got, cut)
		}
	}
}
