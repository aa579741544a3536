package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/trace"
)

// sound is a method that is refused for nothing.
func soundMethod() Method {
	return Method{Name: "lookup_order", Summary: "Read one order.", Effect: Read, Run: nothing}
}

func with(change func(*Method)) Method {
	m := soundMethod()
	change(&m)
	return m
}

func params(params ...Param) Method { return with(func(m *Method) { m.Params = params }) }

func TestRefusedAtRegistration(t *testing.T) {
	t.Parallel()
	self := Param{Name: "a", Type: Array}
	self.Items = &Param{Type: Object, Fields: []Param{{Name: "x", Type: Array, Items: &self}, {Name: "y", Type: Array, Items: &self}}}
	many := make([]Param, maxParams+1)
	for i := range many {
		many[i] = Param{Name: "p" + strings.Repeat("x", i%100) + string(rune('a'+i%26)), Type: String}
	}
	tests := []struct {
		name   string
		method Method
		want   []string // each is in the error
	}{
		{"no name", with(func(m *Method) { m.Name = "" }), []string{`method "": the name is empty`}},
		{"bad name", with(func(m *Method) { m.Name = "look up" }), []string{`method "look up": `, "at character 5"}},
		{"no summary", with(func(m *Method) { m.Summary = " " }), []string{"summary is missing"}},
		{"no run", with(func(m *Method) { m.Run = nil }), []string{"run: missing"}},
		{"kind", with(func(m *Method) { m.Kind = "functon" }), []string{"kind", `did you mean "function"?`}},
		{"effect", with(func(m *Method) { m.Effect = "reads" }), []string{"effect", `did you mean "read"?`}},
		{"offer", with(func(m *Method) { m.Offer = "menus" }), []string{"offer", "native, menu, both"}},
		{"timeout below zero", with(func(m *Method) { m.Timeout = -time.Second }), []string{"timeout: -1s is negative"}},
		{"rate of nothing", with(func(m *Method) { m.Rate.Per = time.Second }), []string{"rate: 0 calls", "1 to 1000000"}},
		{"rate over nothing", with(func(m *Method) { m.Rate.Calls = 3 }), []string{"rate: calls are counted over 0s; it has to be from 1ms to 24h"}},
		{"rate over too much", with(func(m *Method) { m.Rate = Rate{Calls: 3, Per: 25 * time.Hour} }), []string{"over 25h"}},
		{"rate without limit, with one", with(func(m *Method) { m.Rate = Rate{Calls: 3, Per: time.Hour, Unlimited: true} }), []string{"leave out the 3"}},
		{"timeout too long", with(func(m *Method) { m.Timeout = 11 * time.Minute }), []string{"timeout", "longer than 10m"}},
		{"expose", with(func(m *Method) { m.Expose = "hiden" }), []string{"expose: ", `did you mean "hidden"?`}},
		{"range", with(func(m *Method) { m.RenderRange = &trace.Range{Subcalls: new(-2)} }), []string{"render_range: subcalls is -2", "-1 for all"}},
		{"cap below zero", with(func(m *Method) { m.ResultCap = -1 }), []string{"result_cap"}},

		{"unknown type", params(Param{Name: "a", Type: "strng"}), []string{"params.a", `did you mean "string"?`}},
		{"unknown type of a field", params(Param{Name: "a", Type: Object, Fields: []Param{{Name: "b", Type: "int"}}}), []string{"params.a.fields.b"}},
		{"twice", params(Param{Name: "a"}, Param{Name: "a"}), []string{"params.a: declared twice"}},
		{"field twice", params(Param{Name: "a", Type: Object, Fields: []Param{{Name: "b"}, {Name: "b"}}}), []string{"params.a.fields.b: declared twice"}},
		{"parameter without name", params(Param{Type: String}), []string{"parameter 1: the name is empty"}},
		{"parameter with a line in its name", params(Param{Name: "a\nb"}), []string{`"a\nb"`}},
		{"enum of another type", params(Param{Name: "a", Type: Integer, Enum: raws(`1`, `"many"`)}), []string{"params.a.enum[1]", "many"}},
		{"enum with a fraction", params(Param{Name: "a", Type: Integer, Enum: raws(`1.5`)}), []string{"params.a.enum[0]"}},
		{"enum with null", params(Param{Name: "a", Type: String, Enum: raws(`"x"`, `null`)}), []string{"params.a.enum[1]", "make the parameter optional"}},
		{"enum twice", params(Param{Name: "a", Type: Number, Enum: raws(`1`, `1.0`)}), []string{"params.a.enum[1]", "twice"}},
		{"empty enum", params(Param{Name: "a", Type: String, Enum: raws()}), []string{"params.a.enum", "none would be allowed"}},
		{"enum out of bounds", params(Param{Name: "a", Type: Integer, Enum: raws(`1`, `9`), Keywords: []Keyword{{"maximum", json.RawMessage(`5`)}}}),
			[]string{"params.a.enum[1]"}},
		{"enum of lists", params(Param{Name: "a", Type: Array, Items: &Param{Type: Integer}, Enum: raws(`[1]`, `["x"]`)}), []string{"params.a.enum[1][0]: expected an integer"}},
		{"default of another type", params(Param{Name: "a", Type: Integer, Default: json.RawMessage(`"ten"`)}), []string{"params.a.default", "ten"}},
		{"default outside the enum", params(Param{Name: "a", Type: String, Enum: raws(`"x"`), Default: json.RawMessage(`"y"`)}), []string{"params.a.default"}},
		{"default out of bounds", params(Param{Name: "a", Type: Integer, Default: json.RawMessage(`-1`), Keywords: []Keyword{{"minimum", json.RawMessage(`0`)}}}),
			[]string{"params.a.default"}},
		{"default that is no JSON", params(Param{Name: "a", Type: String, Default: json.RawMessage(`ten`)}), []string{"params.a"}},
		{"default of a field", params(Param{Name: "a", Type: Object, Fields: []Param{{Name: "b", Type: Boolean, Default: json.RawMessage(`1`)}}}),
			[]string{"params.a.fields.b.default"}},
		{"items of a text", params(Param{Name: "a", Type: String, Items: &Param{Type: String}}), []string{"params.a", "items"}},
		{"fields of a list", params(Param{Name: "a", Type: Array, Fields: []Param{{Name: "b"}}}), []string{"params.a", "fields"}},
		{"schema beside a type", params(Param{Name: "a", Type: String, Schema: json.RawMessage(`{}`)}), []string{"params.a", "stands alone"}},
		{"schema that does not compile", params(Param{Name: "a", Schema: json.RawMessage(`{"type": "strong"}`)}), []string{"params"}},
		{"schema that reads a file", params(Param{Name: "a", Schema: json.RawMessage(`{"$ref": "file:///etc/passwd"}`)}), []string{"params"}},
		{"bad pattern", params(Param{Name: "a", Type: String, Keywords: []Keyword{{"pattern", json.RawMessage(`"("`)}}}), []string{"params"}},
		{"word with a place of its own", params(Param{Name: "a", Type: String, Keywords: []Keyword{{"type", json.RawMessage(`"string"`)}}}), []string{"params.a"}},
		{"nothing fills it", params(Param{Name: "a", Type: String, From: "session.id"}), []string{"params.a.from", "nothing can fill", "caller.id, caller.roles"}},
		{"nearly a source", params(Param{Name: "a", Type: String, From: "caller_id"}), []string{`did you mean "caller.id"?`}},
		{"hidden below", params(Param{Name: "a", Type: Object, Fields: []Param{{Name: "b", From: "caller.id"}}}), []string{"params.a.fields.b", "method itself"}},
		{"contains itself", params(self), []string{"more than"}},
		{"too many", params(many...), []string{"more than 2000"}},

		{"value without value", Method{Name: "v", Summary: "V.", Kind: Value}, []string{"value: missing"}},
		{"value that is no JSON", Method{Name: "v", Summary: "V.", Kind: Value, Constant: json.RawMessage(`{`)}, []string{"value"}},
		{"value with parameters", Method{Name: "v", Summary: "V.", Kind: Value, Constant: json.RawMessage(`1`), Params: []Param{{Name: "a"}}}, []string{"params: a value option"}},
		{"value without summary", Method{Name: "v", Kind: Value, Constant: json.RawMessage(`1`)}, []string{"summary is missing"}},
		{"schema with a field decision", Method{Name: "s", Summary: "S.", Kind: Form, Params: []Param{{Name: "decision", Type: String}}}, []string{"params.decision", "rename"}},
		{"schema with a hidden field", Method{Name: "s", Summary: "S.", Kind: Form, Params: []Param{{Name: "a", From: "caller.id"}}}, []string{"params.a"}},

		{"result that is no object", with(func(m *Method) { m.Returns = &Param{Type: String} }), []string{"returns", "has to be an object"}},
		{"result of any type", with(func(m *Method) { m.Returns = &Param{Schema: json.RawMessage(`{}`)} }), []string{"returns", `"type": "object"`}},
		{"result of an unknown type", with(func(m *Method) { m.Returns = &Param{Type: Object, Fields: []Param{{Name: "a", Type: "txt"}}} }), []string{"returns.fields.a"}},
		{"approval of nothing", with(func(m *Method) { m.Approval = &Approval{If: json.RawMessage(`{}`)} }), []string{"requires_approval.if"}},
		{"approval of an unknown parameter", with(func(m *Method) {
			m.Params = []Param{{Name: "amount", Type: Number}}
			m.Approval = &Approval{If: json.RawMessage(`{"amuont": {"minimum": 50}}`)}
		}), []string{"requires_approval.if.amuont", `did you mean "amount"?`}},
		{"approval with a bad condition", with(func(m *Method) {
			m.Params = []Param{{Name: "amount", Type: Number}}
			m.Approval = &Approval{If: json.RawMessage(`{"amount": {"minimum": "50"}}`)}
		}), []string{"requires_approval.if.amount"}},

		{"all at once", with(func(m *Method) {
			m.Summary, m.Effect, m.Timeout = "", "rd", time.Hour
			m.Params = []Param{{Name: "a", Type: "x"}, {Name: "b", Type: Integer, Default: json.RawMessage(`"z"`)}}
		}), []string{`method "lookup_order": `, "summary", "effect", "timeout", "params.a", "params.b.default"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := New()
			err := r.Add(tt.method)
			var e *MethodError
			if !errors.As(err, &e) {
				t.Fatalf("Add = %v, want a *MethodError", err)
			}
			for _, want := range append(tt.want, `method "`) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Add = %v\nwant %s in it", err, want)
				}
			}
			if !strings.HasPrefix(err.Error(), `method "`) {
				t.Errorf("Add = %v, want the method's name first", err)
			}
			if n := len(r.Snapshot().Methods()); n != 0 {
				t.Errorf("%d methods are registered after a refusal", n)
			}
		})
	}
}

