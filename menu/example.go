package menu

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

const (
	exampleFrom   = 2   // the refused attempt behind which an example is shown
	maxWorked     = 500 // characters of an example
	maxServing    = 20  // options that are tried for one
	maxRounds     = 8   // checks of one option's example
	maxCandidates = 4   // listed values of one parameter that are tried
)

// Example is the worked example that Again shows behind a refused attempt, of the options that were asked about: a pick that fits,
// with values made of what is declared. ok is false when none is shown.
//
// It is of an option that only reads and that nobody has to agree to, of another than the one that was tried where there is one, and
// has a value that is no choice among a few. Then a pick that equals it is a copy of the example, and not what somebody
// picked: see Reading.Shown.
func Example(options []registry.Option, attempt int, tried *registry.Option) (p Pick, ok bool) {
	if attempt < exampleFrom {
		return Pick{}, false
	}
	left := maxServing
	for _, own := range []bool{false, true} {
		for i := range options {
			o := &options[i]
			if own != (tried != nil && tried.Name == o.Name) || !mayServe(o) {
				continue
			}
			if left--; left < 0 {
				return Pick{}, false
			}
			if args, ok := workedArgs(o); ok {
				return Pick{Name: o.Name, Args: args}, true
			}
		}
	}
	return Pick{}, false
}

// isShown reports whether a reading is a copy of an example that was shown.
func (r *reader) isShown(rd *reading) bool {
	for _, p := range r.how.Shown {
		if p.Name == rd.name && canonical(p.Args) == rd.canonical() {
			return true
		}
	}
	return false
}

// mayServe reports whether an option may be used for an example: it changes nothing, can be picked now, and takes arguments.
func mayServe(o *registry.Option) bool {
	m := o.Method
	if m == nil || m.InputSchema() == nil || m.Kind == registry.Value || effect(o) != registry.Read || m.Approval != nil || m.Off != "" {
		return false
	}
	for range visible(o) {
		return true
	}
	return false
}

// workedArgs are arguments that the option's own check takes. What the check says about a try goes into the next one.
func workedArgs(o *registry.Option) (json.RawMessage, bool) {
	e := exampler{mended: map[string]string{}, next: map[string]int{}}
	for range maxRounds {
		raw := e.arguments(o)
		if len(raw) > maxWorked {
			return nil, false
		}
		_, err := o.Method.Check(raw)
		if err == nil {
			_, dropped, _ := cleaned(string(raw), o.Method.Params, false, false)
			return raw, e.free && len(dropped) == 0
		}
		if !e.learn(err) {
			break
		}
	}
	return nil, false
}

// exampler makes up arguments. Places are named as the paths of problems are.
type exampler struct {
	out    []byte
	free   bool              // some value is not one of a few
	mended map[string]string // literals that the check has named, by place
	next   map[string]int    // which candidate is tried at a place
	rest   map[string]int    // how many there are
}

// learn takes up what the check said; false when it said nothing new.
func (e *exampler) learn(err error) (more bool) {
	var invalid *validate.Error
	if !errors.As(err, &invalid) {
		return false
	}
	for _, p := range invalid.Problems {
		switch {
		case e.mended[p.Path] != p.Example && isValue(p.Example):
			e.mended[p.Path], more = p.Example, true
		case e.next[p.Path]+1 < e.rest[p.Path]:
			delete(e.mended, p.Path)
			e.next[p.Path]++
			more = true
		}
	}
	return more
}

// arguments are the required ones, and the first optional one if those leave no choice that is free.
func (e *exampler) arguments(o *registry.Option) json.RawMessage {
	e.out, e.free, e.rest = []byte{'{'}, false, map[string]int{}
	for p := range visible(o) {
		if p.Required() {
			e.member(p, "args", 0)
		}
	}
	for p := range visible(o) {
		if e.free {
			break
		}
		if p.Required() {
			continue
		}
		before := len(e.out)
		if e.member(p, "args", 0); !e.free {
			e.out = e.out[:before]
		}
	}
	return append(e.out, '}')
}

func (e *exampler) member(p *registry.Param, path string, depth int) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ", "...)
	}
	e.out = append(appendString(e.out, p.Name), ": "...)
	e.value(p, validate.Child(path, p.Name), depth)
}

func (e *exampler) value(p *registry.Param, path string, depth int) {
	p = readable(p)
	if literal, ok := e.mended[path]; ok {
		e.literal(p, json.RawMessage(literal))
		return
	}
	candidates := candidatesOf(p)
	inner := depth < maxLevel && (p.Type == registry.Object && p.Fields != nil || p.Type == registry.Array && p.Items != nil)
	if e.rest[path] = len(candidates); inner {
		e.rest[path]++ // what is below it comes first
	}
	n := e.next[path]
	if inner {
		if n--; n < 0 {
			e.inside(p, path, depth)
			return
		}
	}
	if n < len(candidates) {
		e.literal(p, candidates[n])
		return
	}
	e.literal(p, json.RawMessage("null"))
}

func (e *exampler) literal(p *registry.Param, literal json.RawMessage) {
	e.free = e.free || isFree(p, string(literal))
	e.out = appendLiteral(e.out, literal)
}

func (e *exampler) inside(p *registry.Param, path string, depth int) {
	if p.Type == registry.Array {
		e.out = append(e.out, '[')
		e.value(p.Items, path+"["+strconv.Itoa(0)+"]", depth+1)
		e.out = append(e.out, ']')
		return
	}
	e.out = append(e.out, '{')
	for i := range p.Fields {
		if p.Fields[i].Required() {
			e.member(&p.Fields[i], path, depth+1)
		}
	}
	e.out = append(e.out, '}')
}

// isFree reports whether a value that was made up is one of so many that nobody comes to it by chance.
func isFree(p *registry.Param, literal string) bool {
	switch {
	case len(p.Enum) > 0:
		return false
	case p.Type == registry.String:
		return literal != `""`
	case p.Type == registry.Integer:
		return literal == oddInteger
	case p.Type == registry.Array:
		return p.Items != nil && literal != "[]" && readable(p.Items).Type == registry.String && isFree(readable(p.Items), "")
	}
	return false
}

// candidatesOf are values that may fit, the likeliest first: listed ones, those that the author gave as examples, made-up ones.
func candidatesOf(p *registry.Param) []json.RawMessage {
	if len(p.Enum) > 0 {
		return p.Enum[:min(len(p.Enum), maxCandidates)]
	}
	var all []json.RawMessage
	if v := placeholderValue(p); v != nil {
		all = append(all, v)
	}
	var examples []json.RawMessage
	if json.Unmarshal(keywords(p.Keywords).value("examples"), &examples) == nil {
		for _, v := range examples[:min(len(examples), maxCandidates)] {
			if isValue(string(v)) {
				all = append(all, v)
			}
		}
	}
	for _, word := range madeUp[p.Type] {
		all = append(all, json.RawMessage(word))
	}
	if p.Default != nil && !p.Secret {
		all = append(all, p.Default)
	}
	return all
}

const oddInteger = "4217"

// madeUp are values that show that they are: nobody takes them for some of the task.
var madeUp = map[registry.Type][]string{
	registry.String:  {`"example"`},
	registry.Integer: {oddInteger, "7", "0"},
	registry.Number:  {"12.5", "0"},
	registry.Boolean: {"true", "false"},
	registry.Array:   {"[]"},
	registry.Object:  {"{}"},
	registry.Any:     {`"example"`, "{}"},
}

// placeholderValue is the author's example of a value as JSON; nil when it is none.
func placeholderValue(p *registry.Param) json.RawMessage {
	literal := p.Placeholder
	if p.Type == registry.String && literal != "" {
		literal = string(appendString(nil, literal))
	}
	if !isValue(literal) {
		return nil
	}
	return bytes.TrimSpace([]byte(literal))
}

// isValue reports whether a text is JSON that the reader does not take for a value that was left out.
func isValue(literal string) bool {
	if !json.Valid([]byte(literal)) {
		return false
	}
	inside, isText := strings.CutPrefix(strings.TrimSpace(literal), `"`)
	return !isText || !isPlaceholder(strings.TrimSuffix(inside, `"`), nil)
}
