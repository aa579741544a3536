package server

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/registry"
)

// maxCompletions is how many values the protocol allows in one answer.
const maxCompletions = 100

// completer proposes values for the arguments of prompts and resource templates.
type completer struct{ s *Server }

// CompletePromptArgument proposes the listed values of a decision's parameter.
func (c completer) CompletePromptArgument(ctx context.Context, prompt string, arg mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	v := c.s.viewOf(ctx)
	d, ok := v.Decision(prompt)
	if !ok {
		return nil, unknown("prompt", prompt, c.s.catalog.Load().decisionNames())
	}
	for _, p := range visible(d) {
		if p.Name == arg.Name {
			return matching(arg.Value, choices(p)), nil
		}
	}
	return matching(arg.Value, nil), nil
}

// CompleteResourceArgument proposes names for the templates.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	var names []string
	v := c.s.viewOf(ctx)
	switch uri {
	case methodURIs + nameVar:
		for _, m := range v.Methods.Available(c.s.callerOf(ctx)) {
			names = append(names, m.Name)
		}
	case decisionURIs + nameVar + menuEnd:
		for _, d := range v.Decisions() {
			names = append(names, d.Name)
		}
	}
	return matching(arg.Value, names), nil
}

// choices are the values that a parameter is known to take, as a person types them.
func choices(p *registry.Param) []string {
	if p.Type == registry.Boolean && p.Enum == nil {
		return []string{"true", "false"}
	}
	values := make([]string, len(p.Enum))
	for i, e := range p.Enum {
		if json.Unmarshal(e, &values[i]) != nil {
			values[i] = string(e)
		}
	}
	return values
}

// matching are the values that start with what was typed, whatever their case.
func matching(typed string, values []string) *mcp.Completion {
	found := []string{}
	for _, v := range values {
		if len(v) >= len(typed) && strings.EqualFold(v[:len(typed)], typed) {
			found = append(found, v)
		}
	}
	shown := found[:min(len(found), maxCompletions)]
	return &mcp.Completion{Values: shown, Total: len(found), HasMore: len(found) > len(shown)}
}
