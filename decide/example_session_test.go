package decide_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// A method calls another one, asks a model, and sees before each question what a model may see of what has happened: the conversation, its own call, and
// what has run inside it. The method that checks the card keeps to itself how it did that; its secret argument is masked.
func ExampleHistory() {
	program := registry.Caller{ID: "program"}
	reg := registry.New()
	eng := decide.New(reg, decide.Options{})

	// A model of which nobody needs to know more here.
	model := func(history []trace.Message, question string) string {
		fmt.Printf("--- %s\n%s", question, trace.Transcript(history))
		return "It is theirs."
	}

	check(reg.Add(registry.Method{
		Name: "check_card", Summary: "Says whether a card is good.", Effect: registry.Read, Expose: trace.ExposeIO,
		Params: []registry.Param{{Name: "card", Type: registry.String, Secret: true}},
		Run: func(ctx context.Context, args registry.Args) (any, error) {
			call, err := decide.AskModel(ctx, "small", "Is this a card?")
			if err != nil {
				return nil, err
			}
			return fmt.Sprintf("%v is good", args["card"]), call.End(trace.End{Output: "It is."})
		},
	}))
	check(reg.Add(registry.Method{
		Name: "settle", Summary: "Settles a ticket.", Effect: registry.Write,
		Run: func(ctx context.Context, _ registry.Args) (any, error) {
			args := json.RawMessage(`{"card": "4111-1111"}`)
			if _, err := eng.Call(ctx, nil, decide.Call{Method: "check_card", Args: args, Caller: program}); err != nil {
				return nil, err
			}
			history, err := decide.History(ctx)
			if err != nil {
				return nil, err
			}
			call, err := decide.AskModel(ctx, "large", "Whose fault is it?")
			if err != nil {
				return nil, err
			}
			answer := model(history, "Whose fault is it?")
			return answer, call.End(trace.End{Output: answer})
		},
	}))

	ctx := decide.WithSession(context.Background(), trace.NewGraph(trace.GraphLimits{}))
	check(decide.Said(ctx, "My parcel is broken."))
	_, err := eng.Call(ctx, nil, decide.Call{Method: "settle", Caller: program})
	check(err)
	history, err := decide.History(ctx)
	check(err)
	model(history, "And now?")
	// Output:
	// --- Whose fault is it?
	// The user said:
	// > My parcel is broken.
	// settle is described as:
	// > Settles a ticket.
	// settle was called with:
	// > {}
	// check_card is described as:
	// > Says whether a card is good.
	// check_card was called with:
	// > {"card":"***"}
	// check_card gave:
	// > *** is good
	// --- And now?
	// The user said:
	// > My parcel is broken.
	// settle is described as:
	// > Settles a ticket.
	// settle was called with:
	// > {}
	// settle gave:
	// > It is theirs.
	// check_card is described as:
	// > Says whether a card is good.
	// check_card was called with:
	// > {"card":"***"}
	// check_card gave:
	// > *** is good
	// The model said:
	// > It is theirs.
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
