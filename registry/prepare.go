package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
	"github.com/mcp-decide/mcp-decide/validate"
)

// The defaults and bounds of a method.
const (
	defaultTimeout   = 30 * time.Second
	maxTimeout       = 10 * time.Minute
	defaultResultCap = 30_000
	maxResultCap     = 1_000_000
)

var errNoSummary = errors.New("the summary is missing; say in one line what the method does and when to pick it")

// Prepare checks a method and makes it ready to run without registering it: value and schema
// options of a decision are such methods, and may do without a summary. What it returns has its defaults filled in and shares
// nothing with m that could be changed later. The error is a *MethodError with all that is wrong.
func Prepare(m Method) (*Method, error) {
	left, all := maxParams, m.Params
	if m.Returns != nil {
		all = append(slices.Clone(all), *m.Returns)
	}
	if err := bounded(all, &left, 0); err != nil {
		return nil, &MethodError{Name: cutText(m.Name, maxName), Flaws: []Flaw{{Path: "params", Message: err.Error()}}}
	}
	p := preparation{m: m.clone()}
	p.words()
	p.limits()
	if made := p.m.made.schema != nil; made {
		p.hidden()
		p.body()
	} else {
		p.params()
		p.body()
		p.result()
		p.approval()
		p.schema()
	}
	if len(p.flaws) > 0 {
		return nil, &MethodError{Name: cutText(m.Name, maxName), Flaws: p.flaws}
	}
	p.m.digest = sync.OnceValue(func() string { return digestOf(p.m) })
	return p.m, nil
}

// preparation is a method while it is checked.
type preparation struct {
	m     *Method
	flaws []Flaw
}

func (p *preparation) flaw(path, format string, args ...any) {
	p.flaws = append(p.flaws, Flaw{Path: path, Message: fmt.Sprintf(format, args...)})
}

// words checks the name and the words that are chosen from a few, and fills in what is left out.
func (p *preparation) words() {
	m := p.m
	if err := CheckName(m.Name); err != nil {
		p.flaw("", "%v", err)
	}
	if strings.TrimSpace(m.Summary) == "" && m.Kind != Value && m.Kind != Form {
		p.flaw("", "%v", errNoSummary)
	}
	m.Title = cmp.Or(m.Title, TitleOf(m.Name))
	m.Kind = cmp.Or(m.Kind, Function)
	m.Offer = cmp.Or(m.Offer, OfferNative)
	m.Effect = m.Effect.Or()
	oneOf(p, "kind", m.Kind, Function, Value, Form)
	oneOf(p, "effect", m.Effect, Read, Write, Destructive)
	oneOf(p, "offer", m.Offer, OfferNative, OfferMenu, OfferBoth)
	if m.Expose != "" {
		oneOf(p, "expose", m.Expose, trace.ExposeIO, trace.ExposeLLM, trace.ExposeFull, trace.ExposeHidden)
	}
	if m.Kind == Value || m.Kind == Form {
		m.Effect = Read
	}
}

