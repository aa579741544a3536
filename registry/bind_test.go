package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/validate"
)

// raws are JSON texts.
func raws(texts ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(texts))
	for i, text := range texts {
		out[i] = json.RawMessage(text)
	}
	return out
}

func nothing(context.Context, Args) (any, error) { return nil, nil }

// prepared is a method that is sure to be sound.
func prepared(t testing.TB, m Method) *Method {
	t.Helper()
	if m.Name == "" {
		m.Name = "m"
	}
	if m.Summary == "" {
		m.Summary = "A method."
	}
	if m.Run == nil {
		m.Run = nothing
	}
	ready, err := Prepare(m)
	if err != nil {
		t.Fatal(err)
	}
	return ready
}

// refund has a parameter of every sort.
func refund(t testing.TB) *Method {
	return prepared(t, Method{Name: "refund", Params: []Param{
		{Name: "order_id", Type: String, Keywords: []Keyword{{"pattern", json.RawMessage(`"^[A-Z]-[0-9]+$"`)}}, Placeholder: "A-1042"},
		{Name: "amount", Type: Number, Keywords: []Keyword{{"exclusiveMinimum", json.RawMessage(`0`)}}},
		{Name: "count", Type: Integer, Default: json.RawMessage(`1`)},
		{Name: "reason", Type: String, Enum: raws(`"damaged"`, `"late"`, `"other"`), Optional: true},
		{Name: "urgent", Type: Boolean, Optional: true},
		{Name: "lines", Type: Array, Optional: true, Items: &Param{Type: Object, Fields: []Param{
			{Name: "article", Type: String},
			{Name: "quantity", Type: Integer, Default: json.RawMessage(`1`)},
			{Name: "note", Type: String, Optional: true},
		}}},
		{Name: "extra", Type: Object, Optional: true},
		{Name: "meta", Optional: true},
		{Name: "address", Optional: true, Schema: json.RawMessage(`{"type": "object", "properties": {"town": {"type": "string"},
			"floor": {"type": "integer"}, "door": {"type": ["integer", "null"]}}, "required": ["town"], "additionalProperties": false}`)},
		{Name: "desk", Type: String, From: "caller.id"},
	}})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const must = `"order_id":"A-1","amount":5`
	tests := []struct {
		name    string
		args    string
		want    string   // the bound arguments, in declared order
		dropped []string // paths
		kind    validate.Kind
		says    []string // in the text for the model
	}{
		{name: "least", args: `{` + must + `}`, want: `{` + must + `,"count":1}`},
		{name: "blanks around", args: " \n{" + must + "}\t", want: `{` + must + `,"count":1}`},
		{name: "numbers as written", args: `{"order_id":"A-1","amount":12.50,"meta":1e2}`, want: `{"order_id":"A-1","amount":12.50,"count":1,"meta":1e2}`},
		{name: "large numbers", args: `{` + must + `,"meta":12345678901234567890123}`, want: `{` + must + `,"count":1,"meta":12345678901234567890123}`},
		{name: "no null for what is optional", args: `{` + must + `,"reason":null,"count":null,"lines":null,"meta":null}`, want: `{` + must + `,"count":1}`},
		{name: "no null below", args: `{` + must + `,"lines":[{"article":"x","note":null,"quantity":null}]}`,
			want: `{` + must + `,"count":1,"lines":[{"article":"x","quantity":1}]}`},
		{name: "no null in a whole schema", args: `{` + must + `,"address":{"town":"x","floor":null,"door":null}}`,
			want: `{` + must + `,"count":1,"address":{"door":null,"town":"x"}}`},
		{name: "open objects are kept", args: `{` + must + `,"extra":{"b":null,"a":{"c":1}}}`, want: `{` + must + `,"count":1,"extra":{"a":{"c":1},"b":null}}`},
		{name: "unknown keys", args: `{` + must + `,"zzz":1,"lines":[{"article":"x","colour":"red"}],"address":{"town":"x","country":"y"}}`,
			want:    `{` + must + `,"count":1,"lines":[{"article":"x","quantity":1}],"address":{"town":"x"}}`,
			dropped: []string{`args.lines[0].colour`, `args.address.country`, `args.zzz`}},
		{name: "unknown key with blanks", args: `{` + must + `,"a b\n":1}`, want: `{` + must + `,"count":1}`, dropped: []string{`args["a b\n"]`}},
		{name: "near what is given", args: `{` + must + `,"amuont":7}`, want: `{` + must + `,"count":1}`, dropped: []string{"args.amuont"}},

		{name: "nothing", args: ``, kind: validate.MissingRequired, says: []string{"args.order_id", "args.amount"}},
		{name: "null", args: ` null `, kind: validate.MissingRequired, says: []string{"args.order_id"}},
		{name: "text", args: `"x"`, kind: validate.BadArgs, says: []string{"an object", `the text "x"`}},
		{name: "list", args: `[]`, kind: validate.BadArgs, says: []string{"an object", "an empty list"}},
		{name: "zero", args: `0`, kind: validate.BadArgs, says: []string{"an object", "the number 0"}},
		{name: "false", args: `false`, kind: validate.BadArgs, says: []string{"an object", "false"}},
		{name: "cut", args: `{"order_id":"A-`, kind: validate.BadArgs},
		{name: "twice", args: `{` + must + `,"amount":6}`, kind: validate.BadArgs, says: []string{"amount"}},
		{name: "two values", args: `{} {}`, kind: validate.BadArgs},
		{name: "not a number", args: `{"order_id":"A-1","amount":NaN}`, kind: validate.BadArgs},
		{name: "hidden", args: `{` + must + `,"desk":"EVIL"}`, kind: validate.BadArgs, says: []string{"desk is filled in by the server; leave it out"}},
		{name: "hidden null", args: `{` + must + `,"desk":null}`, kind: validate.BadArgs, says: []string{"desk is filled in by the server"}},
		{name: "near a required one", args: `{"orderId":"A-1","amount":5}`, kind: validate.MissingRequired, says: []string{"args.order_id", `Rename "orderId" to "order_id"`}},
		{name: "near an optional one", args: `{` + must + `,"reasn":"late"}`, kind: validate.BadArgs, says: []string{"args.reasn", `"reason"`}},
		{name: "near one with a default", args: `{` + must + `,"Count":"3"}`, kind: validate.BadArgs, says: []string{`"count"`}},
		{name: "near below", args: `{` + must + `,"lines":[{"article":"x"},{"artcle":"x"}]}`, kind: validate.MissingRequired,
			says: []string{"args.lines[1].article", `Rename "artcle" to "article"`}},
		{name: "near an optional one below", args: `{` + must + `,"lines":[{"article":"x","quantitiy":2}]}`, kind: validate.BadArgs,
			says: []string{"args.lines[0].quantitiy", `"quantity"`}},
		{name: "text for a number", args: `{"order_id":"A-1","amount":"39,90 EUR"}`, kind: validate.TypeMismatch, says: []string{"args.amount", "39,90 EUR"}},
		{name: "number for a text", args: `{"order_id":5,"amount":5}`, kind: validate.TypeMismatch, says: []string{"args.order_id"}},
		{name: "null for what is required", args: `{"order_id":null,"amount":5}`, kind: validate.TypeMismatch, says: []string{"args.order_id"}},
		{name: "null in a list", args: `{` + must + `,"lines":[null]}`, kind: validate.TypeMismatch, says: []string{"args.lines[0]"}},
		{name: "integer with a fraction", args: `{` + must + `,"count":3.0}`, kind: validate.TypeMismatch, says: []string{"args.count"}},
		{name: "integer with an exponent", args: `{` + must + `,"count":1e2}`, kind: validate.TypeMismatch, says: []string{"args.count"}},
		{name: "integer of 65 bits", args: `{` + must + `,"count":36893488147419103232}`, kind: validate.TypeMismatch, says: []string{"args.count"}},
		{name: "yes", args: `{` + must + `,"urgent":"yes"}`, kind: validate.TypeMismatch, says: []string{"args.urgent"}},
		{name: "pattern", args: `{"order_id":"1042","amount":5}`, kind: validate.TypeMismatch, says: []string{"args.order_id"}},
		{name: "bound", args: `{"order_id":"A-1","amount":0}`, kind: validate.TypeMismatch, says: []string{"args.amount"}},
		{name: "enum", args: `{` + must + `,"reason":"Late"}`, kind: validate.EnumViolation, says: []string{"args.reason", `"late"`}},
		{name: "all at once, the worst kind", args: `{"amount":"x","reason":"y"}`, kind: validate.MissingRequired,
			says: []string{"args.order_id", "args.amount", "args.reason"}},
		{name: "hidden with others", args: `{"desk":"EVIL","reason":"y"}`, kind: validate.BadArgs, says: []string{"args.desk", "args.order_id", "args.reason"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := refund(t)
			bound, err := m.Check(json.RawMessage(tt.args))
			if tt.kind == "" {
				if err != nil {
					t.Fatalf("Check(%s) = %v", tt.args, err)
				}
				if diff := cmp.Diff(tt.want, string(bound.Masked())); diff != "" {
					t.Errorf("arguments: -want +got\n%s", diff)
				}
				if diff := cmp.Diff(tt.dropped, bound.Dropped); diff != "" {
					t.Errorf("dropped: -want +got\n%s", diff)
				}
				return
			}
			var e *validate.Error
			if !errors.As(err, &e) {
				t.Fatalf("Check(%s) = %v, %v, want kind %s", tt.args, bound.Args, err, tt.kind)
			}
			if e.Kind != tt.kind || e.Subject != "refund" {
				t.Errorf("Check(%s) has kind %s of %q, want %s of refund: %v", tt.args, e.Kind, e.Subject, tt.kind, err)
			}
			for _, word := range tt.says {
				if !strings.Contains(e.Fix(), word) {
					t.Errorf("the text for the model lacks %s:\n%s", word, e.Fix())
				}
			}
			if strings.Contains(e.Fix(), "EVIL") {
				t.Errorf("the value of a hidden parameter is repeated:\n%s", e.Fix())
			}
		})
	}
}

