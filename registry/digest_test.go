package registry

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

func digestible() Method {
	return Method{Name: "refund", Summary: "Pay.", Run: nothing, Source: "run: refund-cli", Approval: &Approval{If: json.RawMessage(`{"amount":{"minimum":50}}`), Reason: "Much."},
		Params: []Param{
			{Name: "order_id", Type: String, Description: "Which.", Keywords: []Keyword{{"pattern", json.RawMessage(`"^A"`)}, {"maxLength", json.RawMessage(`9`)}}},
			{Name: "amount", Type: Number, Enum: raws(`1`, `60`), Default: json.RawMessage(`1`)},
			{Name: "to", Schema: json.RawMessage(`{"type":"object","description":"Where.","properties":{"description":{"type":"string","title":"D"}}}`), Optional: true},
			{Name: "lines", Type: Array, Items: &Param{Type: Object, Fields: []Param{{Name: "a", Type: String}}}, Optional: true},
			{Name: "desk", Type: String, From: "caller.id"},
		}}
}

func TestDigestOfWording(t *testing.T) {
	t.Parallel()
	want := prepared(t, digestible()).Digest()
	if len(want) != 64 {
		t.Fatalf("digest %q", want)
	}
	for name, change := range map[string]func(*Method){
		"title":             func(m *Method) { m.Title = "Other" },
		"summary":           func(m *Method) { m.Summary = "Other." },
		"description":       func(m *Method) { m.Description = "Other." },
		"rate":              func(m *Method) { m.Rate = Rate{Calls: 1, Per: time.Hour} },
		"off":               func(m *Method) { m.Off = "no token" },
		"toolsets":          func(m *Method) { m.Toolsets = []string{"x"} },
		"offer":             func(m *Method) { m.Offer = OfferMenu },
		"reason":            func(m *Method) { m.Approval.Reason = "Other." },
		"param description": func(m *Method) { m.Params[0].Description = "Other." },
		"placeholder":       func(m *Method) { m.Params[0].Placeholder = "A-1" },
		"label":             func(m *Method) { m.Params[0].Label = "Order" },
		"order of params":   func(m *Method) { m.Params[0], m.Params[1] = m.Params[1], m.Params[0] },
		"order of keywords": func(m *Method) { k := m.Params[0].Keywords; k[0], k[1] = k[1], k[0] },
		"wording in schema": func(m *Method) {
			m.Params[2].Schema = json.RawMessage(`{"properties":{"description":{"title":"E","type":"string"}},"type":"object"}`)
		},
		"spelling of numbers": func(m *Method) { m.Params[1].Default = json.RawMessage(`1.0`) },
		"explicit default":    func(m *Method) { m.Timeout, m.Effect = 30*time.Second, Destructive },
	} {
		m := digestible()
		change(&m)
		if got := prepared(t, m).Digest(); got != want {
			t.Errorf("%s changes the digest", name)
		}
	}
}

func TestDigestOfSubstance(t *testing.T) {
	t.Parallel()
	seen := map[string]string{prepared(t, digestible()).Digest(): "nothing"}
	for name, change := range map[string]func(*Method){
		"name":           func(m *Method) { m.Name = "refunds" },
		"kind":           func(m *Method) { m.Kind, m.Params, m.Approval = Value, nil, nil; m.Constant = json.RawMessage(`1`) },
		"another value":  func(m *Method) { m.Kind, m.Params, m.Approval = Value, nil, nil; m.Constant = json.RawMessage(`2`) },
		"effect":         func(m *Method) { m.Effect = Write },
		"idempotent":     func(m *Method) { m.Idempotent = true },
		"found":          func(m *Method) { m.Found = "/usr/bin/refund-cli" },
		"source":         func(m *Method) { m.Source = "run: refund-cli --force" },
		"timeout":        func(m *Method) { m.Timeout = time.Minute },
		"stop on cancel": func(m *Method) { m.StopOnCancel = true },
		"condition":      func(m *Method) { m.Approval.If = json.RawMessage(`{"amount":{"minimum":51}}`) },
		"always":         func(m *Method) { m.Approval.If = nil },
		"no approval":    func(m *Method) { m.Approval = nil },
		"param name":     func(m *Method) { m.Params[0].Name = "order" },
		"type":           func(m *Method) { m.Params[1].Type = Integer },
		"enum":           func(m *Method) { m.Params[1].Enum = raws(`1`, `61`) },
		"default":        func(m *Method) { m.Params[1].Default = json.RawMessage(`60`) },
		"optional":       func(m *Method) { m.Params[0].Optional = true },
		"pattern":        func(m *Method) { m.Params[0].Keywords[0].Value = json.RawMessage(`"^B"`) },
		"schema": func(m *Method) {
			m.Params[2].Schema = json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"}}}`)
		},
		"items":          func(m *Method) { m.Params[3].Items.Fields[0].Type = Integer },
		"open items":     func(m *Method) { m.Params[3].Items.Fields = nil },
		"no fields":      func(m *Method) { m.Params[3].Items.Fields = []Param{} },
		"source of desk": func(m *Method) { m.Params[4].From, m.Params[4].Type = "caller.roles", Array },
		"desk shown":     func(m *Method) { m.Params[4].From = "" },
		"result":         func(m *Method) { m.Returns = &Param{Type: Object} },
		"expose":         func(m *Method) { m.Expose = trace.ExposeHidden },
		"another expose": func(m *Method) { m.Expose = trace.ExposeIO },
		"range":          func(m *Method) { m.RenderRange = &trace.Range{Callers: new(1)} },
		"another range":  func(m *Method) { m.RenderRange = &trace.Range{Callers: new(2)} },
		"subcalls":       func(m *Method) { m.RenderRange = &trace.Range{Subcalls: new(1)} },
	} {
		m := digestible()
		change(&m)
		got := prepared(t, m).Digest()
		if other, ok := seen[got]; ok {
			t.Errorf("the digest is the same after changing %s and %s", name, other)
		}
		seen[got] = name
	}
}

