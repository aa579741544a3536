package menu

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// TestLenientValues: what a lenient reading makes of a value by the type that is declared for it, and what comes of it strictly. read
// is "" where the value is left as it stands; then both readings end alike.
func TestLenientValues(t *testing.T) {
	t.Parallel()
	const (
		fits     = validate.Kind("")
		mismatch = validate.TypeMismatch
		unlisted = validate.EnumViolation
		missing  = validate.MissingRequired
		queue    = `{"type": "string", "enum": ["legal", "in_progress", "none"]}`
		tags     = `{"type": "array", "items": {"type": "string"}}`
		counts   = `{"type": "array", "items": {"type": "integer"}}`
		point    = `{"type": "object", "fields": {"x": "integer", "on?": "boolean", "at?": {"type": "object", "fields": {"y": "number"}}}}`
		schema   = `{"json_schema": %s}`
	)
	whole := func(text string) string { return fmt.Sprintf(schema, text) }
	for _, c := range []struct {
		param, value, read string
		took               liberties
		strict, lenient    validate.Kind
	}{
		// Numbers in text, as JSON writes them and not otherwise.
		{`"integer"`, `"3"`, `3`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `"-17"`, `-17`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `"0"`, `0`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `"\u0033"`, `3`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `"9223372036854775807"`, `9223372036854775807`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `"9223372036854775808"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"-0"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"+3"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `" 3"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"03"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"3.0"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"3e0"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"1,000"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"three"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `""`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"0x10"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"٣"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"null"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `"<integer>"`, ``, nil, missing, missing},
		{`"number"`, `"12.5"`, `12.5`, liberties{TextAsNumber}, mismatch, fits},
		{`"number"`, `"12.50"`, `12.50`, liberties{TextAsNumber}, mismatch, fits},
		{`"number"`, `"12"`, `12`, liberties{TextAsNumber}, mismatch, fits},
		{`"number"`, `"1e3"`, `1e3`, liberties{TextAsNumber}, mismatch, fits},
		{`"number"`, `"0.1000000000000000055511151231257827"`, `0.1000000000000000055511151231257827`, liberties{TextAsNumber}, mismatch, fits},
		{`"number"`, `".5"`, ``, nil, mismatch, mismatch},
		{`"number"`, `"5."`, ``, nil, mismatch, mismatch},
		{`"number"`, `"12,5"`, ``, nil, mismatch, mismatch},
		{`"number"`, `"12.5 EUR"`, ``, nil, mismatch, mismatch},
		{`"number"`, `"NaN"`, ``, nil, mismatch, mismatch},
		{`"number"`, `"1` + strings.Repeat("0", 60) + `"`, ``, nil, mismatch, mismatch},

		// Whole floats, where a float still shows which integer was meant.
		{`"integer"`, `3.0`, `3`, liberties{WholeFloat}, mismatch, fits},
		{`"integer"`, `-2.000`, `-2`, liberties{WholeFloat}, mismatch, fits},
		{`"integer"`, `9007199254740991.0`, `9007199254740991`, liberties{WholeFloat}, mismatch, fits},
		{`"integer"`, `9007199254740992.0`, ``, nil, mismatch, mismatch},
		{`"integer"`, `9223372036854775808`, ``, nil, mismatch, mismatch},
		{`"integer"`, `3.5`, ``, nil, mismatch, mismatch},
		{`"integer"`, `3e0`, ``, nil, mismatch, mismatch},
		{`"integer"`, `30.0e-1`, ``, nil, mismatch, mismatch},
		{`"integer"`, `-0.0`, ``, nil, mismatch, mismatch},
		{`{"type": "integer", "enum": [1, 2]}`, `2.0`, `2`, liberties{WholeFloat}, mismatch, fits},
		{`{"type": "integer", "enum": [1, 2]}`, `3.0`, ``, nil, mismatch, mismatch},
		{`{"type": "integer", "enum": [1, 2]}`, `"2"`, `2`, liberties{TextAsNumber}, mismatch, fits},
		{`"integer"`, `3`, ``, nil, fits, fits},
		{`"number"`, `3`, ``, nil, fits, fits},
		{`"number"`, `3.0`, ``, nil, fits, fits},

		// Bool.
		{`"boolean"`, `"true"`, `true`, liberties{TextAsBool}, mismatch, fits},
		{`"boolean"`, `"false"`, `false`, liberties{TextAsBool}, mismatch, fits},
		{`"boolean"`, `"True"`, ``, nil, mismatch, mismatch},
		{`"boolean"`, `"yes"`, ``, nil, mismatch, mismatch},
		{`"boolean"`, `1`, ``, nil, mismatch, mismatch},
		{`"boolean"`, `0`, ``, nil, mismatch, mismatch},
		{`"boolean"`, `"1"`, ``, nil, mismatch, mismatch},
		{`"integer"`, `true`, ``, nil, mismatch, mismatch},

		// Text.
		{`"string"`, `17`, `"17"`, liberties{NumberAsText}, mismatch, fits},
		{`"string"`, `1.50`, `"1.50"`, liberties{NumberAsText}, mismatch, fits},
		{`"string"`, `12345678901234567890`, `"12345678901234567890"`, liberties{NumberAsText}, mismatch, fits},
		{`"string"`, `true`, ``, nil, mismatch, mismatch},
		{`"string"`, `"3"`, ``, nil, fits, fits},
		{`"string"`, `"[1]"`, ``, nil, fits, fits},
		{`"string"`, `["a"]`, ``, nil, mismatch, mismatch},
		{`{"type": "string", "enum": ["1", "2"]}`, `2`, `"2"`, liberties{NumberAsText}, mismatch, fits},
		{`{"type": "string", "enum": ["1", "2"]}`, `3`, ``, nil, mismatch, mismatch},

		// Lists and objects in text, one level of them.
		{tags, `"[\"late\", \"gold\"]"`, `["late","gold"]`, liberties{TextAsValue}, mismatch, fits},
		{tags, `" [] "`, `[]`, liberties{TextAsValue}, mismatch, fits},
		{tags, `"[7]"`, `["7"]`, liberties{NumberAsText, TextAsValue}, mismatch, fits},
		{counts, `"[1, \"2\", 3.0]"`, `[1,2,3]`, liberties{TextAsNumber, WholeFloat, TextAsValue}, mismatch, fits},
		{counts, `["1", 2]`, `[1,2]`, liberties{TextAsNumber}, mismatch, fits},
		{tags, `"late, gold"`, ``, nil, mismatch, mismatch},
		{tags, `"late"`, ``, nil, mismatch, mismatch},
		{tags, `"['late']"`, ``, nil, mismatch, mismatch},
		{tags, `"[\"late\",]"`, ``, nil, mismatch, mismatch},
		{tags, `"[\"late\"] and more"`, ``, nil, mismatch, mismatch},
		{tags, `"{\"a\": 1}"`, ``, nil, mismatch, mismatch},
		{tags, `"[\"<tag>\"]"`, `[]`, nil, mismatch, missing},
		{`{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}`, `"[\"[1]\"]"`, `["[1]"]`, liberties{TextAsValue}, mismatch, mismatch},
		{`{"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}`, `["[1]", [2]]`, `[[1],[2]]`, liberties{TextAsValue}, mismatch, fits},
		{point, `"{\"x\": \"4\", \"on\": \"true\"}"`, `{"x":4,"on":true}`, liberties{TextAsNumber, TextAsBool, TextAsValue}, mismatch, fits},
		{point, `{"x": 4, "at": "{\"y\": \"0.5\"}"}`, `{"x":4,"at":{"y":0.5}}`, liberties{TextAsNumber, TextAsValue}, mismatch, fits},
		{point, `"{\"x\": 4, \"x\": 5}"`, ``, nil, mismatch, validate.Ambiguous},
		{point, `"[{\"x\": 4}]"`, ``, nil, mismatch, mismatch},

		// A list of one object.
		{point, `[{"x": 4}]`, `{"x":4}`, liberties{OneItemList}, mismatch, fits},
		{point, `[{"x": "4", "at": [ {"y": 1} ]}]`, `{"x":4,"at":{"y":1}}`, liberties{TextAsNumber, OneItemList}, mismatch, fits},
		{point, `[{"x": 4}, {"x": 4}]`, ``, nil, mismatch, mismatch},
		{point, `[{"x": 4}, 1]`, ``, nil, mismatch, mismatch},
		{point, `[[{"x": 4}]]`, ``, nil, mismatch, mismatch},
		{point, `[]`, ``, nil, mismatch, mismatch},
		{`{"type": "array", "items": ` + point + `}`, `{"x": 4}`, ``, nil, mismatch, mismatch},

		// Listed values in another dress.
		{queue, `"Legal"`, `"legal"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `" LEGAL "`, `"legal"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `"In progress"`, `"in_progress"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `"in-progress"`, `"in_progress"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `"inProgress"`, `"in_progress"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `"None"`, `"none"`, liberties{FoldedValue}, unlisted, fits},
		{queue, `"legl"`, ``, nil, unlisted, unlisted},
		{queue, `"legal, none"`, ``, nil, unlisted, unlisted},
		{queue, `"legal team"`, ``, nil, unlisted, unlisted},
		{queue, `"queue: legal"`, ``, nil, unlisted, unlisted},
		{queue, `"in  progress"`, ``, nil, unlisted, unlisted},
		{queue, `"-legal"`, ``, nil, unlisted, unlisted},
		{queue, `["legal"]`, ``, nil, mismatch, mismatch},
		{queue, `"legal"`, ``, nil, fits, fits},
		{`{"enum": ["a", "A", "b"]}`, `"A"`, ``, nil, fits, fits},
		{`{"enum": ["re-open", "re_open", "b"]}`, `"reopen"`, ``, nil, unlisted, unlisted},
		{`{"enum": ["re-open", "re_open", "b"]}`, `"B"`, `"b"`, liberties{FoldedValue}, unlisted, fits},
		{`{"enum": ["utc-5", "utc"]}`, `"utc 5"`, ``, nil, unlisted, unlisted},
		{`{"enum": ["utc_5", "utc"]}`, `"UTC-5"`, ``, nil, unlisted, unlisted},
		{`{"enum": ["utc_5", "utc"]}`, `"UTC 5"`, `"utc_5"`, liberties{FoldedValue}, unlisted, fits},
		{`{"enum": ["1-2", "x"]}`, `"12"`, ``, nil, unlisted, unlisted},
		{`{"enum": ["12", "x"]}`, `"1_2"`, ``, nil, unlisted, unlisted},
		{`{"enum": ["Straße", "x"]}`, `"STRAẞE"`, `"Straße"`, liberties{FoldedValue}, unlisted, fits},
		{`{"type": "array", "items": ` + queue + `}`, `["Legal", "none"]`, `["legal","none"]`, liberties{FoldedValue}, unlisted, fits},
		{`{"type": "array", "items": ` + queue + `}`, `"[\"Legal\"]"`, `["legal"]`, liberties{FoldedValue, TextAsValue}, mismatch, fits},

		// Whole schemas: one type beside null is a type, several are left alone.
		{whole(`{"type": "integer"}`), `"3"`, `3`, liberties{TextAsNumber}, mismatch, fits},
		{whole(`{"type": ["integer", "null"]}`), `"3"`, `3`, liberties{TextAsNumber}, mismatch, fits},
		{whole(`{"type": ["integer", "string"]}`), `"3"`, ``, nil, fits, fits},
		{whole(`{"type": ["integer", "string"]}`), `3.0`, ``, nil, mismatch, mismatch},
		{whole(`{"type": ["integer", "boolean"]}`), `"3"`, ``, nil, mismatch, mismatch},
		{whole(`{"anyOf": [{"type": "integer"}, {"type": "array"}]}`), `"3"`, ``, nil, mismatch, mismatch},
		{whole(`{}`), `"3"`, ``, nil, fits, fits},
		{whole(`{"enum": ["on", 1]}`), `"On"`, ``, nil, unlisted, unlisted},
		{whole(`{"enum": ["on", "off"]}`), `"On"`, `"on"`, liberties{FoldedValue}, unlisted, fits},
		{whole(`{"const": "on"}`), `"ON"`, `"on"`, liberties{FoldedValue}, unlisted, fits},
		{whole(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`), `{"n": "3", "more": "4"}`, `{"n":3,"more":"4"}`, liberties{TextAsNumber}, mismatch, fits},
	} {
		options := describedOptions(t, []byte(`[{"name": "do", "summary": "Do it.", "effect": "read", "params": {"v": `+c.param+`}}]`))
		reply := `{"call": "do", "args": {"v": ` + c.value + `}}`
		name := c.param + " " + c.value
		if _, kind := readAndCheck(reply, options, Reading{}); kind != c.strict {
			t.Errorf("%s: strictly %q, want %q", name, kind, c.strict)
		}
		pick, kind := readAndCheck(reply, options, Reading{Lenient: true})
		if kind != c.lenient {
			t.Errorf("%s: leniently %q, want %q", name, kind, c.lenient)
		}
		if pick.Name == "" {
			continue // no pick to compare
		}
		want := c.read
		if want == "" {
			want = byBytes(c.value)
		}
		if got := string(pick.Args); got != `{"v":`+want+`}` {
			t.Errorf("%s: read as %s, want %s", name, got, want)
		}
		if d := cmp.Diff([]Liberty(c.took), pick.Liberties); d != "" {
			t.Errorf("%s: liberties: %s", name, d)
		}
	}
}

