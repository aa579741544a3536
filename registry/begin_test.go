package registry

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
)

type beginKey struct{}

// Begin is called for what runs, right before it does and with what it runs with, and the run has its context; nothing else has.
func TestBegin(t *testing.T) {
	t.Parallel()
	var order []string
	m := prepared(t, Method{Name: "m", Summary: "Does.", Effect: Write, Params: []Param{
		{Name: "text", Type: String}, {Name: "desk", Type: String, From: "desk", Fill: func(ctx context.Context, _ Caller) (any, error) {
			if ctx.Value(beginKey{}) != nil {
				t.Error("the source of a hidden value has the context of the run")
			}
			return "front", nil
		}},
	}, Run: func(ctx context.Context, _ Args) (any, error) {
		order = append(order, "run")
		if ctx.Value(beginKey{}) != "here" {
			t.Error("the run has not the context that Begin gave")
		}
		return nil, nil
	}})
	veto := errors.New("no")
	for _, tc := range []struct {
		args   string
		intent error
		want   int
	}{
		{`{"text":"front desk"}`, nil, 3},
		{`{"text":1}`, nil, 0},
		{`{"text":"x"}`, veto, 1},
	} {
		order = nil
		_, err := Call(t.Context(), Request{Method: m, Args: json.RawMessage(tc.args), Intent: func(ctx context.Context, _ Bound) error {
			order = append(order, "intent")
			return tc.intent
		}, Begin: func(ctx context.Context, b *Bound) context.Context {
			order = append(order, "begin")
			if got := b.Redact("front"); got != "***" || b.Args["text"] != "front desk" {
				t.Errorf("it begins with %v, and %q is hidden", b.Args, got)
			}
			return context.WithValue(ctx, beginKey{}, "here")
		}})
		if len(order) != tc.want || (err == nil) != (tc.want == 3) {
			t.Errorf("%s: %v, %v", tc.args, order, err)
		}
		if tc.want == 3 && (order[0] != "intent" || order[1] != "begin") {
			t.Errorf("the order is %v", order)
		}
	}
}
