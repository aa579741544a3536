package registry

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// Add registers a typed Go function. In is a struct, struct{} for no arguments. Its fields are the
// parameters, unless m.Params is set:
//
//	json:"order_id"           the name; omitempty or omitzero makes it optional
//	desc:"The order's number" the description
//	enum:"damaged,late"       the allowed values; also as a JSON list, "[\"a,b\"]"
//	default:"10"              a JSON literal, or bare text for strings; makes it optional
//	optional:"true"           a pointer is optional too
//	placeholder:"A-1042"      an example of a value
//	label:"Order number"      for forms
//	from:"caller.id"          the server fills it; no model sees or sets it
//	secret:"true"             masked in traces and logs
//	multiline:"true"          a text of several lines
//	minimum:"1"               and so on: any JSON Schema word of the schema language
//
// Integers are bounded by their width, a uint64 by 63 bits; in fields of type any, numbers are json.Number. A time.Time is
// a text in RFC 3339, []byte one in base64, a type with UnmarshalText a text; a type with an UnmarshalJSON of its
// own, json.RawMessage and any take any JSON value. Channels, functions, complex numbers, interfaces with
// methods and recursive types are refused.
//
// A struct as Out gives m.Returns, if that is nil. A string is the result's text, Block and []Block its
// content, struct{} is no result. Arguments that pass the schema but don't fit the Go type, say the
// text "::" for a netip.Prefix, end the call as not run.
func Add[In, Out any](r *Registry, m Method, fn func(context.Context, In) (Out, error)) error {
	t, err := typedMethod(&m, reflect.TypeFor[In](), reflect.TypeFor[Out]())
	if err == nil && fn == nil {
		err = t.flawed("the function is nil")
	}
	if err != nil {
		return err
	}
	m.Run = func(ctx context.Context, args Args) (any, error) {
		var in In
		if err := t.decode(args, &in); err != nil {
			return nil, err
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return t.result(out)
	}
	return r.Add(m)
}

// FromFunc makes a method of a function that is only known as a value: func(context.Context, In) (Out, error), as
// in Add. It says what is wrong with a function of another form.
func FromFunc(m Method, fn any) (Method, error) {
	f := reflect.ValueOf(fn)
	if what := wrongForm(f); what != "" {
		return Method{}, &MethodError{Name: m.Name, Flaws: []Flaw{{Message: what + "; write func(context.Context, In) (Out, error)"}}}
	}
	t, err := typedMethod(&m, f.Type().In(1), f.Type().Out(0))
	if err != nil {
		return Method{}, err
	}
	m.Run = func(ctx context.Context, args Args) (any, error) {
		in := reflect.New(f.Type().In(1))
		if err := t.decode(args, in.Interface()); err != nil {
			return nil, err
		}
		outs := f.Call([]reflect.Value{reflect.ValueOf(ctx), in.Elem()})
		if err, _ := outs[1].Interface().(error); err != nil {
			return nil, err
		}
		return t.result(outs[0].Interface())
	}
	return m, nil
}

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
)

// wrongForm says why a value can't be the function of a method; "" = it can.
func wrongForm(f reflect.Value) string {
	if !f.IsValid() || f.Kind() == reflect.Func && f.IsNil() {
		return "the function is nil"
	}
	t := f.Type()
	switch {
	case t.Kind() != reflect.Func:
		return fmt.Sprintf("a %s is no function", t)
	case t.IsVariadic():
		return "a variadic function can't be called by names"
	case t.NumIn() != 2:
		return fmt.Sprintf("the function takes %d values, not 2", t.NumIn())
	case t.In(0) != contextType:
		return fmt.Sprintf("the function's first parameter is %s, not context.Context", t.In(0))
	case t.NumOut() != 2:
		return fmt.Sprintf("the function returns %d values, not 2", t.NumOut())
	case t.Out(1) != errorType:
		return fmt.Sprintf("the function's second result is %s, not error", t.Out(1))
	}
	return ""
}

// typed is what a typed function's calls need to know of its types.
type typed struct {
	method  string
	params  []Param
	nothing bool // Out is struct{}
	pointer bool // Out is a pointer, nil is no result
}

// typedMethod fills in what m's types say: Params, and Returns.
func typedMethod(m *Method, in, out reflect.Type) (typed, error) {
	t := typed{method: m.Name, nothing: out == reflect.TypeFor[struct{}](), pointer: out.Kind() == reflect.Pointer}
	if m.Run != nil {
		return t, t.flawed("Run is made of the function; leave it empty")
	}
	if in.Kind() != reflect.Struct {
		return t, t.flawed(fmt.Sprintf("the input is %s; write a struct, or struct{} for no arguments", in))
	}
	if has(in, jsonUnmarshaler) || has(in, textUnmarshaler) {
		return t, t.flawed(fmt.Sprintf("the input %s reads JSON by a method of its own, so its fields don't say what it takes", in))
	}
	fields, err := paramsOf(in)
	if err != nil {
		return t, t.flaws("input", err)
	}
	if m.Params == nil {
		m.Params = fields
	}
	t.params = m.Params
	if err := known(m.Params, fields, in); err != nil {
		return t, t.flaws("params", err)
	}
	if m.Returns == nil && !t.nothing {
		m.Returns, err = returnsOf(out)
	}
	if err != nil {
		return t, t.flaws("output", err)
	}
	return t, nil
}

// known checks that every parameter has a field to go to.
func known(params, fields []Param, in reflect.Type) error {
	has := map[string]bool{}
	for _, f := range fields {
		has[f.Name] = true
	}
	var errs []error
	for _, p := range params {
		if !has[p.Name] {
			errs = append(errs, &ShapeError{Path: []string{p.Name}, Message: fmt.Sprintf("%s has no field of that JSON name", in)})
		}
	}
	return errors.Join(errs...)
}

// result is what Run returns for what the function returned.
func (t *typed) result(out any) (any, error) {
	if t.nothing {
		return nil, nil
	}
	if t.pointer && reflect.ValueOf(out).IsNil() {
		return nil, fmt.Errorf("method %q returned neither a result nor an error", t.method)
	}
	return out, nil
}

func (t *typed) flawed(message string) error {
	return &MethodError{Name: t.method, Flaws: []Flaw{{Message: message}}}
}

// flaws turns ShapeErrors into the flaws of the method.
func (t *typed) flaws(root string, err error) error {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	made := &MethodError{Name: t.method}
	for _, err := range all {
		made.Flaws = append(made.Flaws, Flaw{Path: root, Message: err.Error()})
	}
	return made
}
