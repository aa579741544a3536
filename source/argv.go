package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Limits of what is handed to a program; Linux takes no more.
const (
	maxElement = 128<<10 - 1 // bytes of one element of argv, without the NUL that ends it
	maxArgv    = 2 << 20     // bytes of all of them, with what each costs beside its text
)

// argv builds the arguments of a program. Each template becomes one element, whatever its values hold.
type argv struct {
	name      string // as configured: what the program sees as its own name
	elements  []element
	params    map[string]registry.Param
	allowDash bool
}

// element is one element, or a group of them that stands or falls together.
type element struct {
	group     bool
	templates []template
}

type template struct {
	registry.Template
	option bool // its own text starts with "-", so that no value can turn it into an option
}

func newTemplate(t registry.Template) template {
	return template{Template: t, option: strings.HasPrefix(sample(t, "x"), "-")}
}

// sample is a template's text with the same word for every value.
func sample(t registry.Template, word string) string {
	args := registry.Args{}
	for _, name := range t.Params() {
		args[name] = word
	}
	text, _ := t.Expand(args)
	return text
}

func newArgv(c *config.Command, params []registry.Param) (*argv, error) {
	if len(c.Argv) == 0 || c.Argv[0].Group != nil {
		return nil, errors.New("run names no program")
	}
	name, ok := c.Argv[0].Template.Expand(nil)
	if !ok || name == "" {
		return nil, errors.New("run: the program's name must not hold a value")
	}
	a := &argv{name: name, params: make(map[string]registry.Param, len(params)), allowDash: c.AllowDash}
	for _, p := range params {
		a.params[p.Name] = p
	}
	for _, arg := range c.Argv[1:] {
		a.elements = append(a.elements, newElement(arg))
	}
	return a, nil
}

func newElement(arg config.Arg) element {
	if arg.Group == nil {
		return element{templates: []template{newTemplate(arg.Template)}}
	}
	e := element{group: true}
	for _, t := range arg.Group {
		e.templates = append(e.templates, newTemplate(t))
	}
	return e
}

// build puts the values in. The error is for whoever gave the values; it holds none of them.
func (a *argv) build(args registry.Args) ([]string, error) {
	out := []string{a.name}
	size := len(a.name)
	for _, e := range a.elements {
		if e.group && !e.complete(args) {
			continue
		}
		for _, t := range e.templates {
			text, err := a.element(t, args)
			if err != nil {
				return nil, err
			}
			if size += len(text) + 9; size > maxArgv { // its NUL and the pointer to it
				return nil, fmt.Errorf("the arguments are longer than the %d bytes that a program takes", maxArgv)
			}
			out = append(out, text)
		}
	}
	return out, nil
}

// complete reports whether every value of a group was given.
func (e element) complete(args registry.Args) bool {
	for _, t := range e.templates {
		if _, ok := t.Expand(args); !ok {
			return false
		}
	}
	return true
}

func (a *argv) element(t template, args registry.Args) (string, error) {
	text, ok := t.Expand(args)
	switch {
	case !ok:
		return "", fmt.Errorf("%s: this command can't run without it", a.who(t, args, absent))
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("%s holds a NUL character, which can't be handed to a program", a.who(t, args, holdsNUL))
	case len(text) > maxElement:
		return "", fmt.Errorf("%s is longer than the %d bytes that a program takes", a.who(t, args, long), maxElement)
	case strings.HasPrefix(text, "-") && !t.option && !a.allowDash:
		return "", fmt.Errorf(`%s starts with "-", which the program could take for an option; write it another way, such as ./-name for a file`,
			a.who(t, args, startsWithDash))
	}
	return text, nil
}

// who names the first value of an element that is to blame. A hidden parameter is not named.
func (a *argv) who(t template, args registry.Args, blamed func(value any) bool) string {
	names := t.Params()
	if len(names) == 0 {
		return "an argument that the configuration writes"
	}
	i := slices.IndexFunc(names, func(name string) bool { return blamed(args[name]) })
	name := names[max(0, i)]
	if p := a.params[name]; p.Hidden() {
		return "a value that the server fills in"
	}
	return "args." + name
}

func absent(value any) bool   { return value == nil }
func holdsNUL(value any) bool { text, _ := value.(string); return strings.ContainsRune(text, 0) }
func long(value any) bool     { text, _ := value.(string); return len(text) > maxElement/2 }
func startsWithDash(value any) bool {
	text, ok := value.(string)
	return !ok || strings.HasPrefix(text, "-")
}
