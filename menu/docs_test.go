package menu

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
)

// docOptions is the menu of docs/reading-replies.md.
const docOptions = `[
{"name": "look", "effect": "read", "summary": "Read an order.", "params": {"order_id": "The order's number, e.g. A-17."}},
{"name": "refund", "effect": "destructive", "summary": "Pay money back.", "params": {"order_id": "The order's number, e.g. A-17.",
  "amount": {"type": "number", "description": "How much, in euros."}, "reason?": {"type": "string", "enum": ["late", "damaged", "lost"]}}},
{"name": "set_priority", "effect": "write", "summary": "Say how urgent it is.", "params": {"level": {"type": "integer", "minimum": 1, "maximum": 5}, "notify?": "boolean"}},
{"name": "plan", "effect": "read", "kind": "schema", "summary": "Propose steps.", "params": {"steps": ["string"], "owner?": {"name": "string"}}},
{"name": "done", "effect": "read", "summary": "Nothing is to be done."}
]`

// example is a reply of the page and what comes of it: the option, or the kind of the error.
type example struct {
	reply string
	want  string
	how   Reading
}

var (
	leniently = Reading{Lenient: true}
	cutShort  = Reading{Cut: true}
	phrased   = Reading{Phrases: []Phrase{{"Nothing is left to do.", "done"}}}
)

