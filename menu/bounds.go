package menu

import (
	"encoding/json"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// bounds says the schema words of a value in words: "More than 0." A word that is not known
// here is shown as it is written, so that nothing that is checked is hidden.
func (s *sentences) bounds(p *registry.Param) {
	if len(p.Keywords) == 0 {
		return
	}
	k := keywords(p.Keywords)
	s.span(k.value("minimum"), k.value("maximum"), "")
	s.word("More than ", k.value("exclusiveMinimum"), "")
	s.word("Less than ", k.value("exclusiveMaximum"), "")
	s.word("A multiple of ", k.value("multipleOf"), "")
	s.span(k.value("minLength"), k.value("maxLength"), " character")
	s.span(k.value("minItems"), k.value("maxItems"), " item")
	s.span(k.value("minProperties"), k.value("maxProperties"), " field")
	if string(k.value("uniqueItems")) == "true" {
		s.add("No item twice.")
	}
	if raw := k.value("format"); raw != nil {
		s.format(raw)
	}
	for _, word := range p.Keywords {
		s.other(word)
	}
}

func (s *sentences) format(raw json.RawMessage) {
	var format string
	if json.Unmarshal(raw, &format) == nil && format != "" {
		s.add("Format: " + fold(format, maxExample) + ".")
	}
}

type keywords []registry.Keyword

func (k keywords) value(name string) json.RawMessage {
	for _, word := range k {
		if word.Name == name {
			return word.Value
		}
	}
	return nil
}

// span says "From 1 to 5.", "At least 1 item." or "At most 80 characters."
func (s *sentences) span(low, high json.RawMessage, unit string) {
	switch {
	case low != nil && string(low) == string(high):
		s.word("Exactly ", low, plural(unit, low))
	case low != nil && high != nil:
		s.next()
		s.b = append(s.b, "From "...)
		s.b = appendLiteral(s.b, low)
		s.b = append(s.b, " to "...)
		s.b = appendLiteral(s.b, high)
		s.b = append(append(s.b, plural(unit, high)...), '.')
	case low != nil:
		s.word("At least ", low, plural(unit, low))
	case high != nil:
		s.word("At most ", high, plural(unit, high))
	}
}

func plural(unit string, n json.RawMessage) string {
	if unit == "" || string(n) == "1" {
		return unit
	}
	return unit + "s"
}

func (s *sentences) word(before string, value json.RawMessage, after string) {
	if value == nil {
		return
	}
	s.next()
	s.b = append(s.b, before...)
	s.b = appendLiteral(s.b, value)
	s.b = append(append(s.b, after...), '.')
}

// said are the words that bounds, the signature or the pattern say, or that add nothing.
const said = " minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems" +
	" minProperties maxProperties uniqueItems format pattern additionalProperties title examples $schema $comment" +
	" deprecated readOnly writeOnly contentEncoding contentMediaType "

const maxWord = 200 // bytes of a schema word shown as it is written

func (s *sentences) other(word registry.Keyword) {
	if strings.Contains(said, " "+word.Name+" ") {
		return
	}
	s.next()
	s.b = appendName(s.b, word.Name)
	s.b = append(s.b, ' ')
	s.b = appendShort(s.b, word.Value, maxWord)
	s.b = append(s.b, '.')
}
