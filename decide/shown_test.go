package decide

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// The third ask has a worked example. Who answers with a copy of it has picked nothing; who answers beside it with a pick of their own has.
func TestWorkedExampleIsNoPick(t *testing.T) {
	t.Parallel()
	const marked = "An example of the form, with values that are not this task's: "
	for _, c := range []struct {
		name, last string // {} stands for the example
		want       State
		kind       validate.Kind
	}{
		{"a copy", "{}", "", validate.MissingRequired},
		{"a copy of the line", marked + "{}", "", validate.Ambiguous},
		{"a copy in prose", "My pick:\n\n{}\n", "", validate.MissingRequired},
		{"a copy in a fence", "```json\n{}\n```", "", validate.MissingRequired},
		{"a copy, and a pick", "Like this:\n{}\nSo I take:\n{\"call\": \"look\", \"args\": {\"order\": \"A-1\"}}", Done, ""},
		{"a pick", `{"call": "look", "args": {"order": "A-1"}}`, Done, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			example := ""
			picker := &script{replies: []string{"So be it.", `{"call": "refund", "args": {"order": 7}}`}}
			d := Decision{Name: "make", Prompt: "Settle this.", MaxRetries: 2, Options: []Option{Func("look", "lookup"), Func("refund", "refund"), Value("close", "closed")}}
			w.eng.picker = examplePicker(func(ask string) string {
				if len(picker.asks) < 2 {
					reply, _ := picker.Pick(context.Background(), ask, nil)
					return reply
				}
				_, example, _ = strings.Cut(ask[strings.LastIndex(ask, marked):], marked)
				example, _, _ = strings.Cut(example, "\n")
				return strings.Replace(c.last, "{}", example, 1)
			})
			out, err := w.eng.make(t.Context(), d)
			if strings.Contains(picker.asks[1], marked) {
				t.Error("the second ask has an example")
			}
			if !strings.HasPrefix(example, `{"call": "look", "args": {"order": "`) {
				t.Errorf("the example is %q", example)
			}
			var spent *DecisionError
			switch {
			case c.want != "" && (err != nil || out.State != c.want || out.Option != "look"):
				t.Errorf("got %+v, %v", out, err)
			case c.want == "" && (!errors.As(err, &spent) || spent.Kind != c.kind || w.read.Load() != 0):
				t.Errorf("got %v after %d runs, want %s", err, w.read.Load(), c.kind)
			}
		})
	}
}

type examplePicker func(ask string) string

func (f examplePicker) Pick(_ context.Context, ask string, _ []registry.Option) (string, error) {
	return f(ask), nil
}
