package menu

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	maxLines   = 100  // lines about parameters of one option
	maxLevel   = 8    // levels of fields that have lines
	maxPattern = 200  // characters of a pattern
	maxExample = 80   // characters of a placeholder
	maxOneOf   = 4000 // bytes of listed values on a parameter's line
)

// appendParams writes a line for each parameter, and for each field inside, that has more to
// it than its type. Fields are named by their path: steps[].action
func appendParams(b []byte, o *registry.Option) []byte {
	w := paramWriter{b: b}
	for p := range visible(o) {
		if w.isQuiet(p) {
			continue
		}
		w.param(p.Name, p, 0, !isSpelled(p), false)
	}
	if w.left > 0 {
		w.b = append(w.b, indent+"… and "...)
		w.b = strconv.AppendInt(w.b, int64(w.left), 10)
		w.b = append(w.b, " more fields\n"...)
	}
	return w.b
}

// isSpelled reports whether the signature says the whole type.
func isSpelled(p *registry.Param) bool {
	if p.Items == nil && p.Fields == nil && p.Schema == nil {
		return true
	}
	_, spelled := appendType(nil, p, 0)
	return spelled
}

type paramWriter struct {
	b     []byte
	lines int
	left  int // lines that were not written
}

// isQuiet reports whether neither the parameter nor anything inside it has a line. It is for
// the many parameters that are a plain type.
func (w *paramWriter) isQuiet(p *registry.Param) bool {
	return p.Description == "" && len(p.Keywords) == 0 && p.Enum == nil && p.Items == nil && p.Fields == nil &&
		p.Placeholder == "" && p.Schema == nil
}

// param writes the line of p and those of its fields. spell: the types below stand nowhere
// else; typed: the type of p itself does not.
func (w *paramWriter) param(path string, p *registry.Param, level int, spell, typed bool) {
	p = readable(p)
	w.line(path, p, level, typed)
	if level == maxLevel {
		return
	}
	if p.Type == registry.Array && p.Items != nil {
		w.param(path+"[]", p.Items, level+1, spell, spell)
	}
	for i := range p.Fields {
		f := &p.Fields[i]
		w.param(path+"."+string(appendName(nil, f.Name)), f, level+1, spell, spell)
	}
}

func (w *paramWriter) line(path string, p *registry.Param, level int, typed bool) {
	start := len(w.b)
	w.b = append(w.b, indent...)
	if level == 0 {
		w.b = appendParamName(w.b, p.Name)
	} else {
		w.b = append(w.b, path...)
	}
	w.b = append(w.b, ": "...)
	s := sentences{b: w.b, start: len(w.b)}
	if typed {
		s.next()
		s.b, _ = appendType(s.b, p, maxDepth)
		if !p.Required() {
			s.b = append(s.b, ", optional"...)
		}
	}
	s.facts(p)
	if s.isEmpty() {
		w.b = s.b[:start]
		return
	}
	if w.lines == maxLines {
		w.left++
		w.b = s.b[:start]
		return
	}
	w.lines++
	w.b = append(s.b, '\n')
}

// appendParamName writes a name at the start of a line. One that would make the line start
// like a Call line is written as a JSON string.
func appendParamName(b []byte, name string) []byte {
	if strings.EqualFold(name, "call") {
		return appendString(b, name)
	}
	return appendName(b, name)
}

// facts writes what is known about a value, beside its type.
func (s *sentences) facts(p *registry.Param) {
	s.add(described(p))
	s.bounds(p)
	if n := fitting(p.Enum); n < len(p.Enum) {
		s.oneOf(p.Enum)
	}
	for i := range p.Keywords {
		if k := &p.Keywords[i]; k.Name == "pattern" {
			s.pattern(k.Value)
		}
	}
}

// described is the description with the placeholder as its example.
func described(p *registry.Param) string {
	text := Fold(p.Description, maxSummary)
	if p.Placeholder == "" {
		return text
	}
	example := "e.g. " + Fold(p.Placeholder, maxExample)
	if text == "" {
		return example
	}
	return strings.TrimSuffix(text, ".") + ", " + example
}

func (s *sentences) pattern(raw json.RawMessage) {
	var pattern string
	if json.Unmarshal(raw, &pattern) == nil {
		s.add("Pattern: " + fold(pattern, maxPattern))
	}
}

// oneOf lists the values in full, up to a bound that no menu for people reaches.
func (s *sentences) oneOf(values []json.RawMessage) {
	s.next()
	s.b = append(s.b, "One of "...)
	start := len(s.b)
	for i, v := range values {
		if i > 0 {
			s.b = append(s.b, ", "...)
		}
		if len(s.b)-start+len(v) > maxOneOf {
			s.b = append(s.b, "… "...)
			s.b = strconv.AppendInt(s.b, int64(len(values)-i), 10)
			s.b = append(s.b, " more"...)
			break
		}
		s.b = appendLiteral(s.b, v)
	}
	s.b = append(s.b, '.')
}