func oneOf[T ~string](p *preparation, what string, word T, allowed ...T) {
	if slices.Contains(allowed, word) {
		return
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	p.flaw(what, "%s is not one of %s%s", validate.Quote(string(word)), strings.Join(names, ", "), didYouMean(string(word), names))
}

// didYouMean ends a message with the name that was probably meant.
func didYouMean(word string, allowed []string) string {
	if near := validate.Nearest(word, allowed); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func (p *preparation) limits() {
	m := p.m
	switch {
	case m.Timeout < 0:
		p.flaw("timeout", "%s is negative", m.Timeout)
	case m.Timeout > maxTimeout:
		p.flaw("timeout", "%s is longer than %s", m.Timeout, maxTimeout)
	}
	if m.ResultCap < 0 || m.ResultCap > maxResultCap {
		p.flaw("result_cap", "%d is not between 1 and %d characters", m.ResultCap, maxResultCap)
	}
	if err := m.Rate.Check(); err != nil {
		p.flaw("rate", "%v", err)
	}
	if err := m.RenderRange.Check(); err != nil {
		p.flaw("render_range", "%v", err)
	}
	m.Timeout = cmp.Or(m.Timeout, defaultTimeout)
	m.ResultCap = cmp.Or(m.ResultCap, defaultResultCap)
}

// body checks what the method does, and makes the Run of the kinds that have none of their own.
func (p *preparation) body() {
	m := p.m
	switch m.Kind {
	case Function:
		if m.Run == nil {
			p.flaw("run", "missing; a function method needs one")
		}
	case Value:
		p.value()
	case Form:
		m.Run = func(_ context.Context, args Args) (any, error) { return m.picked(args), nil }
		for _, f := range m.Params {
			if f.Name == "decision" {
				p.flaw("params.decision", "a schema option can't have a field of that name: it holds the option's name in the result; rename it")
			}
			if f.Hidden() {
				p.flaw("params."+f.Name, "a field of a schema option can't be filled in by the server, since it would stand in the result")
			}
		}
	}
}

func (p *preparation) value() {
	m := p.m
	if len(m.Params) > 0 {
		p.flaw("params", "a value option takes no parameters")
	}
	if m.Constant == nil {
		p.flaw("value", "missing")
		return
	}
	v, err := validate.Decode(m.Constant)
	if err != nil {
		p.flaw("value", "%v", err)
		return
	}
	var value any = json.RawMessage(bytes.TrimSpace(m.Constant))
	if text, ok := v.(string); ok {
		value = text
	}
	m.Run = func(context.Context, Args) (any, error) { return value, nil }
}

// picked is what a schema method returns: the name under which it was picked, and the fields as declared.
func (m *Method) picked(args Args) json.RawMessage {
	e := encoder{out: []byte(`{"decision":`)}
	e.out = appendText(e.out, m.Name)
	first := 0 // a member stands before
	for i := range m.made.root.fields {
		f := &m.made.root.fields[i]
		if v, ok := args[f.name]; ok {
			e.member(f.name, v, f.node, first)
		}
	}
	return append(e.out, '}')
}

// result checks the declared shape of the result.
func (p *preparation) result() {
	r := p.m.Returns
	if r == nil {
		return
	}
	if r.Schema == nil && r.Type != Object {
		p.flaw("returns", "a declared result has to be an object, not %s; name its fields, or leave returns out", r.Type.noun())
		return
	}
	before := len(p.flaws)
	p.param(r, "returns", false)
	if len(p.flaws) > before {
		return
	}
	text, err := schemaOfParam(*r)
	if err != nil {
		p.flaw("returns", "%v", err)
		return
	}
	if typeOfSchema(text) != Object {
		p.flaw("returns", `a declared result has to be an object: its schema needs "type": "object"`)
		return
	}
	checker, err := validate.Compile(text)
	if err != nil {
		p.flaw("returns", "%v", err)
		return
	}
	p.m.made.output, p.m.made.outputChecker = text, checker
}

func typeOfSchema(text []byte) Type {
	var schema struct{ Type Type }
	if json.Unmarshal(text, &schema) != nil {
		return Any
	}
	return schema.Type
}

// schema writes and compiles the schema of the visible parameters, once they are sound.
func (p *preparation) schema() {
	m, made := p.m, p.m.made
	for _, f := range p.flaws {
		if strings.HasPrefix(f.Path, "params") {
			return
		}
	}
	var err error
	if made.root, err = nodeOf(m.Params); err != nil {
		p.flaw("params", "%v", err)
		return
	}
	if made.schema, err = schemaOf(m.Params); err != nil {
		p.flaw("params", "%v", err)
		return
	}
	if made.checker, err = validate.Compile(made.schema); err != nil {
		p.flaw("params", "%v", err)
	}
	if len(p.flaws) == 0 {
		made.keep(m)
	}
}
