package source

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
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
	hidden    map[string]*registry.Param // the parameters that the server fills in
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
	a := &argv{name: name, elements: make([]element, len(c.Argv)-1), hidden: hiddenByName(params), allowDash: c.AllowDash}
	for i, arg := range c.Argv[1:] {
		a.elements[i] = newElement(arg)
	}
	return a, nil
}

// byName finds parameters in a list that does not change.
func byName(params []registry.Param) map[string]*registry.Param {
	all := make(map[string]*registry.Param, len(params))
	for i := range params {
		all[params[i].Name] = &params[i]
	}
	return all
}

// hiddenByName is nil for most methods, and holds on to nothing of the list.
func hiddenByName(params []registry.Param) map[string]*registry.Param {
	var hidden map[string]*registry.Param
	for i := range params {
		if !params[i].Hidden() {
			continue
		}
		if hidden == nil {
			hidden = map[string]*registry.Param{}
		}
		p := params[i]
		hidden[p.Name] = &p
	}
	return hidden
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

// refuse is what a caller can mend of arguments that can't be handed to the program.
func (a *argv) refuse(args registry.Args) []validate.Problem {
	var problems []validate.Problem
	for _, e := range a.elements {
		if e.group && !e.complete(args) {
			continue
		}
		for _, t := range e.templates {
			// Where a hidden value stands in the element too, it is seen when the program is about to start.
			var m *misfit
			if _, err := a.element(t, args); errors.As(err, &m) && m.mendable() {
				problems = append(problems, m.problem())
			}
		}
	}
	return problems
}

// misfit is a value that can't be handed to a program, or sent in a request. It never holds the value.
type misfit struct {
	path   string // args.file; "" when the caller did not give it
	who    string
	what   string // is wrong with it
	hint   string
	absent bool
}

func (m *misfit) Error() string {
	text := m.who + " " + m.what
	if m.hint != "" {
		text += "; " + m.hint
	}
	return text
}

// mendable reports whether the caller can mend it before anything runs.
func (m *misfit) mendable() bool { return m.path != "" && !m.absent }

// problem is the misfit for whoever can mend it.
func (m *misfit) problem() validate.Problem {
	return validate.Problem{Kind: validate.TypeMismatch, Path: m.path, Expected: "another value", Read: "one that " + m.what, Hint: m.hint}
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
	var m misfit
	switch {
	case !ok:
		m = a.blame(t, args, absent)
		m.what, m.absent = "is not given, and this command can't run without it", true
	case strings.ContainsRune(text, 0):
		m = a.blame(t, args, holdsNUL)
		m.what = "holds a NUL character, which can't be handed to a program"
	case len(text) > maxElement:
		m = a.blame(t, args, long)
		m.what = fmt.Sprintf("is longer than the %d bytes that a program takes", maxElement)
	case strings.HasPrefix(text, "-") && !t.option && !a.allowDash:
		m = a.blame(t, args, startsWithDash)
		m.what = `starts with "-", which the program could take for an option`
		m.hint = dashHint(args, t)
	default:
		return text, nil
	}
	return "", &m
}

// blame names the first value of an element that is at fault. A hidden parameter is not named.
func (a *argv) blame(t template, args registry.Args, blamed func(value any) bool) misfit {
	return blame(a.hidden, t.Params(), args, blamed)
}

// blame names the first of some values that is at fault. A hidden parameter, which params has to hold, is not named.
func blame(params map[string]*registry.Param, names []string, args registry.Args, blamed func(value any) bool) misfit {
	if len(names) == 0 {
		return misfit{who: "an argument that the configuration writes"}
	}
	i := slices.IndexFunc(names, func(name string) bool { return blamed(args[name]) })
	name := names[max(0, i)]
	if p := params[name]; p != nil && p.Hidden() {
		return misfit{who: "a value that the server fills in"}
	}
	path := "args." + name
	return misfit{path: path, who: path}
}

func absent(value any) bool   { return value == nil }
func holdsNUL(value any) bool { text, _ := value.(string); return strings.ContainsRune(text, 0) }
func long(value any) bool     { text, _ := value.(string); return len(text) > maxElement/2 }

// dashHint says what to write instead. A number can be written in one way alone.
func dashHint(args registry.Args, t template) string {
	for _, name := range t.Params() {
		if _, text := args[name].(string); args[name] != nil && !text {
			return "Give a number that is not negative."
		}
	}
	return "Write it another way, such as ./-name for a file."
}

func startsWithDash(value any) bool {
	text, ok := value.(string)
	return !ok || strings.HasPrefix(text, "-")
}
