package menu

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// soundLines are key lines that are one pick, by menu.
var soundLines = []struct{ menu, lines, args string }{
	{"support", "call: close_ticket", `{}`},
	{"support", "call: refund\nargs:\n  order_id: A-17\n  amount: 12.5\n  notify: true", `{"order_id": "A-17", "amount": 12.5, "notify": true}`},
	{"support", "call: refund\norder_id: A-17\namount: 12.5", `{"order_id": "A-17", "amount": 12.5}`},
	{"support", "call: refund\nargs:\n    order_id: \"A \\\"17\\\": # x\"\n    amount: -1e3", `{"order_id": "A \"17\": # x", "amount": -1e3}`},
	{"support", "call: escalate\nargs:\n  note: 'it''s late'\n  urgent: false\n  queue: legal", `{"queue": "legal", "urgent": false, "note": "it's late"}`},
	{"support", "args:\n  level: 4\ncall: set_priority", `{"level": 4}`},
	{"support", "call: tag_ticket\nargs:\n  tags:\n    - late\n    - \"gold\"\n    - 'x y'\n  mode: add", `{"tags": ["late", "gold", "x y"], "mode": "add"}`},
	{"support", "call: tag_ticket\nargs:\n  mode: add\n  tags:\n  - late\n  - gold", `{"tags": ["late", "gold"], "mode": "add"}`},
	{"support", "call: tag_ticket\nmode: add\ntags:\n- late", `{"tags": ["late"], "mode": "add"}`},
	{"support", "call: tag_ticket\nargs: {\"tags\": [\"late\", \"gold\"], \"mode\": \"add\"}", `{"tags": ["late", "gold"], "mode": "add"}`},
	{"support", "action: tag_ticket\nargs:\n  tags: [\"late\", \"gold\"]\n  mode: add", `{"tags": ["late", "gold"], "mode": "add"}`},
	{"support", "  call: refund\n  args:\n    order_id: 1042\n    amount: 12", `{"order_id": "1042", "amount": 12}`},
	{"ops", "call: report\nargs:\n  summary: all is well - 10:30, 3 of 3\n  metrics:\n    latency_ms: 12.0\n    errors: 0\n  items: [{\"id\": 1, \"ok\": true}]",
		`{"summary": "all is well - 10:30, 3 of 3", "metrics": {"latency_ms": 12.0, "errors": 0}, "items": [{"id": 1, "ok": true}]}`},
	{"ops", "call: run_check\nargs:\n  name: disk\n  args:\n    - -v\n    - \"{\\\"call\\\": \\\"hold\\\"}\"\n  timeout_s: 3", `{"name": "disk", "args": ["-v", "{\"call\": \"hold\"}"], "timeout_s": 3}`},
	{"notes", "call: write_note\nargs:\n  title: true\n  body: yes", `{"title": "true", "body": "yes"}`},
	{"notes", "call: search\nargs:\n  query: late\n  limit: ~", `{"query": "late"}`},
	{"notes", "call: search\nargs:\n  limit:\n  query: ~/notes", `{"query": "~/notes"}`},
}

// TestKeyLines reads them in each fence that may hold them, cuts them everywhere and takes out what they are built of.
func TestKeyLines(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range soundLines {
		options := menus[c.menu]
		var name string
		for line := range strings.SplitSeq(c.lines, "\n") {
			if key, value, ok := keyLine(strings.TrimSpace(line)); ok && (key == "call" || key == "action") {
				name = value
			}
		}
		want := outcome{Call: name, Args: json.RawMessage(c.args)}
		for _, frame := range []string{"```yaml\n%s\n```", "```yml\n%s\n```\n", "I pick this:\n\n~~~ YAML\n%s\n~~~\n\nThat is all.\n", "<think>no</think>\n```yaml\r\n%s\r\n\r\n```<|im_end|>", "````yaml\n%s\n````"} {
			whole := strings.Replace(frame, "%s", c.lines, 1)
			if got := readOutcome(whole, options, Reading{}); !got.equal(want) {
				t.Errorf("got %s, want %s, in\n%s", got, want, whole)
			}
			if pick, _ := Parse(whole, options, Reading{}); pick.Strategy != KeyLines || pick.IsExact() || pick.Repaired() {
				t.Errorf("read by %q with %v, in\n%s", pick.Strategy, pick.Liberties, whole)
			}
			for i := range whole {
				pickOrError(t, whole[:i], options, want)
				for _, more := range []string{"<|im_end|>", "\nThat is all.", "\n{\"call\": \"nope\"}"} {
					pickOrError(t, whole[:i]+more, options, want)
				}
			}
			keyRemovals(whole, func(damaged string) { pickOrError(t, damaged, options, want) })
		}
		if strings.HasPrefix(c.lines, "call:") || strings.HasPrefix(c.lines, "action:") {
			for _, language := range []string{"", "json", "JSON"} {
				whole := "```" + language + "\n" + c.lines + "\n```"
				if got := readOutcome(whole, options, Reading{}); !got.equal(want) {
					t.Errorf("got %s, want %s, in\n%s", got, want, whole)
				}
			}
		}
	}
}

