package decide

import (
	"context"
	"fmt"

	"github.com/mcp-decide/mcp-decide/trace"
)

// ModelCall is one call of a model in a session, on its way.
type ModelCall struct {
	at *place
	id string
}

// AskModel notes in the session of ctx that a model is asked: by the method that runs in ctx or, outside of any, in the conversation. What it may
// see beside the prompt is History, asked for before. It asks nothing itself. End tells what came of it.
func AskModel(ctx context.Context, model, prompt string) (*ModelCall, error) {
	at := placeOf(ctx)
	if at == nil {
		return nil, ErrNoSession
	}
	caller, err := at.caller.node()
	if err != nil {
		return nil, fmt.Errorf("noting that %s is asked: %w", model, err)
	}
	id, err := at.session.add(trace.Node{Kind: trace.KindLLM, Caller: caller, Model: model, Input: at.run.scrub(prompt)}, nil)
	if err != nil {
		return nil, fmt.Errorf("noting that %s is asked: %w", model, err)
	}
	return &ModelCall{at: at, id: id}, nil
}

// Node is the id of the model call in its graph.
func (c *ModelCall) Node() string { return c.id }

// Picks is ctx for calls that the model's reply picked: they are tied to it.
func (c *ModelCall) Picks(ctx context.Context) context.Context {
	at := *c.at
	at.picked = c.id
	return at.in(ctx)
}

// End tells how the model's call ended, once. A status that is not set means done or, with an error, failed. Values that are hidden or secret in the
// calls around it are taken out.
func (c *ModelCall) End(e trace.End) error {
	switch {
	case e.Status != "":
	case e.Error != "":
		e.Status = trace.StatusFailed
	default:
		e.Status = trace.StatusDone
	}
	e.Output, e.Error = c.at.run.scrub(e.Output), c.at.run.scrub(e.Error)
	if err := c.at.session.get().Finish(c.id, e); err != nil {
		return fmt.Errorf("noting what a model answered: %w", err)
	}
	return nil
}
