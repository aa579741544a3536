package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Picker answers an ask at once.
type Picker interface {
	Pick(ctx context.Context, ask string, offered []registry.Option) (reply string, err error)
}

// ErrNoPicker says that an engine has nobody to answer for it.
var ErrNoPicker = errors.New("the engine has no picker: set Options.Picker, or use Open and Answer")

// Make opens a turn on the options and lets the engine's Picker answer until it ends: a library's one call.
// A refused answer may be given again once; an error of the picker ends it at once. The picker is asked as the caller "program".
//
// The error is nil when what was picked is done. A turn that came to nothing is a *DecisionError; a run that failed, could not be
// started, or may have run, is an error that wraps the method's own. What ran, and how far it came, is in the outcome either way.
func (e *Engine) Make(ctx context.Context, prompt string, options ...Option) (Outcome, error) {
	return e.make(ctx, Decision{Name: "make", Prompt: strings.NewReplacer("{", "{{", "}", "}}").Replace(prompt), Options: options, MaxRetries: 1})
}

// make is Make for any decision, which need not have been added.
func (e *Engine) make(ctx context.Context, d Decision) (Outcome, error) {
	if e.picker == nil {
		return Outcome{}, ErrNoPicker
	}
	v := e.View()
	p, err := prepare(d, v.Methods)
	if err != nil {
		return Outcome{}, err
	}
	v = v.with(p)
	caller := registry.Caller{ID: "program"}
	out, err := e.Open(ctx, v, Opening{Decision: p, Caller: caller, Channel: Model, Full: true})
	if err != nil {
		return Outcome{}, err
	}
	talk := strings.TrimRight(out.Text, "\n")
	for out.State == Open {
		reply, err := e.picker.Pick(ctx, talk, out.Options)
		if err != nil {
			return out, fmt.Errorf("asking the picker for turn %s: %w", out.Handle, err)
		}
		answer := cmp.Or(reply, "\n") // an empty reply is an answer too, which picks nothing
		if out, err = e.Answer(ctx, v, Answer{Handle: out.Handle, Text: answer, Caller: caller, Channel: Model}); err != nil {
			return out, err
		}
		talk += "\n\n" + said(reply) + "\n\n" + told(out)
	}
	return out, notDone(ctx, out)
}

// notDone is the error of a turn that has ended otherwise than done; nil for one that is done.
func notDone(ctx context.Context, out Outcome) error {
	switch {
	case out.Problem != nil:
		return out.Problem
	case out.State == Done:
		return nil
	case out.State == Running:
		return fmt.Errorf("%s still runs: %w", out.Option, cmp.Or(ctx.Err(), context.Canceled))
	}
	end := map[State]string{Failed: "ran and failed", NotRun: "was not run", Unknown: "may have run"}[out.State]
	if out.Result == nil || out.Result.Err == nil {
		return fmt.Errorf("%s %s", out.Option, end)
	}
	return fmt.Errorf("%s %s: %w", out.Option, end, out.Result.Err)
}

// keptReply is how much of its own reply, in bytes, a picker is shown again. More of a faulty answer is apt to be repeated.
const keptReply = 200

// said quotes a picker's reply. What a picker reads is the whole turn so far, with every reply as data.
func said(reply string) string { return "You answered:\n" + menu.Quote(cut(reply, keptReply)) }

// told is an outcome as a picker reads it, with what the run gave.
func told(out Outcome) string {
	var b strings.Builder
	b.WriteString(strings.TrimRight(out.Text, "\n"))
	if out.Result == nil {
		return b.String()
	}
	for _, block := range out.Result.Content {
		if block.Type == "text" {
			b.WriteString("\n" + menu.Quote(block.Text))
		}
	}
	return b.String()
}
