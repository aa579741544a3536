package validate_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/mcp-decide/mcp-decide/validate"
)

// A value is decoded strictly, then checked; the error says everything at once.
func Example() {
	schema, err := validate.Compile([]byte(`{
		"type": "object",
		"properties": {
			"order_id": {"type": "string", "pattern": "^[A-Z]-[0-9]+$", "examples": ["A-1042"]},
			"amount":   {"type": "number", "exclusiveMinimum": 0},
			"reason":   {"enum": ["damaged", "late", "other"]}
		},
		"required": ["order_id", "amount"]
	}`))
	if err != nil {
		log.Fatal(err)
	}
	args, err := validate.Decode(json.RawMessage(`{"amount": "39,90 EUR", "reason": "Late"}`))
	if err != nil {
		log.Fatal(err)
	}
	if problems := schema.Check("args", args); problems != nil {
		e := validate.NewError("refund", problems...)
		fmt.Println(e.Kind)
		fmt.Println(e.Fix())
	}
	// Output:
	// missing_required
	// - args.order_id: required, but not given: a text that matches ^[A-Z]-[0-9]+$, like "A-1042"
	// - args.amount: expected a number, got the text "39,90 EUR". Write a plain JSON number, like 12.5
	// - args.reason: "Late" is not one of "damaged", "late", "other". Did you mean "late"?
}

// What is wrong with a schema is said with its place, so that a file's reader can point there.
func ExampleCompile() {
	_, err := validate.Compile([]byte(`{"properties": {"when": {"tpye": "string"}, "to": {"$ref": "https://example.com/to.json"}}}`))
	fmt.Println(err)
	// Output:
	// schema at /properties/when/tpye: "tpye" is no word of JSON Schema (did you mean "type"?); at /properties/to/$ref: the reference "https://example.com/to.json" leads out of the schema, and nothing is fetched or opened (copy what it means under "$defs" and write "#/$defs/name")
}
