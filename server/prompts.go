package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// prompt is a decision as a prompt: getting it opens a turn.
func (s *Server) prompt(d *decide.Decision) sdk.ServerPrompt {
	p := mcp.Prompt{
		Name:        d.Name,
		Title:       cmp.Or(plain(d.Title, 100), registry.TitleOf(d.Name)),
		Description: cmp.Or(plain(d.Summary, maxDescription), "Opens a turn on "+d.Name+"."),
	}
	for _, param := range visible(d) {
		p.Arguments = append(p.Arguments, mcp.PromptArgument{
			Name:        param.Name,
			Title:       cmp.Or(plain(param.Label, 100), registry.TitleOf(param.Name)),
			Description: plain(param.Description, maxDescription),
			Required:    param.Required(),
		})
	}
	return sdk.ServerPrompt{Prompt: p, Handler: s.openPrompt(d.Name)}
}

func visible(d *decide.Decision) []*registry.Param {
	var shown []*registry.Param
	for i := range d.Params {
		if !d.Params[i].Hidden() {
			shown = append(shown, &d.Params[i])
		}
	}
	return shown
}

func (s *Server) openPrompt(name string) sdk.PromptHandlerFunc {
	return func(ctx context.Context, req mcp.GetPromptRequest) (result *mcp.GetPromptResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				result, err = nil, s.panicked(name, p)
			}
		}()
		v := s.viewOf(ctx)
		d, ok := v.Decision(name)
		if !ok {
			return nil, unknown("prompt", name, nil)
		}
		inputs, err := promptInputs(d, req.Params.Arguments)
		if err != nil {
			return nil, err
		}
		out, err := s.eng.Open(ctx, v, decide.Opening{
			Decision: d,
			Inputs:   inputs,
			Caller:   s.callerOf(ctx),
			Channel:  decide.Host,
			Full:     true,
		})
		if err != nil {
			return nil, s.promptFault(ctx, name, err)
		}
		result = &mcp.GetPromptResult{
			Description: plain(d.Summary, maxDescription),
			Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: text(out.Text)}},
		}
		result.Meta = turnMeta(out)
		return result, nil
	}
}

// promptFault is an opening that came to nothing. A prompt has no result for errors, so even what can be mended is a fault.
func (s *Server) promptFault(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var invalid *validate.Error
	if errors.As(err, &invalid) {
		return newFault(codeInvalidParams, capped(fmt.Sprintf("the arguments do not fit the prompt %s:\n%s", name, invalid.Fix())))
	}
	if said := mendable(name, err); said != "" {
		return newFault(codeInvalidParams, capped(said))
	}
	return s.internal(name, err)
}

// promptInputs makes JSON of a prompt's arguments, which are all texts. A text that is JSON of the parameter's type is
// read as that; any other stays a text, and the check says what is wrong with it. So it does with a name that is none of
// the parameters', as for the decision's tool.
func promptInputs(d *decide.Decision, args map[string]string) (json.RawMessage, error) {
	var missing []string
	inputs := map[string]json.RawMessage{}
	for name, value := range args {
		quoted, _ := json.Marshal(value) // a string always encodes
		inputs[name] = quoted
	}
	for _, p := range visible(d) {
		value, given := args[p.Name]
		switch {
		case !given && p.Required():
			missing = append(missing, p.Name)
		case !given:
		case value == "" && !p.Required():
			delete(inputs, p.Name)
		default:
			inputs[p.Name] = typed(p, value)
		}
	}
	if missing != nil {
		return nil, newFault(codeInvalidParams, fmt.Sprintf("the prompt %s needs %s", d.Name, strings.Join(missing, ", ")))
	}
	return json.Marshal(inputs)
}

func typed(p *registry.Param, value string) json.RawMessage {
	if p.Type != registry.String && p.Type != registry.Any || p.Type == registry.Any && enumHas(p, value) {
		if json.Valid([]byte(value)) {
			return json.RawMessage(value)
		}
	}
	quoted, _ := json.Marshal(value) // a string always encodes
	return quoted
}

func enumHas(p *registry.Param, literal string) bool {
	for _, e := range p.Enum {
		if string(e) == literal {
			return true
		}
	}
	return false
}
