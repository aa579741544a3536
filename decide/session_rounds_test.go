package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Rounds of a turn are one conversation: what was looked at before, stands before what is picked later, also where another process takes the answer.
func TestRoundsAreOneConversation(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(w *world, ctx context.Context) (*Engine, context.Context){
		"in one process": func(w *world, ctx context.Context) (*Engine, context.Context) { return w.eng, ctx },
		"in another one": func(w *world, ctx context.Context) (*Engine, context.Context) {
			e := New(w.reg, Options{Store: w.store, Config: "test", Now: w.clock.Now, Random: w.random})
			w.must(e.Replace([]Decision{roundsOf()}))
			return e, ctx
		},
		"in a session": func(w *world, ctx context.Context) (*Engine, context.Context) { return w.eng, ctx },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pin := registry.Param{Name: "pin", Type: registry.String, Secret: true}
			w.adds("peek_in", func(ctx context.Context, args registry.Args) (any, error) {
				return fmt.Sprintf("the drawer of %v opens with %v", args["who"], args["pin"]), nil
			}, func(m *registry.Method) {
				m.Params = []registry.Param{pin, {Name: "who", Type: registry.String, From: "caller.id"}, {Name: "order", Type: registry.String}}
			})
			w.adds("unseen", func(context.Context, registry.Args) (any, error) { return "nobody saw it", nil },
				func(m *registry.Method) { m.Expose = trace.ExposeHidden })
			var seen string
			w.adds("tell", func(ctx context.Context, _ registry.Args) (any, error) {
				seen = w.told(ctx)
				return nil, nil
			}, func(m *registry.Method) { m.Effect = registry.Write })
			w.must(w.eng.Replace([]Decision{roundsOf()}))
			ctx := t.Context()
			if name == "in a session" {
				ctx = WithSession(ctx, trace.NewGraph(trace.GraphLimits{}))
			}
			d, _ := w.eng.View().Decision("rounds")
			out, err := w.eng.Open(ctx, nil, Opening{Decision: d, Caller: desk})
			w.must(err)
			for _, a := range []Answer{
				{Call: "peek_in", Args: json.RawMessage(`{"pin":"1234x","order":"A"}`)},
				{Text: "no"},
				{Call: "unseen"},
				{Call: "lookup", Args: json.RawMessage(`{"order":"B"}`)},
			} {
				a.Handle, a.Caller = out.Handle, desk
				out, err = w.eng.Answer(ctx, nil, a)
				w.must(err)
			}
			e, ctx := change(w, ctx)
			out, err = e.Answer(ctx, nil, Answer{Handle: out.Handle, Call: "tell", Caller: desk})
			w.must(err)
			if out.State != Done {
				t.Fatalf("%+v", out)
			}
			wantText(t, "seen", `
peek_in was called with:
> {"pin":"***","order":"A"}
peek_in gave:
> the drawer of *** opens with ***
lookup was called with:
> {"order":"B"}
lookup gave:
> {"order":"B","total":39.90}
tell was called with:
> {}
tell has not ended yet.
`, seen)
			if turn := w.turn(out.Handle); strings.Contains(string(turn.Data), `"args":{"pin":"1234x"`) {
				t.Errorf("the row holds a secret argument: %s", turn.Data)
			}
		})
	}
}

func roundsOf() Decision {
	again := func(name string) Option {
		o := Func(name, name)
		o.Again = true
		return o
	}
	return Decision{Name: "rounds", Summary: "Look.", Prompt: "Look.", MaxRetries: 2, Options: []Option{again("peek_in"), again("unseen"), again("lookup"), Func("tell", "tell")}}
}

// In Make the rounds are one conversation too, with what the picker said, and with what ran inside.
func TestMakeIsOneConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var seen string
	w.adds("first", func(ctx context.Context, _ registry.Args) (any, error) {
		_, err := w.eng.Call(ctx, nil, Call{Method: "lookup", Args: json.RawMessage(`{"order":"A"}`), Caller: desk})
		return "looked", err
	})
	w.adds("last", func(ctx context.Context, _ registry.Args) (any, error) {
		seen = w.told(ctx)
		return nil, nil
	})
	first := Func("first", "first")
	first.Again = true
	w.eng.picker = &script{replies: []string{`{"call":"first"}`, "What now?", `{"call":"last"}`}}
	_, err := w.eng.Make(t.Context(), "Go.", first, Func("last", "last"))
	w.must(err)
	wantText(t, "seen", `
The model said:
> {"call":"first"}
first was called with:
> {}
first gave:
> looked
lookup is described as:
> Reads an order.
lookup was called with:
> {"order":"A"}
lookup gave:
> {"order":"A","total":39.90}
The model said:
> What now?
The model said:
> {"call":"last"}
last was called with:
> {}
last has not ended yet.
`, seen)

	// What was said to options that take a secret is left out: it may be in it.
	w.eng.picker = &script{replies: []string{`{"call":"refund","args":{"order":"A","amount":1,"pin":"1234x"}}`}}
	g := trace.NewGraph(trace.GraphLimits{})
	ctx := WithSession(t.Context(), g)
	_, err = w.eng.Make(ctx, "Go.", Func("refund", "refund"))
	w.must(err)
	wantText(t, "with a secret", `
What the model said is left out here.
refund was called with:
> {"order":"A","amount":1,"note":"none","pin":"***"}
refund gave:
> {"n":1}
`, w.told(ctx))

	// A picker that fails is a model call that failed, and one that was stopped was cancelled.
	for err, want := range map[error]string{errDisk: "llm failed after nobody\n", context.Canceled: "llm cancelled after nobody\n"} {
		g := trace.NewGraph(trace.GraphLimits{})
		w.eng.picker = pickerFunc(func() (string, error) { return "", err })
		_, _ = w.eng.Make(WithSession(t.Context(), g), "Go.", Func("tag", "tag"))
		wantText(t, "picker", want, outline(g))
	}
}
