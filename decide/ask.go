package decide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// ask is the question that a turn now asks, with the decision as the view has it.
func (e *Engine) ask(v *View, d *Decision, t *turn) (menu.Ask, error) {
	prompt, err := d.promptText(t.Inputs, t.Full)
	if err != nil {
		return menu.Ask{}, fmt.Errorf("turn %s: its inputs no longer fit decision %q: %w", t.ID, d.Name, err)
	}
	options := v.Offered(d)
	return menu.Ask{
		Title:   fmt.Sprintf("%s, turn %s", d.Name, t.handle()),
		Prompt:  prompt,
		Options: options,
		Style:   d.Style,
		Tail:    e.tail(t, options),
	}, nil
}

// tail says how to pick, and until when.
func (e *Engine) tail(t *turn, options []registry.Option) string {
	var b strings.Builder
	if !t.Ran {
		b.WriteString("Nothing has run yet. ")
	}
	b.WriteString(howTo(t, options))
	if t.Channel != Model {
		b.WriteString(" Open for " + remaining(t.Expires.Sub(e.now())) + ".")
	}
	return b.String()
}

// howTo says how the options are picked on the turn's channel.
func howTo(t *turn, options []registry.Option) string {
	const fill = "each <...> replaced by a value you were given. If a value is missing, "
	if t.Channel == Host {
		return fmt.Sprintf("To pick, call %s with turn %q and the call and args of one Call line, ", pickTools(options), t.handle()) + fill + "ask the user."
	}
	return "To pick, answer with one JSON object like a Call line, " + fill + "do not make one up."
}

// pickTools names the mildest pick tool for each class of effect that is offered.
func pickTools(options []registry.Option) string {
	var tools []string
	for _, effect := range []registry.Effect{registry.Read, registry.Write, registry.Destructive} {
		if slices.ContainsFunc(options, func(o registry.Option) bool { return o.Method.Effect.Or() == effect }) {
			tools = append(tools, fmt.Sprintf("%s for [%s]", PickTool(effect), effect))
		}
	}
	return either(tools)
}

// PickTool is the name of the tool through which options of an effect are picked.
func PickTool(e registry.Effect) string { return "pick_" + string(e.Or()) }

// either joins words as alternatives: "a", "a or b", "a, b or c".
func either(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// remaining is a span as a reader needs it.
func remaining(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	switch {
	case d < time.Minute:
		return "less than a minute"
	case minutes < 120:
		return fmt.Sprintf("%d %s", minutes, plural(minutes, "minute", "minutes"))
	case minutes < 48*60:
		return fmt.Sprintf("%d hours", minutes/60)
	}
	return fmt.Sprintf("%d days", minutes/60/24)
}

// current is what a picker is told who is late: the ask that is open now. Once something ran it is no
// fresh menu, only how the turn goes on.
func (e *Engine) current(v *View, t *turn) string {
	d, ok := v.Decision(t.Decision)
	if !ok {
		return fmt.Sprintf("The decision %q is not offered any more.", t.Decision)
	}
	if t.Ran {
		return goesOn(t) + " " + howTo(t, v.Offered(d))
	}
	a, err := e.ask(v, d, t)
	if err != nil {
		return "Send the next answer to turn " + t.handle() + "."
	}
	return a.String()
}

// goesOn says that the turn has a further round with the options of before.
func goesOn(t *turn) string {
	return fmt.Sprintf("The turn goes on as %s; the same options stand.", t.handle())
}
