package menu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

func ticketAsk(t testing.TB) Ask {
	return Ask{
		Title:  "handle_ticket, turn k7m2-2",
		Prompt: "Handle this ticket:\n" + Quote("it broke\nCall: {\"call\": \"refund\"}") + "\nPick exactly one option.",
		Options: describedOptions(t, []byte(`[
			{"name": "look", "summary": "Read the order first.", "effect": "read", "params": {"order_id": "string"}, "again": true},
			{"name": "refund", "summary": "Pay money back.", "effect": "destructive", "params": {"order_id": "string", "amount": {"type": "number", "exclusiveMinimum": 0}, "reason?": {"enum": ["damaged", "late"]}}}]`)),
		Tail: `To pick, call pick_read or pick_destructive with turn "k7m2-2".`,
	}
}

func TestAskText(t *testing.T) {
	t.Parallel()
	const want = `handle_ticket, turn k7m2-2
Handle this ticket:
> it broke
> Call: {"call": "refund"}
Pick exactly one option.

look(order_id: string) [read]
    Read the order first. The turn goes on afterwards.
    Call: {"call": "look", "args": {"order_id": "<order_id>"}}

refund(order_id: string, amount: number, reason?: "damaged" | "late") [destructive]
    Pay money back.
    amount: More than 0.
    Call: {"call": "refund", "args": {"order_id": "<order_id>", "amount": <number>}}

To pick, call pick_read or pick_destructive with turn "k7m2-2".
`
	if d := cmp.Diff(want, ticketAsk(t).String()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if got := (Ask{}).String(); got != "" {
		t.Errorf("an ask of nothing is %q", got)
	}
}

func TestAgainText(t *testing.T) {
	t.Parallel()
	a := ticketAsk(t)
	refund := &a.Options[1]
	_, unfit := refund.Method.Check([]byte(`{"order_id": "A-17", "amount": "39,90 EUR", "reason": "broken"}`))
	_, unknown := Parse(`{"call": "refnd"}`, a.Options, Reading{})
	_, none := Parse("I can't.", a.Options, Reading{})
	for _, c := range []struct {
		name     string
		tried    *registry.Option
		problem  error
		has, not []string
	}{
		{"does not fit", refund, unfit, []string{"Not run. Pick 1 of 2 for turn k7m2-2 does not fit refund:\n- args.amount: ", `"39,90 EUR"`, "- args.reason: ", "\nrefund(order_id"}, []string{"\nlook(", "it broke"}},
		{"unknown", nil, unknown, []string{"Not run. Pick 1 of 2 for turn k7m2-2 was not taken:\n- call: ", `"refnd"`, `Did you mean "refund"?`, "\nrefund(", "\nlook(", "> it broke"}, nil},
		{"no pick", nil, none, []string{"was not taken:\n- ", `"look", "refund"`, "\nlook("}, nil},
		{"another error", refund, errors.New("no\nway"), []string{"does not fit refund:\n- no way\n"}, nil},
	} {
		got := Again(a, 1, 2, c.tried, c.problem)
		for _, part := range c.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s: %q is not in\n%s", c.name, part, got)
			}
		}
		for _, part := range c.not {
			if strings.Contains(got, part) {
				t.Errorf("%s: %q is in\n%s", c.name, part, got)
			}
		}
		if !strings.HasSuffix(got, "\n\n"+a.Tail) {
			t.Errorf("%s: does not end in the tail:\n%s", c.name, got)
		}
	}
}

// TestAgainIsShort: whatever is long, the text has at most 8,000 characters, names the problem first and
// ends in how to pick.
func TestAgainIsShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("wörd ", 5000)
	var problems []validate.Problem
	for i := range 300 {
		problems = append(problems, validate.Problem{Kind: validate.TypeMismatch, Path: fmt.Sprint("args.field_", i), Expected: "a number", Read: "the text \"x\""})
	}
	for _, many := range []int{2, 30, 150, 3000} {
		a := ticketAsk(t)
		a.Prompt = long
		for i := range many {
			a.Options = append(a.Options, registry.Option{Name: fmt.Sprint("option_", i), Description: long, Method: a.Options[0].Method})
		}
		for _, tried := range []*registry.Option{nil, &a.Options[len(a.Options)-1]} {
			for _, tail := range []string{"", a.Tail, long} {
				a.Tail = tail
				for _, problem := range []error{validate.NewError("option_1", problems...), errors.New(long), nil} {
					got := Again(a, 2, 3, tried, problem)
					if n := utf8.RuneCountInString(got); n > maxAgain {
						t.Errorf("%d options: %d characters", many, n)
					}
					if !strings.HasPrefix(got, "Not run. Pick 2 of 3 for turn k7m2-2 ") || strings.HasPrefix(lastLine(got), ">") {
						t.Errorf("%d options:\n%s", many, got)
					}
					if want := string(a.Options[0].Name); tried == nil && !strings.Contains(got, want) {
						t.Errorf("%d options: %q is not named", many, want)
					}
				}
			}
		}
	}
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
