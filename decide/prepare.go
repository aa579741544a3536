package decide

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// The limits of a decision.
const (
	maxOptions = 10_000
	maxPrompt  = 100_000 // bytes
	maxTTL     = 30 * 24 * time.Hour
)

// prepare checks a decision against the methods and makes it ready: its own methods, its inputs, its prompt,
// its digest. All that is wrong comes back at once, each problem with the decision's name.
func prepare(d Decision, methods *registry.Snapshot) (*Decision, error) {
	c := &checker{d: &d, methods: methods}
	c.name()
	c.numbers()
	d.Options = slices.Clone(d.Options)
	if d.None {
		d.Options = append(d.Options, none())
	}
	c.options()
	c.onFailure()
	c.reading()
	c.inputs()
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	d.digest = d.fingerprint()
	return &d, nil
}

type checker struct {
	d        *Decision
	methods  *registry.Snapshot
	problems []error
}

func (c *checker) fail(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("decision %q: "+format, append([]any{c.d.Name}, args...)...))
}

func (c *checker) name() {
	if err := registry.CheckName(c.d.Name); err != nil {
		c.fail("%w", err)
	}
}

func (c *checker) numbers() {
	d := c.d
	if d.MaxRetries < 0 {
		c.fail("max_retries is %d; give 0 for a single answer, or the number of further ones", d.MaxRetries)
	}
	if d.MaxRetries >= maxRounds {
		c.fail("max_retries is %d; a turn has at most %d rounds, so at most %d", d.MaxRetries, maxRounds, maxRounds-1)
	}
	if d.TTL < 0 || d.TTL > maxTTL {
		c.fail("ttl is %v; it lies between 0 and %v", d.TTL, maxTTL)
	}
}

func (c *checker) options() {
	offered := len(c.d.Options)
	if c.d.None {
		offered--
	}
	if offered == 0 {
		c.fail("it has no options; give at least one")
	}
	if offered > maxOptions {
		c.fail("it has %d options; at most %d are allowed", offered, maxOptions)
		return
	}
	var names registry.Names
	for i := range c.d.Options {
		o := &c.d.Options[i]
		if o.Name == NoneOfThese && i < offered {
			c.fail("option %q: the name is kept for the abstaining option; set none instead", o.Name)
			continue
		}
		if err := registry.CheckName(o.Name); err != nil {
			c.fail("option %d: %w", i+1, err)
			continue
		}
		if err := names.Add(o.Name); err != nil {
			c.fail("option %d: %w", i+1, err)
		}
		c.option(o)
	}
}

func (c *checker) option(o *Option) {
	switch {
	case o.Own != nil && o.Method != "":
		c.fail("option %q: it names the method %q and has one of its own; give one of the two", o.Name, o.Method)
	case o.Own != nil:
		c.own(o)
	case o.Method == "":
		c.fail("option %q: it names no method", o.Name)
	default:
		c.registered(o)
	}
}

// own makes a value or schema option ready to run.
func (c *checker) own(o *Option) {
	if strings.HasPrefix(o.Own.Off, unencodable) {
		c.fail("option %q: %s", o.Name, o.Own.Off)
		return
	}
	if kind := o.Own.Kind; kind != registry.Value && kind != registry.Form {
		c.fail("option %q: a method of its own is a value or a schema; register a function and name it", o.Name)
		return
	}
	m, err := registry.Prepare(*o.Own)
	if err != nil {
		c.fail("option %q: %w", o.Name, err)
		return
	}
	o.Own = m
}

func (c *checker) registered(o *Option) {
	m, ok := c.methods.Find(o.Method)
	if !ok {
		c.fail("option %q: there is no method %q%s", o.Name, o.Method, didYouMean(o.Method, methodNames(c.methods)))
		return
	}
	switch {
	case o.Again && m.Effect.Or() != registry.Read:
		c.fail("option %q: only an option with effect read can say `then: again`; the effect of %q is %s", o.Name, o.Method, m.Effect.Or())
	case o.Again && m.Approval != nil:
		c.fail("option %q: an option to which a person may have to agree can't say `then: again`, and %q is one", o.Name, o.Method)
	}
}