// keyRemovals gives the text without any one of the characters that lines are built of: line breaks, the blanks and the dash at their start,
// the colon and the blank behind a key, quotes and brackets around a value.
func keyRemovals(text string, do func(string)) {
	for at := 0; at < len(text); {
		line := firstLine(text[at:])
		body := strings.TrimLeft(line, " ")
		structural := map[int]bool{len(line): true}
		for i := range len(line) - len(body) {
			structural[i] = true
		}
		start := len(line) - len(body)
		if strings.HasPrefix(body, "- ") {
			structural[start], structural[start+1] = true, true
			start += 2
		}
		if key, _, ok := keyLine(body); ok {
			colon := start + len(key)
			structural[colon], structural[colon+1] = true, true
			start = min(colon+2, len(line))
		}
		if value := strings.TrimRight(line[start:], "\r"); value != "" && strings.IndexByte(`"'{[`, value[0]) >= 0 {
			structural[start], structural[start+len(value)-1] = true, true
			if value[0] != '\'' && value[0] != '"' {
				removals(value, func(damaged string) { do(text[:at+start] + damaged + text[at+len(line):]) })
			}
		}
		for i := range len(line) + 1 {
			if structural[i] && at+i < len(text) {
				do(text[:at+i] + text[at+i+1:])
			}
		}
		at += len(line) + 1
	}
}

