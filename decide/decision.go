package decide

import (
	"encoding/json"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Decision is a prompt and the options to pick from.
type Decision struct {
	Name       string
	Title      string
	Summary    string           // one line, for the tool and the prompt of that name
	Params     []registry.Param // its inputs; {name} in Prompt stands for one
	Prompt     string
	Options    []Option
	MaxRetries int           // answers beyond the first that may be refused; 1 unless set (config fills the default in)
	OnFailure  string        // the option taken after the last refused answer; "" = none
	None       bool          // offers none_of_these too
	TTL        time.Duration // 0 = 60 min
	Style      menu.Style
	Reading    menu.Reading
	Toolsets   []string

	inputs *registry.Method // the decision's inputs as a checked method, made by Engine.Add
}

// Option is one option of a decision: of a registered method by name, or of a method of its own.
type Option struct {
	Name        string
	Description string
	Method      string           // a registered method's name, or
	Own         *registry.Method // a value or schema method that belongs to this decision alone
	Again       bool
}

// Func offers a registered method under a name.
func Func(name, method string) Option { return Option{Name: name, Method: method} }

// Value offers a fixed value.
func Value(name string, v any) Option { panic("not written yet") }

// Schema offers structured data that the picker fills in.
func Schema(name, description string, fields []registry.Param) Option { panic("not written yet") }

// NoneOfThese is the name of the abstaining option.
const NoneOfThese = "none_of_these"

// Inputs is the JSON Schema of the decision's inputs.
func (d *Decision) Inputs() json.RawMessage { return d.inputs.InputSchema() }
