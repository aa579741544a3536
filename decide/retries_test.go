package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// script is a picker that says what it was given to say, the last of it for ever.
type script struct {
	replies []string
	asks    []string
	offered [][]registry.Option
}

func (s *script) Pick(_ context.Context, ask string, offered []registry.Option) (string, error) {
	s.asks = append(s.asks, ask)
	s.offered = append(s.offered, offered)
	return s.replies[min(len(s.asks), len(s.replies))-1], nil
}

// retry is one line of retries.jsonl.
type retry struct {
	ID          string
	Options     json.RawMessage
	Context     json.RawMessage
	Prompt      string
	Replies     []string
	MaxRetries  int `json:"max_retries"`
	Result      json.RawMessage
	Failure     string `json:"decision_error"`
	Crash       json.RawMessage
	Calls       int             `json:"model_calls"`
	FirstPrompt string          `json:"first_prompt"`
	Retries     []retriedPrompt `json:"retry_prompts"`
}

type retriedPrompt struct {
	Head    string `json:"previous_reply_head"`
	Problem string
	Menu    string
}

// Ours differ where the original is wrong by its own account.
var retriesOfOurs = map[string]string{
	"empty-options":                   "it has no options",
	"negative-retries":                "max_retries is -1",
	"hidden-required-without-context": "nothing can fill this parameter",
}

// The original's conversations of asking again. Ours says more each time: the task is not lost, the reply before is quoted as data, and all
// problems come at once.
func TestRetriesGolden(t *testing.T) {
	t.Parallel()
	for _, line := range golden.Lines(t, "retries.jsonl") {
		var in retry
		line.Decode(t, &in)
		t.Run(in.ID, func(t *testing.T) {
			t.Parallel()
			picker := &script{replies: in.Replies}
			out, err := makeGolden(in, picker)
			if want, ok := retriesOfOurs[in.ID]; ok {
				if err == nil || !strings.Contains(err.Error(), want) || len(picker.asks) != 0 {
					t.Errorf("got %v after %d asks, want %q before any", err, len(picker.asks), want)
				}
				return
			}
			if in.Crash != nil {
				in.Failure, in.Calls = "decision failed after 2 attempt(s). Last error (unknown_call)", 2
			}
			if len(picker.asks) != in.Calls {
				t.Fatalf("asked %d times, want %d", len(picker.asks), in.Calls)
			}
			if want := sameMenu(in.FirstPrompt); !strings.Contains(picker.asks[0], want) {
				t.Errorf("the first ask is\n%s\nwant in it\n%s", picker.asks[0], want)
			}
			checkResult(t, in, out, err)
			for i, again := range in.Retries {
				checkRetry(t, in, again, picker.asks[i+1], in.Replies[i])
			}
		})
	}
}

// sameMenu is as much of a menu as ours has too: behind it stand options whose enum is not of their parameter's type, which ours
// normalises.
func sameMenu(menu string) string {
	menu, _, _ = strings.Cut(menu, "\n\nsteps(n: int)")
	return menu
}

func makeGolden(in retry, p Picker) (Outcome, error) {
	options, err := golden.OptionsWith(in.Options, in.Context)
	if err != nil {
		return Outcome{}, err
	}
	reg := registry.New()
	d := Decision{Name: "make", Prompt: in.Prompt, MaxRetries: in.MaxRetries, Style: menu.Classic}
	for _, o := range options {
		option := Option{Name: o.Name, Description: o.Description, Own: o.Method}
		if o.Method.Kind == registry.Function || o.Method.Kind == "" {
			if o.Method.Summary == "" {
				o.Method.Summary = "Does it."
			}
			if err := reg.Add(*o.Method); err != nil {
				return Outcome{}, err
			}
			option.Method, option.Own = o.Method.Name, nil
		}
		d.Options = append(d.Options, option)
	}
	return New(reg, Options{Picker: p}).make(context.Background(), d)
}