// TestUnfitKeyLines: what does not fit is no pick, and says why where it was to be one.
func TestUnfitKeyLines(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	const refund = "call: refund\nargs:\n  order_id: A-17\n  amount: 12\n"
	for _, c := range []struct {
		lines string
		want  validate.Kind
	}{
		// a form that is not read
		{refund + "---\n", "bad_args"}, {"---\n" + refund, "bad_args"}, {refund + "...\n", "bad_args"}, {"# why\n" + refund, "bad_args"}, {refund + "# why\n", "bad_args"},
		{refund + "and so on\n", "bad_args"}, {refund + "  amount: 12\n", "bad_args"}, {refund + "call: close_ticket\n", "bad_args"}, {refund + "\tnotify: true\n", "bad_args"},
		{refund + "   notify: true\n", "bad_args"}, {refund + " notify: true\n", "bad_args"}, {refund + "    notify: true\n", "bad_args"}, {refund + "  notify:true\n", "bad_args"},
		{refund + "  notify : true\n", "bad_args"}, {refund + "  notify: true # yes\n", "bad_args"}, {refund + "  <<: *x\n", "bad_args"}, {refund + "  - true\n", "bad_args"},
		{refund + "  \"notify\": true\n", "bad_args"}, {refund + "  notify: !!bool true\n", "bad_args"}, {refund + "  notify: &a true\n", "bad_args"}, {refund + "  notify: true,\n", "bad_args"},
		{"call: refund,\nargs: {\"order_id\": \"A-17\", \"amount\": 12}", "no_action"}, {refund + "  other:\n    deep: 1\n", "bad_args"}, {refund + "{}\n", "bad_args"},
		{"call: refund\nargs:\n  order_id: |\n    A-17\n  amount: 12", "bad_args"}, {"call: refund\nargs:\n  order_id: >\n    A-17\n  amount: 12", "bad_args"},
		{"call: refund\nargs:\n  order_id: A-17\n    and more\n  amount: 12", "bad_args"}, {"call: refund\nargs:\n  order_id: \"A-17\n  amount: 12", "bad_args"},
		{"call: refund\nargs:\n  order_id: 'A-'17'\n  amount: 12", "bad_args"}, {"call: refund\nargs:\n  order_id: \"A\\-17\"\n  amount: 12", "bad_args"},
		{"call: refund\nargs:\n  order_id: A: 17\n  amount: 12", "bad_args"}, {"call: refund\nargs:\n  order_id: {id: A-17}\n  amount: 12", "bad_args"}, {"call: refund\nargs: A-17, 12", "bad_args"},
		{"call: refund\nargs:\n- A-17\n- 12", "bad_args"}, {"call: tag_ticket\nargs:\n  tags:\n    - {\"a\": 1}\n  mode: add", "bad_args"}, {"call: tag_ticket\nargs:\n  tags:\n    -\n  mode: add", "bad_args"},
		{"call: tag_ticket\nargs:\n  tags:\n    - - late\n  mode: add", "bad_args"}, {"call: tag_ticket\nargs:\n  tags:\n    - late - gold\n  mode: add", "bad_args"},
		{"call: tag_ticket\nargs:\n  tags:\n    - late\n   - gold\n  mode: add", "bad_args"}, {"call: tag_ticket\nargs:\n  tags: late\n    - gold\n  mode: add", "bad_args"},
		{"call: refund\nargs:\n  order_id: Null\n  amount: 12", "bad_args"}, {"call: close_ticket\nargs:\n  - x", "bad_args"}, {refund + strings.Repeat("\n", 2000) + "notify: true", "bad_args"},
		{"call: nope\nand so on", "no_action"}, {"call:\nargs: {}", "no_action"}, {"call: [\"refund\"]", "no_action"}, {"call: re: fund", "no_action"}, {"order_id: A-17", "no_action"},
		{"steps:\n  - call: close_ticket", "no_action"}, {"on:\n  call: close_ticket", "no_action"}, {"call close_ticket", "no_action"}, {"Call: close_ticket", "no_action"}, {"call:close_ticket", "no_action"},

		// lines that are read, and what the checks say
		{"call: nope", "unknown_call"}, {"call: Refund", "unknown_call"}, {"call: \"re fund\"", "unknown_call"}, {"call: refund\naction: close_ticket", "ambiguous"},
		{refund + "  notify: yes\n", "type_mismatch"}, {refund + "  notify: True\n", "type_mismatch"}, {refund + "  notify: \"true\"\n", "type_mismatch"}, {refund + "  notify: 1\n", "type_mismatch"},
		{"call: set_priority\nlevel: 04", "type_mismatch"}, {"call: set_priority\nlevel: 4.0", "type_mismatch"}, {"call: set_priority\nlevel: \"4\"", "type_mismatch"}, {"call: set_priority\nlevel: 0x4", "type_mismatch"},
		{"call: set_priority\nlevel: null", "type_mismatch"}, {"call: set_priority\nlevel:", "missing_required"}, {"call: set_priority\nlevel: ~", "missing_required"}, {"call: set_priority\nlevel: <int>", "missing_required"},
		{"call: tag_ticket\nargs:\n  tags: late, gold\n  mode: add", "type_mismatch"}, {"call: tag_ticket\nargs:\n  tags: late\n  mode: add", "type_mismatch"}, {"call: tag_ticket\ntags: [\"x\"]\nmode: Add", "enum_violation"},
		{"call: set_priority\nargs:\nlevel: 4", "bad_args"}, {"call: set_priority\nargs: {}\nlevel: 4", "bad_args"},
	} {
		if got := readOutcome("```yaml\n"+c.lines+"\n```", menus["support"], Reading{}); got.Error != c.want {
			t.Errorf("got %s, want %s, in\n%s", got, c.want, c.lines)
		}
		if got := readOutcome("```\n"+c.lines+"\n```", menus["support"], Reading{}); got.Error == "" {
			t.Errorf("wrong pick %s in a fence without language, in\n%s", got, c.lines)
		}
	}
}