// byBytes is a value without blanks, its numbers and texts as they were written.
func byBytes(value string) string {
	raw, err := json.Marshal(json.RawMessage(value))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// readAndCheck reads a reply and checks the arguments: the pick, and the kind of what is wrong with either.
func readAndCheck(reply string, options []registry.Option, how Reading) (Pick, validate.Kind) {
	pick, err := Parse(reply, options, how)
	if err != nil {
		return pick, kindOf(err)
	}
	for _, o := range options {
		if o.Name == pick.Name {
			_, err = o.Method.Check(pick.Args)
		}
	}
	return pick, kindOfError(err)
}

// TestLenientNames: a name is that of the one option that has it in another dress, and never of one that it only resembles.
func TestLenientNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ offered, said, picks, how string }{
		{"close_ticket hold", "Close-Ticket", "close_ticket", string(FoldedName)},
		{"close_ticket hold", "close ticket", "close_ticket", string(FoldedName)},
		{"close_ticket hold", "closeTicket", "close_ticket", string(FoldedName)},
		{"close_ticket hold", "CLOSE_TICKET", "close_ticket", string(FoldedName)},
		{"close_ticket hold", " hold\n", "hold", string(FoldedName)},
		{"close_ticket hold", "functions.hold", "hold", string(PrefixedName)},
		{"close_ticket hold", "default_api.close_ticket", "close_ticket", string(PrefixedName)},
		{"close_ticket hold", "Functions.Close-Ticket", "close_ticket", string(PrefixedName)},
		{"functions.hold hold", "functions.hold", "functions.hold", ""},
		{"functions.hold hold", "Functions.hold", "", ""},
		{"functions.hold hold", "Hold", "hold", string(FoldedName)},
		{"close_ticket hold", "other.hold", "", ""},
		{"close_ticket hold", "functions.", "", ""},
		{"close_ticket hold", "functions.functions.hold", "", ""},
		{"close_ticket hold", "close_tickets", "", ""},
		{"close_ticket hold", "close", "", ""},
		{"close_ticket hold", "close_ticket hold", "", ""},
		{"close_ticket hold", "holds", "", ""},
		{"close_ticket hold", "", "", ""},
		{"approve approve_with_changes", "approve_with_change", "", ""},
		{"close_ticket close-ticket", "Close ticket", "", ""},
		{"close_ticket close-ticket", "close-ticket", "close-ticket", ""},
		{"step_1 step-2", "Step 1", "step_1", string(FoldedName)},
		{"step_1 step-2", "Step-2", "step-2", string(FoldedName)},
		{"step_1 step-2", "step1", "", ""},
		{"öffnen", "ÖFFNEN", "öffnen", string(FoldedName)},
	} {
		var options []registry.Option
		for name := range strings.FieldsSeq(c.offered) {
			options = append(options, registry.Option{Name: name, Method: prepared(t, registry.Method{Name: name, Summary: "x", Offer: registry.OfferMenu, Run: nothing})})
		}
		said, err := json.Marshal(c.said)
		if err != nil {
			t.Fatal(err)
		}
		reply := `{"call": ` + string(said) + `}`
		pick, kind := readAndCheck(reply, options, Reading{Lenient: true})
		how := ""
		for _, l := range pick.Liberties {
			how += string(l)
		}
		if pick.Name != c.picks || how != c.how || (kind == "") != (c.picks != "") {
			t.Errorf("%q among %s: got %q with %q, %s; want %q with %q", c.said, c.offered, pick.Name, how, kind, c.picks, c.how)
		}
		if strict, _ := readAndCheck(reply, options, Reading{}); (strict.Name != "") != (c.picks != "" && c.how == "") {
			t.Errorf("%q among %s: strictly %q", c.said, c.offered, strict.Name)
		}
	}
}

