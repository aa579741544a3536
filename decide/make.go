package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
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
	if placeOf(ctx) == nil { // what is picked in one round sees what was picked in those before, with what ran inside
		ctx = WithSession(ctx, nil)
	}
	caller := registry.Caller{ID: "program"}
	out, err := e.Open(ctx, v, Opening{Decision: p, Caller: caller, Channel: Model, Full: true})
	if err != nil {
		return Outcome{}, err
	}
	talk := strings.TrimRight(out.Text, "\n")
	news := talk
	for out.State == Open {
		asked := e.asking(ctx, news)
		reply, err := e.picker.Pick(ctx, talk, out.Options)
		asked.replied(v.all(p), reply, err)
		if err != nil {
			return out, fmt.Errorf("asking the picker for turn %s: %w", out.Handle, err)
		}
		answer := cmp.Or(reply, "\n") // an empty reply is an answer too, which picks nothing
		if out, err = e.Answer(asked.picks(ctx), v, Answer{Handle: out.Handle, Text: answer, Caller: caller, Channel: Model}); err != nil {
			return out, err
		}
		news = told(out)
		talk += "\n\n" + said(reply) + "\n\n" + news
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

// asking is the question to a picker as a model call of the session; nil = the session did not take it.
type asking struct {
	*ModelCall
	log *slog.Logger
}

// asking notes that the picker is asked. Of its talk, what it has not read before.
func (e *Engine) asking(ctx context.Context, news string) asking {
	c, err := AskModel(ctx, "", news)
	if err != nil {
		e.log.Warn("a question to the picker is not in its session", "error", err)
	}
	return asking{c, e.log}
}

// replied tells what the picker answered. A reply to options of which one takes a secret, or has a hidden value, is left out: it may hold one anywhere.
func (a asking) replied(options []registry.Option, reply string, err error) {
	if a.ModelCall == nil {
		return
	}
	end := trace.End{Output: reply}
	switch {
	case errors.Is(err, context.Canceled):
		end = trace.End{Status: trace.StatusCancelled, Error: err.Error()}
	case err != nil:
		end = trace.End{Error: err.Error()}
	case slices.ContainsFunc(options, func(o registry.Option) bool { return o.Method.Veiled() }):
		end = trace.End{Cut: len(reply)}
	}
	if err := a.End(end); err != nil {
		a.log.Warn("the reply of a picker is not in its session", "error", err)
	}
}

// picks is ctx for what the reply picked.
func (a asking) picks(ctx context.Context) context.Context {
	if a.ModelCall == nil {
		return ctx
	}
	return a.Picks(ctx)
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
