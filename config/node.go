package config

import (
	"encoding/json"
	"strings"
)

// kind is what a value of the file is, by its text alone.
type kind uint8

const (
	null    kind = iota
	boolean      // true or false
	number       // as JSON writes numbers
	odd          // looks like a number and is read differently by different readers: 0123, 0x1f, 1_000, .5
	text
	list
	mapping
)

// node is one value of the file: where it stands and what was written, before anybody asks what it means.
type node struct {
	kind   kind
	quoted bool   // written in quotes or as a block, so it is text whatever it looks like
	text   string // of a scalar: what it says; a number as it was written
	pos    Pos
	keys   []entry // of a mapping, in order
	items  []*node // of a list
	index  map[string]int
	flawed bool // something is wrong with its form, in it or below it, and said
}

// entry is one key of a mapping with its value.
type entry struct {
	name  string
	pos   Pos
	value *node
}

// at returns the entry of a key, the zero entry when it is absent or n is no mapping. The first of duplicates counts.
func (n *node) at(name string) entry {
	switch {
	case n == nil:
		return entry{}
	case len(n.keys) > indexed:
		if i, ok := n.indexOf(name); ok {
			return n.keys[i]
		}
		return entry{}
	}
	for _, e := range n.keys {
		if e.name == name {
			return e
		}
	}
	return entry{}
}

// indexed is the size from which a mapping gets an index, so that looking keys up stays cheap.
const indexed = 16

func (n *node) indexOf(name string) (int, bool) {
	if n.index == nil {
		n.index = make(map[string]int, len(n.keys))
		for i := len(n.keys) - 1; i >= 0; i-- {
			n.index[n.keys[i].name] = i
		}
	}
	i, ok := n.index[name]
	return i, ok
}

// get returns the value of a key, nil when it is absent or n is no mapping.
func (n *node) get(name string) *node { return n.at(name).value }

// broken reports whether a value stands there that could not be read.
func (n *node) broken() bool { return n != nil && n.flawed }

// has reports whether a key stands there, whatever its value.
func (n *node) has(name string) bool { return n.get(name) != nil }

// json is the value as JSON text, keys in order and numbers as written. A scalar of kind odd becomes text: whoever
// cares has refused it before.
func (n *node) json() json.RawMessage { return n.appendJSON(nil) }

func (n *node) appendJSON(b []byte) []byte {
	switch n.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, n.text...)
	case list:
		b = append(b, '[')
		for i, item := range n.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.appendJSON(b)
		}
		return append(b, ']')
	case mapping:
		b = append(b, '{')
		for i, e := range n.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(b, e.name)
			b = append(b, ':')
			b = e.value.appendJSON(b)
		}
		return append(b, '}')
	}
	return appendText(b, n.text)
}

func appendText(b []byte, s string) []byte {
	q, err := json.Marshal(s)
	if err != nil { // a string always encodes
		return append(b, `""`...)
	}
	return append(b, q...)
}

// scalar reports whether n is written as one word or text.
func (n *node) scalar() bool { return n.kind != list && n.kind != mapping }

// resolve says what plain text is. Only what JSON writes the same way is a number; yes, no, on and off are text.
func resolve(s string) kind {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return null
	case "true", "false":
		return boolean
	}
	if jsonNumber(s) {
		return number
	}
	if oddNumber(s) {
		return odd
	}
	return text
}

func jsonNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		fraction := digits(s[1:])
		if fraction == 0 {
			return false
		}
		s = s[1+fraction:]
	}
	return s == "" || exponent(s)
}

func exponent(s string) bool {
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// oddNumber reports whether some YAML reader takes s for a number, or for a truth value, where JSON does not.
func oddNumber(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", ".nan", ".inf", "+.inf", "-.inf":
		return true
	}
	s = strings.TrimLeft(s, "+-")
	if s == "" || s[0] != '.' && digits(s[:1]) == 0 {
		return false
	}
	if len(s) > 2 && s[0] == '0' && strings.ContainsRune("xXoObB", rune(s[1])) {
		return strings.Trim(s[2:], "0123456789abcdefABCDEF_") == ""
	}
	mantissa := strings.TrimLeft(s, "0123456789_")
	mantissa = strings.TrimPrefix(mantissa, ".")
	mantissa = strings.TrimLeft(mantissa, "0123456789_")
	if digits(strings.Trim(s[:len(s)-len(mantissa)], "._")) == 0 {
		return false
	}
	return mantissa == "" || exponent(mantissa)
}
