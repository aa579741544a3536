package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/server"
)

// Tools are the tools as a client lists them, as JSON, in the same order: for people who want to see what a
// client sees.
func (s *Server) Tools() ([]json.RawMessage, error) {
	tools := slices.Clone(s.catalog.Load().tools)
	slices.SortFunc(tools, func(a, b sdk.ServerTool) int { return strings.Compare(a.Tool.Name, b.Tool.Name) })
	list := make([]json.RawMessage, len(tools))
	for i, t := range tools {
		raw, err := json.Marshal(t.Tool)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Tool.Name, err)
		}
		list[i] = raw
	}
	return list, nil
}
