package validate

import "encoding/json"

// maxVisits is the work that one Check may ask of the library, in visits of one or two
// microseconds.
const maxVisits = 60_000

// affordable walks the value as the library would and counts what that costs. A schema is
// bounded by itself, but not what it costs on a given value: a list multiplies, a
// reference that stands twice in a loop doubles with each level of the value. The walk stops when
// the budget is spent, so it is cheap for the worst input too.
func affordable(root *node, v any) bool {
	m := meter{left: maxVisits}
	m.visit(root, v, 0)
	return m.left >= 0
}

type meter struct{ left int }

// visit counts one schema on one value. where is the length of the value's place in the
// library's notation, which it copies at each step.
func (m *meter) visit(n *node, v any, where int) {
	m.left -= 1 + n.weight + where/256
	if m.left < 0 || n.always != nil || !n.takes(typeOf(v)) {
		return
	}
	switch v := v.(type) {
	case string:
		m.left -= len(v)/1024 + n.pattern.cost(v)
	case map[string]any:
		m.left -= len(v)
		m.object(n, v, where)
	case []any:
		m.left -= len(v)
		m.list(n, v, where)
	}
	for _, s := range n.subs {
		if s.reach == inPlace && m.left >= 0 {
			m.visit(s.node, v, where)
		}
	}
	if n.ref != nil && m.left >= 0 {
		m.visit(n.ref, v, where)
	}
}

func (m *meter) object(n *node, v map[string]any, where int) {
	for _, s := range n.subs {
		switch s.word {
		case "properties":
			if value, ok := v[s.key]; ok {
				m.visit(s.node, value, where+len(s.key)+1)
			}
		case "additionalProperties", "unevaluatedProperties":
			for key, value := range v {
				if n.propAt[key] == nil {
					m.visit(s.node, value, where+len(key)+1)
				}
			}
		case "propertyNames":
			for key := range v {
				m.visit(s.node, key, where+len(key)+1)
			}
		}
		if m.left < 0 {
			return
		}
	}
	for _, p := range n.patterns {
		for key, value := range v {
			if m.left -= 1 + p.pattern.cost(key); m.left < 0 {
				return
			}
			if p.re.MatchString(key) {
				m.visit(p.node, value, where+len(key)+1)
			}
		}
	}
}

func (m *meter) list(n *node, v []any, where int) {
	if unique, _ := n.words["uniqueItems"].(bool); unique {
		m.left -= sizeOf(v, maxVisits) * min(len(v), 20)
	}
	for _, s := range n.subs {
		switch s.word {
		case "items", "contains", "unevaluatedItems":
			for _, item := range v {
				if m.visit(s.node, item, where+8); m.left < 0 {
					return
				}
			}
		}
	}
	for i, p := range n.prefix {
		if i < len(v) && m.left >= 0 {
			m.visit(p, v[i], where+8)
		}
	}
}

// sound refuses values that did not come from Decode: the library panics on a number of
// a million digits and on Go types that are no JSON, and recurses as deep as the value.
func sound(v any, depth int) string {
	if depth > maxDepth {
		return "lists and objects are nested deeper than 200"
	}
	switch v := v.(type) {
	case nil, bool, string:
	case json.Number:
		if fault := numberFault(v.String()); fault != "" {
			return "the number " + cut(v.String(), maxQuote) + " is " + fault
		}
		if !isNumber(v.String()) {
			return quote(v.String()) + " is no JSON number"
		}
	case []any:
		for _, item := range v {
			if fault := sound(item, depth+1); fault != "" {
				return fault
			}
		}
	case map[string]any:
		for _, item := range v {
			if fault := sound(item, depth+1); fault != "" {
				return fault
			}
		}
	default:
		return "it holds a Go value that is no decoded JSON"
	}
	return ""
}
