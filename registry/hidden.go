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
	own      bool // the registry's own fill, which returns at once
	optional bool
	fallback json.RawMessage
	checker  *validate.Schema // nil for a parameter of any type: its value is passed on as it is
}

// newFiller is the filler of a parameter, without its fill.
func newFiller(p *Param) (filler, error) {
	f := filler{name: p.Name, optional: p.Optional, fallback: p.Default}
	if p.Type == Any && p.Schema == nil && p.Enum == nil && len(p.Keywords) == 0 {
		return f, nil
	}
	var err error
	f.checker, err = checkerOf(p)
	return f, err
}

// from is the filler with the fill that the parameter names.
func (f filler) from(p *Param) filler {
	f.fill = p.Fill
	if f.fill == nil {
		f.fill, f.own = source(p.From), true
	}
	return f
}

// fillHidden gives the hidden parameters their values within the method's timeout. The error never holds a value.
func (r *Request) fillHidden(ctx context.Context) (Args, error) {
	m := r.Method
	if len(m.fillers) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, m.Timeout)
	defer cancel()
	hidden := make(Args, len(m.fillers))
	for i := range m.fillers {
		f := &m.fillers[i]
		got, err := f.ask(ctx, r.Caller, r.Life)
		if err != nil {
			return nil, err
		}
		if got.err != nil {
			return nil, &unfilled{name: f.name, cause: got.err}
		}
		if got.given {
			hidden[f.name] = got.value
		}
	}
	return hidden, nil
}

// filled is what a source gave.
type filled struct {
	value any
	given bool
	err   error
}

// ask waits for a source no longer than ctx allows. One that does not heed ctx is left behind; until it returns it
// counts as a run of the life. The error says why the life lets nothing start.
func (f *filler) ask(ctx context.Context, c Caller, life *Life) (filled, error) {
	if f.own {
		return f.value(ctx, c), nil
	}
	if err := life.enter(); err != nil {
		return filled{}, err
	}
	answer := make(chan filled, 1)
	go func() {
		defer life.leave()
		got := filled{err: errNoValue} // stands when the source ends the goroutine
		defer func() { answer <- got }()
		got = f.value(ctx, c)
	}()
	select {
	case got := <-answer:
		return got, nil
	case <-ctx.Done():
		return filled{err: ctx.Err()}, nil
	}
}

// unfilled says which hidden parameter has no value. Its cause may hold what must not be told.
type unfilled struct {
	name  string
	cause error
}

func (e *unfilled) Error() string { return e.name + " can't be filled in now" }

var errNoValue = errors.New("no value")

// value asks the source and checks what it gave. A panic in it is an error.
func (f *filler) value(ctx context.Context, c Caller) (got filled) {
	defer func() {
		if broke := recover(); broke != nil {
			got = filled{err: fmt.Errorf("the source of %s broke", f.name)}
		}
	}()
	v, err := f.fill(ctx, c)
	switch {
	case err != nil:
		return filled{err: err}
	case v == nil && f.fallback != nil:
		v, err = validate.Decode(f.fallback)
	case v == nil && f.optional:
		return filled{}
	case v == nil:
		err = errNoValue
	case f.checker != nil:
		v, err = f.checked(v)
	}
	return filled{value: v, given: err == nil, err: err}
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
