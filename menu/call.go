package menu

import (
	"iter"
	"slices"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// A call is what an object says when it is a pick: which option, and where its arguments
// stand. Whether the option exists and the arguments are sound is not its business.
type call struct {
	text     string   // what the spans below are of
	members  []member // beside which the call stands
	name     span     // with its quotes when it is a text
	keys     []string // the keys that said the name, for the search of arguments beside them
	named    bool     // by "name", beside which only whole arguments stand
	conflict string   // why the object can be read in several ways; "" = it can't
}

var (
	callKeys     = []string{"call", "action", "function", "tool"}
	argumentKeys = []string{"args", "arguments", "parameters", "params", "input", "action_input", "tool_input", "payload"}
	wrapperKeys  = []string{"output", "response", "result", "answer", "final_answer", "final"}
)

const maxWrappers = 2

// callOf finds the call in an object. ok is false when the object is data. Nothing below the
// members of the object is looked at, but for the few enclosing keys that formats of tool calls have.
func callOf(text string, members []member, level int) (call, bool) {
	c := call{text: text, members: members}
	ok := c.byCallKey() || c.byDecision() || c.byName() || c.byToolCalls(level) || c.byWrapper(level)
	return c, ok
}

// values are the values of the members with that key.
func (c *call) values(key string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for _, m := range c.members {
			if c.isKey(m.key, key) && !yield(m.value) {
				return
			}
		}
	}
}

func (c *call) isKey(written span, key string) bool {
	n := written.to - written.from
	if n == len(key) {
		return written.of(c.text) == key
	}
	return n > len(key) && n <= 6*len(key) && unquoted(written.of(c.text)) == key
}

func (c *call) has(keys ...string) bool {
	for _, key := range keys {
		for range c.values(key) {
			return true
		}
	}
	return false
}

// say sets the name, or notes that two were given.
func (c *call) say(key string, value span) {
	if !slices.Contains(c.keys, key) {
		c.keys = append(c.keys, key)
	}
	if c.name.to > 0 && sameText(c.name.of(c.text), value.of(c.text)) {
		return
	}
	if c.name.to > 0 {
		c.conflict = "two call keys or values that differ: " + fold(c.name.of(c.text), maxCalled) + " and " + fold(value.of(c.text), maxCalled)
		return
	}
	c.name = value
}

func sameText(a, b string) bool {
	return a == b || a[0] == '"' && b[0] == '"' && unquoted(a[1:len(a)-1]) == unquoted(b[1:len(b)-1])
}

// byCallKey reads {"call": name}, and {"function": {"name": name, "arguments": {}}}.
func (c *call) byCallKey() bool {
	for _, key := range callKeys {
		for v := range c.values(key) {
			c.say(key, v)
		}
	}
	if len(c.keys) == 1 && c.keys[0] == "function" && c.text[c.name.from] == '{' && c.conflict == "" {
		inner := c.inside(c.name)
		if !inner.byName() {
			return true // an object is no name
		}
		if c.has(argumentKeys...) || c.has("name") {
			inner.conflict = "a name or arguments inside the function and beside it"
		}
		*c = inner
	}
	return len(c.keys) > 0
}

// byDecision reads {"decision": name, "reasoning": "", "payload": {}}.
func (c *call) byDecision() bool {
	if !c.has("payload", "reasoning") {
		return false
	}
	return c.sayAll("decision")
}

// byName reads {"name": name, "arguments": {}}.
func (c *call) byName() bool {
	if !c.has("arguments", "parameters", "input") {
		return false
	}
	c.named = c.sayAll("name")
	return c.named
}

func (c *call) sayAll(key string) bool {
	for v := range c.values(key) {
		c.say(key, v)
	}
	return len(c.keys) > 0
}

// byToolCalls reads {"tool_calls": [{"function": {"name": name, "arguments": {}}}]}, unless it is the message of somebody else.
func (c *call) byToolCalls(level int) bool {
	if level == maxWrappers {
		return false
	}
	for role := range c.values("role") {
		if !sameText(role.of(c.text), `"assistant"`) {
			return false
		}
	}
	var found []call
	for list := range c.values("tool_calls") {
		s := skimmer{text: c.text, pos: list.from}
		if s.value(); c.text[list.from] != '[' {
			continue
		}
		for _, item := range s.items {
			if inner := c.inside(item); inner.byCallKey() || inner.byName() {
				found = append(found, inner)
			}
		}
		if n := len(found); n > 0 && s.count > n {
			found[0].conflict = "a call in a list beside something else"
		}
	}
	return c.only(found)
}

