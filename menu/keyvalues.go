package menu

import (
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// keyWriter writes key lines as the JSON object that means the same. Lines have no types, so the declared ones say how text is read.
type keyWriter struct {
	option *registry.Option // nil when there is none of that name
	b      []byte
	why    string // why they can't be written
}

func (w *keyWriter) fail(key, why string) {
	if w.why == "" {
		w.why = string(appendString(nil, fold(key, maxQuoted))) + ": " + why
	}
}

// top writes the call and what stands beside it.
func (w *keyWriter) top(nodes []*keyNode) {
	w.object(nodes, func(n *keyNode) {
		p := w.parameter(n.key)
		switch {
		case slices.Contains(callKeys, n.key):
			w.value(n, &registry.Param{Type: registry.String})
		case slices.Contains(argumentKeys, n.key) && (p == nil || n.key == "args"):
			w.arguments(n)
		default:
			w.value(n, p)
		}
	})
}

func (w *keyWriter) parameter(name string) *registry.Param {
	if w.option == nil {
		return nil
	}
	return parameter(w.option, name)
}

// arguments writes what stands behind or below "args:".
func (w *keyWriter) arguments(n *keyNode) {
	switch {
	case n.members != nil:
		w.object(n.members, func(n *keyNode) { w.value(n, w.parameter(n.key)) })
	case n.value == "" && n.items == nil:
		w.b = append(w.b, "null"...)
	case n.value != "" && strings.IndexByte(`{["`, n.value[0]) >= 0:
		w.value(n, nil)
	default:
		w.fail(n.key, "the arguments belong below it, each on a line of its own, or behind it as one JSON object")
	}
}

// object writes the nodes that have a value: one without is not given. "args:" without one says that there are none.
func (w *keyWriter) object(nodes []*keyNode, value func(*keyNode)) {
	w.b = append(w.b, '{')
	start := len(w.b)
	for _, n := range nodes {
		if (n.value == "" || n.value == "~") && n.members == nil && n.items == nil && !slices.Contains(argumentKeys, n.key) {
			continue
		}
		if len(w.b) > start {
			w.b = append(w.b, ',')
		}
		w.b = append(appendString(w.b, n.key), ':')
		value(n)
	}
	w.b = append(w.b, '}')
}

// value writes what p, which is nil where nothing is declared, is given.
func (w *keyWriter) value(n *keyNode, p *registry.Param) {
	if p != nil {
		p = readable(p)
	}
	switch {
	case n.members != nil && (p == nil || p.Type != registry.Object || p.Fields == nil):
		w.fail(n.key, "lines below it stand for fields, and none are declared; write the value as JSON on one line")
	case n.members != nil:
		w.object(n.members, func(field *keyNode) {
			if field.members != nil {
				w.fail(field.key, "lines below a field are not read; write the value as JSON on one line")
			}
			w.value(field, fieldOf(p, field.key))
		})
	case n.items != nil && (p == nil || p.Type != registry.Array):
		w.fail(n.key, "items stand below what is not declared as a list")
	case n.items != nil:
		w.b = append(w.b, '[')
		for i, item := range n.items {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			if strings.IndexByte("{[", item[0]) >= 0 {
				w.fail(n.key, "an item must be one text, number, true or false; write the list as JSON on one line")
			}
			w.scalar(n.key, item, p.Items)
		}
		w.b = append(w.b, ']')
	default:
		w.scalar(n.key, n.value, p)
	}
}

func (w *keyWriter) scalar(key, text string, p *registry.Param) {
	literal, why := keyScalar(text, p)
	if why != "" {
		w.fail(key, why)
	}
	w.b = append(w.b, literal...)
}

// keyScalar is the JSON value that the text behind a key means. Nothing and "~" are null; what is in quotes is a text; JSON objects and
// lists are as they are; all else is what the declared type makes of it, and a text where it does not fit the type, for the checks
// to say so.
func keyScalar(text string, p *registry.Param) (literal, why string) {
	switch {
	case text == "" || text == "~":
		return "null", ""
	case text[0] == '\'':
		return singleQuoted(text)
	case strings.IndexByte(`{["`, text[0]) >= 0:
		k := skimmer{text: text}
		if !k.value() || k.pos != len(text) {
			return "", "its value is no JSON"
		}
		return text, ""
	}
	if why := notPlain(text); why != "" {
		return "", why
	}
	if p != nil {
		p = readable(p)
	}
	if isTyped(text, p) {
		return text, ""
	}
	if (p == nil || p.Type == registry.Any || p.Type == registry.String) && isOddWord(text, p) {
		return "", "it is not certain what kind of value its text is; put it in double quotes"
	}
	return string(appendString(nil, text)), ""
}

// isTyped reports whether plain text is the JSON value of the declared type. Where any type is allowed it is what it would be in JSON.
func isTyped(text string, p *registry.Param) bool {
	switch {
	case p == nil || lists(p, text):
		return false
	case p.Type == registry.String:
		return text == "null" && !p.Required()
	case text == "null":
		return true
	case p.Type == registry.Boolean:
		return text == "true" || text == "false"
	case p.Type == registry.Integer || p.Type == registry.Number:
		return isNumber(text)
	case p.Type == registry.Any:
		return text == "true" || text == "false" || isNumber(text)
	}
	return false
}

// oddWords are read as something else than text by some readers of YAML.
var oddWords = set("null true false yes no on off y n .nan .inf -.inf +.inf")

// isOddWord reports whether plain text may be meant as something else than a text. Where a text is declared only null may.
func isOddWord(text string, p *registry.Param) bool {
	word := strings.ToLower(text)
	if p == nil || lists(p, text) {
		return false
	}
	if p.Type == registry.String {
		return word == "null"
	}
	return oddWords[word] || isDigit(text[0]) || strings.IndexByte("+-.", text[0]) >= 0
}

// notPlain says why text can't stand for itself without quotes; "" when it can. What YAML gives a meaning of its own is not read, and
// neither is what would look like this with a character lost.
func notPlain(text string) string {
	last := text[len(text)-1]
	switch {
	case strings.IndexByte("&*!|>%@`#,]}", text[0]) >= 0, strings.IndexByte("-?:", text[0]) >= 0 && (len(text) == 1 || text[1] == ' '):
		return "its value starts with a sign that has a meaning of its own; put it in double quotes"
	case strings.Contains(text, ": ") || last == ':' || strings.Contains(text, " #"):
		return "a colon or # stands in its value; put it in double quotes"
	case strings.IndexByte("\"'`,\\", last) >= 0:
		return "its value ends in a sign that does not belong to it; put it in double quotes"
	case notText(text):
		return "a tab or control character stands in its value; put it in double quotes"
	}
	return ""
}

// singleQuoted reads 'text', in which two single quotes stand for one.
func singleQuoted(text string) (literal, why string) {
	inside, ok := strings.CutSuffix(text[1:], "'")
	halves := strings.ReplaceAll(inside, "''", "")
	if !ok || strings.Contains(halves, "'") || notText(inside) {
		return "", "its single quotes don't hold one text"
	}
	return string(appendString(nil, strings.ReplaceAll(inside, "''", "'"))), ""
}

func notText(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