// One key that is wrong is one problem, not two.
func TestCheckSaysSlipOnce(t *testing.T) {
	t.Parallel()
	m := refund(t)
	var e *validate.Error
	if _, err := m.Check(json.RawMessage(`{"orderid":"A-1","amount":5}`)); !errors.As(err, &e) || len(e.Problems) != 1 {
		t.Fatalf("Check = %v, want one problem", err)
	}
}

func TestCheckLeavesArgumentsAlone(t *testing.T) {
	t.Parallel()
	m := refund(t)
	raw := json.RawMessage(`{"order_id":"A-1","amount":5,"zzz":1,"reason":null}`)
	before := string(raw)
	for range 2 {
		bound, err := m.Check(raw)
		if err != nil || string(raw) != before {
			t.Fatalf("Check = %v, raw is now %s", err, raw)
		}
		bound.Args["count"] = "broken" // the default must not be shared
		if lines, ok := bound.Args["lines"]; ok {
			t.Errorf("lines = %v", lines)
		}
	}
}

// Default values are copied for every call, at every depth.
func TestDefaultsAreNotShared(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Params: []Param{{Name: "tags", Type: Array, Default: json.RawMessage(`[{"a":1}]`)}}})
	for range 2 {
		bound, err := m.Check(nil)
		if err != nil || string(bound.Canonical()) != `{"tags":[{"a":1}]}` {
			t.Fatalf("Check = %s, %v", bound.Canonical(), err)
		}
		bound.Args["tags"].([]any)[0].(map[string]any)["a"] = "broken"
	}
}

