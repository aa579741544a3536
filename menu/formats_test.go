package menu

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/validate"
)

// formatReply is a reply with one call in a format of a model family. What stands between ⟦ and ⟧ is data: a character less there
// is another value, which no reader can know.
type formatReply struct{ menu, form, call, args, reply string }

func (f formatReply) text() string { return strings.NewReplacer("⟦", "", "⟧", "").Replace(f.reply) }

func (f formatReply) want() outcome { return outcome{Call: f.call, Args: json.RawMessage(f.args)} }

const (
	refundArgs   = `{"order_id": "A-17", "amount": 12.5}`
	refundObject = `{"order_id": "⟦A-17⟧", "amount": ⟦12.5⟧}`
	escalateArgs = `{"queue": "legal", "urgent": true}`
)

var formatReplies = []formatReply{
	{"support", "hermes", "refund", refundArgs, "<tool_call>\n{\"name\": \"refund\", \"arguments\": " + refundObject + "}\n</tool_call>"},
	{"support", "hermes", "refund", refundArgs, "<tool_call>{\"name\": \"refund\", \"arguments\": " + refundObject + "}</tool_call>"},
	{"notes", "hermes", "write_note", `{"title": "t", "body": "</tool_call>"}`, `<tool_call>{"name": "write_note", "arguments": {"title": "⟦t⟧", "body": "⟦</tool_call>⟧"}}</tool_call>`},

	{"support", "llama", "refund", refundArgs, `<|python_tag|>{"type": "function", "name": "refund", "parameters": ` + refundObject + `}<|eom_id|>`},
	{"support", "llama", "escalate", escalateArgs, `<|python_tag|>escalate(queue="⟦legal⟧", urgent=True)<|eom_id|>`},
	{"support", "llama", "close_ticket", `{}`, `<|python_tag|>close_ticket()`},
	{"support", "llama", "refund", refundArgs, `<|python_tag|>refund.call(order_id="⟦A-17⟧", amount=⟦12.5⟧)<|eom_id|>`},
	{"support", "qwen", "refund", refundArgs, `<function=refund>` + refundObject + `</function>`},

	{"support", "mistral", "refund", refundArgs, `[TOOL_CALLS] [{"name": "refund", "arguments": ` + refundObject + `, "id": "⟦abcdefghi⟧"}]`},
	{"support", "mistral", "refund", refundArgs, `[TOOL_CALLS]refund[ARGS]` + refundObject + `</s>`},
	{"support", "mistral", "refund", refundArgs, `[TOOL_CALLS]refund[CALL_ID]⟦a1b2c3d4e⟧[ARGS]` + refundObject},
	{"support", "mistral", "refund", refundArgs, `[TOOL_CALLS]refund` + refundObject},
	{"ops", "mistral", "run_check", `{"name": "disk", "args": ["{\"call\": \"hold\"}"]}`, `[TOOL_CALLS]run_check[ARGS]{"name": "⟦disk⟧", "args": ["⟦{\"call\": \"hold\"}⟧"]}`},

	{"support", "deepseek", "refund", refundArgs, "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>refund\n```json\n" + refundObject + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
	{"support", "deepseek", "refund", refundArgs, "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>refund<｜tool▁sep｜>" + refundObject + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"},
	{"support", "dsml", "escalate", `{"queue": "legal", "urgent": true, "note": "a &lt; b"}`, "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"escalate\">\n<｜DSML｜parameter name=\"queue\" string=\"true\">⟦legal⟧</｜DSML｜parameter>\n" +
		"<｜DSML｜parameter name=\"urgent\" string=\"false\">⟦true⟧</｜DSML｜parameter>\n<｜DSML｜parameter name=\"note\" string=\"true\">⟦a &lt; b⟧</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"},
	{"support", "dsml", "refund", refundArgs, "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"refund\">" + refundObject + "</｜DSML｜invoke>\n</｜DSML｜function_calls>"},

	{"support", "kimi", "refund", refundArgs, "<|tool_calls_section_begin|><|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>" + refundObject + "<|tool_call_end|><|tool_calls_section_end|>"},
	{"support", "kimi", "refund", refundArgs, "<|tool_call_begin|> refund:12 <|tool_call_argument_begin|> " + refundObject + " <|tool_call_end|>"},

	{"support", "qwen", "escalate", escalateArgs, "<tool_call>\n<function=escalate>\n<parameter=queue>\n⟦legal⟧\n</parameter>\n<parameter=urgent>\n⟦true⟧\n</parameter>\n</function>\n</tool_call>"},
	{"support", "qwen", "refund", `{"order_id": "A-17", "amount": 12.5, "notify": false}`, "<function=refund><parameter=order_id>⟦A-17⟧</parameter><parameter=amount>⟦12.5⟧</parameter><parameter=notify>⟦false⟧</parameter></function>"},
	{"notes", "qwen", "write_note", `{"title": "12", "body": "two\n\n  lines <b>\n"}`, "<function=write_note>\n<parameter=title>\n⟦12⟧\n</parameter>\n<parameter=body>⟦\ntwo\n\n  lines <b>\n\n  ⟧</parameter>\n</function>"},
	{"ops", "qwen", "report", `{"summary": "null", "metrics": {"latency_ms": 1.5, "errors": 0}, "items": [{"id": 1, "ok": true}]}`,
		"<function=report>\n<parameter=summary>\n⟦null⟧\n</parameter>\n<parameter=metrics>\n⟦{\"latency_ms\": 1.5, \"errors\": 0}⟧\n</parameter>\n<parameter=items>\n⟦[{\"id\": 1, \"ok\": true}]⟧\n</parameter>\n</function>"},

	{"support", "glm", "refund", refundArgs, "<tool_call>refund\n<arg_key>order_id</arg_key>\n<arg_value>⟦A-17⟧</arg_value>\n<arg_key>amount</arg_key>\n<arg_value>⟦12.5⟧</arg_value>\n</tool_call>"},
	{"support", "glm", "close_ticket", `{}`, "<tool_call>close_ticket</tool_call>"},
	{"support", "glm", "tag_ticket", `{"tags": ["late", "gold"], "mode": "add"}`, "<tool_call>tag_ticket<arg_key>tags</arg_key><arg_value>⟦[\"late\", \"gold\"]⟧</arg_value><arg_key>mode</arg_key><arg_value>⟦add⟧</arg_value></tool_call>"},

	{"support", "harmony", "refund", refundArgs, "<|channel|>commentary to=functions.refund <|constrain|>json<|message|>" + refundObject + "<|call|>"},
	{"support", "harmony", "refund", refundArgs, "<|start|>assistant to=functions.refund<|channel|>commentary json<|message|>" + refundObject + "<|call|>"},
	{"support", "harmony", "refund", refundArgs, "<|channel|>commentary<|message|>I pay it back.<|end|><|start|>assistant<|channel|>commentary to=functions.refund<|message|>" + refundObject + "<|call|>"},
	{"support", "harmony", "refund", refundArgs, "<|channel|>analysis to=functions.close_ticket<|message|>⟦{\"call\": \"close_ticket\"}⟧<|end|><|start|>assistant<|channel|>commentary to=functions.refund<|message|>" + refundObject + "<|call|>"},

	{"support", "invoke", "refund", refundArgs, "<function_calls>\n<invoke name=\"refund\">\n<parameter name=\"order_id\">⟦A-17⟧</parameter>\n<parameter name=\"amount\">⟦12.5⟧</parameter>\n</invoke>\n</function_calls>"},
	{"support", "invoke", "refund", refundArgs, "<minimax:tool_call>\n<invoke name=\"refund\">\n<parameter name=\"order_id\">⟦A-17⟧</parameter>\n<parameter name=\"amount\">⟦12.5⟧</parameter>\n</invoke>\n</minimax:tool_call>"},
	{"support", "invoke", "refund", refundArgs, "<antml:function_calls>\n<antml:invoke name=\"refund\">\n<antml:parameter name=\"order_id\">⟦A-17⟧</antml:parameter>\n<antml:parameter name=\"amount\">⟦12.5⟧</antml:parameter>\n</antml:invoke>\n</antml:function_calls>"},
	{"support", "invoke", "refund", refundArgs, `<tool_call name="refund">` + refundObject + `</tool_call>`},
	{"support", "invoke", "refund", refundArgs, "<minimax:tool_call><invoke name=\"refund\"><parameter name=\"order_id\">⟦A-17⟧</parameter><parameter name=\"amount\">⟦12.5⟧</parameter></invoke></minimax:tool_call>"},
	{"support", "invoke", "close_ticket", `{}`, `<invoke name="close_ticket"></invoke>`},
	{"support", "invoke", "close_ticket", `{}`, `<invoke name='close_ticket'/>`},
	{"support", "invoke", "escalate", `{"queue": "legal", "urgent": true, "note": ""}`, `<INVOKE name="escalate"><Parameter name="queue">⟦legal⟧</Parameter><Parameter name="urgent"> ⟦true⟧ </Parameter><Parameter name="note"></Parameter></INVOKE>`},

	{"support", "key tags", "refund", refundArgs, "<tool_use>\n<tool_name>refund</tool_name>\n<parameters>\n<order_id>⟦A-17⟧</order_id>\n<amount>⟦12.5⟧</amount>\n</parameters>\n</tool_use>"},
	{"support", "key tags", "refund", refundArgs, "<tool_use>\n  <name>refund</name>\n  <arguments>" + refundObject + "</arguments>\n</tool_use>"},
	{"support", "key tags", "escalate", escalateArgs, "<function_calls><invoke><tool_name>escalate</tool_name><parameters><queue>⟦legal⟧</queue><urgent>⟦true⟧</urgent></parameters></invoke></function_calls>"},

	{"support", "pythonic", "refund", refundArgs, `[refund(order_id="⟦A-17⟧", amount=⟦12.5⟧)]`},
	{"support", "pythonic", "close_ticket", `{}`, `[close_ticket()]`},
	{"support", "pythonic", "refund", refundArgs, `refund(order_id='⟦A-17⟧', amount=⟦12.5⟧)`},
	{"support", "pythonic", "refund", refundArgs, "```\nrefund(\n    order_id='⟦A-17⟧',\n    amount=⟦12.5⟧,\n)\n```"},
	{"support", "pythonic", "emit_plan", `{"steps": [{"action": "open", "target": "it's \"x\""}], "rationale": "\\ \n é"}`,
		"```tool_code\nemit_plan(steps=[{'action': '⟦open⟧', \"target\": '⟦it\\'s \"x\"⟧'}], rationale=\"⟦\\\\ \\n \\u00e9⟧\")\n```"},
	{"support", "pythonic", "close_ticket", `{}`, "```tool_call\n[close_ticket()]\n```"},
	{"support", "pythonic", "refund", refundArgs, `<tool_call>refund(order_id="⟦A-17⟧", amount=⟦12.5⟧)</tool_call>`},
	{"ops", "pythonic", "run_check", `{"name": "hold()", "args": ["proceed()", "[hold()]"], "timeout_s": 1e3}`, `[run_check(name="⟦hold()⟧", args=["⟦proceed()⟧", '⟦[hold()]⟧'], timeout_s=⟦1e3⟧)]`},
}

// TestFormats reads each format, alone and among other things.
func TestFormats(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, f := range formatReplies {
		for _, frame := range []string{"%s", "I pay it back.\n\n%s\n", "<think>no {\"call\": \"hold\"}</think>%s", "Final answer:\n\n%s<|im_end|>\n{\"call\": \"hold\"}", "%s\n\n%s"} {
			reply := strings.ReplaceAll(frame, "%s", f.text())
			got := readOutcome(reply, menus[f.menu], Reading{})
			if !got.equal(f.want()) {
				t.Errorf("got %s, want %s, of\n%s", got, f.want(), reply)
				continue
			}
			if p, _ := Parse(reply, menus[f.menu], Reading{}); p.Strategy != Format || p.Form != f.form || !p.IsExact() {
				t.Errorf("found as %q, form %q, with %q; want a sound call in the form %q, of\n%s", p.Strategy, p.Form, p.Liberties, f.form, reply)
			}
		}
	}
}

// TestFormatsAreNotGuessed cuts each format anywhere and takes out single characters that are no data.
func TestFormatsAreNotGuessed(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	tails := []string{"", "\n```", "<|im_end|>", "</tool_call>", "</function>", "\n</invoke>", "</tool_use>", "<｜tool▁call▁end｜>", "}", ")]", "\nThat is all.", "\n{\"call\": \"hold\"}"}
	for _, f := range formatReplies {
		text, options := f.text(), menus[f.menu]
		for i := range text {
			for n, tail := range tails {
				if n == len(tails)-1 && f.menu == "ops" || n > 0 && i > 0 && isNumberByte(text[i-1]) && isNumberByte(text[i]) {
					continue // the last tail is a pick of that menu; and what ends behind half a number makes it another number
				}
				reply := text[:i] + tail
				if got := readOutcome(reply, options, Reading{}); got.Error == "" && !got.isPartOf(f.want()) {
					t.Errorf("wrong pick %s, want %s or an error, in\n%s", got, f.want(), reply)
				}
			}
		}
		for _, frame := range []string{"%s", "I pay it back.\n\n%s\n", "```\n%s\n```"} {
			withoutOne(f.reply, func(damaged string) {
				pickOrError(t, strings.Replace(frame, "%s", damaged, 1), options, f.want())
			})
		}
	}
}

// withoutOne gives a reply without any one character that is no data.
func withoutOne(marked string, do func(string)) {
	data := false
	for i, r := range marked {
		switch r {
		case '⟦':
			data = true
		case '⟧':
			data = false
		default:
			if !data {
				do(formatReply{reply: marked[:i] + marked[i+len(string(r)):]}.text())
			}
		}
	}
}

// TestDoubtfulFormats are calls that are no pick, or not the one that a careless reader makes of them.
func TestDoubtfulFormats(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for i, c := range doubtfulFormats {
		want := outcome{Error: validate.Kind(c.want)}
		if name, args, ok := strings.Cut(c.want, " "); ok {
			want = picks(name, args)
		}
		if got := readOutcome(c.reply, menus[c.menu], Reading{}); !got.equal(want) {
			t.Errorf("%d: got %s, want %s, of\n%s", i, got, want, c.reply)
		}
	}
}

// TestFormatsLeniently reads calls with the liberties of the lenient reading: those of an object, and no others.
func TestFormatsLeniently(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	const refunded = `refund {"order_id": "A-17", "amount": 12.5}`
	for _, c := range []struct{ want, reply string }{
		{refunded, `[TOOL_CALLS]Refund[ARGS]{"order_id": "A-17", "amount": "12.5"}`},
		{refunded, "<function=Refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter></function>"},
		{refunded, "<tool_call>functions.refund<arg_key>order_id</arg_key><arg_value>A-17</arg_value><arg_key>amount</arg_key><arg_value>12.5</arg_value></tool_call>"},
		{refunded, `[refund(order_id="A-17", amount="12.5")]`},
		{`set_priority {"level": 3}`, `<｜DSML｜invoke name="set_priority"><｜DSML｜parameter name="level" string="true">3</｜DSML｜parameter></｜DSML｜invoke>`},
		{`set_priority {"level": 3}`, "<function=set_priority><parameter=level>3.0</parameter></function>"},
		{`escalate {"queue": "legal", "urgent": true}`, "<function=escalate><parameter=queue>Legal</parameter><parameter=urgent>true</parameter></function>"},
		{"type_mismatch", "<function=escalate><parameter=queue>legal</parameter><parameter=urgent>yes</parameter></function>"},
		{"type_mismatch", "<function=escalate><parameter=queue>legal</parameter><parameter=urgent>1</parameter></function>"},
		{"type_mismatch", "<function=tag_ticket><parameter=tags>late, gold</parameter><parameter=mode>add</parameter></function>"},
		{"unknown_call", "[TOOL_CALLS]refunds[ARGS]{}"},
		{"bad_args", "<function=Refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter>"},
		{"bad_args", "<function=refund><parameter=order_id>R&amp;D</parameter><parameter=amount>12.5</parameter></function>"},
	} {
		want := outcome{Error: validate.Kind(c.want)}
		if name, args, ok := strings.Cut(c.want, " "); ok {
			want = picks(name, args)
		}
		if got := readOutcome(c.reply, menus["support"], Reading{Lenient: true}); !got.equal(want) {
			t.Errorf("got %s, want %s, of\n%s", got, want, c.reply)
		}
	}
}

// TestMendedFormats reads argument objects with damage that has one reading. Such a pick is no exact one.
func TestMendedFormats(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, reply := range []string{
		"<function=refund>{'order_id': 'A-17', 'amount': 12.5,}</function>",
		"[TOOL_CALLS]refund[ARGS]{order_id: \"A-17\", amount: 12.5}",
		"<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{\"order_id\": \"A-17\"\n\"amount\": 12.5}<|tool_call_end|>",
		"<|channel|>commentary to=functions.refund<|message|>{\"order_id\": \"A-17\", \"amount\": 12.5, /* all */}<|call|>",
	} {
		pick, err := Parse(reply, menus["support"], Reading{})
		if err != nil || pick.Name != "refund" || byValue(pick.Args) != byValue([]byte(refundArgs)) {
			t.Errorf("got %s %s, %v, of\n%s", pick.Name, pick.Args, err, reply)
			continue
		}
		if pick.IsExact() || pick.Strategy != Repaired {
			t.Errorf("found as %q with %q; want a repaired pick, of\n%s", pick.Strategy, pick.Liberties, reply)
		}
	}
}

var doubtfulFormats = []struct{ menu, want, reply string }{
	// two calls in one carrier
	{"support", "ambiguous", `[TOOL_CALLS]refund[ARGS]{"order_id": "A-17", "amount": 12.5}[TOOL_CALLS]close_ticket[ARGS]{}`},
	{"support", "ambiguous", `<|python_tag|>{"name": "refund", "parameters": {"order_id": "A-17", "amount": 12.5}}; {"name": "close_ticket", "parameters": {}}`},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `<|python_tag|>{"name": "refund", "parameters": {"order_id": "A-17", "amount": 12.5}}; {"name": "refund", "parameters": {"order_id": "A-17", "amount": 12.5}}`},
	{"support", "ambiguous", `<|python_tag|>refund(order_id="A-17", amount=12.5); close_ticket()`},
	{"support", "ambiguous", `[refund(order_id="A-17", amount=12.5), close_ticket()]`},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `[refund(order_id="A-17", amount=12.5), refund(amount=12.5, order_id="A-17")]`},
	{"support", "ambiguous", `<function_calls><invoke name="refund"><parameter name="order_id">A-17</parameter><parameter name="amount">12.5</parameter></invoke><invoke name="close_ticket"></invoke></function_calls>`},
	{"support", "ambiguous", `<tool_call><function=close_ticket></function><function=refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter></function></tool_call>`},
	{"support", "ambiguous", `<tool_call>close_ticket</tool_call><tool_call>set_priority<arg_key>level</arg_key><arg_value>3</arg_value></tool_call>`},
	{"support", "ambiguous", `<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5}<|tool_call_end|><|tool_call_begin|>functions.close_ticket:1<|tool_call_argument_begin|>{}<|tool_call_end|>`},
	{"support", "ambiguous", `<｜tool▁call▁begin｜>refund<｜tool▁sep｜>{"order_id": "A-17", "amount": 12.5}<｜tool▁call▁end｜><｜tool▁call▁begin｜>close_ticket<｜tool▁sep｜>{}<｜tool▁call▁end｜>`},
	{"support", `close_ticket {}`, "[TOOL_CALLS]refund[ARGS]{\"order_id\": \"A-17\", \"amount\": 12.5}\nWait, nothing is left to do.\n[TOOL_CALLS]close_ticket[ARGS]{}"},
	{"support", "ambiguous", "<invoke name=\"close_ticket\"></invoke>\n{\"call\": \"refund\", \"args\": {\"order_id\": \"A-17\", \"amount\": 12.5}}"},
	{"support", `close_ticket {}`, "<invoke name=\"close_ticket\"></invoke>\n{\"call\": \"close_ticket\"}"},
	{"support", "bad_args", "{\"call\": \"close_ticket\"}\nWait, money first.\n<invoke name=\"refund\"><parameter name=\"order_id\">A-17</parameter>"},
	{"support", "ambiguous", "{\"call\": \"close_ticket\"}\n<invoke name=\"refund\"><parameter name=\"order_id\">A-17</parameter>"},
	{"support", "ambiguous", "{\"call\": \"close_ticket\"}\n[TOOL_CALLS]ref"},
	// closers lost, cut
	{"support", "bad_args", `<function=refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter>`},
	{"support", "bad_args", `<function=refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</function>`},
	{"support", "bad_args", `<function=refund><parameter=order_id>A-17<parameter=amount>12.5</parameter></function>`},
	{"support", "bad_args", `<invoke name="refund"><parameter name="order_id">A-17</parameter><parameter name="amount">12.5</parameter></function_calls>`},
	{"support", "bad_args", `<tool_call>refund<arg_key>order_id</arg_key><arg_value>A-17</tool_call>`},
	{"support", "bad_args", `<tool_call>refund<arg_key>order_id</arg_key></tool_call>`},
	{"support", "bad_args", `<tool_use><tool_name>refund</tool_name><parameters><order_id>A-17</order_id></tool_use>`},
	{"support", "no_action", `<tool_use><tool_name>refund`},
	{"support", "no_action", `[TOOL_CALLS]refund`},
	{"support", "bad_args", `[TOOL_CALLS]refund[ARGS]`},
	{"support", "bad_args", `[TOOL_CALLS]refund[ARGS]{"order_id": "A-17", "amount": 12.5`},
	{"support", "bad_args", `[TOOL_CALLS]refund[CALL_ID]abc{"order_id": "A-17", "amount": 12.5}`},
	{"support", "no_action", `<|tool_call_begin|>functions.refund:0`},
	{"support", "bad_args", `<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "am`},
	{"support", "bad_args", `<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5} or not<|tool_call_end|>`},
	{"support", "bad_args", `<|tool_call_begin|>functions.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5} x> y<|tool_call_end|>`},
	{"support", "no_action", `<tool_call>"tool_name>refund</tool_name></tool_call>`},
	{"support", "bad_args", `<tool_call name="emit_plan">{"action": "close_ticket"}</tool_call>`},
	{"support", "no_action", `<tool_call name="refund">A-17</tool_call>`},
	{"notes", "no_action", "<antml:parameter name=\"body\">\n{\"call\": \"done\"}\n"},
	{"notes", "bad_args", "<antml:invoke name=\"write_note\"><parameter name=\"title\">\n{\"call\": \"done\"}\n</parameter></antml:invoke>"},
	{"support", "bad_args", "[TOOL_CALLS]close_ticket[ARGS]{'call': 'refund'}"},
	{"support", "bad_args", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>refund\n```json\n{\"order_id\": \"A-17\", \"amount\": 12.5}\n<｜tool▁call▁end｜>"},
	{"support", "no_action", "<｜tool▁call▁begin｜>code<｜tool▁sep｜>refund\n```json\n{\"order_id\": \"A-17\", \"amount\": 12.5}\n```<｜tool▁call▁end｜>"},
	{"support", "no_action", "function<｜tool▁sep｜>refund\n```json\n{\"order_id\": \"A-17\", \"amount\": 12.5}\n```<｜tool▁call▁end｜>"},
	{"support", "no_action", `functions.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5}<|tool_call_end|>`},
	{"support", "bad_args", `<|channel|>commentary to=functions.refund<|message|>{"order_id": "A-17"`},
	{"support", "bad_args", `<|channel|>commentary to=functions.refund<|message|>A-17, 12.5<|call|>`},
	{"support", "bad_args", `[refund(order_id="A-17", amount=12.5)`},
	{"support", "bad_args", `[refund(order_id="A-17", amount=12.5`},
	{"support", "bad_args", "```tool_code\nrefund(order_id=\"A-17\", amount=12.5)"},
	{"support", "bad_args", "```tool_code\nrefund(order_id=\"A-17\", amount=12.5)\nclose_ticket()\n```"},
	{"support", "bad_args", `<tool_call>refund(order_id="A-17", amount=12.5)`},
	{"support", "no_action", "<parameter name=\"order_id\">A-17</parameter>\n{\"call\": \"close_ticket\"}"},
	{"support", "no_action", "<arg_value>\n{\"call\": \"close_ticket\"}\n</arg_value></tool_call>"},
	// tags, tokens and calls inside a value
	{"notes", `write_note {"title": "t", "body": "</tool_call></parameter></invoke>[TOOL_CALLS]done[ARGS]{}"}`, `[TOOL_CALLS]write_note[ARGS]{"title": "t", "body": "</tool_call></parameter></invoke>[TOOL_CALLS]done[ARGS]{}"}`},
	{"notes", `write_note {"title": "<|call|>", "body": "<|channel|>commentary to=functions.done<|message|>{}"}`, `<|channel|>commentary to=functions.write_note<|message|>{"title": "<|call|>", "body": "<|channel|>commentary to=functions.done<|message|>{}"}<|call|>`},
	{"notes", `write_note {"title": "t", "body": "\n{\"call\": \"done\"}\n"}`, "<invoke name=\"write_note\"><parameter name=\"title\">t</parameter><parameter name=\"body\">\n\n{\"call\": \"done\"}\n\n</parameter></invoke>"},
	{"notes", "bad_args", `<invoke name="write_note"><parameter name="title">t</parameter><parameter name="body">End with </parameter> please.</parameter></invoke>`},
	{"notes", "bad_args", `<invoke name="write_note"><parameter name="title">t</parameter><parameter name="body"><invoke name="done"></invoke></parameter></invoke>`},
	{"notes", "ambiguous", `<function=write_note><parameter=title>t</parameter><parameter=body>a</parameter></function><function=done></function></parameter></function>`},
	{"notes", "bad_args", "<function=write_note><parameter=title>t</parameter><parameter=body>a<|im_end|>\n<|im_start|>user\nno</parameter></function>"},
	{"notes", "bad_args", `<function=write_note><parameter=title>t</parameter><parameter=body>a</s></parameter></function>`},
	{"notes", "bad_args", "<function=write_note><parameter=title>t</parameter><parameter=body>a</parameter\n</function></parameter></function>"},
	{"notes", "bad_args", `<tool_use><name>write_note</name><parameters><title>a<title>b</title></title><body>c</body></parameters></tool_use>`},
	{"notes", "bad_args", `<invoke name="write_note"><parameter name="title">R&amp;D</parameter><parameter name="body">b</parameter></invoke>`},
	{"notes", "bad_args", `<invoke name="write_note"><parameter name="title">a &#60; b</parameter><parameter name="body">b</parameter></invoke>`},
	{"notes", "bad_args", `<invoke name="write_note"><parameter name="title"><![CDATA[t]]></parameter><parameter name="body">b</parameter></invoke>`},
	{"notes", `write_note {"title": "R&D; a < b && c", "body": "<b>x</b>"}`, `<invoke name="write_note"><parameter name="title">R&D; a < b && c</parameter><parameter name="body"><b>x</b></parameter></invoke>`},
	{"notes", `write_note {"title": "t", "body": "x\"); done()"}`, `[write_note(title="t", body="x\"); done()")]`},
	{"notes", "bad_args", `[write_note(title="t", body="x"); done()]`},
	{"notes", "bad_args", `[write_note(title="t", body=done())]`},
	{"notes", "bad_args", `<function=write_note>{"call": "done"}</function>`},
	{"support", "bad_args", `[TOOL_CALLS]close_ticket[ARGS]{"name": "refund", "arguments": {"order_id": "A-17", "amount": 12.5}}`},
	// text is read by the declared type, in the spelling of JSON alone
	{"support", "type_mismatch", `<function=escalate><parameter=queue>legal</parameter><parameter=urgent>yes</parameter></function>`},
	{"support", "type_mismatch", `<function=escalate><parameter=queue>legal</parameter><parameter=urgent>True</parameter></function>`},
	{"support", "type_mismatch", `<function=escalate><parameter=queue>legal</parameter><parameter=urgent>1</parameter></function>`},
	{"support", "type_mismatch", `<function=refund><parameter=order_id>A-17</parameter><parameter=amount>12,5</parameter></function>`},
	{"support", "type_mismatch", `<function=refund><parameter=order_id>A-17</parameter><parameter=amount>0x1F</parameter></function>`},
	{"support", "type_mismatch", `<function=refund><parameter=order_id>A-17</parameter><parameter=amount></parameter></function>`},
	{"support", "type_mismatch", `<function=set_priority><parameter=level>3.0</parameter></function>`},
	{"support", "type_mismatch", `<function=set_priority><parameter=level>9223372036854775808</parameter></function>`},
	{"support", "type_mismatch", `<function=set_priority><parameter=level>"3"</parameter></function>`},
	{"support", "type_mismatch", `<function=tag_ticket><parameter=tags>late, gold</parameter><parameter=mode>add</parameter></function>`},
	{"support", "enum_violation", `<function=tag_ticket><parameter=tags>[]</parameter><parameter=mode>Add</parameter></function>`},
	{"support", `refund {"order_id": "17", "amount": 12}`, `<function=refund><parameter=order_id>17</parameter><parameter=amount>12</parameter><parameter=notify>null</parameter></function>`},
	{"support", "type_mismatch", `<｜DSML｜invoke name="set_priority"><｜DSML｜parameter name="level" string="true">3</｜DSML｜parameter></｜DSML｜invoke>`},
	{"support", "bad_args", `<｜DSML｜invoke name="set_priority"><｜DSML｜parameter name="level" string="false">three</｜DSML｜parameter></｜DSML｜invoke>`},
	{"support", "bad_args", `<｜DSML｜invoke name="set_priority"><｜DSML｜parameter name="level" string="maybe">3</｜DSML｜parameter></｜DSML｜invoke>`},
	{"support", "missing_required", `<function=refund><parameter=order_id><order_id></parameter><parameter=amount>12.5</parameter></function>`},
	{"support", "missing_required", `<function=refund><parameter=order_id>A-17</parameter></function>`},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `<function=refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter><parameter=colour>red</parameter></function>`},
	// keys and names
	{"support", "ambiguous", `<function=refund><parameter=order_id>A-17</parameter><parameter=order_id>A-18</parameter><parameter=amount>12.5</parameter></function>`},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `<function=refund><parameter=order_id>A-17</parameter><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter></function>`},
	{"support", "ambiguous", `[refund(order_id="A-17", order_id="A-18", amount=12.5)]`},
	{"support", "unknown_call", `<function=Refund><parameter=order_id>A-17</parameter><parameter=amount>12.5</parameter></function>`},
	{"support", "unknown_call", `[TOOL_CALLS]REFUND[ARGS]{"order_id": "A-17", "amount": 12.5}`},
	{"support", "unknown_call", `[reopen_ticket()]`},
	{"support", "unknown_call", `<invoke name="reopen_ticket"><parameter name="why">R&amp;D</parameter></invoke>`},
	{"support", "unknown_call", `<|channel|>commentary to=browser.search<|message|>{"order_id": "A-17", "amount": 12.5}<|call|>`},
	{"support", "unknown_call", `<|tool_call_begin|>tools.refund:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5}<|tool_call_end|>`},
	{"support", "no_action", `<|tool_call_begin|>functions.refund:a:0<|tool_call_argument_begin|>{"order_id": "A-17", "amount": 12.5}<|tool_call_end|>`},
	{"support", "no_action", `Refund(order_id="A-17", amount=12.5)`},
	// talked about, quoted, or no call
	{"support", `close_ticket {}`, "I might call <tool_call> with refund here.\n\n{\"call\": \"close_ticket\"}"},
	{"support", `close_ticket {}`, "In Python this is refund(order_id=\"A-17\", amount=12.5), so to say.\n\n{\"call\": \"close_ticket\"}"},
	{"support", `close_ticket {}`, "[Note(s)] nothing is left, see [the log](x=1).\n\n{\"call\": \"close_ticket\"}"},
	{"support", "ambiguous", `I will not use [refund(order_id="A-17", amount=12.5)].`},
	{"support", "ambiguous", `I would write <invoke name="refund"><parameter name="order_id">A-17</parameter><parameter name="amount">12.5</parameter></invoke> here.`},
	{"support", "no_action", `I would write <invoke name="refund"> here.`},
	{"support", "no_action", `> [refund(order_id="A-17", amount=12.5)]`},
	{"support", "no_action", "```python\nrefund(order_id=\"A-17\", amount=12.5)\n```"},
	{"support", "no_action", "```text\n<invoke name=\"close_ticket\"></invoke>\n```"},
	{"support", "no_action", `<think>[refund(order_id="A-17", amount=12.5)]`},
	{"support", "ambiguous", "refund(order_id=\"A-17\", amount=12.5)\nescalate(queue=\"legal\", urgent=True)"},
	{"support", "ambiguous", "x = 1\nrefund(order_id=\"A-17\", amount=12.5)"},
	{"support", "ambiguous", `refund(order_id="A-17", amount=12.5) # or so`},
	{"support", "ambiguous", `refund(order_id=A-17, amount=12.5)`},
	{"support", "ambiguous", `refund(order_id="A-17", amount=12.5`},
	{"support", "ambiguous", "```\nx = 1\nrefund(order_id=\"A-17\", amount=12.5)\n```"},
	{"support", "no_action", `close_ticket()`},
	{"support", "no_action", `close_ticket`},
	{"support", "no_action", `<function>close_ticket</function>`},
	{"support", "ambiguous", "{\"call\": \"close_ticket\"}\n\nrefund(order_id=\"A-17\", amount=1_000)"},
	{"support", "ambiguous", `Example: [refund(order_id="A-17", amount=12.5)]`},
	{"support", "no_action", "<tool_response>\n{\"call\": \"close_ticket\"}\n</tool_response>"},
	{"support", "no_action", "<tool_response>\n{\"call\": \"close_ticket\"}\n"},
	{"support", "ambiguous", "<tool_response>\n{}\n</tool_response>\n{\"call\": \"close_ticket\"}"},
	{"support", "ambiguous", "{\"call\": \"close_ticket\"}\n<tool_response>\n{}\n</tool_response>\nWait,\n{\"call\": \"close_ticket\"}"},
	{"support", "ambiguous", "{\"call\": \"close_ticket\"}\n<tool_response>\n{}\n"},
	{"support", "close_ticket {}", "{\"call\": \"close_ticket\"}\n<tool_response>\n{\"call\": \"refund\"}\n</tool_response>\nDone."},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `<｜tool▁call▁begin｜>refund<｜tool▁sep｜>{"order_id": "A-17", "amount": 12.5}<｜tool▁call▁end｜><｜tool▁outputs▁begin｜>{"call": "close_ticket"}<｜tool▁outputs▁end｜>`},
	{"support", "ambiguous", "<|channel|>final<|message|>{\"call\": \"close_ticket\"}\n[close_ticket(), refund(order_id=\"A-17\", amount=12.5)]"},
	{"support", "no_action", `<|channel|>analysis to=functions.refund<|message|>{"order_id": "A-17", "amount": 12.5}<|call|>`},
	{"support", "no_action", `<|channel|>final to=functions.refund<|message|>{"order_id": "A-17", "amount": 12.5}<|end|>`},
	{"support", "no_action", `<|start|>assistant to=functions.refund<|message|>{"order_id": "A-17", "amount": 12.5}<|call|>`},
	// what Python has and JSON has not
	{"support", "bad_args", `[refund("A-17", 12.5)]`},
	{"support", "bad_args", `[refund(order_id="A-17", amount=6.25*2)]`},
	{"support", "bad_args", `[refund(order_id="A-17", amount=1_000)]`},
	{"support", "bad_args", `[refund(order_id="A-17", amount=.5)]`},
	{"support", "bad_args", `[refund(order_id=f"A-{n}", amount=12.5)]`},
	{"support", "bad_args", `[refund(order_id="A-" "17", amount=12.5)]`},
	{"support", "bad_args", `[refund(order_id="A\x2d17", amount=12.5)]`},
	{"support", "bad_args", "[refund(order_id=\"A-17\n\", amount=12.5)]"},
	{"support", "bad_args", `[refund(order_id="""A-17""", amount=12.5)]`},
	{"support", "bad_args", `[refund(**args)]`},
	{"support", "bad_args", `[tag_ticket(tags=("late", "gold"), mode="add")]`},
	{"support", "bad_args", `[tag_ticket(tags=["late", ...], mode="add")]`},
	{"support", `tag_ticket {"tags": ["late"], "mode": "add"}`, `[tag_ticket(tags=["late",], mode="add",)]`},
	{"support", `refund {"order_id": "A-17", "amount": 12.5}`, `[refund(order_id="A-17", amount=12.5, notify=None)]`},
}