// Turns that are open and calls on record hold this digest, so one of a method that says nothing of what is new stays what it is.
func TestDigestIsKept(t *testing.T) {
	t.Parallel()
	const want = "36b8c8151f14383c4d56cec5d05490c198bfde8e4a4d826667da3cb0fe1bfac7"
	if got := prepared(t, digestible()).Digest(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What was accepted is kept as this digest, so it stays what it is from one version to the next: one that changes here holds back every
// method of everybody after an update.
func TestRunDigestIsKept(t *testing.T) {
	t.Parallel()
	m := digestible()
	m.Pin = "pinned"
	const want = "f55b45c2c2ac1158b7772145e8671fea14c65ed81453f9d12fe7211e9ae4ba4c"
	if got := m.RunDigest(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := prepared(t, m).RunDigest(); got != want {
		t.Errorf("of the prepared method: got %s, want %s", got, want)
	}
}

func TestRunDigest(t *testing.T) {
	t.Parallel()
	plain, value := digestible(), Method{Name: "policy", Summary: "Tell.", Kind: Value, Constant: json.RawMessage(`1`)}
	for _, tc := range []struct {
		name   string
		of     Method
		change func(*Method)
		same   bool
	}{
		{"summary", plain, func(m *Method) { m.Summary = "Other." }, true},
		{"effect", plain, func(m *Method) { m.Effect = Read }, true},
		{"approval", plain, func(m *Method) { m.Approval = nil }, true},
		{"timeout", plain, func(m *Method) { m.Timeout = time.Minute }, true},
		{"idempotent", plain, func(m *Method) { m.Idempotent = true }, true},
		{"offer", plain, func(m *Method) { m.Offer = OfferMenu }, true},
		{"off", plain, func(m *Method) { m.Off = "no token" }, true},
		{"where it was found", plain, func(m *Method) { m.Found = "/opt/bin/refund-cli" }, true},
		{"result", plain, func(m *Method) { m.Returns = &Param{Type: Object} }, true},
		{"what models see", plain, func(m *Method) { m.Expose, m.RenderRange = trace.ExposeHidden, &trace.Range{Callers: new(0)} }, true},
		{"spelled out kind", plain, func(m *Method) { m.Kind = Function }, true},
		{"name", plain, func(m *Method) { m.Name = "refunds" }, false},
		{"kind", plain, func(m *Method) { m.Kind = Value }, false},
		{"source", plain, func(m *Method) { m.Source += " --force" }, false},
		{"pin", plain, func(m *Method) { m.Pin = "other" }, false},
		{"stop on cancel", plain, func(m *Method) { m.StopOnCancel = true }, false},
		{"hidden source", plain, func(m *Method) { m.Params[4].From = "env:DESK" }, false},
		{"a looser parameter", plain, func(m *Method) { m.Params[0].Keywords = nil }, false},
		{"another parameter", plain, func(m *Method) { m.Params = append(m.Params, Param{Name: "more", Optional: true}) }, false},
		{"value", value, func(m *Method) { m.Constant = json.RawMessage(`2`) }, true},
		{"value's name", value, func(m *Method) { m.Name = "other" }, false},
	} {
		m := tc.of.clone()
		tc.change(m)
		if same := m.RunDigest() == tc.of.RunDigest(); same != tc.same {
			t.Errorf("%s: the same is %v, want %v", tc.name, same, tc.same)
		}
	}
}