func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	m := refund(t)
	var b strings.Builder
	b.WriteString(`{"order_id":"A-1","amount":5`)
	for range 20_000 {
		b.WriteString(`,"k` + strings.Repeat("x", b.Len()%50) + strconv.Itoa(b.Len()) + `":1`)
	}
	b.WriteString(`}`)
	bound, err := m.Check(json.RawMessage(b.String()))
	if err != nil || len(bound.Dropped) != maxDropped {
		t.Fatalf("Check = %d dropped, %v, want %d", len(bound.Dropped), err, maxDropped)
	}
	_, err = m.Check(json.RawMessage(`{"meta":"` + strings.Repeat("x", maxArgs) + `"}`))
	var e *validate.Error
	if !errors.As(err, &e) || e.Kind != validate.BadArgs {
		t.Errorf("Check of %d bytes = %v, want bad_args", maxArgs, err)
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Params: []Param{
		{Name: "token", Type: String, Secret: true},
		{Name: "users", Type: Array, Items: &Param{Type: Object, Fields: []Param{
			{Name: "pass", Type: Object, Secret: true, Optional: true}, {Name: "name", Type: String}}}},
		{Name: "codes", Type: Array, Items: &Param{Type: Integer, Secret: true}},
		{Name: "me", Type: String, From: "caller.id"},
	}})
	bound, err := m.Check(json.RawMessage(`{"codes":[1,2],"users":[{"name":"n","pass":{"a":1}},{"name":"o"}],"token":"t"}`))
	if err != nil {
		t.Fatal(err)
	}
	bound.hidden = Args{"me": "os:1000"}
	const want = `{"token":"***","users":[{"pass":"***","name":"n"},{"name":"o"}],"codes":["***","***"]}`
	if got := string(bound.Masked()); got != want {
		t.Errorf("Masked = %s, want %s", got, want)
	}
	if got := string(bound.Canonical()); strings.Contains(got, "os:1000") || !strings.Contains(got, `"token":"t"`) {
		t.Errorf("Canonical = %s, want the token and no hidden value", got)
	}
}

