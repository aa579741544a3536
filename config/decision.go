package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// maxTTL is the longest that a turn stays open.
const maxTTL = 30 * 24 * time.Hour

// decision reads one decision and adds it to the file.
func (b *builder) decision(at *path, e entry) {
	n := e.value
	d := Decision{Pos: e.pos, Name: e.name, Title: line(n.get("title")), Summary: line(n.get("summary")), MaxRetries: 1}
	b.name(at, e, "decision", true)
	d.Params = b.readParams(at.key("params"), n.get("params"))
	b.sources(at, n, d.Params)
	b.inputs(at, e, d.Params)
	b.prompt(at, n, &d)
	if retries := n.get("max_retries"); retries != nil {
		d.MaxRetries = count(retries)
	}
	d.None = isTrue(n.get("none"))
	d.Style = words(n.get("style"))
	d.Lenient = words(n.get("reading")) == "lenient"
	d.TTL = durationOf(n.get("ttl"))
	if d.TTL > maxTTL {
		ttl := n.get("ttl")
		b.fail(ttl.pos, at.key("ttl").String(), quote(ttl.text)+" is longer than the 30 days that a turn may stay open", "Write at most 30d")
	}
	d.Options = b.options(at.key("options"), n.get("options"))
	d.OnFailure = words(n.get("on_failure"))
	b.onFailure(at.key("on_failure"), n, d.Options)
	d.Phrases = b.phrases(at.key("phrases"), n, &d)
	b.file.Decisions = append(b.file.Decisions, d)
}

// inputs lets the registry look at the inputs of a decision.
func (b *builder) inputs(at *path, e entry, params []registry.Param) {
	before := b.said()
	for _, p := range params {
		if p.Hidden() {
			s := e.value.get("params").step(p.Name)
			b.fail(s.pos, at.key("params").key(s.name).String(), "an input of a decision can't be filled in by the server", "Hide it in the params of the methods")
		}
	}
	if b.said() == before && !e.value.get("params").broken() && registry.CheckName(e.name) == nil {
		b.prepare(at, e, &registry.Method{Name: e.name, Summary: "Opens a turn.", Params: params}, true)
	}
	b.undescribed(at.key("params"), e.value.get("params"), params)
}

// prompt reads the prompt, whose placeholders name inputs.
func (b *builder) prompt(at *path, n *node, d *Decision) {
	prompt := n.get("prompt")
	if prompt == nil || prompt.kind != text {
		return
	}
	where := at.key("prompt")
	if strings.TrimSpace(prompt.text) == "" {
		b.fail(prompt.pos, where.String(), "the prompt is empty", "Write what is to be decided")
	}
	d.Prompt = prompt.text
	if n.get("params").broken() {
		return
	}
	t := b.template(where, prompt, d.Params, "input")
	used := t.Params()
	for _, p := range d.Params {
		if !contains(used, p.Name) {
			e := n.get("params").step(p.Name)
			b.warn(e.pos, at.key("params").key(e.name).String(), "the prompt does not use it", fmt.Sprintf("Use {%s} in the prompt, or remove it", p.Name))
		}
	}
}

// options reads the options of a decision, in order.
func (b *builder) options(at *path, n *node) []Option {
	var out []Option
	var names registry.Names
	add := func(at *path, name string, pos Pos, v *node) {
		o, ok := b.option(at, name, pos, v)
		if !ok {
			n.flawed = true
			return
		}
		b.optionName(at, name, pos, &names)
		b.pastDecision(at, &o)
		out = append(out, o)
	}
	switch {
	case n == nil:
	case n.kind == mapping:
		seen := map[string]bool{}
		for _, e := range n.keys {
			if !seen[e.name] {
				add(at.key(e.name), e.name, e.pos, e.value)
			}
			seen[e.name] = true
		}
	case n.kind == list:
		for i, item := range n.items {
			switch {
			case item.kind == text:
				add(at.index(i), item.text, item.pos, item)
			case item.kind == mapping && len(item.keys) == 1:
				add(at.index(i).key(item.keys[0].name), item.keys[0].name, item.keys[0].pos, item.keys[0].value)
			case item.kind == mapping && len(item.keys) > 1:
				b.fail(item.pos, at.index(i).String(), "an option of several keys in a list", "Write - name: {method: …}, or a map of options")
			}
		}
	}
	return out
}

func (b *builder) optionName(at *path, name string, pos Pos, names *registry.Names) {
	err := registry.CheckName(name)
	if err == nil && registry.Skeleton(name) == registry.Skeleton(noneOfThese) {
		b.fail(pos, at.String(), noneOfThese+" is the name of the option that abstains", "Write none: true for it, or rename yours")
		return
	}
	if err == nil {
		err = names.Add(name)
	}
	if err != nil {
		b.failText(pos, at, err.Error())
	}
}

