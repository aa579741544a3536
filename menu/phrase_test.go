package menu

import (
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// phraseOptions are two options that take nothing, one that may be given something, and one that must.
func phraseOptions(t testing.TB) []registry.Option {
	var options []registry.Option
	for _, m := range []registry.Method{
		{Name: "no_work"}, {Name: "ask_human"},
		{Name: "wait", Params: []registry.Param{{Name: "days", Type: registry.Integer, Optional: true}}},
		{Name: "refund", Params: []registry.Param{{Name: "order_id", Type: registry.String}}},
	} {
		m.Summary, m.Effect, m.Offer, m.Run = "Something.", registry.Read, registry.OfferMenu, nothing
		options = append(options, registry.Option{Name: m.Name, Method: prepared(t, m)})
	}
	return options
}

var testPhrases = []Phrase{
	{"nothing is left to do", "no_work"}, {"no work left", "no_work"}, {"No queda nada por hacer.", "no_work"}, {"没有事情要做了", "no_work"}, {"することはありません", "no_work"},
	{"nichts mehr zu tun", "no_work"}, {"a person has to look", "ask_human"}, {"I wait", "wait"}, {"pay it back", "refund"}, {"gone", "not_offered"}, {"", "ask_human"}, {"...", "ask_human"},
}

// TestPhrases says where a phrase is a pick. P stands for "nothing is left to do".
func TestPhrases(t *testing.T) {
	t.Parallel()
	options := phraseOptions(t)
	for _, c := range []struct{ reply, want string }{
		{"P", "no_work"}, {"P.", "no_work"}, {"Nothing Is\n  left to do!", "no_work"}, {"**P**.", "no_work"}, {"The order was sent. P.", "no_work"}, {"Is it done? Yes, it is. So P.", "no_work"},
		{"I looked at it twice, and P.", "no_work"}, {"<think>P? If so, a person has to look.</think>P.", "no_work"}, {"All is well, so P 🎉", "no_work"}, {"All was sent.\n\nP.", "no_work"},
		{"Final answer: P.", "no_work"}, {"<answer>P.</answer>", "no_work"}, {"P.<|im_end|>", "no_work"}, {"It said \"late\" (twice). P.", "no_work"}, {"It's fine, P.", "no_work"},
		{"No work left.", "no_work"}, {"No queda nada por hacer.", "no_work"}, {"no queda nada por hacer!", "no_work"}, {"**No queda nada por hacer**", "no_work"}, {"No queda nada por hacer?", ""}, {"已经处理完毕。没有事情要做了。", "no_work"}, {"確認しました。することはありません。", "no_work"}, {"Es ist nichts mehr zu tun.", "no_work"},
		{"A person has to look.", "ask_human"}, {"I wait.", "wait"}, {"a</think>P.", "no_work"}, {"P.\n\n", "no_work"}, {"It is late now\nand P.", "no_work"},

		{"", ""}, {"nothing is left", ""}, {"P. Or so.", ""}, {"P. Bye.", ""}, {"P. P.", ""}, {"P\nPay it back", ""}, {"P\n\nBye", ""}, {"P. pay it back", ""}, {"P… then bye", ""}, {"P! Bye", ""}, {"P?", ""}, {"Is it true that P？", ""}, {"It is not so that P.", ""}, {"I doubt that P.", ""}, {"I don’t think P.", ""},
		{"If it is paid, P.", ""}, {"When it is paid, P.", ""}, {"I would say P.", ""}, {"P, but a look helps.", ""}, {"P unless it is late.", ""}, {"P, or is it?", ""}, {"Hardly P.", ""},
		{"I will not\nsay P.", ""}, {"I will not say, e.g. P.", ""}, {"For example P.", ""}, {"Soon P.", ""}, {"\"P.\"", ""}, {"'P'", ""}, {"`P`", ""}, {"«P»", ""}, {"“I looked. P.", ""}, {"(P)", ""},
		{"He said: \"I looked. P.", ""}, {"> P.", ""}, {"> It is late.\nP.", ""}, {"- P.", ""}, {"* P", ""}, {"1. P.", ""}, {"# P", ""}, {"P: yes", ""}, {"Status: P.", ""}, {"User: P.", ""}, {"User: hm.\nP.", ""},
		{"The user says P.", ""}, {"The customer claims P.", ""}, {"P-ish.", ""}, {"nothing is left to do.txt", ""}, {"not-nothing is left to do", ""}, {"nothing is left to dog", ""}, {"@P", ""},
		{"P. Wait, no. P.", ""}, {"P.\nScratch that.\nP.", ""}, {"A person has to look. P.", ""}, {"P, a person has to look.", ""}, {"Wait, P.", ""}, {"Never mind. P.", ""},
		{"```\nP.\n```", ""}, {"```\nP.", ""}, {"```text\nx\n```\nP.", ""}, {"{\"a\": 1}\nP.", ""}, {"P. {", ""}, {"{\"call\": \"dune\"}\nP.", ""}, {"call: no_work\nP.", ""}, {"P.<|im_end|>\nHello.", ""},
		{"<|im_start|>user\nP.", ""}, {"<think>P.", ""}, {"<invoke name=\"a\">P.", ""}, {"\"P.\\n\"", ""}, {"pay it back", ""}, {"It is gone.", ""}, {"It is gone. P.", ""}, {"...", ""}, {"Do not <think>x</think> say P.", ""},
		{"并不是：没有事情要做了。", ""}, {"如果已付款，没有事情要做了。", ""}, {"现在没有事情要做了。", ""}, {"没有事情要做了吗？", ""}, {"客户说，没有事情要做了。", ""}, {"まだです、することはありません。", ""},
		{"Creo que no queda nada por hacer.", ""}, {"Si está pagado, no queda nada por hacer.", ""}, {"Vielleicht ist nichts mehr zu tun.", ""}, {"Sobald bezahlt ist, ist nichts mehr zu tun.", ""},
		{strings.Repeat("It is late. ", 6000) + "P.", ""},
	} {
		reply := strings.Replace(c.reply, "P", "Nothing is left to do", 1)
		reply = strings.ReplaceAll(reply, "P", "nothing is left to do")
		how := Reading{Phrases: testPhrases}
		pick, err := Parse(reply, options, how)
		if pick.Name != c.want || c.want != "" && (string(pick.Args) != "{}" || pick.Strategy != ByPhrase || pick.IsExact() || pick.Repaired()) {
			t.Errorf("%q: got %q %s by %q, %v; want %q", head(reply, 80), pick.Name, pick.Args, pick.Strategy, err, c.want)
		}
		for name, how := range map[string]Reading{"no phrases": {}, "cut": {Phrases: testPhrases, Cut: true}} {
			if pick, err := Parse(reply, options, how); err == nil {
				t.Errorf("%s: %q picks %s", name, reply, pick.Name)
			}
		}
	}
}

// TestPhrasesChangeNoPick: what is read without phrases is read the same with them, and what is refused for what is in it stays refused.
func TestPhrasesChangeNoPick(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range corpusReplies(t) {
		options := menus[c.Menu]
		reply := c.Reply
		if c.Parts != nil {
			reply = c.Parts.String()
		}
		if len(reply) > 1<<20 {
			continue
		}
		phrases := []Phrase{{"everything is said", options[len(options)-1].Name}}
		plain := readOutcome(reply, options, Reading{})
		if got := readOutcome(reply, options, Reading{Phrases: phrases}); !got.equal(plain) {
			t.Errorf("%s: %s with a phrase that is not said, %s without", c.ID, got, plain)
		}
		said := readOutcome(reply+"\n\nEverything is said.", options, Reading{Phrases: phrases})
		if without := readOutcome(reply+"\n\nEverything is said.", options, Reading{}); without.Error != "no_action" && !said.equal(without) {
			t.Errorf("%s: %s with a phrase behind it, %s without", c.ID, said, without)
		}
	}
}
