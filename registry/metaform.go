package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-decide/mcp-decide/validate"
)

// metaReader reads one meta form, an object whose keys are all metaWords. The words may stand in
// any order, so those that depend on the type are settled at the end.
type metaReader struct {
	*shapeReader
	p        *Param
	depth    int
	given    map[string]bool
	declared bool // a type name was given
	needed   bool // required: true was given
	values   []json.RawMessage
	valuesAt string // the word that gave values: enum, options or const
}

func (r *shapeReader) meta(p *Param, members []member, depth int) {
	m := metaReader{shapeReader: r, p: p, depth: depth, given: map[string]bool{}}
	for _, word := range members {
		m.given[word.name] = true
	}
	for _, word := range members {
		r.at(word.name, func() { m.word(word) })
	}
	m.settle(members)
}

func (m *metaReader) word(w member) {
	known := metaWords[w.name]
	if known.own {
		m.own(w)
		return
	}
	if m.fits(w, known.value) {
		m.p.Keywords = append(m.p.Keywords, Keyword{w.name, w.value})
	}
}

// own reads a word that is not taken over into the schema as it stands.
func (m *metaReader) own(w member) {
	switch w.name {
	case "type":
		m.typeName(w)
	case "description":
		m.p.Description = m.words(w)
	case "label", "title":
		if w.name == "title" && m.given["label"] {
			m.fail("keep label", "title is another name of label")
			return
		}
		m.p.Label = m.words(w)
	case "from":
		m.p.From = m.words(w)
	case "placeholder":
		m.placeholder(w)
	case "multiline":
		m.p.Multiline = m.flag(w)
	case "secret":
		m.p.Secret = m.flag(w)
	case "required":
		m.required(w)
	case "default":
		m.defaultTo(w)
	case "enum", "options":
		m.enum(w)
	case "const":
		m.constant(w)
	case "fields":
		// fields make an object, whatever type says.
		m.p.Fields = m.params(w.value, m.depth)
	case "items":
		m.p.Items = new(Param)
		m.shape(m.p.Items, w.value, m.depth+1)
	case "json_schema":
		if m.fits(w, aSchema) {
			m.p.Schema = w.value
		}
	case "options_from":
		m.fail("list the values with enum", "this version does not have options_from yet")
	case "properties":
		m.fail("write fields: {name: shape, …}, or put the whole JSON Schema under json_schema", "properties is no word of this form")
	}
}

func (m *metaReader) typeName(w member) {
	if jsontext.Value(w.value).Kind() != '"' {
		m.fail("a list is [item], an object fields: {…}, several types json_schema: {type: […]}", "type is one type name, not %s", show(w.value))
		return
	}
	text, ok := m.asText(w.value)
	if !ok {
		return
	}
	t, known := typeNames[text]
	if !known {
		m.fail(fixType(text), "%s is no type name", validate.Quote(text))
		return
	}
	m.p.Type = t
	m.declared = true
}

// placeholder may be written as a number or a flag, and is then its JSON text.
func (m *metaReader) placeholder(w member) {
	switch typeOfValue(w.value) {
	case Integer, Number, Boolean:
		m.p.Placeholder = string(w.value)
	default:
		m.p.Placeholder = m.words(w)
	}
}

// required only says something when the name has no question mark.
func (m *metaReader) required(w member) {
	if jsontext.Value(w.value).Kind() == '[' {
		m.fail("put a ? behind the names of the optional fields", "required is true or false for one parameter, not a list")
		return
	}
	required := m.flag(w)
	m.needed = required
	if required && m.p.Optional {
		m.fail("drop one of them", "the ? behind the name says optional, required says the opposite")
	}
	if required && m.given["default"] {
		m.fail("drop one of them", "a parameter with a default is never required")
	}
	if !required {
		m.p.Optional = true
	}
}

// defaultTo takes null as "may be left out", since null for an optional parameter is "not given".
func (m *metaReader) defaultTo(w member) {
	if string(w.value) == "null" {
		m.p.Optional = true
		return
	}
	m.p.Default = w.value
}

func (m *metaReader) enum(w member) {
	if w.name == "options" && m.given["enum"] {
		m.fail("keep enum", "options is another name of enum")
		return
	}
	values, err := readArray(w.value)
	if err != nil {
		m.fail("write a list of the allowed values", "%v", err)
		return
	}
	m.values, m.valuesAt = values, w.name
}

func (m *metaReader) constant(w member) {
	if m.given["enum"] || m.given["options"] {
		m.fail("keep one of them", "const is a list of values with one member")
		return
	}
	m.values, m.valuesAt = []json.RawMessage{w.value}, w.name
}

