package registry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcp-decide/mcp-decide/registry"
)

type refund struct {
	OrderID string  `json:"order_id" desc:"The order's number." pattern:"^[A-Z]-[0-9]+$" placeholder:"A-1042"`
	Amount  float64 `json:"amount" desc:"In the order's currency." exclusiveMinimum:"0"`
	Reason  string  `json:"reason,omitempty" enum:"damaged,late,other"`
	Desk    string  `json:"desk" from:"caller.id"`
}

type receipt struct {
	ID string `json:"id"`
}

func issueRefund(_ context.Context, in refund) (receipt, error) {
	return receipt{ID: fmt.Sprintf("R-%s-%.2f-by-%s", in.OrderID, in.Amount, in.Desk)}, nil
}

// A Go function becomes a method: its struct tags are the only description of its parameters.
func ExampleAdd() {
	reg := registry.New()
	err := registry.Add(reg, registry.Method{
		Name: "issue_refund", Summary: "Pay money back for one order.", Effect: registry.Write,
	}, issueRefund)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := reg.Snapshot().Find("issue_refund")
	for _, p := range m.Visible() {
		fmt.Println(p.Name, p.Type, p.Required())
	}
	result, err := registry.Call(context.Background(), registry.Request{
		Method: m,
		Args:   json.RawMessage(`{"order_id": "A-1042", "amount": 12.5}`),
		Caller: registry.Caller{ID: "token:desk"},
	})
	fmt.Println(result.State, string(result.Structured), err)

	_, err = registry.Call(context.Background(), registry.Request{Method: m, Args: json.RawMessage(`{"order_id": "1042", "amount": 12.5}`)})
	fmt.Println("refused:", err != nil)
	// Output:
	// order_id string true
	// amount number true
	// reason string false
	// done {"id":"R-A-1042-12.50-by-token:desk"} <nil>
	// refused: true
}

// The schema language of the configuration file, from a program.
func ExampleParseParams() {
	params, err := registry.ParseParams(json.RawMessage(`{"queue": {"enum": ["billing", "technical"]}, "note?": "What they need to know."}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range params {
		fmt.Printf("%s %s required=%v %q\n", p.Name, p.Type, p.Required(), p.Description)
	}
	_, err = registry.ParseParams(json.RawMessage(`{"amount": "nubmer"}`))
	fmt.Println(err)
	// Output:
	// queue string required=true ""
	// note string required=false "What they need to know."
	// amount: "nubmer" is no type name; write number, or {type: string, description: "nubmer"} if it is a description
}
