package config

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// method reads one method and adds it to the file when nothing is wrong with it.
func (b *builder) method(at *path, e entry) {
	n := e.value
	before := b.said()
	m := Method{Pos: e.pos}
	m.Name = e.name
	m.Title, m.Summary, m.Description = line(n.get("title")), line(n.get("summary")), strings.TrimSpace(words(n.get("description")))
	m.Effect = registry.Effect(words(n.get("effect")))
	m.Idempotent, m.OpenWorld = isTrue(n.get("idempotent")), isTrue(n.get("open_world"))
	m.Offer = registry.Offer(words(n.get("offer")))
	m.ResultCap = count(n.get("result_cap"))
	m.Rate = rateOf(n.get("rate"))
	m.StopOnCancel = words(n.get("on_cancel")) == "stop"
	m.Expose = exposeOf(n.get("expose"))
	m.RenderRange = b.renderRange(at.key("render_range"), n.get("render_range"))
	b.name(at, e, "method", m.Offer != registry.OfferMenu)
	b.timeout(at, n, &m)
	m.Params = b.readParams(at.key("params"), n.get("params"))
	m.Returns = b.readShape(at.key("returns"), n.get("returns"))
	b.approval(at, n, &m)
	kind := b.kind(at, e)
	switch kind {
	case "run":
		m.Command = b.command(at.key("run"), n.get("run"), n.get("params"), m.Params)
	case "http":
		m.HTTP, m.OpenWorld = b.endpoint(at.key("http"), n.get("http"), n.get("params"), &m), true
	case "value":
		b.fixed(at, n, &m)
	case "schema":
		b.form(at, n, &m)
	}
	b.sources(at, n, m.Params)
	b.methodWarnings(at, e, &m, kind)
	if b.said() == before && !n.flawed {
		b.prepare(at, e, &m.Method, m.Offer != registry.OfferMenu)
	}
	b.file.Methods = append(b.file.Methods, m)
	b.methods[m.Name] = len(b.file.Methods) - 1
}

// kind is the one key that says what the method does.
func (b *builder) kind(at *path, e entry) string {
	var given []string
	for _, k := range runs {
		if e.value.has(k) {
			given = append(given, k)
		}
	}
	switch len(given) {
	case 0:
		b.fail(e.pos, at.String(), "it does nothing", "Write run: [program, argument], http: {url: …}, value: or schema:")
		return ""
	case 1:
		return given[0]
	}
	second := e.value.at(given[1])
	b.fail(second.pos, at.String(), "it has "+join(given, "and"), "Keep one of them, or make several methods")
	return ""
}

func (b *builder) timeout(at *path, n *node, m *Method) {
	t := n.get("timeout")
	if t != nil && t.kind == mapping {
		at, t = at.key("timeout"), t.get("default")
		at = at.key("default")
	} else {
		at = at.key("timeout")
	}
	m.Timeout = durationOf(t)
	if m.Timeout > maxTimeout {
		b.fail(t.pos, at.String(), quote(t.text)+" is longer than the 10 minutes that a call may take", "Write at most 10m")
		m.Timeout = 0
	}
}

// approval reads requires_approval: true, a reason, or {if, reason}.
func (b *builder) approval(at *path, n *node, m *Method) {
	a := n.get("requires_approval")
	switch {
	case a == nil || a.kind == boolean && !isTrue(a):
		return
	case a.kind == text:
		m.Approval = &registry.Approval{Reason: line(a)}
		return
	}
	m.Approval = &registry.Approval{Reason: line(a.get("reason"))}
	if cond := a.get("if"); cond != nil && !cond.flawed {
		m.Approval.If = cond.json()
	}
}

// fixed reads a method that returns one value.
func (b *builder) fixed(at *path, n *node, m *Method) {
	m.Kind = registry.Value
	b.onlyReads(at, n, "a fixed value")
	if e := n.at("params"); e.value != nil {
		b.fail(e.pos, at.key("params").String(), "a fixed value takes no parameters", "Remove params, or write run or schema instead of value")
	}
	if v := n.get("value"); !v.flawed {
		m.Constant = v.json()
	}
}

// form reads a method whose caller fills in data.
func (b *builder) form(at *path, n *node, m *Method) {
	m.Kind = registry.Form
	b.onlyReads(at, n, "data that is filled in")
	if e := n.at("params"); e.value != nil {
		b.fail(e.pos, at.key("params").String(), "schema and params in one method", "Write the parameters as fields of schema")
	}
	m.Params = b.readParams(at.key("schema"), n.get("schema"))
}

func (b *builder) onlyReads(at *path, n *node, what string) {
	e := n.at("effect").value
	if e != nil && e.kind == text && e.text != string(registry.Read) && contains([]string{"write", "destructive"}, e.text) {
		b.fail(e.pos, at.key("effect").String(), what+" changes nothing", "Write effect: read, or leave it out")
	}
}

