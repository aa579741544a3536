package validate

import (
	"encoding/json"
	"unicode/utf8"
)

// fits decides the common schemas without the library: types, listed values, bounds,
// closed objects, lists. A schema is plain when all of it is of that kind. True
// means that the library would find nothing either (a property test holds the two
// together); false means that the library has to look, and only its word counts
// against a value. Each part of the value is visited once and nothing is allocated; what
// patterns cost is taken from the meter, and when that is empty nothing fits.
func (n *node) fits(v any, m *meter) bool {
	if n.always != nil {
		return *n.always
	}
	switch v := v.(type) {
	case string:
		return n.takes(aString) && n.fitsText(v, m)
	case json.Number:
		return n.fitsNumber(v.String())
	case bool:
		return n.takes(aBoolean) && n.listed(func(c *choices) bool { return v && c.yes || !v && c.no })
	case nil:
		return n.takes(aNull) && n.listed(func(c *choices) bool { return c.null })
	case map[string]any:
		return n.takes(anObject) && len(n.literals) == 0 && n.fitsObject(v, m)
	case []any:
		return n.takes(anArray) && len(n.literals) == 0 && n.fitsList(v, m)
	}
	return false
}

func (n *node) takes(t types) bool { return n.types == 0 || n.types&t != 0 }

func (n *node) listed(in func(*choices) bool) bool {
	for _, c := range n.choices {
		if !in(c) {
			return false
		}
	}
	return true
}

func (n *node) fitsText(s string, m *meter) bool {
	if !n.listed(func(c *choices) bool { return c.texts[s] }) {
		return false
	}
	if n.minLength >= 0 || n.maxLength >= 0 {
		length := utf8.RuneCountInString(s)
		if length < n.minLength || n.maxLength >= 0 && length > n.maxLength {
			return false
		}
	}
	if n.pattern.re != nil {
		if m.left -= n.pattern.cost(s); m.left < 0 || !n.pattern.re.MatchString(s) {
			return false
		}
	}
	return n.format == nil || n.format(s)
}

func (n *node) fitsNumber(text string) bool {
	if len(text) > maxNumberText || !n.takes(aFloat|anInteger) {
		return false
	}
	if n.types&(aFloat|anInteger) == anInteger && !isInteger(text) {
		return false
	}
	if len(n.choices) > 0 {
		i, ok := integer(text)
		if !ok || !n.listed(func(c *choices) bool { return c.integers[i] }) {
			return false
		}
	}
	if n.least == nil && n.over == nil && n.most == nil && n.under == nil {
		return true
	}
	return numberFault(text) == "" &&
		(n.least == nil || n.least.compare(text) >= 0) &&
		(n.over == nil || n.over.compare(text) > 0) &&
		(n.most == nil || n.most.compare(text) <= 0) &&
		(n.under == nil || n.under.compare(text) < 0)
}

func (n *node) fitsObject(v map[string]any, m *meter) bool {
	if len(v) < n.minProps || n.maxProps >= 0 && len(v) > n.maxProps {
		return false
	}
	for _, key := range n.required {
		if _, ok := v[key]; !ok {
			return false
		}
	}
	if len(v) == 0 || len(n.props) == 0 && n.extra == nil {
		return true
	}
	for key, value := range v {
		sub := n.propAt[key]
		if sub == nil {
			sub = n.extra
		}
		if sub != nil && !sub.fits(value, m) {
			return false
		}
	}
	return true
}

func (n *node) fitsList(v []any, m *meter) bool {
	if len(v) < n.minItems || n.maxItems >= 0 && len(v) > n.maxItems {
		return false
	}
	if n.items == nil {
		return true
	}
	for _, item := range v {
		if !n.items.fits(item, m) {
			return false
		}
	}
	return true
}