// jsonValue draws a JSON value, with keys that are near those of refund.
func jsonValue(depth int) *rapid.Generator[any] {
	keys := []string{"order_id", "orderId", "amount", "count", "reason", "reasn", "lines", "line", "article", "note", "quantity", "extra", "meta",
		"address", "town", "floor", "door", "desk", "zzz", ""}
	leaf := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.SampledFrom([]string{"A-1", "late", "x", "", "\u2028"}).AsAny(),
		rapid.SampledFrom([]json.Number{"0", "1", "-1", "1.0", "1e2", "0.10", "12345678901234567890"}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(leaf...)
	}
	below := rapid.Deferred(func() *rapid.Generator[any] { return jsonValue(depth - 1) })
	return rapid.OneOf(append(leaf,
		rapid.SliceOfN(below, 0, 3).AsAny(),
		rapid.MapOfN(rapid.SampledFrom(keys), below, 0, 6).AsAny(),
	)...)
}

// Arguments that passed pass again, and come out the same. Nothing else about random arguments is sure but that each
// comes to an outcome.
func TestCheckIsIdempotent(t *testing.T) {
	t.Parallel()
	m := refund(t)
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.MapOfN(rapid.SampledFrom([]string{"count", "reason", "lines", "extra", "meta", "address", "zzz", "reasn"}), jsonValue(3), 0, 3).Draw(t, "args")
		if rapid.IntRange(0, 9).Draw(t, "whole") > 0 {
			args["order_id"], args["amount"] = "A-1", json.Number("5")
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		once, err := m.Check(raw)
		if err != nil {
			return
		}
		passed++
		again, err := m.Check(once.Masked())
		if err != nil {
			t.Fatalf("Check(%s) passed as %s, which does not: %v", raw, once.Masked(), err)
		}
		if len(again.Dropped) > 0 || string(again.Masked()) != string(once.Masked()) {
			t.Fatalf("Check(%s) = %s, again %s without %v", raw, once.Masked(), again.Masked(), again.Dropped)
		}
	})
	if passed == 0 {
		t.Error("no drawn arguments passed, so nothing was tested")
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{``, `null`, `{}`, `{"order_id":"A-1","amount":5}`, `{"lines":[{"articl":1}]}`, `{"desk":1}`, `[{"a":`, `{"meta":1e999}`,
		"{\"\xff\":1}", `{"a":"\ud800"}`, strings.Repeat(`{"meta":`, 300)} {
		f.Add([]byte(seed))
	}
	m := refund(f)
	f.Fuzz(func(t *testing.T, raw []byte) {
		bound, err := m.Check(raw)
		if err != nil {
			var e *validate.Error
			if !errors.As(err, &e) || len(e.Problems) == 0 {
				t.Fatalf("Check(%q) = %v, want a *validate.Error with problems", raw, err)
			}
			return
		}
		if !json.Valid(bound.Masked()) || !json.Valid(bound.Canonical()) {
			t.Fatalf("Check(%q) = %s, %s", raw, bound.Masked(), bound.Canonical())
		}
		again, err := m.Check(bound.Canonical())
		if err != nil || string(again.Canonical()) != string(bound.Canonical()) {
			t.Fatalf("canonical %s becomes %s, %v", bound.Canonical(), again.Canonical(), err)
		}
	})
}