// byWrapper opens one enclosing key that only says "here is the answer".
func (c *call) byWrapper(level int) bool {
	if level == maxWrappers {
		return false
	}
	var found []call
	for _, key := range wrapperKeys {
		for v := range c.values(key) {
			if c.text[v.from] != '{' {
				continue
			}
			inner := c.inside(v)
			if deeper, ok := callOf(inner.text, inner.members, level+1); ok {
				found = append(found, deeper)
			}
		}
	}
	return c.only(found)
}

// only takes over the one call that was found; several are several readings.
func (c *call) only(found []call) bool {
	if len(found) == 0 {
		return false
	}
	*c = found[0]
	if len(found) > 1 {
		c.conflict = "several calls in one object: " + fold(found[0].name.of(found[0].text), maxCalled) + " and " + fold(found[1].name.of(found[1].text), maxCalled)
	}
	return true
}

// inside opens an object that was skimmed as a value.
func (c *call) inside(object span) call {
	s := skimmer{text: c.text, pos: object.from}
	s.value()
	return call{text: c.text, members: s.members}
}

// arguments finds the argument object of an option's call. raw is "" when none is given. beside
// reports that the arguments stand beside the call key, without a key of their own.
func (c *call) arguments(o *registry.Option) (raw string, beside bool, problem *validate.Problem) {
	var given []span
	for _, key := range argumentKeys {
		for v := range c.values(key) {
			switch c.meaning(o, key, v) {
			case either:
				return "", false, &validate.Problem{Kind: validate.Ambiguous, Path: key, Expected: `the arguments under "args"`,
					Read: "an object that may be all arguments or the one named " + key}
			case allArguments:
				given = append(given, v)
			}
		}
	}
	if len(given) == 0 {
		return c.besides(o), true, nil
	}
	for _, v := range given[1:] {
		if v.of(c.text) != given[0].of(c.text) {
			return "", false, &validate.Problem{Kind: validate.Ambiguous, Path: "args",
				Expected: "one argument object", Read: "two that differ", Hint: `Give the arguments once, under "args"`}
		}
	}
	raw, problem = argumentObject(given[0].of(c.text), 0)
	return raw, false, problem
}

// meaning says what stands under an argument key: all arguments, or the option's parameter of
// that name.
func (c *call) meaning(o *registry.Option, key string, value span) meaning {
	p := parameter(o, key)
	if p == nil || key == "args" || c.named {
		return allArguments
	}
	if c.text[value.from] != '{' {
		return oneParameter
	}
	if p.Type == registry.Object || p.Type == registry.Any {
		return either
	}
	return allArguments
}

type meaning int

const (
	allArguments meaning = iota
	oneParameter
	either
)

// besides makes an object of the known parameters beside the call key, hidden ones included:
// that those may not be given is for the checks to say.
func (c *call) besides(o *registry.Option) string {
	b := []byte{'{'}
	for _, m := range c.members {
		key := unquoted(m.key.of(c.text))
		if slices.Contains(c.keys, key) || parameter(o, key) == nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.key.of(c.text)...), `":`...)
		b = append(b, m.value.of(c.text)...)
	}
	return string(append(b, '}'))
}

func parameter(o *registry.Option, name string) *registry.Param {
	if o.Method == nil {
		return nil
	}
	for i := range o.Method.Params {
		if o.Method.Params[i].Name == name {
			return &o.Method.Params[i]
		}
	}
	return nil
}

// argumentObject reads the value under an argument key: an object, nothing (null, an empty text
// or list), or a text that holds one of those, encoded twice at most. A list that holds something comes with its problem.
func argumentObject(value string, level int) (raw string, problem *validate.Problem) {
	s := skimmer{text: value}
	switch {
	case value[0] == '{':
		return value, nil
	case value == "null" || value == `""`:
		return "", nil
	case value[0] == '[':
		if s.value(); len(s.items) == 0 && isBlank(value[1:len(value)-1]) {
			return "", nil
		}
		return value, badArgs("a list")
	case value[0] != '"':
		return "", badArgs(bareKind(value))
	case level == 2:
		return "", badArgs("a text that holds a text")
	}
	inside := trimUnseen(unquoted(value[1 : len(value)-1]))
	s.text = inside
	if inside == "" || !s.value() || s.pos != len(inside) {
		return "", badArgs("a text that holds no JSON object")
	}
	return argumentObject(inside, level+1)
}

// bareKind names a value that is neither text nor list nor object.
func bareKind(value string) string {
	if value == "true" || value == "false" {
		return value
	}
	return "a number"
}

func badArgs(read string) *validate.Problem {
	return &validate.Problem{Kind: validate.BadArgs, Path: "args", Expected: "an object", Read: read}
}