// TestLenientArguments: a list of one object stands for the arguments when it can be nothing else.
func TestLenientArguments(t *testing.T) {
	t.Parallel()
	options := describedOptions(t, []byte(`[
		{"name": "refund", "summary": "x", "effect": "read", "params": {"order_id": "string", "amount": "number", "reason?": "string"}},
		{"name": "report", "summary": "x", "effect": "read", "params": {"items?": {"type": "array", "items": {"type": "object"}}, "id?": "integer"}},
		{"name": "done", "summary": "x", "kind": "value", "value": true}]`))
	for _, c := range []struct{ reply, args, took string }{
		{`{"call": "refund", "args": [{"order_id": "A-17", "amount": 12.5}]}`, `{"order_id":"A-17","amount":12.5}`, string(OneItemList)},
		{`{"call": "refund", "args": "[{\"order_id\": \"A-17\", \"amount\": 12.5}]"}`, `{"order_id":"A-17","amount":12.5}`, string(OneItemList)},
		{`{"call": "refund", "args": [{"order_id": 17, "amount": "12.5"}]}`, `{"order_id":"17","amount":12.5}`, string(OneItemList + NumberAsText + TextAsNumber)},
		{`{"call": "refund", "order_id": 17, "amount": "12.5"}`, `{"order_id":"17","amount":12.5}`, string(NumberAsText + TextAsNumber)},
		{`{"call": "Refund", "args": {"order_id": "A", "amount": "1"}}`, `{"order_id":"A","amount":1}`, string(FoldedName + TextAsNumber)},
		{`{"call": "refund", "args": {"order_id": "A", "amount": 1, "amount": "1"}}`, `{"order_id":"A","amount":1}`, string(TextAsNumber)},
		{`{"call": "refund", "args": {"order_id": "A", "amount": 1, "amount": "2"}}`, ``, ``},
		{`{"call": "refund", "args": {"order_id": "A", "amount": 1, "more": "2"}}`, `{"order_id":"A","amount":1,"more":"2"}`, ``},
		{`{"call": "refund", "args": [{"order_id": "A-17", "amount": 12.5, "more": 1}]}`, ``, ``},
		{`{"call": "refund", "args": [{"order_id": "A"}, {"amount": 1}]}`, ``, ``},
		{`{"call": "refund", "args": ["A-17", 12.5]}`, ``, ``},
		{`{"call": "report", "args": [{"id": 1}]}`, `{"id":1}`, string(OneItemList)},
		{`{"call": "report", "args": [{"id": 1, "ok": true}]}`, ``, ``},
		{`{"call": "report", "args": [{}]}`, `{}`, string(OneItemList)},
		{`{"call": "done", "args": [{"x": 1}]}`, ``, ``},
		{"{\"call\": \"refund\", \"args\": {\"order_id\": 17, \"amount\": \"12.5\",}}", `{"order_id":"17","amount":12.5}`, string(TrailingComma + NumberAsText + TextAsNumber)},
	} {
		pick, err := Parse(c.reply, options, Reading{Lenient: true})
		took := ""
		for _, l := range pick.Liberties {
			took += string(l)
		}
		if string(pick.Args) != c.args || took != c.took {
			t.Errorf("%s:\ngot  %s with %q (%v)\nwant %s with %q", c.reply, pick.Args, took, err, c.args, c.took)
		}
	}
}