func checkResult(t *testing.T, in retry, out Outcome, err error) {
	t.Helper()
	if in.Failure != "" {
		var attempts int
		var kind string
		if _, scan := fmt.Sscanf(in.Failure, "decision failed after %d attempt(s). Last error (%s", &attempts, &kind); scan != nil {
			t.Fatal(scan)
		}
		kind, _, _ = strings.Cut(kind, ")")
		var spent *DecisionError
		if !errors.As(err, &spent) {
			t.Fatalf("got %+v, %v, want a *DecisionError", out, err)
		}
		if spent.Attempts != attempts || spent.Kind != validate.Kind(kind) || len(spent.Replies) != attempts || len(spent.Problems) == 0 {
			t.Errorf("got %+v, want %d attempts and %s", spent, attempts, kind)
		}
		for i, reply := range spent.Replies {
			if want := in.Replies[min(i, len(in.Replies)-1)]; reply != want {
				t.Errorf("reply %d is %q, want %q", i, reply, want)
			}
		}
		return
	}
	if err != nil || out.State != Done {
		t.Fatalf("got %+v, %v", out, err)
	}
	got, err := json.Marshal(out.Result.Value)
	if err != nil {
		t.Fatal(err)
	}
	var have, want any
	if err := errors.Join(json.Unmarshal(got, &have), json.Unmarshal(in.Result, &want)); err != nil {
		t.Fatal(err)
	}
	if called, ok := want.(map[string]any); ok && called["called"] != nil {
		if want = called["args"]; out.Option != called["called"] {
			t.Errorf("%q ran, want %v", out.Option, called["called"])
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func checkRetry(t *testing.T, in retry, again retriedPrompt, ask, reply string) {
	t.Helper()
	contains(t, ask, in.Prompt, "You answered:\n"+menu.Quote(reply[:min(len(reply), keptReply)]), "Not run. Pick ")
	if len(again.Head) > len(reply) {
		t.Errorf("the line quotes %q of %q", again.Head, reply)
	}
	if !strings.Contains(ask, sameMenu(again.Menu)) {
		t.Errorf("the ask lacks the menu:\n%s", ask)
	}
}

// Make looks and then picks, and the picker reads the whole turn each time.
func TestMake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	picker := &script{replies: []string{`{"call":"look","args":{"order":"A-1"}}`, "So be it.", `{"call":"refund","args":{"order":"A-1","amount":39.9}}`}}
	w.eng.picker = picker
	looking := Func("look", "lookup")
	looking.Again = true
	out, err := w.eng.Make(context.Background(), "Settle {this}.", looking, Func("refund", "refund"), Value("close", "closed"))
	w.must(err)
	if out.State != Done || out.Option != "refund" || content(out) != `{"n":1}` || out.Attempts != 3 {
		t.Errorf("outcome %+v", out)
	}
	if len(picker.asks) != 3 || len(picker.offered[2]) != 3 {
		t.Fatalf("asked %d times", len(picker.asks))
	}
	contains(t, picker.asks[2], "Settle {this}.", "Ran look (lookup).", `> {"order":"A-1","total":39.90}`, "> So be it.", "Not run. Pick 1 of 2 for turn ")
	if len(w.eng.View().Decisions()) != 1 {
		t.Error("the decision of Make stays")
	}

	if _, err := New(w.reg, Options{}).Make(context.Background(), "x", Value("a", 1)); !errors.Is(err, ErrNoPicker) {
		t.Errorf("without a picker: %v", err)
	}
	broken := errors.New("the model is down")
	w.eng.picker = pickerFunc(func() (string, error) { return "", broken })
	if _, err := w.eng.Make(context.Background(), "x", Value("a", 1)); !errors.Is(err, broken) {
		t.Errorf("with a broken picker: %v", err)
	}
}

type pickerFunc func() (string, error)

func (f pickerFunc) Pick(context.Context, string, []registry.Option) (string, error) { return f() }