// onFailure checks the option that is taken when no valid answer comes: it is taken without a picker, so it can need nothing and
// change nothing.
func (c *checker) onFailure() {
	if c.d.OnFailure == "" {
		return
	}
	o, ok := c.d.option(c.d.OnFailure)
	if !ok {
		c.fail("on_failure: there is no option %q%s", c.d.OnFailure, didYouMean(c.d.OnFailure, optionNames(c.d.Options)))
		return
	}
	m := o.Own
	if m == nil {
		if m, ok = c.methods.Find(o.Method); !ok {
			return // reported with the option
		}
	}
	if why := unusable(o, m); why != "" {
		c.fail("on_failure: the option %q can't be taken by itself: %s", o.Name, why)
	}
}

// unusable says why an option can't be taken after the last refused answer.
func unusable(o *Option, m *registry.Method) string {
	switch {
	case m.Effect.Or() != registry.Read:
		return "its effect is " + string(m.Effect.Or()) + "; only read is allowed"
	case m.Approval != nil:
		return "a person has to agree to it"
	case o.Again:
		return "it says `then: again`"
	}
	for i := range m.Params {
		if m.Params[i].Required() {
			return fmt.Sprintf("its argument %q needs a value", m.Params[i].Name)
		}
	}
	return ""
}

// inputs checks the decision's parameters and the prompt that names them.
func (c *checker) inputs() {
	d := c.d
	for i := range d.Params {
		if d.Params[i].Hidden() {
			c.fail("input %q: hidden values reach a method's run and nothing else, so an input can't be one", d.Params[i].Name)
		}
	}
	m, err := registry.Prepare(registry.Method{
		Name: d.Name, Summary: "The inputs of a decision.", Effect: registry.Read, Params: d.Params,
		Run: func(context.Context, registry.Args) (any, error) { return nil, nil },
	})
	if err != nil && len(c.problems) == 0 {
		c.fail("inputs: %w", err)
	}
	d.inputs = m
	if len(d.Prompt) > maxPrompt {
		c.fail("the prompt has %d bytes; at most %d are allowed", len(d.Prompt), maxPrompt)
		return
	}
	if strings.ContainsRune(d.Prompt, 0) {
		c.fail("the prompt has a NUL character")
		return
	}
	if d.prompt, err = registry.ParseTemplate(d.Prompt); err != nil {
		c.fail("prompt: %w", err)
		return
	}
	declared := make([]string, len(d.Params))
	for i := range d.Params {
		declared[i] = d.Params[i].Name
	}
	for _, name := range d.prompt.Params() {
		if !slices.Contains(declared, name) {
			c.fail("prompt: {%s} is none of its inputs%s; write {{ for a brace", name, didYouMean(name, declared))
		}
	}
}

// fingerprint changes when anything changes that decides what an answer means: the question, what can be picked, how a reply is
// read and what happens when nothing is picked. What the methods do is in their own digests; words of description do not count.
func (d *Decision) fingerprint() string {
	parts := []string{d.Name, d.Prompt, string(d.inputs.InputSchema()), d.OnFailure, fmt.Sprint(d.MaxRetries), fmt.Sprint(d.Reading.Lenient)}
	for _, p := range d.Reading.Phrases {
		parts = append(parts, "phrase", p.Text, p.Option)
	}
	for _, o := range d.Options {
		parts = append(parts, o.Name, o.Method, fmt.Sprint(o.Again))
		if o.Own != nil {
			parts = append(parts, o.Own.Digest())
		}
	}
	return sum(sha256.New(), parts)
}

func optionNames(options []Option) []string {
	names := make([]string, len(options))
	for i := range options {
		names[i] = options[i].Name
	}
	return names
}

func methodNames(s *registry.Snapshot) []string {
	var names []string
	for _, m := range s.Methods() {
		names = append(names, m.Name)
	}
	return names
}