// TestLenientEqualPicks: an equal pick in another dress is the same pick, another one is still another.
func TestLenientEqualPicks(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	for reply, want := range map[string]string{
		"{\"call\": \"set_priority\", \"args\": {\"level\": 4}}\n{\"call\": \"Set-Priority\", \"args\": {\"level\": \"4\"}}": `set_priority {"level":4}`,
		"{\"call\": \"set_priority\", \"args\": {\"level\": 4}}\n{\"call\": \"set_priority\", \"args\": {\"level\": \"5\"}}": "ambiguous",
		"<think>{\"call\": \"Hold\"}</think>{\"call\": \"Close Ticket\"}":                                                    `close_ticket {}`,
	} {
		if got := readOutcome(reply, options, Reading{Lenient: true}).String(); got != want {
			t.Errorf("%s: %s, want %s", reply, got, want)
		}
	}
}

// TestLenientCorpus: what of the corpus is read strictly and fits, is read leniently just so.
func TestLenientCorpus(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	for _, c := range corpusReplies(t) {
		reply := c.Reply
		if c.Parts != nil {
			reply = c.Parts.String()
		}
		strict, kind := readAndCheck(reply, menus[c.Menu], Reading{})
		if kind != "" {
			continue
		}
		lenient, err := Parse(reply, menus[c.Menu], Reading{Lenient: true})
		if err != nil || !reflect.DeepEqual(strict, lenient) {
			t.Errorf("%s: %v, %s %.200s", c.ID, err, lenient.Name, lenient.Args)
		}
	}
}
