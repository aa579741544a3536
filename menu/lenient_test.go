package menu

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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
		if d := cmp.Diff(strict, lenient); err != nil || d != "" {
			t.Errorf("%s: %v, %s", c.ID, err, d)
		}
	}
}

// TestLenientTakesWhatFits: random options and arguments. What fits strictly is read the same, without a liberty, and in another dress it is
// read as that or not at all: each way of dressing is a liberty that the pick names.
func TestLenientTakesWhatFits(t *testing.T) {
	t.Parallel()
	read, dressed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		params := plainParams(0).Draw(t, "params")
		m, err := registry.Prepare(registry.Method{Name: "do_it", Summary: "x", Effect: registry.Read, Offer: registry.OfferMenu, Params: params, Run: nothing})
		if err != nil {
			t.Skip(err)
		}
		options := []registry.Option{{Name: "do_it", Method: m}, {Name: "none_of_these", Method: m}}
		args := make(map[string]any)
		for i := range params {
			args[params[i].Name] = fittingValue(t, &params[i])
		}
		raw := mustJSON(t, args)
		if _, err := m.Check([]byte(raw)); err != nil {
			t.Fatalf("%s does not fit: %v", raw, err)
		}
		sound := `{"call": "do_it", "args": ` + raw + `}`
		strict, err := Parse(sound, options, Reading{})
		if err != nil {
			t.Fatal(err)
		}
		lenient, err := Parse(sound, options, Reading{Lenient: true})
		if err != nil || cmp.Diff(strict, lenient) != "" {
			t.Fatalf("%s: %v\n%s", sound, err, cmp.Diff(strict, lenient))
		}

		d := dresser{t: t}
		for i := range params {
			args[params[i].Name] = d.value(&params[i], args[params[i].Name], false)
		}
		reply := `{"call": "do_it", "args": ` + mustJSON(t, args) + `}`
		got, err := Parse(reply, options, Reading{Lenient: true})
		if len(d.took) > 0 {
			dressed++
		}
		if err != nil {
			t.Fatalf("%s: %v", reply, err)
		}
		if byValue(got.Args) != byValue(strict.Args) {
			t.Fatalf("%s:\nread as %s\nmeant  %s", reply, got.Args, strict.Args)
		}
		for _, l := range d.took {
			if !slices.Contains(got.Liberties, l) {
				t.Fatalf("%s: %q is not named, but %q", reply, l, got.Liberties)
			}
		}
		for _, l := range got.Liberties {
			if !slices.Contains(d.took, l) {
				t.Fatalf("%s: %q was not needed", reply, l)
			}
		}
		read++
	})
	if dressed == 0 || read == 0 {
		t.Errorf("%d read, %d in another dress", read, dressed)
	}
}

// TestLenientNamesItsLiberties: random options and any values. What a lenient reading makes of them differs from a strict one
// by the liberties that it names, and by nothing else.
func TestLenientNamesItsLiberties(t *testing.T) {
	t.Parallel()
	seen := liberties{}
	rapid.Check(t, func(t *rapid.T) {
		params := plainParams(0).Draw(t, "params")
		m := &registry.Method{Params: params}
		options := []registry.Option{{Name: "do_it", Method: m}}
		args := map[string]any{}
		for i := range params {
			args[params[i].Name] = oddValue(t, &params[i], 0)
		}
		reply := `{"call": "do_it", "args": ` + mustJSON(t, args) + `}`
		strict, err := Parse(reply, options, Reading{})
		if err != nil {
			t.Skip(err)
		}
		lenient, err := Parse(reply, options, Reading{Lenient: true})
		if err != nil {
			t.Fatalf("%s is read strictly only: %v", reply, err)
		}
		var took liberties
		if !explained(&registry.Param{Type: registry.Object, Fields: params}, numbered(t, strict.Args), numbered(t, lenient.Args), &took) {
			t.Fatalf("%s: no liberty makes\n%s of\n%s", reply, lenient.Args, strict.Args)
		}
		slices.Sort(took)
		named := slices.Sorted(slices.Values(lenient.Liberties))
		if d := cmp.Diff([]Liberty(took), named); d != "" {
			t.Fatalf("%s: liberties (-taken +named) %s", reply, d)
		}
		seen.add(took...)
	})
	if len(seen) < 5 {
		t.Errorf("only %q were taken", seen)
	}
}

