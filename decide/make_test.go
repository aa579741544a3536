package decide

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Make gives no error when what was picked is done, and only then. What ran is in the outcome either way.
func TestMakeSaysHowItEnded(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]struct {
		state State
		err   string
	}{
		"tag":           {Done, ""},
		"tag_broken":    {Failed, "pick ran and failed: no such order"},
		"tag_missing":   {NotRun, "pick was not run: no such program"},
		"tag_killed":    {Unknown, "pick may have run: killed"},
		"lookup_broken": {Failed, "pick ran and failed: no such order"},
	} {
		w := newWorld(t)
		w.eng.picker = &script{replies: []string{`{"call":"pick"}`}}
		out, err := w.eng.Make(t.Context(), "Settle this.", Func("pick", method))
		if out.State != want.state || out.Result == nil || out.Option != "pick" {
			t.Errorf("%s: %+v", method, out)
		}
		if want.err == "" && err != nil || want.err != "" && (err == nil || err.Error() != want.err || !errors.Is(err, out.Result.Err)) {
			t.Errorf("%s: got %v, want %q", method, err, want.err)
		}
	}

	w := newWorld(t)
	w.eng.picker = &script{replies: []string{"no"}}
	out, err := w.eng.Make(t.Context(), "Settle this.", Func("pick", "tag"))
	var spent *DecisionError
	if !errors.As(err, &spent) || out.State != Exhausted {
		t.Errorf("spent: %+v, %v", out, err)
	}

	// A model that says nothing is told what any other bad reply is told, and its tries are spent alike.
	w.eng.picker = &script{replies: []string{"", ""}}
	out, err = w.eng.Make(t.Context(), "Settle this.", Func("pick", "tag"))
	if !errors.As(err, &spent) || spent.Attempts != 2 || out.State != Exhausted || !strings.Contains(err.Error(), `expected a pick, "pick"`) {
		t.Errorf("silent: %+v, %v", out, err)
	}

	ctx, leave := context.WithCancel(t.Context())
	running := w.store.on(Running)
	go func() {
		<-running
		leave()
	}()
	w.eng.picker = &script{replies: []string{`{"call":"pick"}`}}
	out, err = w.eng.Make(ctx, "Settle this.", Func("pick", "tag_slow"))
	if !errors.Is(err, context.Canceled) || out.State != Running {
		t.Errorf("left: %+v, %v", out, err)
	}
	close(w.hold)
	w.must(w.eng.Close(t.Context()))
}

// No view means the current one.
func TestNoView(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, _ := w.eng.View().Decision("ticket")
	out, err := w.eng.Open(t.Context(), nil, Opening{Decision: d, Inputs: json.RawMessage(`{"text":"x"}`), Caller: desk})
	w.must(err)
	if out, err = w.eng.Answer(t.Context(), nil, Answer{Handle: out.Handle, Call: "tag", Caller: desk}); err != nil || out.State != Done {
		t.Errorf("answered: %+v, %v", out, err)
	}
	res, err := w.eng.Call(t.Context(), nil, Call{Method: "tag", Caller: desk})
	if err != nil || res.State != registry.Done || !strings.Contains(res.Content[0].Text, "2") {
		t.Errorf("called: %+v, %v", res, err)
	}
}
