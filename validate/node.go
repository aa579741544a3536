package validate

import (
	"encoding/json"
	"slices"
)

// node is one schema of a document, read. Compile fills it; afterwards it never changes.
type node struct {
	at     string // JSON Pointer
	outer  *node  // the schema around it
	reach  reach  // how outer applies it
	always *bool  // the schemas true and false
	words  map[string]any
	subs   []sub // in the order of the text
	ref    *node // $ref
	plain  bool  // fits can decide it

	types    types // 0 = all
	literals [][]any
	choices  []*choices // of literals; the same length, nil entries when not plain
	required []string

	props    []sub // properties, in the order of the text
	propAt   map[string]*node
	extra    *node // additionalProperties; nil = anything
	patterns []patternSub
	items    *node
	prefix   []*node

	least, over, most, under *bound // minimum, exclusiveMinimum, maximum, exclusiveMaximum
	minLength, maxLength     int    // -1 = none, here and below
	minItems, maxItems       int
	minProps, maxProps       int
	pattern                  pattern
	format                   func(any) bool

	weight int // comparisons with listed values and names that one visit makes
}

// sub is a schema inside another one.
type sub struct {
	word string
	key  string // under properties and the like
	*node
}

type patternSub struct {
	pattern
	*node
}

// choices are the scalar values of an enum or const, ready to look up.
type choices struct {
	texts    map[string]bool
	integers map[int64]bool
	yes, no  bool
	null     bool
}

// newChoices returns nil when a value is no scalar, or a number that is not written as
// an integer: 1.0 equals 1, and only the library is to say so.
func newChoices(values []any) *choices {
	c := &choices{texts: map[string]bool{}, integers: map[int64]bool{}}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			c.texts[v] = true
		case nil:
			c.null = true
		case bool:
			c.yes, c.no = c.yes || v, c.no || !v
		case json.Number:
			n, ok := integer(v.String())
			if !ok {
				return nil
			}
			c.integers[n] = true
		default:
			return nil
		}
	}
	return c
}

// note takes over the words of a schema whose shapes are sound.
func (n *node) note() {
	n.minLength, n.maxLength = n.count("minLength"), n.count("maxLength")
	n.minItems, n.maxItems = n.count("minItems"), n.count("maxItems")
	n.minProps, n.maxProps = n.count("minProperties"), n.count("maxProperties")
	n.least, n.over = n.number("minimum"), n.number("exclusiveMinimum")
	n.most, n.under = n.number("maximum"), n.number("exclusiveMaximum")
	n.types = typesOf(n.words["type"])
	if list, ok := n.words["enum"].([]any); ok {
		n.literals = append(n.literals, list)
	}
	if v, ok := n.words["const"]; ok {
		n.literals = append(n.literals, []any{v})
	}
	for _, list := range n.literals {
		n.choices = append(n.choices, newChoices(list))
		n.weight += sizeOf(list, maxVisits)
	}
	n.required = textList(n.words["required"])
	n.weight += len(n.required)
	for _, word := range []string{"dependentRequired", "dependencies"} {
		n.weight += sizeOf(n.words[word], maxVisits)
	}
	if name, ok := n.words["format"].(string); ok {
		n.format = formatNamed(name)
	}
	n.plain = !slices.Contains(n.choices, nil)
	for name := range n.words {
		w, known := words[name]
		n.plain = n.plain && (w.plain || !known)
	}
}

func (n *node) count(word string) int {
	text, ok := n.words[word].(json.Number)
	if !ok {
		return -1
	}
	count, ok := integer(text.String())
	if !ok {
		return -1
	}
	return int(count)
}

func (n *node) number(word string) *bound {
	text, ok := n.words[word].(json.Number)
	if !ok {
		return nil
	}
	return newBound(text.String())
}

// adopt notes a subschema where its word needs it again.
func (n *node) adopt(s sub) {
	n.subs = append(n.subs, s)
	switch s.word {
	case "properties":
		if n.propAt == nil {
			n.propAt = map[string]*node{}
		}
		n.props = append(n.props, s)
		n.propAt[s.key] = s.node
	case "additionalProperties":
		n.extra = s.node
	case "items":
		n.items = s.node
	case "prefixItems":
		n.prefix = append(n.prefix, s.node)
	}
	n.plain = n.plain && (s.plain || s.reach == apart)
}

func typesOf(v any) types {
	var set types
	switch v := v.(type) {
	case string:
		set, _ = typeNamed(v)
	case []any:
		for _, name := range textList(v) {
			t, _ := typeNamed(name)
			set |= t
		}
	}
	return set
}

func textList(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return nil
	}
	var texts []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// typeOf is the type of a decoded value; a number counts as integer too when its text
// is one. Zero for what no JSON value is.
func typeOf(v any) types {
	switch v := v.(type) {
	case nil:
		return aNull
	case bool:
		return aBoolean
	case string:
		return aString
	case json.Number:
		if isInteger(v.String()) {
			return aFloat | anInteger
		}
		return aFloat
	case []any:
		return anArray
	case map[string]any:
		return anObject
	}
	return 0
}

// sizeOf counts the values in v, up to about limit.
func sizeOf(v any, limit int) int {
	size := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if size > limit {
				break
			}
			size += sizeOf(item, limit-size)
		}
	case map[string]any:
		for _, item := range v {
			if size > limit {
				break
			}
			size += 1 + sizeOf(item, limit-size)
		}
	}
	return size
}
