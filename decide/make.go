package decide

import (
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
// What ran is in the outcome; a turn that came to nothing is a *DecisionError. A refused answer may be given again once; an
// error of the picker ends it at once. The picker is asked as the caller "program".
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
		if out, err = e.Answer(ctx, v, Answer{Handle: out.Handle, Text: reply, Caller: caller, Channel: Model}); err != nil {
			return out, err
		}
		talk += "\n\n" + said(reply) + "\n\n" + told(out)
	}
	var spent *DecisionError
	if errors.As(out.Problem, &spent) {
		return out, spent
	}
	return out, nil
}

// keptReply is how much of its own reply, in bytes, a picker is shown again.
const keptReply = 2000

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
