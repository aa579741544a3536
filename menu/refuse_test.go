package menu

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// A refusal says what was read so that the difference from what is expected can be seen.
func TestRefusalTellsWhatWasRead(t *testing.T) {
	t.Parallel()
	m := prepared(t, registry.Method{Name: "mark", Summary: "Mark it.", Params: []registry.Param{{Name: "level", Type: "integer"}}, Run: nothing})
	offered := []registry.Option{{Name: "mark", Method: m}}
	for reply, want := range map[string]string{
		`{"call": "mark "}`:              `"mark" with blanks around it`,
		`{"call": "\nmark"}`:             `"mark" with blanks around it`,
		`{"call": "ma  rk"}`:             `"ma rk"`,
		`{"call": " "}`:                  `""`,
		`{"call": "mark", "args": 4}`:    "a number",
		`{"call": "mark", "args": -1.5}`: "a number",
		`{"call": "mark", "args": true}`: "true",
		`{"call": "mark", "args": [4]}`:  "a list",
	} {
		_, err := Parse(reply, offered, Reading{})
		var refused *validate.Error
		if !errors.As(err, &refused) || refused.Problems[0].Read != want {
			t.Errorf("%s: %v, want %q read", reply, err, want)
		}
	}
}

// The first ask behind a refusal shows the schema of an option with as many parameters as methods have, each described.
func TestAgainShowsLargeSchemas(t *testing.T) {
	t.Parallel()
	m := registry.Method{Name: "book", Summary: "Book a room.", Run: nothing}
	for i := range 15 {
		m.Params = append(m.Params, registry.Param{Name: fmt.Sprint("field_", i), Type: registry.String, Description: strings.Repeat("What it is for. ", 6)})
	}
	o := registry.Option{Name: "book", Method: prepared(t, m)}
	_, err := o.Method.Check(json.RawMessage("{}"))
	if again := Again(Ask{Prompt: "Book one.", Options: []registry.Option{o}}, 1, 3, &o, err); !strings.Contains(again, string(o.Method.InputSchema())) {
		t.Errorf("the schema is missing:\n%s", again)
	}
}