// TestKeyLinesAmongOthers: they obey the rules for how picks stand and for several of them. L stands for key lines of close_ticket, S for those
// of set_priority, J for close_ticket as an object, B for lines that don't fit.
func TestKeyLinesAmongOthers(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	forms := strings.NewReplacer("L", "```yaml\ncall: close_ticket\n```", "S", "```yaml\ncall: set_priority\nargs:\n  level: 4\n```", "J", `{"call": "close_ticket"}`, "B", "```yaml\ncall: refund\nargs: x\n```")
	for _, c := range []struct{ reply, want string }{
		{"L", "close_ticket"}, {"L\n\nL", "close_ticket"}, {"L\nJ", "close_ticket"}, {"J\nL", "close_ticket"}, {"My pick:\nL", "close_ticket"}, {"S\nWait, no.\nL", "close_ticket"}, {"S\n\n更正：\n\nL", "close_ticket"},
		{"L\nFinal answer:\nS", "set_priority"}, {"J\nFinal answer:\nS", "set_priority"}, {"<think>S</think>\nL", "close_ticket"}, {"B\nCorrection:\nL", "close_ticket"},
		{"L\nS", "ambiguous"}, {"J\nS", "ambiguous"}, {"S\nJ", "ambiguous"}, {"B\nL", "ambiguous"}, {"L\nB", "ambiguous"}, {"For example:\nL", "ambiguous"}, {"I will not use:\n\nL", "ambiguous"}, {"User:\nL", "ambiguous"},
		{"L\nNever mind.", "ambiguous"}, {"L\nUser: no\nL", "ambiguous"}, {"例如：\nL", "ambiguous"}, {"L\nCorrection:\nB", "bad_args"}, {"> L", "no_action"}, {"<think>L", "no_action"}, {"```text\nL\n```", "no_action"},
		{"call: close_ticket", "no_action"}, {"```yaml\ncall: close_ticket", "no_action"}, {"```yaml call: close_ticket```", "no_action"}, {"```\nCall: J\n```", "close_ticket"}, {"```\ncall: J\n```", "close_ticket"},
		{"````\nL\n````", "no_action"}, {"```json\n{\"a\": 1}\ncall: close_ticket\n```", "no_action"}, {"so ```yaml\ncall: close_ticket\n```", "no_action"}, {"```yaml title\ncall: close_ticket\n```", "no_action"},
		{"```toml\ncall: close_ticket\n```", "no_action"}, {"```yaml\ncall: close_ticket\n``", "no_action"}, {"```yaml\ncall: close_ticket\n~~~", "no_action"},
	} {
		reply := forms.Replace(c.reply)
		if got := readOutcome(reply, options, Reading{}); got.Call+string(got.Error) != c.want {
			t.Errorf("got %s, want %s, in\n%s", got, c.want, reply)
		}
	}
}

// TestKeyScalar reads text as each type.
func TestKeyScalar(t *testing.T) {
	t.Parallel()
	text := &registry.Param{Name: "p", Type: registry.String}
	maybe := &registry.Param{Name: "p", Type: registry.String, Optional: true}
	whole := &registry.Param{Name: "p", Type: registry.Integer}
	truth := &registry.Param{Name: "p", Type: registry.Boolean}
	free := &registry.Param{Name: "p"}
	listed := &registry.Param{Name: "p", Enum: []json.RawMessage{json.RawMessage(`"yes"`), json.RawMessage(`"12"`)}}
	for _, c := range []struct {
		text string
		p    *registry.Param
		want string // "" = refused
	}{
		{"12", text, `"12"`}, {"12", whole, `12`}, {"12", free, `12`}, {"12", listed, `"12"`}, {"12", nil, `"12"`}, {"012", whole, `"012"`}, {"012", free, ``}, {"012", text, `"012"`},
		{"true", text, `"true"`}, {"true", truth, `true`}, {"yes", truth, `"yes"`}, {"yes", text, `"yes"`}, {"yes", free, ``}, {"yes", listed, `"yes"`}, {"No", free, ``}, {"word", free, `"word"`}, {".5", free, ``},
		{"null", text, ``}, {"null", maybe, `null`}, {"NULL", maybe, ``}, {"null", whole, `null`}, {"~", text, `null`}, {"", text, `null`}, {"nullable", text, `"nullable"`}, {"null", free, `null`},
		{`"a\n"`, text, `"a\n"`}, {`"a`, text, ``}, {`"a" b`, text, ``}, {`a"`, text, ``}, {`'a'`, text, `"a"`}, {`''`, text, `""`}, {`''''`, text, `"'"`}, {`'''`, text, ``}, {`'`, text, ``}, {`'a'b'`, text, ``}, {`'a\n'`, text, `"a\\n"`},
		{"a'b", text, `"a'b"`}, {"a # b", text, ``}, {"a#b", text, `"a#b"`}, {"a: b", text, ``}, {"a:b", text, `"a:b"`}, {"a:", text, ``}, {"- a", text, ``}, {"-a", text, `"-a"`}, {"-", text, ``}, {"? a", text, ``}, {"|", text, ``}, {">-", text, ``},
		{"*a", text, ``}, {"&a", text, ``}, {"!a", text, ``}, {"%a", text, ``}, {"@a", text, ``}, {"`a`", text, ``}, {"a\tb", text, ``}, {`a\`, text, ``}, {"[1, 2]", text, `[1, 2]`}, {"[1, 2", text, ``}, {"[a]", text, ``}, {"{}", whole, `{}`},
		{"Grüße, 世界", text, `"Grüße, 世界"`}, {"<id>", text, `"<id>"`},
	} {
		got, why := keyScalar(c.text, c.p)
		if got != c.want || (why == "") != (c.want != "") {
			t.Errorf("%q as %+v: got %s (%s), want %s", c.text, c.p, got, why, c.want)
		}
	}
}
