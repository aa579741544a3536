package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-decide/mcp-decide/validate"
)

// sourceNames are the registry's own sources of hidden values.
var sourceNames = []string{"caller.id", "caller.roles"}

// source is the Fill of one of the registry's own sources; nil when there is none of that name.
func source(from string) Fill {
	switch from {
	case "caller.id":
		return func(_ context.Context, c Caller) (any, error) {
			if c.ID == "" {
				return nil, nil
			}
			return c.ID, nil
		}
	case "caller.roles":
		return func(_ context.Context, c Caller) (any, error) {
			roles := make([]any, len(c.Roles))
			for i, role := range c.Roles {
				roles[i] = role
			}
			return roles, nil
		}
	}
	return nil
}

// filler gives the value of one hidden parameter.
type filler struct {
	name     string
	fill     Fill
	optional bool
	fallback json.RawMessage
	checker  *validate.Schema // nil for a parameter of any type: its value is passed on as it is
}

func newFiller(p *Param) (filler, error) {
	f := filler{name: p.Name, fill: p.Fill, optional: p.Optional, fallback: p.Default}
	if f.fill == nil {
		f.fill = source(p.From)
	}
	if p.Type == Any && p.Schema == nil && p.Enum == nil && len(p.Keywords) == 0 {
		return f, nil
	}
	var err error
	f.checker, err = checkerOf(p)
	return f, err
}

// fillHidden gives the hidden parameters their values. The error never holds a value.
func (m *Method) fillHidden(ctx context.Context, c Caller) (Args, error) {
	if len(m.fillers) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	hidden := make(Args, len(m.fillers))
	for _, f := range m.fillers {
		v, given, err := f.value(ctx, c)
		if err != nil {
			return nil, &unfilled{name: f.name, cause: err}
		}
		if given {
			hidden[f.name] = v
		}
	}
	return hidden, nil
}

// unfilled says which hidden parameter has no value. Its cause may hold what must not be told.
type unfilled struct {
	name  string
	cause error
}

func (e *unfilled) Error() string { return e.name + " can't be filled in now" }

var errNoValue = errors.New("no value")

func (f *filler) value(ctx context.Context, c Caller) (v any, given bool, err error) {
	defer func() {
		if broke := recover(); broke != nil {
			err = fmt.Errorf("the source of %s broke", f.name)
		}
	}()
	v, err = f.fill(ctx, c)
	switch {
	case err != nil:
		return nil, false, err
	case v == nil && f.fallback != nil:
		v, err = validate.Decode(f.fallback)
		return v, true, err
	case v == nil && f.optional:
		return nil, false, nil
	case v == nil:
		return nil, false, errNoValue
	case f.checker == nil:
		return v, true, nil
	}
	v, err = f.checked(v)
	return v, true, err
}

// checked brings a value into the form of decoded JSON and checks it.
func (f *filler) checked(v any) (any, error) {
	text, err := encodeJSON(v)
	if err != nil {
		return nil, err
	}
	decoded, err := validate.Decode(text)
	if err != nil {
		return nil, err
	}
	if problems := f.checker.Check("value", decoded); len(problems) > 0 {
		return nil, errors.New("the value does not fit the parameter")
	}
	return decoded, nil
}