// oddValue draws a value that may or may not be one of p.
func oddValue(t *rapid.T, p *registry.Param, depth int) any {
	switch rapid.IntRange(0, 5).Draw(t, "odd") {
	case 0:
		return rapid.SampledFrom([]any{"3", "3.0", "true", "TRUE", "in progress", "A-B-C", "Done", "[1, \"2\"]", "[]", `{"p0": "1"}`, `[{"p0": 2}]`, " [true] ", "{}", "null",
			json.RawMessage("3.0"), json.RawMessage("12"), json.RawMessage("1e0"), true, nil, []any{map[string]any{"p0": "2"}}, []any{"1", "x"}, map[string]any{"p0": "3"}}).Draw(t, "value")
	case 1:
		return mustJSON(t, fittingValue(t, p))
	case 2:
		return []any{fittingValue(t, p)}
	}
	switch p.Type {
	case registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			list = append(list, oddValue(t, p.Items, depth+1))
		}
		return list
	case registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = oddValue(t, &p.Fields[i], depth+1)
		}
		return object
	}
	return fittingValue(t, p)
}

func numbered(t fataler, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// explained finds the liberties by which was became is. It knows the rules from their description, not from the reader.
func explained(p *registry.Param, was, is any, took *liberties) bool {
	if cmp.Equal(was, is) {
		return true
	}
	if p == nil || p.Type == registry.Any {
		return false
	}
	switch was := was.(type) {
	case string:
		return explainedText(p, was, is, took)
	case json.Number:
		if text, ok := is.(string); ok && p.Type == registry.String {
			took.add(NumberAsText)
			return text == was.String()
		}
		n, ok := is.(json.Number)
		took.add(WholeFloat)
		return ok && p.Type == registry.Integer && strings.TrimRight(was.String(), "0") == n.String()+"."
	case []any:
		if object, ok := is.(map[string]any); ok && p.Type == registry.Object && len(was) == 1 {
			took.add(OneItemList)
			return explained(p, was[0], object, took)
		}
		list, ok := is.([]any)
		if !ok || p.Type != registry.Array || len(list) != len(was) {
			return false
		}
		for i := range was {
			if !explained(p.Items, was[i], list[i], took) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := is.(map[string]any)
		if !ok || len(object) != len(was) {
			return false
		}
		for key := range was {
			if !explained(fieldOf(p, key), was[key], object[key], took) {
				return false
			}
		}
		return true
	}
	return false
}

func explainedText(p *registry.Param, was string, is any, took *liberties) bool {
	switch is := is.(type) {
	case json.Number:
		took.add(TextAsNumber)
		return is.String() == was && (p.Type == registry.Number || p.Type == registry.Integer && !strings.ContainsAny(was, ".eE+"))
	case bool:
		took.add(TextAsBool)
		return p.Type == registry.Boolean && fmt.Sprint(is) == was
	case string:
		took.add(FoldedValue)
		bare := strings.NewReplacer(" ", "", "-", "", "_", "")
		return len(p.Enum) > 0 && lists(p, is) && strings.EqualFold(bare.Replace(was), bare.Replace(is))
	}
	var inside any
	d := json.NewDecoder(strings.NewReader(was))
	d.UseNumber()
	took.add(TextAsValue)
	return d.Decode(&inside) == nil && explained(p, inside, is, took)
}

// plainParams draws parameters of all types whose values can be made up.
func plainParams(depth int) *rapid.Generator[[]registry.Param] {
	return rapid.Custom(func(t *rapid.T) []registry.Param {
		params := []registry.Param{}
		for i := range rapid.IntRange(1, 3).Draw(t, "count") {
			p := plainParam(depth).Draw(t, "param")
			p.Name = fmt.Sprint("p", i)
			params = append(params, p)
		}
		return params
	})
}

func plainParam(depth int) *rapid.Generator[registry.Param] {
	return rapid.Custom(func(t *rapid.T) registry.Param {
		types := []registry.Type{registry.String, registry.Integer, registry.Number, registry.Boolean, registry.Any}
		if depth < 3 {
			types = append(types, registry.Array, registry.Object)
		}
		p := registry.Param{Type: rapid.SampledFrom(types).Draw(t, "type")}
		switch p.Type {
		case registry.String:
			if rapid.Bool().Draw(t, "listed") {
				p.Enum = []json.RawMessage{[]byte(`"in_progress"`), []byte(`"a-b-c"`), []byte(`"12"`), []byte(`"done"`)}
			}
		case registry.Array:
			item := plainParam(depth+1).Draw(t, "items")
			p.Items = &item
		case registry.Object:
			p.Fields = plainParams(depth+1).Draw(t, "fields")
		}
		return p
	})
}

// fittingValue draws a value that a parameter takes.
func fittingValue(t *rapid.T, p *registry.Param) any {
	switch {
	case len(p.Enum) > 0:
		return rapid.SampledFrom(p.Enum).Draw(t, "listed")
	case p.Type == registry.String:
		return rapid.SampledFrom([]string{"", "x", "12", "-3.5", "true", "[1]", `{"a": 1}`, "In Progress", "null", "ä \" \\ \n"}).Draw(t, "text")
	case p.Type == registry.Integer:
		return json.RawMessage(rapid.SampledFrom([]string{"0", "7", "-12", "9007199254740993", "-9223372036854775808"}).Draw(t, "integer"))
	case p.Type == registry.Number:
		return json.RawMessage(rapid.SampledFrom([]string{"0", "7", "-1.50", "1e3", "0.1"}).Draw(t, "number"))
	case p.Type == registry.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case p.Type == registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, fittingValue(t, p.Items))
		}
		return list
	case p.Type == registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = fittingValue(t, &p.Fields[i])
		}
		return object
	}
	return rapid.SampledFrom([]any{"12", "true", json.RawMessage("3.0"), []any{map[string]any{"x": "1"}}}).Draw(t, "any")
}