// Whatever is wrong with a secret value, no part of it stands in what is said about it.
func TestSecretsAreNotTold(t *testing.T) {
	t.Parallel()
	const canary = "55443322"
	secret := Param{Name: "tok", Type: String, Secret: true, Keywords: []Keyword{{"maxLength", json.RawMessage("3")}}}
	listed := Param{Name: "pin", Type: Integer, Secret: true, Optional: true, Enum: []json.RawMessage{json.RawMessage("55443321")}}
	m := prepared(t, Method{Name: "m", Summary: "Hides.", Params: []Param{
		secret, listed, {Name: "obj", Type: Object, Optional: true, Fields: []Param{secret}}, {Name: "list", Type: Array, Optional: true, Items: &Param{Type: String, Secret: true}},
	}})
	for _, args := range []string{
		`{"tok": %s}`, `{"tok": "%s"}`, `{"tok": [%s]}`, `{"tok": {"%s": 1}}`, `{"tok": "a", "pin": %s}`, `{"tok": "a", "pin": "%s"}`,
		`{"tok": "a", "obj": {"tok": %s}}`, `{"tok": "a", "obj": {"tok": "%s"}}`, `{"tok": "a", "list": [%s]}`, `{"tok": "a", "list": ["x", {"%s": 2}]}`, `{"tok": "a", "list": "%s"}`,
		`"%s"`, `%s`, `"{\"tok\": \"%s\"}"`, `{"tok": %se99999}`, `{"tok": {"%[1]s": 1, "%[1]s": 2}}`, `{"tok": {"%s": x}}`,
	} {
		_, err := m.Check(json.RawMessage(fmt.Sprintf(args, canary)))
		var invalid *validate.Error
		if !errors.As(err, &invalid) {
			t.Errorf("%s: %v, want it refused", args, err)
			continue
		}
		if said := invalid.Error() + invalid.Fix(); strings.Contains(said, canary) {
			t.Errorf("%s is told as %s", args, said)
		}
	}
}

// The name of a secret parameter may be long or odd, and another's may be a part of it: its own value alone is left out.
func TestSecretsOfAnyName(t *testing.T) {
	t.Parallel()
	deep := Param{Name: "end", Type: Integer}
	for range 10 {
		deep = Param{Name: strings.Repeat("n", 50), Type: Object, Fields: []Param{deep}}
	}
	deep.Fields = append(deep.Fields, Param{Name: "secret", Secret: true, Optional: true})
	for _, tt := range []struct {
		secret string
		args   string
		shown  bool
	}{
		{"token", `{"token": "hunter2"}`, false},
		{strings.Repeat("very_long_token_name_", 4), `{"` + strings.Repeat("very_long_token_name_", 4) + `": "hunter2"}`, false},
		{`to"ken`, `{"to\"ken": "hunter2"}`, false},
		{"tok\u00e9n", `{"tok\u00e9n": "hunter2"}`, false},
		{"a", `{"amount": "hunter2"}`, true},
		{"a", `{"a": "hunter2"}`, false},
		{"args", `{"amount": "hunter2"}`, true},
		{"amoun", `{"amount": "hunter2"}`, true},
		{"a b", `{"a b": "hunter2"}`, false},
	} {
		m := prepared(t, Method{Params: []Param{{Name: tt.secret, Type: Integer, Secret: true, Optional: true}, {Name: "amount", Type: Integer, Optional: true}}})
		_, err := m.Check(json.RawMessage(tt.args))
		var invalid *validate.Error
		if !errors.As(err, &invalid) || strings.Contains(invalid.Error()+invalid.Fix(), "hunter2") != tt.shown {
			t.Errorf("%q, %s: %v", tt.secret, tt.args, err)
		}
	}
	m := prepared(t, Method{Params: []Param{deep}})
	args := `"hunter2"`
	for range 10 {
		args = `{"` + strings.Repeat("n", 50) + `": ` + args + `}`
	}
	args = strings.Replace(args, `"hunter2"`, `{"end": "hunter2"}`, 1)
	if _, err := m.Check(json.RawMessage(args)); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("deep: %v", err)
	}
}

// Objects are read in the same way whether they have more keys than there are fields, or fewer.
func TestPresent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching("[a-h]"), 0, 8, rapid.ID[string]).Draw(t, "fields")
		v := rapid.MapOfN(rapid.StringMatching("[a-h]"), rapid.Just[any](nil), 0, 8).Draw(t, "v")
		n := &node{byName: map[string]int{}}
		var want, got []string
		for _, name := range names {
			n.add(field{name: name})
			if _, ok := v[name]; ok {
				want = append(want, name)
			}
		}
		for f := range n.present(v) {
			got = append(got, f.name)
			delete(v, f.name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
