package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/mcp-decide/mcp-decide/validate"
)

// decode puts checked arguments into in, a pointer to a struct, numbers exactly. A value that passes the schema
// but does not fit its Go type ends the call as not run.
func (t *typed) decode(args Args, in any) error {
	if err := decodeInto(in, args); err != nil {
		return NotStarted(t.misfit(args, in, err))
	}
	return nil
}

func decodeInto(in any, args Args) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // for fields of type any
	return d.Decode(in)
}

// misfit finds the argument that does not fit, by decoding one after the other. Hidden and secret values stay out
// of the text, and so does what a type says of them.
func (t *typed) misfit(args Args, in any, whole error) error {
	for i := range t.params {
		p := &t.params[i]
		value, given := args[p.Name]
		if !given {
			continue
		}
		err := decodeInto(reflect.New(reflect.TypeOf(in).Elem()).Interface(), Args{p.Name: value})
		switch {
		case err == nil:
			continue
		case p.Hidden():
			return fmt.Errorf("the server's value for %q does not fit its Go type", p.Name)
		}
		problem := validate.Problem{Kind: validate.TypeMismatch, Path: "args." + p.Name, Expected: "a value that the method can read"}
		if !holdsSecret(p) {
			problem.Hint = cutText(reason(err), 500)
		}
		return validate.NewError(t.method, problem)
	}
	return fmt.Errorf("the arguments do not fit the Go type: %w", whole)
}

// reason is an error of the JSON reader without the names of Go.
func reason(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Sprintf("%s does not fit %s", wrong.Value, wrong.Type)
	}
	return err.Error()
}

func holdsSecret(p *Param) bool {
	if p.Secret || p.Hidden() {
		return true
	}
	for i := range p.Fields {
		if holdsSecret(&p.Fields[i]) {
			return true
		}
	}
	return p.Items != nil && holdsSecret(p.Items)
}
