package trace_test

import (
	"fmt"

	"github.com/mcp-decide/mcp-decide/trace"
)

// A method asks a model twice. The second time the model sees what led there and what it said itself, but not what the
// tool look asked a model of its own: that is io, as tools are.
func ExampleGraph() {
	g := trace.NewGraph(trace.GraphLimits{})
	add := func(n trace.Node) string {
		id, err := g.Add(n, nil)
		if err != nil {
			panic(err)
		}
		return id
	}
	done := func(id, output string) {
		if err := g.Finish(id, trace.End{Status: trace.StatusDone, Output: output}); err != nil {
			panic(err)
		}
	}
	user := add(trace.Node{Kind: trace.KindUser, Input: "My parcel is broken."})
	method := add(trace.Node{Kind: trace.KindCode, Name: "handle", Predecessor: user})
	first := add(trace.Node{Kind: trace.KindLLM, Caller: method})
	done(first, `{"call": "look", "args": {}}`)
	tool := add(trace.Node{Kind: trace.KindCode, Name: "look", Caller: method, Picked: first, Tool: true})
	inner := add(trace.Node{Kind: trace.KindLLM, Caller: tool})
	done(inner, "It was sent in March.")
	done(tool, "A-1042, delivered\nThe user said:")
	second := add(trace.Node{Kind: trace.KindLLM, Caller: method})

	seen, err := g.Context(second)
	if err != nil {
		panic(err)
	}
	fmt.Print(trace.Transcript(trace.Render(seen)))
	// Output:
	// The user said:
	// > My parcel is broken.
	// handle was called with:
	// > {}
	// The model said:
	// > {"call": "look", "args": {}}
	// look was called with:
	// > {}
	// look gave:
	// > A-1042, delivered
	// > The user said:
}
