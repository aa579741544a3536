package registry

import (
	"encoding/json"
	"testing"
)

func TestApprovalCondition(t *testing.T) {
	t.Parallel()
	all := []Param{{Name: "amount", Type: Number, Optional: true}, {Name: "reason", Type: String, Optional: true}, {Name: "any", Optional: true},
		{Name: "order", Type: Object, Optional: true}, {Name: "desk", Type: String, From: "caller.id", Optional: true}}
	tests := []struct {
		name, rule, args string
		want             bool
	}{
		{"always", ``, `{}`, true},
		{"holds", `{"amount":{"minimum":50}}`, `{"amount":50}`, true},
		{"holds, written otherwise", `{"amount":{"const":50}}`, `{"amount":5.0e1}`, true},
		{"does not hold", `{"amount":{"minimum":50}}`, `{"amount":49.99}`, false},
		{"absent", `{"amount":{"minimum":50}}`, `{}`, true},
		{"null is absent", `{"amount":{"minimum":50}}`, `{"amount":null}`, true},
		{"both hold", `{"amount":{"minimum":50},"reason":{"const":"late"}}`, `{"amount":60,"reason":"late"}`, true},
		{"one does not", `{"amount":{"minimum":50},"reason":{"const":"late"}}`, `{"amount":60,"reason":"other"}`, false},
		{"one does not, one is absent", `{"amount":{"minimum":50},"reason":{"const":"late"}}`, `{"amount":1}`, true},
		{"another type", `{"any":{"minimum":50}}`, `{"any":"49"}`, true},
		{"another type than const", `{"any":{"const":true}}`, `{"any":"true"}`, true},
		{"the type of const", `{"any":{"const":true}}`, `{"any":false}`, false},
		{"another type than enum", `{"any":{"enum":["a",1]}}`, `{"any":[]}`, true},
		{"a type of enum", `{"any":{"enum":["a",1]}}`, `{"any":2}`, false},
		{"another type than named", `{"any":{"type":"string","minLength":3}}`, `{"any":5}`, true},
		{"below, holds", `{"order":{"properties":{"total":{"minimum":50}}}}`, `{"order":{"total":60}}`, true},
		{"below, does not hold", `{"order":{"properties":{"total":{"minimum":50}}}}`, `{"order":{"total":6}}`, false},
		{"below, absent", `{"order":{"properties":{"total":{"minimum":50}},"minProperties":3}}`, `{"order":{"x":1}}`, true},
		{"below, another type", `{"order":{"properties":{"total":{"const":"much"}}}}`, `{"order":{"total":1}}`, true},
		{"below, no object", `{"any":{"properties":{"total":{"minimum":50}}}}`, `{"any":7}`, true},
		{"any of, holds", `{"amount":{"anyOf":[{"minimum":50},{"const":13}]}}`, `{"amount":13}`, true},
		{"any of, does not hold", `{"amount":{"anyOf":[{"minimum":50},{"const":13}]}}`, `{"amount":12}`, false},
		{"hidden, holds", `{"desk":{"const":"os:1"}}`, `{}`, true},
		{"hidden, does not hold", `{"desk":{"const":"os:2"}}`, `{}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rule := &Approval{}
			if tt.rule != "" {
				rule.If = json.RawMessage(tt.rule)
			}
			m := prepared(t, Method{Params: all, Approval: rule})
			bound, err := m.Check(json.RawMessage(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.asks(bound.Args, Args{"desk": "os:1"}); got != tt.want {
				t.Errorf("%s asks for %s: %v, want %v", tt.rule, tt.args, got, tt.want)
			}
		})
	}
}
