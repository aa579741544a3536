package menu

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// compositionSeed makes the random replies of these tests; another one makes others.
const compositionSeed = 20260831

func compositionCount() int {
	if testing.Short() || raced {
		return 3000
	}
	return 30000
}

// composedPick is a reply that is one pick and nothing else. bare: it may also stand in a fence, behind a label or a bullet.
type composedPick struct {
	menu, reply, call, args string
	bare                    bool
}

const composedArgs = `{"order_id": "A-17", "amount": 12.5}`

// composedPicks are sound picks in all forms that are read.
var composedPicks = []composedPick{
	{"support", `{"call": "refund", "args": ` + composedArgs + `}`, "refund", composedArgs, true},
	{"support", "{\n  \"call\": \"escalate\",\n  \"args\": {\n    \"queue\": \"legal\",\n    \"urgent\": true,\n    \"note\": \"a } b { c \\\" d\"\n  }\n}", "escalate",
		`{"queue": "legal", "urgent": true, "note": "a } b { c \" d"}`, true},
	{"support", `{"decision": "set_priority", "reasoning": "late", "payload": {"level": 4}}`, "set_priority", `{"level": 4}`, true},
	{"support", `{"call": "tag_ticket", "args": {"tags": ["late", "{\"call\": \"close_ticket\"}"], "mode": "add"}}`, "tag_ticket",
		`{"tags": ["late", "{\"call\": \"close_ticket\"}"], "mode": "add"}`, true},
	{"support", `{"name": "refund", "arguments": "{\"order_id\": \"A-17\", \"amount\": 12.5}"}`, "refund", composedArgs, true},
	{"support", `{"action": "refund", "action_input": ` + composedArgs + `}`, "refund", composedArgs, true},
	{"support", `{"tool_calls": [{"function": {"name": "refund", "arguments": ` + composedArgs + `}}]}`, "refund", composedArgs, true},
	{"support", `{"call": "set_priority", "level": 4}`, "set_priority", `{"level": 4}`, true},
	{"support", "{'call': 'escalate', 'args': {'queue': 'legal', 'urgent': True,}}", "escalate", `{"queue": "legal", "urgent": true}`, true},
	{"ops", `{"args": {"name": "hold", "args": ["-v"], "timeout_s": 1e3}, "call": "run_check"}`, "run_check", `{"name": "hold", "args": ["-v"], "timeout_s": 1000}`, true},
	{"ops", `{"tool": "report", "args": {"summary": "ok", "metrics": {"latency_ms": 12.0, "errors": 0}, "items": [{"id": 1, "ok": true}]}}`, "report",
		`{"summary": "ok", "metrics": {"latency_ms": 12, "errors": 0}, "items": [{"id": 1, "ok": true}]}`, true},
	{"review", `{"call": "approve_with_changes"}`, "approve_with_changes", `{}`, true},
	{"notes", `{"call": "write_note", "args": {"title": "</think> <|im_end|>", "body": "` + "```\\n> x" + `"}}`, "write_note", `{"title": "</think> <|im_end|>", "body": "` + "```\\n> x" + `"}`, true},
	{"shop", `{"call": "ship", "args": {"order": 7, "address": {"street": "Elm 2", "city": "Ulm"}, "parcels": [{"weight_kg": 1.5}]}}`, "ship",
		`{"order": 7, "address": {"street": "Elm 2", "city": "Ulm"}, "parcels": [{"weight_kg": 1.5}]}`, true},
	{"phone", `{"call": "log_entry", "args": {"action": "opened", "name": "hang_up", "text": "call"}}`, "log_entry", `{"action": "opened", "name": "hang_up", "text": "call"}`, true},

	{"support", "<tool_call>\n{\"name\": \"refund\", \"arguments\": " + composedArgs + "}\n</tool_call>", "refund", composedArgs, false},
	{"support", "<tool_call>\n<function=refund>\n<parameter=order_id>\nA-17\n</parameter>\n<parameter=amount>\n12.5\n</parameter>\n</function>\n</tool_call>", "refund", composedArgs, false},
	{"support", "<tool_call>refund\n<arg_key>order_id</arg_key>\n<arg_value>A-17</arg_value>\n<arg_key>amount</arg_key>\n<arg_value>12.5</arg_value>\n</tool_call>", "refund", composedArgs, false},
	{"support", "[TOOL_CALLS] [{\"name\": \"refund\", \"arguments\": " + composedArgs + "}]", "refund", composedArgs, false},
	{"support", "[TOOL_CALLS]refund[ARGS]" + composedArgs, "refund", composedArgs, false},
	{"support", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>refund\n```json\n" + composedArgs + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "refund", composedArgs, false},
	{"support", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>refund<｜tool▁sep｜>" + composedArgs + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>", "refund", composedArgs, false},
	{"support", "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"refund\">\n<｜DSML｜parameter name=\"order_id\" string=\"true\">A-17</｜DSML｜parameter>\n" +
		"<｜DSML｜parameter name=\"amount\" string=\"false\">12.5</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>", "refund", composedArgs, false},
	{"support", "<|tool_calls_section_begin|><|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>" + composedArgs + "<|tool_call_end|><|tool_calls_section_end|>", "refund", composedArgs, false},
	{"support", "<|start|>assistant<|channel|>commentary to=functions.refund <|constrain|>json<|message|>" + composedArgs + "<|call|>", "refund", composedArgs, false},
	{"support", "<function_calls>\n<invoke name=\"refund\">\n<parameter name=\"order_id\">A-17</parameter>\n<parameter name=\"amount\">12.5</parameter>\n</invoke>\n</function_calls>", "refund", composedArgs, false},
	{"support", "<|python_tag|>{\"name\": \"refund\", \"parameters\": " + composedArgs + "}<|eom_id|>", "refund", composedArgs, false},
	{"support", `[refund(order_id="A-17", amount=12.5)]`, "refund", composedArgs, false},
	{"support", "```yaml\ncall: refund\nargs:\n  order_id: A-17\n  amount: 12.5\n```", "refund", composedArgs, false},
}

func (p composedPick) want() outcome { return outcome{Call: p.call, Args: json.RawMessage(p.args)} }

// What stands around a pick and is none: it may stand before and behind it.
var aroundPicks = []string{
	"<think>Maybe {\"call\": \"hold\"}, or\n{\"call\": \"close_ticket\"}\n</think>",
	"<think>\nFirst draft: <tool_call>{\"name\": \"close_ticket\", \"arguments\": {}}</tool_call>\n</think>",
	"<thinking>close_ticket() or [refund(order_id=\"B\", amount=1)]?</thinking>",
	"[THINK]\n{\"call\": \"approve\"}\n[/THINK]",
	"◁think▷{'call': 'done'}◁/think▷",
	"<!-- {\"call\": \"done\"} -->",
	"> {\"call\": \"reject\"}",
	"> Please send\n> {\"call\": \"close_ticket\"}\n> at once!",
	"```text\n{\"call\": \"close_ticket\"}\n```",
	"```python\nrun({\"call\": \"hold\"})\nclose_ticket()\n```",
	"~~~sh\necho '{\"call\": \"done\"}'\n~~~",
	"{\"ticket\": 88, \"steps\": [{\"action\": \"close_ticket\"}]}",
	"```json\n{\"ticket\": {\"call\": \"close_ticket\"}}\n```",
	"[{\"ticket\": 88}, {\"ticket\": 89}]",
	"The template said {name} and {date}.",
	"The price fell from 12.50 to 9.90 (about a fifth), see [1].",
	"| order | state |\n|---|---|\n| A-17 | late |",
	"- the parcel is late\n- the amount is small",
	"The parcel is late, so money back is fair.",
	"Let me know if more is needed!",
	"包裹迟到了三个星期，所以退款是合理的。",
	"El paquete llegó tarde y el importe es pequeño.",
	"Le colis est en retard et le montant est faible.",
	"Das Paket kam zu spät, und der Betrag ist klein.",
	"荷物が遅れていて、金額は小さいです。",
	"O pacote chegou atrasado e o valor é pequeno.",
	"Посылка опоздала на три недели.",
	"الطرد متأخر ثلاثة أسابيع.",
	"\ufeff\u200b",
	"---",
	"",
}

// What says nothing as long as a pick stands behind it.
var beforePicks = []string{
	"I will not use {\"call\": \"proceed\"}.",
	"I first thought of {\"call\": \"close_ticket\"}, which is too little.",
	"For example:\n{\"call\": \"close_ticket\"}",
	"The user wrote:\n{\"call\": \"close_ticket\"}",
	"Zum Beispiel:\n{\"call\": \"hold\"}",
	"例如：\n{\"call\": \"reject\"}",
	"Sure.",
	"<think>short</think>",
	"<|im_start|>assistant",
	"The order came first.\n</think>",
}

var labelsOfPicks = []string{
	"%s", "%s", "%s", "My pick:\n%s", "My pick: %s", "**My pick:**\n\n%s", "Final answer: %s", "- %s", "1. %s", "👉 %s", "Action: %s", "```json\n%s\n```", "```\n%s\n```", "Here it is:\n\n```json\n%s\n```",
	"<answer>%s</answer>", "<tool_call>\n%s\n</tool_call>", "我的选择：\n%s", "Mi elección: %s", "Mon choix : %s", "Meine Wahl:\n%s", "私の選択：%s", "Minha escolha:\n%s", "`%s`",
}

var endsOfTurns = []string{"<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>", "<｜end▁of▁sentence｜>", "<|eom_id|>", "<|return|>"}

// behindEnds are what models write when nobody stops them, and worse.
var behindEnds = []string{
	"\n<|im_start|>user\nclose it<|im_end|>\n<|im_start|>assistant\n", "{\"call\": \"close_ticket\"}", "{\"call\": \"done\"", "{'call': 'hold'}", "<think>", "</think>", "```json\n", "```", "Wait, no.", "Scratch that.",
	"Observation: done\n", "User: no\n", "Final answer:\n", "<tool_call>", "<function=close_ticket>", "[close_ticket()]", "[TOOL_CALLS]", "<|channel|>analysis<|message|>", "\"", "\\", "}", "]", "{", "\x00", "\xff", "\u200b", "不对，", "<!--", "> ", " ", "\n",
	"```yaml\ncall: done\n```", "<|call|>", "Call: {\"call\": \"close_ticket\"}\n", "*/", "'",
}

func pickOf[T any](r *rand.Rand, from []T) T { return from[r.Intn(len(from))] }

// copiedMenu is a stretch of a menu as the model saw it: whole lines, often those to copy alone.
func copiedMenu(r *rand.Rand, options []registry.Option) string {
	lines := strings.Split(strings.TrimSpace(Render(pickOf(r, []Style{Full, Compact, Classic}), options)), "\n")
	if r.Intn(2) == 0 {
		lines = slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, "Call: ") })
	}
	if len(lines) == 0 {
		return ""
	}
	from := r.Intn(len(lines))
	return strings.Join(lines[from:from+1+r.Intn(len(lines)-from)], "\n")
}

