package config

import (
	"fmt"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// command reads run: a list, or a map with argv.
func (b *builder) command(at *path, n, declared *node, params []registry.Param) *Command {
	c := &Command{Pos: n.pos}
	argv := n
	argvAt := at
	if n.kind == mapping {
		argv, argvAt = n.get("argv"), at.key("argv")
		b.settings(at, n, c, params)
	}
	if argv == nil || argv.kind != list || len(argv.items) > maxArgs {
		return c
	}
	u := uses{builder: b, declared: declared, params: params, used: map[string]bool{}, what: "run", where: "argv or stdin",
		secrets: "Hand it over by run.env: {NAME: env:NAME}, or keep it in a file that the program reads"}
	for i, item := range argv.items {
		c.Argv = append(c.Argv, u.arg(argvAt.index(i), item, i == 0))
	}
	if stdin := n.get("stdin"); stdin != nil && stdin.kind == text {
		t := u.template(at.key("stdin"), stdin)
		c.Stdin = &t
	}
	if len(c.Argv) > 0 {
		b.program(argvAt, argv.items, c.AllowShell)
	}
	u.unused(at)
	return c
}

// settings reads what stands beside argv.
func (b *builder) settings(at *path, n *node, c *Command, params []registry.Param) {
	c.JSON = words(n.get("output")) == "json"
	c.AllowDash, c.AllowShell = isTrue(n.get("allow_dash")), isTrue(n.get("i_accept_shell"))
	if codes := n.get("ok_exit"); codes != nil {
		for _, item := range codes.items {
			c.OKExit = append(c.OKExit, count(item))
		}
	}
	if cwd := n.get("cwd"); cwd != nil && cwd.kind == text {
		c.Cwd = cwd.text
		b.noPlaceholder(at.key("cwd"), cwd, params, "an argument can't choose the folder that a program runs in")
		if strings.TrimSpace(cwd.text) == "" {
			b.fail(cwd.pos, at.key("cwd").String(), "the folder is empty", "Write a path, or leave cwd out")
		}
	}
	b.variables(at.key("env"), n.get("env"), c, params)
}

func (b *builder) variables(at *path, n *node, c *Command, params []registry.Param) {
	if n == nil || n.kind != mapping || len(n.keys) > maxVariables {
		return
	}
	for _, e := range n.keys {
		if !e.value.scalar() || e.value.kind == null {
			continue
		}
		where := at.key(e.name)
		if !variable(e.name) {
			b.fail(e.pos, where.String(), quote(e.name)+" can't be the name of an environment variable", "Use letters, digits and _")
		}
		if strings.ContainsRune(e.value.text, 0) {
			b.fail(e.value.pos, where.String(), "a NUL character", "Remove it")
		}
		b.noPlaceholder(where, e.value, params, "an argument can't set an environment variable")
		c.Env = append(c.Env, EnvVar{Name: e.name, Value: e.value.text, Pos: e.pos})
	}
	b.envSecrets(at, n)
}

// noPlaceholder refuses a parameter's placeholder where values are not put in. Other braces are plain text there.
func (b *builder) noPlaceholder(at *path, n *node, params []registry.Param, why string) {
	for _, p := range params {
		if strings.Contains(n.text, "{"+p.Name+"}") {
			b.fail(n.pos, at.String(), why, "Hand the value over as an argument or by stdin")
			return
		}
	}
}

// uses follows which parameters a command or an endpoint uses.
type uses struct {
	*builder
	declared *node // params: of the method
	params   []registry.Param
	used     map[string]bool
	what     string // the key that says what the method does: run
	where    string // below it, where values may stand
	secrets  string // what to do with a secret instead of writing it there
}

// arg reads one element of argv, which may be an inner list.
func (u *uses) arg(at *path, n *node, program bool) Arg {
	a := Arg{Pos: n.pos}
	switch {
	case n.kind == list && program:
		u.fail(n.pos, at.String(), "the program stands in an inner list", "Write the program first, by itself")
	case n.kind == list:
		holds := false
		a.Group = []registry.Template{}
		for i, item := range n.items {
			if item.scalar() && item.kind != null {
				t := u.template(at.index(i), item)
				holds = holds || len(t.Params()) > 0
				a.Group = append(a.Group, t)
			}
		}
		if !holds && len(n.items) > 0 {
			u.fail(n.pos, at.String(), "an inner list without a placeholder is never left out", "Write its elements in the outer list")
		}
	case n.scalar() && n.kind != null:
		a.Template = u.template(at, n)
		u.element(at, n, a.Template, program)
	}
	return a
}

// element checks an element that is always there.
func (u *uses) element(at *path, n *node, t registry.Template, program bool) {
	if program && len(t.Params()) > 0 {
		u.fail(n.pos, at.String(), "a placeholder in the program's name: an argument can't choose what runs", "Write the program out; make one method for each")
		return
	}
	if program && strings.TrimSpace(n.text) == "" {
		u.fail(n.pos, at.String(), "the program's name is empty", "Write the program, like [wc, -w]")
	}
	for _, name := range t.Params() {
		if p := u.param(name); p != nil && p.Optional && p.Default == nil {
			u.fail(n.pos, at.String(), fmt.Sprintf("{%s} may be absent", name),
				fmt.Sprintf("Put it in an inner list, which is then left out: [%s]", element(n.text)))
		}
	}
}

func (u *uses) param(name string) *registry.Param {
	for i := range u.params {
		if u.params[i].Name == name {
			return &u.params[i]
		}
	}
	return nil
}

// template reads a text with placeholders and notes which parameters it uses.
func (u *uses) template(at *path, n *node) registry.Template {
	if secretText(n.text) {
		u.clearSecret(at, n.pos, u.secrets)
	}
	if u.declared.broken() {
		return registry.Template{} // which parameters there are is not known
	}
	t := u.builder.template(at, n, u.params, "parameter")
	for _, name := range t.Params() {
		u.used[name] = true
	}
	return t
}

// template reads a text with placeholders, each of which has to name one of params.
func (b *builder) template(at *path, n *node, params []registry.Param, what string) registry.Template {
	if strings.ContainsRune(n.text, 0) {
		b.fail(n.pos, at.String(), "a NUL character", "Remove it")
		return registry.Template{}
	}
	t, err := registry.ParseTemplate(n.text)
	if err != nil {
		b.failText(n.pos, at, err.Error())
		return registry.Template{}
	}
	var names []string
	for i := range params {
		names = append(names, params[i].Name)
	}
	for _, name := range t.Params() {
		if contains(names, name) {
			continue
		}
		fix := nearest(name, names)
		if len(names) == 0 {
			fix = "Declare it under params."
		} else if !strings.HasSuffix(fix, "?") {
			fix += "."
		}
		b.fail(n.pos, at.String(), fmt.Sprintf("{%s} is no %s", name, what), fix+" Literal braces are written {{ and }}")
	}
	return t
}

// unused warns of parameters that are asked for and then not used.
func (u *uses) unused(at *path) {
	params := at.up.key("params")
	for _, p := range u.params {
		if !u.used[p.Name] {
			e := u.declared.step(p.Name)
			u.warn(e.pos, params.key(e.name).String(), "no part of "+u.what+" uses it", fmt.Sprintf("Use {%s} in %s, or remove it", p.Name, u.where))
		}
	}
}