// prepare lets the registry look at a method, and at whether it can be a tool, so that what it refuses is said with a place.
func (b *builder) prepare(at *path, e entry, m *registry.Method, tool bool) {
	try := *m
	if try.Kind != registry.Value && try.Kind != registry.Form {
		try.Run = func(context.Context, registry.Args) (any, error) { return nil, nil }
	}
	try.Params = fillable(m.Params)
	ready, err := registry.Prepare(try)
	if err == nil {
		m.Share(ready)
		if tool {
			b.toolSchema(at, e, m, ready.InputSchema())
		}
		return
	}
	var method *registry.MethodError
	if !errors.As(err, &method) {
		b.fail(e.pos, at.String(), err.Error(), "")
		return
	}
	for _, f := range method.Flaws {
		keys := flawKeys(f.Path, m)
		where := at.below(keys)
		if b.schemaFaults(where, e, keys, f.Message) {
			continue
		}
		pos := e.pos
		if len(keys) > 0 {
			pos = e.value.find(keys)
			if pos == e.value.pos {
				pos = e.pos
			}
		}
		b.failText(pos, where, f.Message)
	}
}

// toolSchema reports what keeps a method, or the inputs of a decision, from being a tool.
func (b *builder) toolSchema(at *path, e entry, m *registry.Method, schema []byte) {
	var refused *validate.SchemaError
	if !errors.As(registry.CheckToolSchema(schema), &refused) {
		return
	}
	keys := flawKeys("params", m)
	for _, f := range refused.Faults {
		if at.up.name == "methods" {
			f.Fix += ", or offer: menu"
		}
		b.schemaFault(at.below(keys), e, keys, f)
	}
}

// failText reports a message of the registry, whose second half says what to do.
func (b *builder) failText(pos Pos, at *path, text string) {
	message, fix, _ := strings.Cut(text, "; ")
	b.fail(pos, at.String(), strings.TrimSuffix(message, "."), sentence(fix))
}

// faultStart is how each fault of a JSON Schema starts in a message of the registry, with its JSON Pointer.
var faultStart = regexp.MustCompile(`(?:^schema|;) at (/\S*): `)

// schemaFaults reports the faults of a JSON Schema one by one, each at its place in the file.
func (b *builder) schemaFaults(at *path, e entry, keys []string, message string) bool {
	starts := faultStart.FindAllStringSubmatchIndex(message, -1)
	if len(starts) == 0 || starts[0][0] != 0 {
		return false
	}
	for i, s := range starts {
		end := len(message)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		text, fix := strings.TrimSpace(message[s[1]:end]), ""
		if i := strings.LastIndex(text, " ("); i >= 0 && strings.HasSuffix(text, ")") {
			text, fix = text[:i], text[i+2:len(text)-1]
		}
		b.schemaFault(at, e, keys, validate.Fault{Pointer: message[s[2]:s[3]], Message: text, Fix: fix})
	}
	return true
}

func (b *builder) schemaFault(at *path, e entry, keys []string, f validate.Fault) {
	const most = 300 // bytes of a pointer that are shown
	shown := f.Pointer
	if len(shown) > most {
		shown = strings.ToValidUTF8(shown[:most], "") + "…"
	}
	if strings.ContainsFunc(shown, hidden) {
		shown = strconv.Quote(shown)
	}
	b.fail(e.value.pointed(keys, f.Pointer), at.String(), f.Message+", at "+shown, sentence(f.Fix))
}

// flawKeys are the keys of this file for a path of the registry: params.limit.enum[1].
func flawKeys(flaw string, m *registry.Method) []string {
	keys := strings.FieldsFunc(flaw, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
	if len(keys) == 0 {
		return nil
	}
	switch keys[0] {
	case "params":
		if m.Kind == registry.Form {
			keys[0] = "schema"
		}
	case "approval":
		keys[0] = "requires_approval"
	}
	return keys
}

// fillable gives the hidden parameters that the source fills a Fill that is never called.
func fillable(params []registry.Param) []registry.Param {
	out := append([]registry.Param(nil), params...)
	for i := range out {
		if isReference(out[i].From) {
			out[i].Fill = func(context.Context, registry.Caller) (any, error) { return nil, errNotHere }
		}
	}
	return out
}

var errNotHere = errors.New("the configuration is only read here")

// callerSources are the facts about a caller that can fill a hidden parameter.
var callerSources = []string{"caller.id", "caller.roles"}

// sources checks where hidden parameters get their values from.
func (b *builder) sources(at *path, n *node, params []registry.Param) {
	for _, p := range params {
		if p.From == "" || contains(callerSources, p.From) {
			continue
		}
		e := n.get("params").step(p.Name)
		where := at.key("params").key(e.name).key("from")
		from := e.value.get("from")
		if from == nil {
			continue // in a schema, which the registry refuses
		}
		if isReference(p.From) {
			b.reference(where, from)
			continue
		}
		fix := "Write from: caller.id, caller.roles, env:NAME or file:PATH"
		if near := near(p.From, callerSources); near != "" {
			fix = "Did you mean " + near + "?"
		}
		b.fail(from.pos, where.String(), "no value comes from there", fix) // not shown: it may be a secret
	}
}