// docExamples are the examples of docs/reading-replies.md, by the name that the page puts them under.
var docExamples = map[string][]example{
	"whole": {{reply: `{"call": "look", "args": {"order_id": "A-17"}}`, want: "look"}},
	"prose": {{reply: "The parcel is late, so I read the order first.\n\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "look"}},
	"fence": {{reply: "My pick:\n```json\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}\n```", want: "look"}},
	"keys": {
		{reply: `{"tool": "set_priority", "parameters": {"level": 4}}`, want: "set_priority"},
		{reply: `{"decision": "set_priority", "reasoning": "It is late.", "payload": {"level": 4}}`, want: "set_priority"},
		{reply: `{"call": "set_priority", "level": 4}`, want: "set_priority"},
		{reply: `{"call": "set_priority", "args": "{\"level\": 4}"}`, want: "set_priority"},
	},
	"formats": {
		{reply: "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"order_id\": \"A-17\"}}\n</tool_call>", want: "look"},
		{reply: "[TOOL_CALLS]look[ARGS]{\"order_id\": \"A-17\"}", want: "look"},
		{reply: "<function=set_priority>\n<parameter=level>\n4\n</parameter>\n</function>", want: "set_priority"},
		{reply: "<|channel|>commentary to=functions.look<|message|>{\"order_id\": \"A-17\"}<|call|>", want: "look"},
		{reply: "<invoke name=\"look\"><parameter name=\"order_id\">A-17</parameter></invoke>", want: "look"},
	},
	"thinking": {
		{reply: "<think>Maybe {\"call\": \"done\"}? No, it is open.</think>\n{\"call\": \"set_priority\", \"args\": {\"level\": 4}}", want: "set_priority"},
		{reply: "{\"call\": \"done\"} would be quick.\n</think>\n{\"call\": \"set_priority\", \"args\": {\"level\": 4}}", want: "set_priority"},
		{reply: "<think>Let me see. It could be\n{\"call\": \"done\"}", want: "no_action"},
	},
	"mentions": {
		{reply: `I think that refund is best.`, want: "no_action"},
		{reply: `You could answer {"call": "done"} here.`, want: "ambiguous"},
		{reply: "The customer wrote:\n{\"call\": \"done\"}", want: "ambiguous"},
		{reply: "> {\"call\": \"done\"}\n\nI will not use {\"call\": \"done\"}. Instead:\n\n{\"call\": \"set_priority\", \"args\": {\"level\": 4}}", want: "set_priority"},
		{reply: "```python\nrun({\"call\": \"done\"})\n```", want: "ambiguous"},
		{reply: "<draft>\n{\"call\": \"done\"}\n</draft>", want: "ambiguous"},
		{reply: "If the customer agrees, send:\n{\"call\": \"done\"}", want: "ambiguous"},
	},
	"data": {
		{reply: `{"ticket": 88, "next": {"call": "done"}}`, want: "no_action"},
		{reply: "{\"ticket\": 88, \"state\": \"open\"}\n{\"call\": \"done\"}", want: "done"},
	},
	"placeholders": {
		{reply: `{"call": "look", "args": {"order_id": "<order_id>"}}`, want: "missing_required"},
	},
	"turns": {
		{reply: "{\"call\": \"done\"}<|im_end|>\n<|im_start|>user\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "done"},
		{reply: "{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}\nObservation: it was lost.\n{\"call\": \"refund\", \"args\": {\"order_id\": \"A-17\", \"amount\": 12.5}}", want: "ambiguous"},
	},
	"several": {
		{reply: "{\"call\": \"done\"}\n\nSo, once more:\n{\"call\": \"done\", \"args\": {}}", want: "done"},
		{reply: "{\"call\": \"done\"}\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "ambiguous"},
		{reply: "{\"call\": \"done\"}\nWait, the order is still open.\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "look"},
		{reply: "{\"call\": \"done\"}\n\n**Final answer:**\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "look"},
		{reply: "{\"call\": \"done\"}\nNever mind, I have to ask first.", want: "ambiguous"},
		{reply: "{\"call\": \"done\"}\n\nShould I proceed?", want: "ambiguous"},
		{reply: "{\"call\": \"done\"}\n不对，应该先看订单。\n{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}", want: "look"},
		{reply: "{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}\nWait, no:\n{\"call\": \"refund\", \"args\": {\"order_id\": \"A-17\"}}", want: "missing_required"},
		{reply: `{"call": "done", "action": "look", "args": {"order_id": "A-17"}}`, want: "ambiguous"},
	},
	"refused": {
		{reply: `{"call": "look", "args": {"order_id": "A-17, "verbose": true}}`, want: "bad_args"},
		{reply: `{"call": "refund", "args": {"order_id": "A-17", "amount": 1,000}}`, want: "bad_args"},
		{reply: `{"call": "refund", "args": {"order_id": "A-17", "amount": ...}}`, want: "bad_args"},
		{reply: `{"call": "plan", "args": {"steps": ["open", "call"}]}`, want: "bad_args"},
		{reply: `{"call": "look", "args": {"order_id": A-17}}`, want: "bad_args"},
	},
	"cut": {
		{reply: "```json\n{\"call\": \"set_priority\", \"args\": {\"level\": 4}\n```", want: "set_priority"},
		{reply: `{"call": "set_priority", "args": {"level": 4`, want: "bad_args"},
		{reply: `{"call": "look", "args": {"order_id": "A-1`, want: "bad_args"},
		{reply: `{"call": "set_pri`, want: "no_action"},
	},
	"limit": {
		{reply: `{"call": "look", "args": {"order_id": "A-17"}`, want: "look"},
		{reply: `{"call": "look", "args": {"order_id": "A-17"}`, want: "bad_args", how: cutShort},
		{reply: "{\"call\": \"done\"}\nThat is all, since the", want: "ambiguous", how: cutShort},
	},
	"types": {
		{reply: `{"call": "set_priority", "args": {"level": "4"}}`, want: "type_mismatch"},
		{reply: `{"call": "set_priority", "args": {"level": 4.0}}`, want: "type_mismatch"},
		{reply: `{"call": "refund", "args": {"order_id": "A-17", "amount": 12.5, "reason": "Late"}}`, want: "enum_violation"},
		{reply: `{"call": "Look", "args": {"order_id": "A-17"}}`, want: "unknown_call"},
	},
	"not lenient": {
		{reply: `{"call": "plan", "args": {"steps": "open, call"}}`, want: "type_mismatch", how: leniently},
		{reply: `{"call": "set_priority", "args": {"level": 4, "notify": 1}}`, want: "type_mismatch", how: leniently},
		{reply: `{"call": "loko", "args": {"order_id": "A-17"}}`, want: "unknown_call", how: leniently},
		{reply: `{"call": "set_priority", "args": {"level": "about 4"}}`, want: "type_mismatch", how: leniently},
	},
	"key lines": {
		{reply: "```\ncall: look\norder_id: A-17\n```", want: "look"},
		{reply: "call: look\norder_id: A-17", want: "no_action"},
	},
	"phrases": {
		{reply: "The parcel has arrived. Nothing is left to do.", want: "done", how: phrased},
		{reply: "I can't say that nothing is left to do.", want: "no_action", how: phrased},
	},
}

// docLiberties has a reply for every liberty.
var docLiberties = map[Liberty]string{
	TrailingComma: `{"call": "look", "args": {"order_id": "A-17",},}`,
	MissingComma:  "{\"call\": \"look\"\n\"args\": {\"order_id\": \"A-17\"}}",
	OtherQuotes:   `{'call': 'look', 'args': {'order_id': 'A-17'}}`,
	PythonWord:    `{"call": "set_priority", "args": {"level": 4, "notify": True}}`,
	Comment:       "{\"call\": \"look\", // the order\n\"args\": {\"order_id\": \"A-17\"}}",
	UnquotedKey:   `{call: "look", args: {order_id: "A-17"}}`,
	BareWord:      `{"call": look, "args": {"order_id": "A-17"}}`,
	WideSign:      `{"call"："look"，"args"：{"order_id": "A-17"}}`,
	RawBreak:      "{\"call\": \"look\", \"args\": {\"order_id\": \"A\t17\"}}",
	SurplusBrace:  `{"call": "look", "args": {"order_id": "A-17"}}}`,
	MissingOpen:   `"call": "look", "args": {"order_id": "A-17"}}`,
	MissingClose:  `{"call": "look", "args": {"order_id": "A-17"}`,
	Escaped:       `{\"call\": \"look\", \"args\": {\"order_id\": \"A-17\"}}`,
	OddEscape:     `{"call": "set\_priority", "args": {"level": 4}}`,

	TextAsNumber: `{"call": "set_priority", "args": {"level": "4"}}`,
	TextAsBool:   `{"call": "set_priority", "args": {"level": 4, "notify": "true"}}`,
	WholeFloat:   `{"call": "set_priority", "args": {"level": 4.0}}`,
	NumberAsText: `{"call": "look", "args": {"order_id": 1042}}`,
	TextAsValue:  `{"call": "plan", "args": {"steps": "[\"open\", \"call\"]"}}`,
	OneItemList:  `{"call": "plan", "args": {"steps": ["open"], "owner": [{"name": "Ann"}]}}`,
	FoldedName:   `{"call": "Set Priority", "args": {"level": 4}}`,
	PrefixedName: `{"call": "functions.look", "args": {"order_id": "A-17"}}`,
	FoldedValue:  `{"call": "refund", "args": {"order_id": "A-17", "amount": 12.5, "reason": "LATE"}}`,
}

// TestDocsReadingReplies: the examples of docs/reading-replies.md are made by reading them; -update writes them. A line
// <!-- examples: NAME --> starts a group, and <!-- end --> ends it.
func TestDocsReadingReplies(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "docs", "reading-replies.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	options := describedOptions(t, []byte(docOptions))
	shown := map[string]bool{}
	group := regexp.MustCompile(`(?s)<!-- examples: ([a-z ]+) -->\n.*?<!-- end -->`)
	got := group.ReplaceAllStringFunc(string(page), func(old string) string {
		name := group.FindStringSubmatch(old)[1]
		if shown[name] {
			t.Errorf("the examples %q stand on the page twice", name)
		}
		shown[name] = true
		return "<!-- examples: " + name + " -->\n" + docGroup(t, name, options) + "<!-- end -->"
	})
	for name := range docExamples {
		if !shown[name] {
			t.Errorf("the examples %q don't stand on the page", name)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(page), got); d != "" {
		t.Errorf("docs/reading-replies.md is stale, run go test ./menu -run Docs -update: -want +got\n%s", d)
	}
}

// docGroup is the text of one group: examples, or a table that is made of them.
func docGroup(t *testing.T, name string, options []registry.Option) string {
	switch name {
	case "menu":
		return "```text\n" + Render(Full, options) + "```\n"
	case "repairs":
		return docTable(t, options, true)
	case "lenient":
		return docTable(t, options, false)
	}
	if docExamples[name] == nil {
		t.Errorf("there are no examples %q", name)
	}
	var b strings.Builder
	for _, e := range docExamples[name] {
		fence := "```"
		if strings.Contains(e.reply, fence) {
			fence = "````"
		}
		fmt.Fprintf(&b, "%stext\n%s\n%s\n%s\n\n", fence, e.reply, fence, e.outcome(t, options))
	}
	return b.String()
}

// outcome words what comes of a reply, and fails when it is not what was wanted.
func (e example) outcome(t *testing.T, options []registry.Option) string {
	pick, err := Parse(e.reply, options, e.how)
	if err == nil {
		_, err = options[slices.IndexFunc(options, func(o registry.Option) bool { return o.Name == pick.Name })].Method.Check(pick.Args)
	}
	given := ""
	if e.how.Cut {
		given = ", known to be cut"
	}
	if e.how.Lenient {
		given = ", read leniently"
	}
	if err != nil {
		if got := string(kindOf(err)); got != e.want {
			t.Errorf("%s\nis read as %s: %v, want %s", e.reply, got, err, e.want)
		}
		message := strings.ReplaceAll(err.(interface{ Fix() string }).Fix(), "\n", "\n  ")
		return fmt.Sprintf("→ **`%s`**%s\n\n  %s", kindOf(err), given, escapedMarkdown.Replace(message))
	}
	if pick.Name != e.want {
		t.Errorf("%s\nis read as %s, want %s", e.reply, pick.Name, e.want)
	}
	return fmt.Sprintf("→ `%s` `%s`%s: %s", pick.Name, pick.Args, given, docFound(&pick))
}

// escapedMarkdown keeps what the model reads from being taken for marks of the page.
var escapedMarkdown = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`")

// docFound says how a pick was found.
func docFound(p *Pick) string {
	found := string(p.Strategy)
	if p.Form != "" {
		found += " (" + p.Form + ")"
	}
	for _, l := range p.Liberties {
		found += ", " + string(l)
	}
	if !p.IsExact() {
		found += "; not exact"
	}
	return found
}

// docTable has a line for each liberty, with a reply that takes it and no other.
func docTable(t *testing.T, options []registry.Option, repairs bool) string {
	var b strings.Builder
	b.WriteString("| liberty | a reply | read as |\n|---|---|---|\n")
	for _, l := range allLiberties(t) {
		if isRepair(l) != repairs {
			continue
		}
		reply, ok := docLiberties[l]
		if !ok {
			t.Errorf("no reply shows the liberty %q", l)
			continue
		}
		pick, err := Parse(reply, options, Reading{Lenient: !repairs})
		if err != nil || !slices.Equal(pick.Liberties, []Liberty{l}) {
			t.Errorf("%s\nis read with %q and %v, want %q", reply, pick.Liberties, err, l)
			continue
		}
		shown := strings.NewReplacer("\n", "⏎", "\t", "⇥", "|", `\|`).Replace(reply)
		fmt.Fprintf(&b, "| %s | `%s` | `%s` `%s` |\n", l, shown, pick.Name, pick.Args)
	}
	return b.String()
}

// allLiberties are the constants of liberty.go.
func allLiberties(t *testing.T) []Liberty {
	file, err := parser.ParseFile(gotoken.NewFileSet(), "liberty.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []Liberty
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Type == nil || len(spec.Values) != 1 {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Liberty" {
			return true
		}
		text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Liberty(text))
		return true
	})
	if len(all) < 20 {
		t.Fatalf("%d liberties", len(all))
	}
	return all
}
