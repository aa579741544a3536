package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// play is what a client does to an engine, step by step: in a process that is killed at some point, and then on in another one. A client that has no
// answer to a step does it again.
type play struct {
	eng    *decide.Engine
	reg    *registry.Registry
	store  decide.Store
	marks  string // the file that the effects stand in
	effect func(when string)
	later  time.Duration // how far the clock of the engine is ahead

	Handle string // as the client was told
	Step   int    // how many steps were answered
	Told   []string
}

// A step of a client, in words: open, say TEXT, pick OPTION, again OPTION (the same pick sent once more), call METHOD KEY, settle, wait, reload.
var scenarios = map[string][]string{
	"a write":           {"open", "pick tag", "again tag"},
	"a destructive":     {"open", "pick pin", "again pin"},
	"a read":            {"open", "pick look", "again look"},
	"refused":           {"open", "say nothing", "say nothing more", "pick tag"},
	"on_failure":        {"open", "say one", "say two", "say three"},
	"exhausted":         {"open bare", "say one", "say two", "say three"},
	"look again":        {"open", "pick peek", "pick peek", "pick tag"},
	"changed meanwhile": {"open", "reload", "pick tag", "pick tag"},
	"too late":          {"open", "wait", "pick tag"},
	"native":            {"call tag k", "call tag k"},
	"idempotent":        {"open", "pick again", "again again"},
	"idempotent call":   {"call again k", "call again k"},
	"settled":           {"open", "pick cut", "settle", "again cut"},
}

func newPlay(s decide.Store, marks string) (*play, error) {
	p := &play{store: s, marks: marks, effect: func(string) {}, reg: registry.New()}
	o := decide.Options{Store: s, LongIDs: true, Config: "test", Now: func() time.Time { return time.Now().Add(p.later) }}
	p.eng = decide.New(p.reg, o)
	return p, p.configure("")
}

// configure gives the engine its methods and decisions; source tells two definitions apart.
func (p *play) configure(source string) error {
	effect := func(result any, err error) registry.Func {
		return func(context.Context, registry.Args) (any, error) {
			p.effect("before")
			if err := mark(p.marks); err != nil {
				return nil, err
			}
			p.effect("after")
			return result, err
		}
	}
	read := func(context.Context, registry.Args) (any, error) {
		p.effect("reading")
		return "seen", nil
	}
	methods := []registry.Method{
		{Name: "look", Summary: "Looks.", Effect: registry.Read, Run: read},
		{Name: "tag", Summary: "Tags.", Effect: registry.Write, Source: source, Run: effect("tagged", nil)},
		{Name: "pin", Summary: "Pins.", Effect: registry.Destructive, Run: effect("pinned", nil)},
		{Name: "cut", Summary: "Is cut off.", Effect: registry.Write, Run: effect(nil, registry.Uncertain(errors.New("cut off")))},
		{Name: "again", Summary: "Sets.", Effect: registry.Write, Idempotent: true, Run: effect("set", nil)},
	}
	peek := decide.Func("peek", "look")
	peek.Again = true
	full := decide.Decision{
		Name: "full", Summary: "Settles something.", Prompt: "Settle it.", MaxRetries: 2, OnFailure: "look",
		Options: []decide.Option{peek, decide.Func("look", "look"), decide.Func("tag", "tag"), decide.Func("pin", "pin"), decide.Func("cut", "cut"), decide.Func("again", "again")},
	}
	bare := full
	bare.Name, bare.OnFailure = "bare", ""
	return p.eng.Reload(methods, []decide.Decision{full, bare})
}

// do does one step, and notes what the client is told.
func (p *play) do(step string) error {
	ctx := context.Background()
	word, rest, _ := strings.Cut(step, " ")
	answer := decide.Answer{Handle: p.Handle, Caller: me}
	switch word {
	case "open":
		d, _ := p.eng.View().Decision(map[string]string{"": "full"}[rest] + rest)
		out, err := p.eng.Open(ctx, nil, decide.Opening{Decision: d, Caller: me})
		if err != nil {
			return err
		}
		p.tell(step, out.Handle, "open")
		return nil
	case "say":
		answer.Text = rest
	case "pick", "again":
		answer.Call = rest
	case "call":
		method, key, _ := strings.Cut(rest, " ")
		res, err := p.eng.Call(ctx, nil, decide.Call{Method: method, Key: key, Caller: me})
		if err != nil {
			return err
		}
		p.tell(step, p.Handle, string(res.State))
		return nil
	case "settle":
		rows, err := p.store.Calls(ctx, decide.WantedCalls{})
		if err != nil || len(rows) != 1 {
			return fmt.Errorf("settling one of %d calls: %w", len(rows), err)
		}
		if _, err := p.eng.Settle(ctx, decide.Settlement{Call: rows[0].ID, As: registry.Done, By: me, Why: "looked"}); err != nil && !strings.Contains(err.Error(), "does not change any more") {
			return err
		}
		p.tell(step, p.Handle, "settled")
		return nil
	case "wait":
		p.later += 2 * time.Hour
		p.tell(step, p.Handle, "waited")
		return nil
	case "reload":
		if err := p.configure("another"); err != nil {
			return err
		}
		p.tell(step, p.Handle, "reloaded")
		return nil
	}
	out, err := p.eng.Answer(ctx, nil, answer)
	if err != nil {
		return err
	}
	next := p.Handle
	if out.State == decide.Open {
		next = out.Handle
	}
	p.tell(step, next, string(out.State))
	return nil
}

func (p *play) tell(step, handle, state string) {
	p.Handle = handle
	p.Step++
	p.Told = append(p.Told, step+": "+state)
}

// run does the steps that are left; each answer is handed to told at once.
func (p *play) run(steps []string, told func(line []byte)) error {
	for p.Step < len(steps) {
		if err := p.do(steps[p.Step]); err != nil {
			return fmt.Errorf("step %d, %s: %w", p.Step, steps[p.Step], err)
		}
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		told(line)
	}
	return nil
}

// resume makes the state of the client that which it was told last.
func (p *play) resume(line []byte, steps []string) error {
	if len(line) > 0 {
		if err := json.Unmarshal(line, p); err != nil {
			return err
		}
	}
	for _, s := range steps[:p.Step] { // what the process knew by itself
		switch s {
		case "wait":
			p.later += 2 * time.Hour
		case "reload":
			if err := p.configure("another"); err != nil {
				return err
			}
		}
	}
	return nil
}