// dresser writes values otherwise than they are declared, and keeps which liberty each needs.
type dresser struct {
	t    *rapid.T
	took liberties
}

func (d *dresser) chance(what string) bool { return rapid.IntRange(0, 2).Draw(d.t, what) == 0 }

// value dresses a value of p, and what is in it. A text that holds a list or an object holds no further text like it.
func (d *dresser) value(p *registry.Param, v any, inText bool) any {
	var dressed any
	texted := !inText && (p.Type == registry.Array || p.Type == registry.Object) && d.chance("text")
	switch p.Type {
	case registry.Array:
		list := []any{}
		for _, item := range v.([]any) {
			list = append(list, d.value(p.Items, item, inText || texted))
		}
		dressed = list
	case registry.Object:
		object := map[string]any{}
		for i := range p.Fields {
			object[p.Fields[i].Name] = d.value(&p.Fields[i], v.(map[string]any)[p.Fields[i].Name], inText || texted)
		}
		if dressed = object; !texted && d.chance("list") {
			d.took.add(OneItemList)
			return []any{object}
		}
	default:
		return d.scalar(p, v)
	}
	if texted {
		d.took.add(TextAsValue)
		return mustJSON(d.t, dressed)
	}
	return dressed
}

func (d *dresser) scalar(p *registry.Param, v any) any {
	if p.Type == registry.Any || !d.chance("dress") {
		return v
	}
	raw := mustJSON(d.t, v)
	switch {
	case p.Type == registry.Integer && len(raw) < 10 && d.chance("float"):
		d.took.add(WholeFloat)
		return json.RawMessage(raw + ".0")
	case p.Type == registry.Integer, p.Type == registry.Number:
		d.took.add(TextAsNumber)
		return raw
	case p.Type == registry.Boolean:
		d.took.add(TextAsBool)
		return raw
	case raw == `"12"` || raw == `"-3.5"`:
		d.took.add(NumberAsText)
		return json.RawMessage(strings.Trim(raw, `"`))
	}
	others := map[string][]string{`"in_progress"`: {"In Progress", "IN-PROGRESS", "inprogress", " in_progress "}, `"a-b-c"`: {"A b_c", "abc"}, `"done"`: {"Done"}}[raw]
	if p.Enum == nil || others == nil {
		return v
	}
	d.took.add(FoldedValue)
	return rapid.SampledFrom(others).Draw(d.t, "other")
}

func mustJSON(t fataler, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v: %v", v, err)
	}
	return string(raw)
}
