package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// word makes the problem of one fault: what was expected, what was read, and how to mend it.
func (x *explainer) word(root string, f *fault) Problem {
	p := Problem{Kind: f.kind(), Path: f.place().in(root)}
	switch f.word {
	case "required", "dependentRequired":
		x.missing(&p, f)
		return p
	case "dependencies":
		if f.name != "" {
			x.missing(&p, f)
			return p
		}
	case "additionalProperties", "unevaluatedProperties":
		if f.name != "" {
			x.unknown(&p, f)
			return p
		}
	}
	p.Read = f.read()
	p.Expected = f.expected()
	switch {
	case f.isKey():
		p.Path = f.path.in(root)
		if !f.lists() && f.word != "false" {
			p.Expected = "keys of which each is " + p.Expected
		}
		return p
	case f.word == "type":
		x.mistyped(&p, f)
	case f.lists():
		x.unlisted(&p, f)
	default:
		x.outOfBounds(&p, f)
	}
	return p
}

// isKey reports whether the fault is about a key itself, by propertyNames.
func (f *fault) isKey() bool { return f.name != "" }

func (f *fault) read() string {
	switch {
	case f.isKey():
		return "the key " + quote(f.name)
	case f.secret():
		if s, ok := f.value.(string); ok {
			return fmt.Sprintf("a text of %s (not shown)", plural(utf8.RuneCountInString(s), "character"))
		}
		return "a value of another kind (not shown)"
	case f.word == "uniqueItems":
		var i, j int
		if n, _ := fmt.Sscanf(f.note, "items at index %d and %d are equal", &i, &j); n == 2 {
			return fmt.Sprintf("the same item at [%d] and [%d]", i, j)
		}
	}
	return describe(f.value)
}

// secret reports whether the value is not to be repeated.
func (f *fault) secret() bool {
	if f.node == nil {
		return false
	}
	hidden, _ := f.node.words["writeOnly"].(bool)
	return hidden || f.node.words["format"] == "password"
}

// bounds are the words that compare, and how their value reads in a sentence.
var bounds = map[string]string{
	"minimum":          "at least %s",
	"exclusiveMinimum": "more than %s",
	"maximum":          "at most %s",
	"exclusiveMaximum": "less than %s",
	"multipleOf":       "a multiple of %s",
}

// counts are the words that count, and what they count.
var counts = map[string][2]string{
	"minLength":     {"a text of at least %s", "character"},
	"maxLength":     {"a text of at most %s", "character"},
	"minItems":      {"a list of at least %s", "item"},
	"maxItems":      {"a list of at most %s", "item"},
	"minProperties": {"an object with at least %s", "key"},
	"maxProperties": {"an object with at most %s", "key"},
}

func (f *fault) expected() string {
	if f.lists() {
		return oneOf(f.allowed())
	}
	if f.word == "type" && f.types != 0 {
		return nounOf(f.types)
	}
	if f.node == nil {
		return "a value that fits the schema"
	}
	if form, ok := bounds[f.word]; ok {
		return fmt.Sprintf(form, quoteAny(f.node.words[f.word]))
	}
	if form, ok := counts[f.word]; ok {
		return fmt.Sprintf(form[0], plural(f.node.count(f.word), form[1]))
	}
	switch f.word {
	case "type":
		return f.node.noun()
	case "pattern":
		return "a text that matches " + f.node.patternText()
	case "format":
		return f.node.formatNoun()
	case "uniqueItems":
		return "no item twice"
	case "minContains", "maxContains":
		return f.contained()
	case "not":
		return f.unexcluded()
	case "oneOf":
		return "a value that fits exactly one of " + plural(f.count("oneOf"), "form")
	case "false":
		if f.isKey() {
			return "no keys here"
		}
		return "no value here"
	}
	return "a value that fits " + quote(f.word)
}

func (f *fault) contained() string {
	noun := "a value that fits"
	for _, s := range f.node.subs {
		if s.word == "contains" {
			noun = s.noun()
		}
	}
	limit := "at least"
	if f.word == "maxContains" {
		limit = "at most"
	}
	switch n := f.node.count(f.word); n {
	case -1, 1:
		return "a list with " + limit + " one item that is " + noun
	default:
		return fmt.Sprintf("a list with %s %d items that are each %s", limit, n, noun)
	}
}

// unexcluded is what "not" leaves, in words where it takes away listed values or a type.
func (f *fault) unexcluded() string {
	for _, s := range f.node.subs {
		if s.word == "not" && (len(s.literals) > 0 || s.types != 0) && s.noun() != "a value" {
			return "anything but " + s.noun()
		}
	}
	return "a value that the schema does not exclude"
}

func (f *fault) count(word string) int {
	n := 0
	for _, s := range f.node.subs {
		if s.word == word {
			n++
		}
	}
	return n
}

// missing words a key that is required and not there.
func (x *explainer) missing(p *Problem, f *fault) {
	declared := f.node.property(f.name)
	p.Expected = declared.noun()
	if declared == nil || len(declared.literals) == 0 {
		p.Example = x.example(declared)
	}
	object, _ := f.value.(map[string]any)
	var spare []string
	for key := range object {
		if f.node.property(key) == nil {
			spare = append(spare, key)
		}
	}
	near := Nearest(f.name, spare)
	switch {
	case near != "":
		p.Hint = "The key " + quote(near) + " is not known; write " + quote(f.name)
		p.Example = ""
	case f.cause != "":
		p.Hint = "It is required because " + quote(f.cause) + " is given"
		p.Example = ""
	}
}

// unknown words a key that the schema does not have.
func (x *explainer) unknown(p *Problem, f *fault) {
	p.Read = "the key " + quote(f.name)
	keys := f.node.keys(map[*node]bool{})
	if len(keys) == 0 {
		p.Expected = "no further keys"
		return
	}
	names := make([]any, len(keys))
	for i, key := range keys {
		names[i] = key
	}
	p.Expected = oneOf(names)
	if len(keys) > 1 {
		p.Expected = "one of the keys " + strings.TrimPrefix(p.Expected, "one of ")
	} else {
		p.Expected = "only the key " + p.Expected
	}
	p.Nearest = Nearest(f.name, keys)
}

// property finds the schema of a key, in n, in what n applies to the same value, and in what
// applies n to it. Nil when none declares it.
func (n *node) property(key string) *node {
	for ; n != nil; n = n.outer {
		if found := n.propertyBelow(key, map[*node]bool{}); found != nil {
			return found
		}
		if n.reach != inPlace {
			return nil
		}
	}
	return nil
}

func (n *node) propertyBelow(key string, seen map[*node]bool) *node {
	if n == nil || seen[n] {
		return nil
	}
	seen[n] = true
	if p := n.propAt[key]; p != nil {
		return p
	}
	if p := n.ref.propertyBelow(key, seen); p != nil {
		return p
	}
	for _, s := range n.subs {
		if s.reach != inPlace {
			continue
		}
		if p := s.node.propertyBelow(key, seen); p != nil {
			return p
		}
	}
	return nil
}

// keys are the declared keys of n and of what n applies to the same value, in order.
func (n *node) keys(seen map[*node]bool) []string {
	if n == nil || seen[n] {
		return nil
	}
	seen[n] = true
	var keys []string
	for _, p := range n.props {
		keys = append(keys, p.key)
	}
	keys = append(keys, n.ref.keys(seen)...)
	for _, s := range n.subs {
		if s.reach == inPlace {
			keys = append(keys, s.keys(seen)...)
		}
	}
	return keys
}
