package decide

import (
	"encoding/json"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// seen is what later rounds of a turn may see of a call, beside its outcome. It is kept where the turn goes on.
type seen struct {
	Args   json.RawMessage `json:"args,omitempty"`   // secret values masked, hidden ones left out
	Output *string         `json:"output,omitempty"` // where the content repeats hidden or secret values: without them
	Expose trace.Expose    `json:"expose,omitempty"`
	IsTool bool            `json:"tool,omitempty"`
	Doc    string          `json:"doc,omitempty"`
}

// nodes are the calls of a turn's rounds so far, as a graph has them. What ran inside them is not on record.
func (t *turn) nodes() []trace.Node {
	var nodes []trace.Node
	for _, at := range t.Attempts {
		if at.Seen == nil || at.Outcome == nil {
			continue
		}
		n := trace.Node{
			Kind: trace.KindCode, Name: at.Outcome.Method, Doc: at.Seen.Doc, Args: at.Seen.Args, Tool: at.Seen.IsTool, Expose: at.Seen.Expose,
			Time: at.At, Status: statusOf(registry.Result{State: at.Outcome.State}),
		}
		if n.Output = plainText(at.Outcome.Content); at.Seen.Output != nil {
			n.Output = *at.Seen.Output
		}
		nodes = append(nodes, n)
	}
	return nodes
}
