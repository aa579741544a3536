package registry

import (
	"encoding/json"
	"testing"
	"time"
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
