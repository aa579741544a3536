package menu

import (
	"github.com/mcp-decide/mcp-decide/registry"
)

// appendCallLine writes the line to copy: the call with its required arguments, each of them
// a placeholder that no reader takes for a value.
//
//	Call: {"call": "refund", "args": {"order_id": "<order_id>", "amount": <number>}}
func appendCallLine(b []byte, o *registry.Option) []byte {
	b = append(b, indent+`Call: `...)
	b = appendCall(b, o)
	return append(b, '\n')
}

func appendCall(b []byte, o *registry.Option) []byte {
	b = append(b, `{"call": `...)
	b = appendString(b, o.Name)
	first := true
	for p := range visible(o) {
		if !p.Required() {
			continue
		}
		if first {
			b = append(b, `, "args": {`...)
		} else {
			b = append(b, ", "...)
		}
		first = false
		b = appendString(b, p.Name)
		b = append(b, ": "...)
		b = appendPlaceholder(b, p.Name, p, 0)
	}
	if !first {
		b = append(b, '}')
	}
	return append(b, '}')
}

// appendPlaceholder writes "<name>" for a text and a bare <type> for all else. Lists and
// objects are spelled out down to their required fields.
func appendPlaceholder(b []byte, name string, p *registry.Param, depth int) []byte {
	p = readable(p)
	switch {
	case p.Type == registry.String || hasTexts(p):
		return append(append(append(b, `"<`...), placeholderName(name)...), `>"`...)
	case p.Type == registry.Boolean:
		return append(b, "<true or false>"...)
	case p.Type == registry.Any:
		return append(b, "<any JSON>"...)
	case len(p.Enum) > 0 || depth == maxDepth:
	case p.Type == registry.Array && p.Items != nil:
		b = append(b, '[')
		b = appendPlaceholder(b, name, p.Items, depth+1)
		return append(b, ']')
	case p.Type == registry.Object && p.Fields != nil:
		return appendFieldPlaceholders(b, p.Fields, depth)
	}
	return append(append(append(b, '<'), p.Type...), '>')
}

// hasTexts reports whether all listed values are texts.
func hasTexts(p *registry.Param) bool {
	for _, v := range p.Enum {
		if len(v) == 0 || v[0] != '"' {
			return false
		}
	}
	return len(p.Enum) > 0
}

func appendFieldPlaceholders(b []byte, fields []registry.Param, depth int) []byte {
	start := len(b)
	for i := range fields {
		f := &fields[i]
		if !f.Required() {
			continue
		}
		if len(b) == start {
			b = append(b, '{')
		} else {
			b = append(b, ", "...)
		}
		b = appendString(b, f.Name)
		b = append(b, ": "...)
		b = appendPlaceholder(b, f.Name, f, depth+1)
	}
	switch {
	case len(b) > start:
		return append(b, '}')
	case len(fields) > 0:
		return append(b, "<object>"...)
	}
	return append(b, "{}"...)
}

// placeholderName is the parameter's name where the reader knows it again inside <...>.
func placeholderName(name string) string {
	if isName(name) && len(name) <= maxPlaceholder {
		return name
	}
	return "text"
}