func TestPreparedDefaults(t *testing.T) {
	t.Parallel()
	got, err := Prepare(Method{Name: "issue_refund", Summary: "Pay.", Run: nothing, Params: []Param{
		{Name: "n", Type: Integer, Enum: raws(`"5"`, ` 10 `)},
		{Name: "b", Type: Boolean, Enum: raws(`"true"`)},
		{Name: "o", Type: Integer, Default: json.RawMessage(` null `)},
		{Name: "who", Type: String, From: "caller.id"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	type facts struct {
		Title   string
		Kind    Kind
		Effect  Effect
		Offer   Offer
		Timeout time.Duration
		Cap     int
		Enums   string
		Visible []string
		Needed  []bool
	}
	have := facts{got.Title, got.Kind, got.Effect, got.Offer, got.Timeout, got.ResultCap, "", nil, nil}
	for _, p := range got.Params {
		for _, v := range p.Enum {
			have.Enums += string(v) + " "
		}
	}
	for _, p := range got.Visible() {
		have.Visible = append(have.Visible, p.Name)
		have.Needed = append(have.Needed, p.Required())
	}
	want := facts{"Issue refund", Function, Destructive, OfferNative, 30 * time.Second, 30_000, "5 10 true ", []string{"n", "b", "o"}, []bool{true, true, false}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if schema := string(got.InputSchema()); strings.Contains(schema, "who") || !strings.Contains(schema, `"enum":[5,10]`) {
		t.Errorf("schema %s", schema)
	}
}

// What is registered can't be changed through what was handed in, and preparing it again gives the same.
func TestPreparedStandsAlone(t *testing.T) {
	t.Parallel()
	m := params(Param{Name: "a", Type: Object, Fields: []Param{{Name: "b", Type: String, Enum: raws(`"x"`), Keywords: []Keyword{{"maxLength", json.RawMessage(`5`)}}}}})
	m.Approval = &Approval{If: json.RawMessage(`{"a":{"minProperties":1}}`)}
	m.Toolsets = []string{"desk"}
	m.RenderRange = &trace.Range{Callers: new(2)}
	ready, err := Prepare(m)
	if err != nil {
		t.Fatal(err)
	}
	schema, digest := string(ready.InputSchema()), ready.Digest()
	m.Params[0].Fields[0].Enum[0][1] = 'z'
	m.Params[0].Fields[0].Keywords[0].Value[0] = '9'
	m.Params[0].Name = "changed"
	m.Approval.If[2] = 'z'
	m.Toolsets[0] = "changed"
	*m.RenderRange.Callers = 9
	if ready.Params[0].Name != "a" || string(ready.Params[0].Fields[0].Enum[0]) != `"x"` || ready.Toolsets[0] != "desk" || *ready.RenderRange.Callers != 2 || string(ready.Approval.If) != `{"a":{"minProperties":1}}` {
		t.Errorf("the prepared method changed with what was handed in: %+v", ready)
	}
	again, err := Prepare(*ready)
	if err != nil || string(again.InputSchema()) != schema || again.Digest() != digest {
		t.Errorf("prepared again: %s %s, %v; want %s %s", again.InputSchema(), again.Digest(), err, schema, digest)
	}
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	r := New()
	for _, name := range []string{"zebra", "ant", "mole"} {
		if err := r.Add(with(func(m *Method) { m.Name = name })); err != nil {
			t.Fatal(err)
		}
	}
	before := r.Snapshot()
	if r.Snapshot() != before {
		t.Error("two snapshots without a change between differ")
	}
	for _, name := range []string{"ant", "Ant", "аnt"} { // the last begins with a Cyrillic letter
		if err := r.Add(with(func(m *Method) { m.Name = name })); err == nil || !strings.Contains(err.Error(), `"ant"`) {
			t.Errorf("Add(%q) = %v, want an error that names ant", name, err)
		}
	}
	off := with(func(m *Method) { m.Name, m.Off = "bear", "no token" })
	if err := r.Add(off); err != nil {
		t.Fatal(err)
	}
	if got := names(before.Methods()); got != "zebra ant mole" {
		t.Errorf("the older snapshot has %s", got)
	}
	now := r.Snapshot()
	if got := names(now.Methods()); got != "zebra ant mole bear" {
		t.Errorf("methods are %s", got)
	}
	if got := names(now.Available(Caller{})); got != "zebra ant mole" {
		t.Errorf("available are %s", got)
	}
	if m, ok := now.Find("mole"); !ok || m.Name != "mole" {
		t.Errorf("Find(mole) = %v, %v", m, ok)
	}
	if _, ok := now.Find("Mole"); ok {
		t.Error("Find is not exact")
	}
	if _, ok := before.Find("bear"); ok {
		t.Error("the older snapshot has the newer method")
	}
}

// What was tried in a registry of its own is taken as it is, with the names that are taken then.
func TestTake(t *testing.T) {
	t.Parallel()
	r, trial := New(), New()
	old, fresh := Method{Name: "old", Summary: "Say.", Run: nothing}, Method{Name: "fresh", Summary: "Say.", Run: nothing}
	if err := errors.Join(r.Add(old), trial.Add(fresh)); err != nil {
		t.Fatal(err)
	}
	before, tried := r.Snapshot(), trial.Snapshot()
	r.Take(trial)
	if r.Snapshot() != tried {
		t.Error("another snapshot than the one that was tried")
	}
	if _, kept := before.Find("old"); !kept {
		t.Error("the snapshot of before has changed")
	}
	if err := r.Add(old); err != nil {
		t.Error(err)
	}
	if err := r.Add(fresh); err == nil {
		t.Error("a second method of one name was taken")
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	r := New()
	if err := r.Add(with(func(m *Method) { m.Name = "old" })); err != nil {
		t.Fatal(err)
	}
	bad := []Method{
		with(func(m *Method) { m.Name = "one" }),
		with(func(m *Method) { m.Name, m.Summary = "two", "" }),
		with(func(m *Method) { m.Name, m.Timeout = "ONE", -1 }),
	}
	err := r.Replace(bad)
	for _, want := range []string{`method "two": the summary`, `method "ONE": timeout`, `"ONE" differs only by case from "one"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Replace = %v\nwant %s in it", err, want)
		}
	}
	if got := names(r.Snapshot().Methods()); got != "old" {
		t.Errorf("after a refusal the methods are %s", got)
	}
	if err := r.Replace(bad[:1]); err != nil {
		t.Fatal(err)
	}
	if got := names(r.Snapshot().Methods()); got != "one" {
		t.Errorf("methods are %s", got)
	}
	if err := r.Add(with(func(m *Method) { m.Name = "OLD" })); err != nil {
		t.Errorf("a name that is gone is still taken: %v", err)
	}
}

func names(methods []*Method) string {
	var out []string
	for _, m := range methods {
		out = append(out, m.Name)
	}
	return strings.Join(out, " ")
}

func TestValueAndSchemaMethods(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		method Method
		args   string
		want   string // the text of the result
	}{
		{"text", Method{Name: "done", Kind: Value, Constant: json.RawMessage(` "CONVERSATION_OVER"`)}, ``, `CONVERSATION_OVER`},
		{"object", Method{Name: "close", Kind: Value, Constant: json.RawMessage(`{"status": "closed"}`)}, ``, `{"status": "closed"}`},
		{"null", Method{Name: "nothing", Kind: Value, Constant: json.RawMessage(`null`)}, ``, `null`},
		{"number", Method{Name: "zero", Kind: Value, Constant: json.RawMessage(`0.10`)}, `{"x":1}`, `0.10`},
		{"no fields", Method{Name: "emit", Kind: Form}, ``, `{"decision":"emit"}`},
		{"fields", Method{Name: "emit", Kind: Form, Effect: Destructive, Params: []Param{
			{Name: "z", Type: String}, {Name: "a", Type: Object, Fields: []Param{{Name: "y", Type: Number}, {Name: "b", Type: Integer, Default: json.RawMessage(`2`)}}},
			{Name: "left", Type: String, Optional: true}}},
			`{"a":{"b":3,"y":1.50},"z":"<\"\u00e4>","other":1}`, `{"decision":"emit","z":"<\"ä>","a":{"y":1.50,"b":3}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := Prepare(tt.method)
			if err != nil {
				t.Fatal(err)
			}
			if m.Effect != Read {
				t.Errorf("effect %s, want read", m.Effect)
			}
			r, err := Call(context.Background(), Request{Method: m, Args: json.RawMessage(tt.args), Ceiling: Read})
			if err != nil || r.State != Done || len(r.Content) != 1 || r.Content[0].Text != tt.want {
				t.Errorf("Call = %+v, %v, want %s", r.Content, err, tt.want)
			}
		})
	}
}
