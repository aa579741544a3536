package menu

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

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

// TestAgainText reads testdata/again/*.txtar: a menu, then replies that were refused, each with the text that the next ask has. A
// section is named "attempt of reading"; -update writes the texts.
func TestAgainText(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/again/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			checkAgainFile(t, file)
		})
	}
}

// checkAgainFile reads sections "menu", "prompt", and pairs of "reply N of M" and "again".
func checkAgainFile(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ask := Ask{Title: "handle_ticket, turn k7m2-1", Tail: `To pick, call pick_read or pick_destructive with turn "k7m2-2".`}
	changed := false
	for i := range a.Files {
		f := &a.Files[i]
		switch f.Name {
		case "menu":
			ask.Options = describedOptions(t, f.Data)
			continue
		case "prompt":
			ask.Prompt = string(f.Data)
			continue
		case "again":
			continue
		}
		var attempt, of int
		if _, err := fmt.Sscanf(f.Name, "reply %d of %d", &attempt, &of); err != nil || i+1 == len(a.Files) {
			t.Fatalf("%s: no section that is known: %v", f.Name, err)
		}
		got := againFor(t, ask, attempt, of, strings.TrimSuffix(string(f.Data), "\n"))
		next := &a.Files[i+1]
		if *update && got != string(next.Data) {
			next.Data, changed = []byte(got), true
			continue
		}
		if d := cmp.Diff(string(next.Data), got); d != "" {
			t.Errorf("%s: %s: -want +got:\n%s", f.Name, f.Data, d)
		}
	}
	if changed {
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// againFor is the text behind a reply that has to be refused.
func againFor(t *testing.T, ask Ask, attempt, of int, reply string) string {
	t.Helper()
	text, kind := refusedAsk(ask, attempt, of, reply)
	if kind == "" {
		t.Fatalf("%s is a pick", reply)
	}
	return text + "\n"
}

// refusedAsk reads and checks a reply as an engine does, and words the next ask; kind is "" when it is a pick that fits.
func refusedAsk(ask Ask, attempt, of int, reply string) (text string, kind validate.Kind) {
	pick, err := Parse(reply, ask.Options, Reading{})
	name := pick.Name
	var invalid *validate.Error
	if errors.As(err, &invalid) {
		name = invalid.Subject
	}
	var tried *registry.Option
	for i := range ask.Options {
		if ask.Options[i].Name == name {
			tried = &ask.Options[i]
		}
	}
	if err == nil {
		_, err = tried.Method.Check(pick.Args)
	}
	return Again(ask, attempt, of, tried, err), kindOfError(err)
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

// TestAgainRepeatsLittle: whatever a reply is, at most 200 characters of it stand in the next ask, its lines are ours up to the last, and
// the ask picks nothing when it comes back as it stands.
func TestAgainRepeatsLittle(t *testing.T) {
	t.Parallel()
	menus := corpusMenus(t)
	kinds := map[validate.Kind]int{}
	word := rapid.SampledFrom([]string{"ж", "жж жж", `ж\"ж`, "ж\\nж", "ж}", "\u202eж"})
	rapid.Check(t, func(t *rapid.T) {
		long := func(label string) string {
			return strings.Repeat(word.Draw(t, label), rapid.IntRange(1, 400).Draw(t, label+" times"))
		}
		ask := Ask{Title: "turn k7m2-1", Prompt: "Do it.", Options: menus[rapid.SampledFrom([]string{"support", "ops"}).Draw(t, "menu")], Tail: "To pick, answer."}
		reply := rapid.SampledFrom([]string{
			`{"call": "{}"}`, `{"call": "refund", "args": {"order_id": "{}", "amount": "{}", "notify": "{}"}}`, `{"call": "{}", "action": "{}"}`,
			"{\"call\": \"{}\"}\n{\"call\": \"{}\"}", `I say {"call": "{}"} or {"call": "{}"}.`, `{"call": "refund", "args": {"order_id": "{}`, `{"call": "refund", "args": {"{}": "{}`,
			`{"call": "tag_ticket", "args": {"tags": [1, "{}"], "mode": "{}"}}`, `{"call": "report", "args": {"summary": {"{}": 1}, "items": "{}", "metrics": {"{}": "{}"}}}`,
			`{"call": "escalate", "args": {"queue": "{}", "urgent": "{}", "note": ["{}"]}}`, `{"call": "refund", "args": {"{}": 1}, "{}": {}}`, `{"call": "refund", "args": "{}"}`, "{}", `{"call": {"{}": "{}"}}`,
			`{"call": "refund" "{}"}`, `<tool_call>{"name": "{}", "arguments": {"{}": "{}"}}</tool_call>`, `{"tool_calls": [{"name": "{}", "arguments": {}}, {"name": "{}", "arguments": {}}]}`,
		}).Draw(t, "reply")
		for strings.Contains(reply, "{}") {
			reply = strings.Replace(reply, "{}", long("text"), 1)
		}
		attempt := rapid.IntRange(1, 3).Draw(t, "attempt")
		text, kind := refusedAsk(ask, attempt, 3, reply)
		kinds[kind]++
		if kind == "" {
			return
		}
		if n := strings.Count(text, "ж"); n > maxQuoted {
			t.Fatalf("%d characters of the reply are in\n%s", n, text)
		}
		if n := utf8.RuneCountInString(text); n > maxAgain || lastLine(text) != ask.Tail {
			t.Fatalf("%d characters, the last line is %q", n, lastLine(text))
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), "ж") {
				t.Fatalf("%q is no line of ours", line)
			}
		}
		if !strings.Contains(text, "\nDo it.\n") || !strings.Contains(text, "("+string(kind)+"):\n- ") {
			t.Fatalf("the task or %s is missing in\n%s", kind, text)
		}
		if p, err := Parse(text, ask.Options, Reading{}); err == nil {
			t.Fatalf("the ask picks %s:\n%s", p.Name, text)
		}
	})
	if len(kinds) < 3 {
		t.Errorf("only these kinds were seen: %v", kinds)
	}
}

func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }
