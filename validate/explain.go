package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const maxProblems = 50

// fault is one word of a schema that a value breaks.
type fault struct {
	node  *node // the schema; nil when it is not known
	word  string
	path  path
	value any    // what stands at path
	name  string // the key in question: missing, unknown, or not fit to be a key
	cause string // the key that makes name required
	note  string // the library's own message

	// of several alternatives that fail at the same place, what any of them takes
	types    types
	literals []any
}

// problems checks a value and words what is wrong with it.
func (e *engine) problems(c *compiled, root string, v any) []Problem {
	err := e.root.Validate(v)
	if err == nil {
		return nil
	}
	invalid, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return refused(root, "this value can't be checked: "+printable(cut(err.Error(), 200)))
	}
	x := explainer{schema: c, engine: e, value: v, left: maxVisits / 10}
	all := withoutEchoes(x.faults(invalid))
	x.sort(all)
	return x.worded(root, all)
}

// explainer turns the library's tree of errors into faults.
type explainer struct {
	schema *compiled
	engine *engine
	value  any
	left   int            // visits that may still be spent on finding examples
	rank   map[string]int // of the declared properties; nil = not numbered yet
}

func (x *explainer) faults(e *jsonschema.ValidationError) []fault {
	switch e.Message {
	case "anyOf failed", "oneOf failed":
		var ways [][]fault
		for _, cause := range e.Causes {
			way := x.faults(cause)
			x.sort(way)
			ways = append(ways, way)
		}
		path, value := locate(x.value, e.InstanceLocation)
		return likeliest(fault{node: x.nodeOf(e, 1), word: lastToken(e.KeywordLocation), path: path, value: value}, ways)
	}
	if word := lastToken(e.KeywordLocation); len(e.Causes) == 0 || word == "minContains" {
		return x.leaf(e)
	}
	var all []fault
	for _, cause := range e.Causes {
		all = append(all, x.faults(cause)...)
	}
	return all
}

// withoutEchoes drops what is said of a number beside "not an integer": its bounds do not
// matter any more. (The library itself says nothing further of a value of another type.)
func withoutEchoes(all []fault) []fault {
	type spot struct {
		node  *node
		place string
	}
	wrong := map[spot]bool{}
	for _, f := range all {
		if f.note == notInteger {
			wrong[spot{f.node, f.path.in("")}] = true
		}
	}
	if len(wrong) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f fault) bool {
		return f.note != notInteger && wrong[spot{f.node, f.path.in("")}]
	})
}

// leaf is what one error without causes says; several faults when it names several keys.
func (x *explainer) leaf(e *jsonschema.ValidationError) []fault {
	f := fault{note: e.Message}
	f.path, f.value = locate(x.value, e.InstanceLocation)
	if key, ok := keyInQuestion(e.KeywordLocation, f.path); ok {
		f.path, f.name, f.value = f.path[:len(f.path)-1], key, key
	}
	at := pointerOf(fragment(e.AbsoluteKeywordLocation))
	if n := x.schema.nodes[at]; n != nil && n.always != nil && e.Message == "not allowed" {
		return []fault{x.forbidden(f, n)}
	}
	tokens := strings.Split(at, "/")
	for drop := 1; drop <= 3 && drop < len(tokens); drop += 2 {
		end := len(tokens) - drop
		if n := x.schema.nodes[strings.Join(tokens[:end], "/")]; n != nil {
			f.node, f.word = n, tokens[end]
			if drop == 3 {
				f.cause = unescapePointer(tokens[end+1])
			}
			break
		}
	}
	return f.each()
}

// forbidden is a value where the schema false stands.
func (x *explainer) forbidden(f fault, n *node) fault {
	f.node, f.word = n.outer, "false"
	last := lastToken(n.at)
	if len(f.path) > 0 && (last == "unevaluatedProperties" || last == "additionalProperties") {
		f.word, f.name, f.path = last, f.path[len(f.path)-1].key, f.path[:len(f.path)-1]
	}
	return f
}

// each splits a fault that stands for several keys.
func (f fault) each() []fault {
	if f.node == nil {
		return []fault{f}
	}
	object, _ := f.value.(map[string]any)
	var names []string
	switch f.word {
	case "required":
		for _, name := range f.node.required {
			if _, ok := object[name]; !ok {
				names = append(names, name)
			}
		}
	case "dependentRequired", "dependencies":
		lists, _ := f.node.words[f.word].(map[string]any)
		for _, name := range textList(lists[f.cause]) {
			if _, ok := object[name]; !ok {
				names = append(names, name)
			}
		}
	case "additionalProperties":
		for name := range object {
			if !f.node.declares(name) {
				names = append(names, name)
			}
		}
	default:
		return []fault{f}
	}
	all := make([]fault, len(names))
	for i, name := range names {
		all[i] = f
		all[i].name = name
	}
	return all
}

func (n *node) declares(key string) bool {
	if n.propAt[key] != nil {
		return true
	}
	for _, p := range n.patterns {
		if p.re.MatchString(key) {
			return true
		}
	}
	return false
}

func (x *explainer) nodeOf(e *jsonschema.ValidationError, drop int) *node {
	tokens := strings.Split(pointerOf(fragment(e.AbsoluteKeywordLocation)), "/")
	return x.schema.nodes[strings.Join(tokens[:max(len(tokens)-drop, 1)], "/")]
}

// keyInQuestion tells whether an error is about a key, not the value under it: its way through
// the schema goes by propertyNames. A property may have that name too, so the way is read step by step.
func keyInQuestion(way string, p path) (string, bool) {
	tokens := strings.Split(way, "/")
	for i := 1; i < len(tokens); i++ {
		switch words[tokens[i]].shape {
		case schemaMap, patternMap, eitherMap, schemas:
			i++
		case aSchema:
			if tokens[i] == "propertyNames" && len(p) > 0 {
				return p[len(p)-1].key, true
			}
		}
	}
	return "", false
}

func fragment(location string) string {
	_, after, _ := strings.Cut(location, "#")
	return after
}

func lastToken(pointer string) string {
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}

// worded turns sorted faults into at most 50 problems, each line once.
func (x *explainer) worded(root string, all []fault) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for i := range all {
		if len(problems) == maxProblems-1 && len(all)-i > 1 {
			return append(problems, x.remaining(root, all[i:]))
		}
		p := x.word(root, &all[i])
		if line := p.String(); !seen[line] {
			seen[line] = true
			problems = append(problems, p)
		}
	}
	return problems
}

// remaining stands for the problems that are not shown. It has their foremost kind, so that
// the kind of the whole stays what it is.
func (x *explainer) remaining(root string, rest []fault) Problem {
	kind := rest[0].kind()
	for i := range rest {
		if k := rest[i].kind(); precedence(k) < precedence(kind) {
			kind = k
		}
	}
	return Problem{Kind: kind, Path: root, Hint: fmt.Sprintf("%d more problems are not shown", len(rest))}
}

func (f *fault) kind() Kind {
	switch f.word {
	case "required", "dependentRequired":
		return MissingRequired
	case "dependencies":
		if f.name != "" {
			return MissingRequired
		}
	case "enum", "const":
		return EnumViolation
	}
	return TypeMismatch
}