// settle works out the type and what depends on it.
func (m *metaReader) settle(members []member) {
	if m.p.Schema != nil {
		m.alone(members)
		return
	}
	m.settleType()
	m.settleValues()
	if m.p.Multiline && m.p.Type != String {
		m.at("multiline", func() { m.fail("drop it", "multiline is for strings, this is %s", m.p.Type.noun()) })
	}
	for _, k := range m.p.Keywords {
		types := metaWords[k.Name].types
		if types == nil || m.p.Type == Any || slices.Contains(types, m.p.Type) {
			continue
		}
		fix := fmt.Sprintf("write type: %s, or drop it", types[0])
		m.at(k.Name, func() { m.fail(fix, "%s says nothing about %s", k.Name, m.p.Type.noun()) })
	}
	if m.given["additionalProperties"] && m.p.Fields != nil {
		m.at("additionalProperties", func() { m.fail("drop it, or use json_schema", "an object with fields has no others") })
	}
}

// settleType: items make a list, and win over fields, which make an object; both stand over type, and
// listed values give the type when nothing else does.
func (m *metaReader) settleType() {
	switch {
	case m.given["items"]:
		m.p.Type = Array
		m.p.Fields = nil
	case m.given["fields"]:
		m.p.Type = Object
	case m.declared || m.given["type"]:
	case len(m.values) > 0:
		m.p.Type = typeOfAll(m.values)
	default:
		m.p.Type = String
	}
}

// settleValues brings the listed values to the type. An empty list is no list. null in the list of a type says that
// the value may be left out, since null for an optional parameter is "not given".
func (m *metaReader) settleValues() {
	seen := map[string]bool{}
	for i, v := range m.values {
		if m.p.Type != Any && string(v) == "null" && m.p.Name != "" && !m.needed {
			m.p.Optional = true
			continue
		}
		fixed, err := valueOfType(m.p.Type, v)
		if err == nil && seen[string(fixed)] {
			err = fmt.Errorf("%s is listed twice", show(fixed))
		}
		if err != nil {
			m.failValue(i, err)
			continue
		}
		seen[string(fixed)] = true
		m.p.Enum = append(m.p.Enum, fixed)
	}
}

func (m *metaReader) failValue(i int, problem error) {
	fix := "write values of the type, or another type"
	if m.p.Type == Array {
		fix = "to list what the items may be, write items: {enum: […]}"
	}
	m.at(m.valuesAt, func() {
		if m.valuesAt == "const" {
			m.fail(fix, "%v", problem)
			return
		}
		m.at(fmt.Sprint(i), func() { m.fail(fix, "%v", problem) })
	})
}

// besideSchema are the words that may stand beside json_schema: they don't describe the value's form.
var besideSchema = []string{"json_schema", "description", "default", "required", "placeholder", "label", "title", "from", "secret"}

func (m *metaReader) alone(members []member) {
	for _, w := range members {
		if slices.Contains(besideSchema, w.name) {
			continue
		}
		m.at(w.name, func() { m.fail("put it inside the json_schema", "json_schema stands instead of %s", w.name) })
	}
}

// words is a text that is not just a type name: {description: string} is meant as a field named description.
func (m *metaReader) words(w member) string {
	text, ok := m.asText(w.value)
	if !ok {
		return ""
	}
	m.notTypeName(w.name, text)
	return text
}

func (m *metaReader) notTypeName(word, text string) {
	if _, is := typeNames[text]; is {
		m.fail(fmt.Sprintf("if %s is the name of a field, write fields: {%s: %s}", word, word, text),
			"%s is a type name, not %s", validate.Quote(text), nounOf(word))
	}
}

func nounOf(word string) string {
	if strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an " + word
	}
	return "a " + word
}

func (m *metaReader) flag(w member) bool {
	return m.fits(w, aBool) && string(w.value) == "true"
}

// asText reads a JSON string.
func (r *shapeReader) asText(raw json.RawMessage) (string, bool) {
	var text string
	if jsontext.Value(raw).Kind() != '"' || !jsontext.Value(raw).IsValid() || json.Unmarshal(raw, &text) != nil {
		r.fail("write a text", "%s is no text", show(raw))
		return "", false
	}
	return text, true
}

// fits checks the form of a word's value.
func (m *metaReader) fits(w member, form valueForm) bool {
	kind := jsontext.Value(w.value).Kind()
	ok := false
	switch form {
	case aNumber:
		ok = kind == '0'
	case aCount:
		ok = kind == '0' && !bytes.ContainsAny(w.value, "-.eE")
	case aText:
		ok = kind == '"'
	case aBool:
		ok = kind == 't' || kind == 'f'
	case aList:
		ok = kind == '['
	case anObject:
		ok = kind == '{'
	case aSchema:
		ok = kind == '{' || kind == 't' || kind == 'f'
	}
	if ok && form == aText {
		var text string
		if json.Unmarshal(w.value, &text) == nil {
			m.notTypeName(w.name, text)
		}
		return true
	}
	if ok {
		return true
	}
	fix := "write " + string(form)
	var text string
	if kind == '"' && json.Unmarshal(w.value, &text) == nil {
		if _, is := typeNames[text]; is {
			fix = fmt.Sprintf("if %s is the name of a field, write fields: {%s: %s}", w.name, w.name, text)
		}
	}
	m.fail(fix, "%s is %s, not %s", w.name, form, show(w.value))
	return false
}
