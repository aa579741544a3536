package registry

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcp-decide/mcp-decide/validate"
)

// maxToolDepth is how many levels of schemas a tool may have; the schema of all parameters is the first.
const maxToolDepth = 10

// maxToolFaults is how many faults of one schema are said.
const maxToolFaults = 20

// CheckToolSchema refuses a schema that some clients of MCP can't take for the input of a tool: one that holds references,
// lists without items, or more than ten levels of schemas. A method that is offered by menu alone may have all of that.
// The error is a *validate.SchemaError with the first 20 faults.
func CheckToolSchema(schema json.RawMessage) error {
	w := newSchemaWalk(schema)
	var faults []validate.Fault
	fault := func(word, fix, format string, args ...any) {
		if len(faults) < maxToolFaults {
			faults = append(faults, validate.Fault{Pointer: string(w.d.StackPointer()) + word, Message: fmt.Sprintf(format, args...), Fix: fix})
		}
	}
	w.each = func(s schemaSeen) {
		if w.depth == maxToolDepth+1 && len(s.words) > 0 {
			fault("", "write it flatter", "more than the %d levels that a tool may have", maxToolDepth)
		}
		if s.list && !s.has("items") {
			fault("", "write items", "a list without items, which some clients refuse in a tool")
		}
		for _, word := range s.words {
			if slices.Contains(references, word) {
				fault("/"+word, "write what it means in its place", "a reference, which some clients can't follow in a tool")
			}
		}
	}
	if _, err := w.schema(); err != nil {
		return unreadable(err)
	}
	if faults == nil {
		return nil
	}
	return &validate.SchemaError{Faults: faults}
}
