package validate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Describe says what was read for a decoded value, as problems do: the text "39,90 EUR", a list of 3 items.
func Describe(v any) string { return describe(v) }

// describe is a value as it was read: the text "39,90 EUR", a list of 3 items.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the text " + quote(v)
	case json.Number:
		return "the number " + printable(cut(v.String(), maxQuote))
	case []any:
		if len(v) == 0 {
			return "an empty list"
		}
		return "a list of " + plural(len(v), "item")
	case map[string]any:
		if len(v) == 0 {
			return "an empty object"
		}
		return "an object with " + plural(len(v), "key")
	}
	return "a value that is no JSON"
}

// quoteAny is a value as a literal: text in quotes, the rest as describe says it.
func quoteAny(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	if n, ok := v.(json.Number); ok {
		return printable(cut(n.String(), maxQuote))
	}
	if text := literal(v); text != "" && len(text) <= maxQuote {
		return text
	}
	return describe(v)
}

// literal is a value as one line of JSON, "" when it is longer than 200 bytes or not to be written.
func literal(v any) string {
	if sizeOf(v, maxLiteral) > maxLiteral {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(text) > maxLiteral {
		return ""
	}
	return printable(text)
}

const maxLiteral = 200 // bytes

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// noun is what a schema takes, as a noun: "a number", `one of "a", "b"`. Alternatives and
// references are followed as far as they say something simple.
func (n *node) noun() string {
	return n.nounWithin(8)
}

func (n *node) nounWithin(depth int) string {
	switch {
	case n == nil || depth == 0:
		return "a value"
	case n.always != nil && !*n.always:
		return "nothing"
	case len(n.literals) > 0:
		return oneOf(n.literals[len(n.literals)-1])
	case n.types == aString && n.pattern.re != nil:
		return "a text that matches " + n.patternText()
	case n.types == aString && n.format != nil:
		return n.formatNoun()
	case n.types != 0:
		return nounOf(n.types)
	case n.ref != nil:
		return n.ref.nounWithin(depth - 1)
	}
	if set := n.union(depth); set != 0 {
		return nounOf(set)
	}
	for _, s := range n.subs {
		if s.word == "allOf" {
			if noun := s.nounWithin(depth - 1); noun != "a value" {
				return noun
			}
		}
	}
	return "a value"
}

// union are the types that the alternatives of a schema take, when all of them say.
func (n *node) union(depth int) types {
	var set types
	for _, s := range n.subs {
		if s.word != "anyOf" && s.word != "oneOf" {
			continue
		}
		t := s.node.simpleTypes(depth)
		if t == 0 {
			return 0
		}
		set |= t
	}
	return set
}

func (n *node) simpleTypes(depth int) types {
	for ; n.ref != nil && n.types == 0 && depth > 0; depth-- {
		n = n.ref
	}
	return n.types
}

func nounOf(set types) string {
	if set&aFloat != 0 {
		set &^= anInteger
	}
	var nouns []string
	for _, t := range typeNames {
		if set&t.set != 0 {
			nouns = append(nouns, t.noun)
		}
	}
	return joined(nouns, " or ")
}

func (n *node) patternText() string {
	text, _ := n.words["pattern"].(string)
	return printable(cut(text, 200))
}

func (n *node) formatNoun() string {
	name, _ := n.words["format"].(string)
	return formatNouns[name]
}

// oneOf names listed values, as many as fit in a line of bearable length.
func oneOf(values []any) string {
	var names []string
	size := 0
	for i, v := range values {
		name := quoteAny(v)
		if size += len(name); i > 0 && size > 400 {
			names = append(names, fmt.Sprintf("… (%d in all)", len(values)))
			break
		}
		names = append(names, name)
	}
	if len(names) == 1 {
		return names[0]
	}
	return "one of " + strings.Join(names, ", ")
}

// joined lists words: a, b or c.
func joined(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}