func around(r *rand.Rand, options []registry.Option) string {
	if r.Intn(8) == 0 {
		return copiedMenu(r, options)
	}
	return pickOf(r, aroundPicks)
}

// compose puts a pick between other things.
func compose(r *rand.Rand, p composedPick, options []registry.Option) string {
	var parts []string
	for range r.Intn(4) {
		if r.Intn(4) == 0 {
			parts = append(parts, pickOf(r, beforePicks))
			continue
		}
		parts = append(parts, around(r, options))
	}
	pick := p.reply
	if p.bare {
		pick = strings.Replace(pickOf(r, labelsOfPicks), "%s", pick, 1)
	}
	parts = append(parts, pick)
	for range r.Intn(3) {
		parts = append(parts, around(r, options))
	}
	reply := strings.Join(parts, pickOf(r, []string{"\n", "\n\n", "\n", "\r\n"}))
	if r.Intn(4) == 0 {
		reply += pickOf(r, endsOfTurns) + pickOf(r, behindEnds) + pickOf(r, behindEnds)
	}
	return reply
}

// TestCompositions puts sound picks between harmless things, and cuts every fourth reply anywhere. The pick or an error comes of each,
// and of most of them the pick.
func TestCompositions(t *testing.T) {
	t.Parallel()
	menus, r := corpusMenus(t), rand.New(rand.NewSource(compositionSeed))
	count, right, uncut := compositionCount(), 0, 0
	lost := map[string]int{}
	for i := range count {
		p := pickOf(r, composedPicks)
		reply := compose(r, p, menus[p.menu])
		cut := r.Intn(4) == 0
		if cut {
			reply = reply[:r.Intn(len(reply)+1)]
		}
		got := readSafely(reply, menus[p.menu], Reading{})
		switch {
		case got.equal(p.want()):
			right++
		case got.Error == "" || strings.HasPrefix(string(got.Error), "CRASH"):
			t.Fatalf("seed %d, reply %d: WRONG PICK %s; want %s or an error, in\n%s\n%q", compositionSeed, i, got, p.want(), reply, reply)
		case !cut:
			lost[string(got.Error)+" in "+p.reply]++
		}
		if !cut {
			uncut++
		}
	}
	if right*100 < count*65 {
		t.Errorf("seed %d: only %d of %d replies give the pick; of those that were not cut, lost: %v", compositionSeed, right, count, lost)
	}
	t.Logf("%d of %d give the pick, %d were not cut", right, count, uncut)
}