// option reads one option; ok is false when its form is wrong.
func (b *builder) option(at *path, name string, pos Pos, n *node) (o Option, ok bool) {
	o = Option{Name: name, Pos: pos}
	if n.kind == text {
		o.Method = n.text
		return o, b.known(at, n)
	}
	if n.kind != mapping {
		return o, false
	}
	o.Description = strings.TrimSpace(words(n.get("description")))
	o.Again = words(n.get("then")) == "again"
	var given []string
	for _, k := range picks {
		if n.has(k) {
			given = append(given, k)
		}
	}
	if len(given) != 1 {
		message, fix := "the option has nothing to pick", "Write method:, value: or schema:"
		if len(given) > 1 {
			message, fix = "the option has "+join(given, "and"), "Keep one of them, or make several options"
		}
		b.fail(pos, at.String(), message, fix)
		return o, false
	}
	switch given[0] {
	case "method":
		o.Method = words(n.get("method"))
		ok = n.get("method").kind == text && b.known(at.key("method"), n.get("method"))
		b.again(at, n, o)
		return o, ok
	case "value":
		if v := n.get("value"); !v.flawed {
			o.Value = v.json()
			ok = b.own(at, entry{name, pos, n}, &registry.Method{Name: name, Kind: registry.Value, Constant: o.Value})
		}
	case "schema":
		fields := n.get("schema")
		if fields.flawed {
			return o, false
		}
		before := b.said()
		o.Fields = append([]registry.Param{}, b.readParams(at.key("schema"), fields)...)
		ok = before == b.said() && b.own(at, entry{name, pos, n}, &registry.Method{Name: name, Kind: registry.Form, Params: o.Fields})
		b.undescribed(at.key("schema"), fields, o.Fields)
	}
	if o.Description == "" {
		b.warn(pos, at.String(), "no description says when to pick it", "Write description: and when to pick it")
	}
	if o.Again {
		b.fail(n.at("then").pos, at.key("then").String(), "then: again stands beside "+given[0], "Only an option with a method that reads can go on; remove then")
	}
	return o, ok
}

// own lets the registry look at an option that is a method of its own.
func (b *builder) own(at *path, e entry, m *registry.Method) bool {
	if registry.CheckName(m.Name) != nil {
		return true // said for the option's name
	}
	before := b.said()
	b.prepare(at, e, m, false)
	return before == b.said()
}

// known makes sure that an option's method stands in the file.
func (b *builder) known(at *path, n *node) bool {
	if _, ok := b.methods[n.text]; ok {
		return true
	}
	if m := b.root.get("methods"); m.has(n.text) || b.full() {
		return false // its own form is wrong, or enough is said
	}
	var all []string
	for _, m := range b.file.Methods[:min(len(b.file.Methods), 500)] {
		all = append(all, m.Name)
	}
	fix := "Add it under methods, or write {value: …, description: …} for a fixed value"
	if near := near(n.text, all); near != "" {
		fix = "Did you mean " + near + "?"
	}
	b.fail(n.pos, at.String(), "no method is called "+quote(n.text), fix)
	return false
}

// again makes sure that only options that read go on.
func (b *builder) again(at *path, n *node, o Option) {
	m := b.find(o.Method)
	if !o.Again || m == nil || b.effect(m) == registry.Read {
		return
	}
	b.fail(n.at("then").pos, at.key("then").String(), fmt.Sprintf("the method %s has effect %s, and only one that reads can go on", o.Method, b.effect(m)),
		"Remove then, or write effect: read if the method changes nothing")
}

func (b *builder) find(method string) *Method {
	i, ok := b.methods[method]
	if !ok {
		return nil
	}
	return &b.file.Methods[i]
}

func (b *builder) effect(m *Method) registry.Effect {
	if m.Kind == registry.Value || m.Kind == registry.Form {
		return registry.Read
	}
	return m.Effect.Or()
}

// onFailure checks the option that is taken after the last refused answer: it runs without anybody having picked it.
func (b *builder) onFailure(at *path, decision *node, options []Option) {
	n := decision.get("on_failure")
	if n == nil || n.kind != text {
		return
	}
	var names []string
	for i := range options {
		if options[i].Name == n.text {
			if why, fix := b.unfit(&options[i]); why != "" {
				b.fail(n.pos, at.String(), fmt.Sprintf("the option %s %s", n.text, why), fix)
			}
			return
		}
		names = append(names, options[i].Name)
	}
	if decision.get("options").broken() || len(options) == 0 {
		return // it may be one that could not be read
	}
	if n.text == noneOfThese {
		b.fail(n.pos, at.String(), noneOfThese+" decides nothing", "Leave on_failure out: then nothing is done, and it is said so")
		return
	}
	b.fail(n.pos, at.String(), "no option is called "+quote(n.text), nearest(n.text, names))
}

// unfit says why an option can't be taken by itself; "" when it can.
func (b *builder) unfit(o *Option) (why, fix string) {
	const other = "Name an option with a value, or one that only reads"
	if o.Again {
		return "goes on after it", other
	}
	if effect := b.effectOf(o); effect != registry.Read {
		return "has effect " + string(effect) + ", and nobody has picked it", other
	}
	if m := b.find(o.Method); m != nil && m.Approval != nil {
		return "needs an approval", other
	}
	if param := b.needs(o); param != "" {
		return "needs a value for " + param, other
	}
	return "", ""
}

// effectOf is the effect of picking an option.
func (b *builder) effectOf(o *Option) registry.Effect {
	if m := b.find(o.Method); m != nil {
		return b.effect(m)
	}
	return registry.Read
}

// needs is the first parameter of an option for which a value has to be given; "" when there is none.
func (b *builder) needs(o *Option) string {
	params := o.Fields
	if m := b.find(o.Method); m != nil {
		params = m.Params
	}
	for _, p := range params {
		if p.Required() {
			return p.Name
		}
	}
	return ""
}
