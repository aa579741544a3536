package menu

import (
	"errors"
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