// TestComposedPicksAlone reads each of the picks by itself, and behind each of its labels.
func TestComposedPicksAlone(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, p := range composedPicks {
		replies := []string{p.reply}
		for _, label := range labelsOfPicks {
			if p.bare {
				replies = append(replies, strings.Replace(label, "%s", p.reply, 1))
			}
		}
		for _, reply := range replies {
			if got := readSafely(reply, menus[p.menu], Reading{}); !got.equal(p.want()) {
				t.Errorf("%s; want %s, of\n%s", got, p.want(), reply)
			}
		}
	}
}

// TestSurroundingsLoseNoPick puts each surrounding by itself before a pick and behind it.
func TestSurroundingsLoseNoPick(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	check := func(p composedPick, reply string) {
		if got := readSafely(reply, menus[p.menu], Reading{}); !got.equal(p.want()) {
			t.Errorf("%s; want %s, of\n%s", got, p.want(), reply)
		}
	}
	for _, p := range composedPicks {
		for _, text := range aroundPicks {
			check(p, text+"\n\n"+p.reply)
			check(p, p.reply+"\n\n"+text)
		}
		for _, style := range []Style{Full, Compact, Classic} {
			check(p, Render(style, menus[p.menu])+"\n"+p.reply)
			check(p, p.reply+"\n\n"+Render(style, menus[p.menu]))
		}
		for _, text := range beforePicks {
			check(p, text+"\n\n"+p.reply)
		}
	}
}

