package decide

import (
	"bytes"
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

	inputs *registry.Method // the decision's inputs as a checked method, made by Engine.Add
	prompt registry.Template
	digest string
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

// Value offers a fixed value: picking it gives v back. A v that can't be written as JSON is refused when the decision is added.
func Value(name string, v any) Option {
	m := &registry.Method{Name: name, Kind: registry.Value, Effect: registry.Read, Idempotent: true}
	raw, err := encoded(v)
	if err != nil {
		m.Off = unencodable + err.Error()
	}
	m.Constant = raw
	return Option{Name: name, Own: m}
}

// unencodable starts the note that Value leaves for Add.
const unencodable = "its value can't be written as JSON: "

// encoded is v as JSON; JSON that is given as such stays as it is.
func encoded(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok && raw != nil {
		return raw, nil
	}
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Schema offers structured data that the picker fills in. Picking it gives {"decision": name, ...the fields}.
func Schema(name, description string, fields []registry.Param) Option {
	m := &registry.Method{Name: name, Kind: registry.Form, Effect: registry.Read, Idempotent: true, Params: fields}
	return Option{Name: name, Description: description, Own: m}
}

// NoneOfThese is the name of the abstaining option.
const NoneOfThese = "none_of_these"

// none is the abstaining option. Its value is its name.
func none() Option {
	o := Value(NoneOfThese, NoneOfThese)
	o.Description = "Pick this when none of the options fits."
	return o
}

// Inputs is the JSON Schema of the decision's inputs.
func (d *Decision) Inputs() json.RawMessage { return d.inputs.InputSchema() }

// ttl is how long a turn on the decision can be answered.
func (d *Decision) ttl() time.Duration {
	if d.TTL > 0 {
		return d.TTL
	}
	return time.Hour
}

// owner is the decision whose own an option is; "" for an option that is a registered method.
func (d *Decision) owner(option string) string {
	if o, ok := d.option(option); ok && o.Own != nil {
		return d.Name
	}
	return ""
}

// option finds an option by name.
func (d *Decision) option(name string) (*Option, bool) {
	for i := range d.Options {
		if d.Options[i].Name == name {
			return &d.Options[i], true
		}
	}
	return nil, false
}