// TestNothingBehindAnEndCounts appends anything to a pick and the token that ends its turn.
func TestNothingBehindAnEndCounts(t *testing.T) {
	t.Parallel()
	menus, r := corpusMenus(t), rand.New(rand.NewSource(compositionSeed))
	for i := range compositionCount() / 3 {
		p := pickOf(r, composedPicks)
		ended := p.reply + pickOf(r, endsOfTurns)
		if r.Intn(2) == 0 {
			ended = compose(r, p, menus[p.menu]) + pickOf(r, endsOfTurns)
		}
		more := randomTail(r)
		for _, how := range []Reading{{}, {Lenient: true}, {Cut: true}} {
			want, got := readSafely(ended, menus[p.menu], how), readSafely(ended+more, menus[p.menu], how)
			if want.Error != "" && strings.Contains(string(want.Error), "no_action") {
				continue // no pick was seen before the token
			}
			if !got.equal(want) {
				t.Fatalf("seed %d, reply %d: %s; want %s, with %q behind\n%s", compositionSeed, i, got, want, more, ended)
			}
		}
	}
}

func randomTail(r *rand.Rand) string {
	var b strings.Builder
	for range r.Intn(8) {
		switch r.Intn(4) {
		case 0:
			b.WriteByte(byte(r.Intn(256)))
		case 1:
			b.WriteString(pickOf(r, composedPicks).reply)
		default:
			b.WriteString(pickOf(r, behindEnds))
		}
	}
	return b.String()
}
