package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-decide/mcp-decide/validate"
)

// tags are the pairs of a struct tag, in order.
type tags []struct{ name, text string }

func (t tags) get(name string) string {
	for _, tag := range t {
		if tag.name == name {
			return tag.text
		}
	}
	return ""
}

// ownTags are the tags that do not go into the schema as JSON Schema words.
var ownTags = map[string]bool{
	"desc": true, "enum": true, "default": true, "optional": true, "placeholder": true, "label": true,
	"from": true, "secret": true, "multiline": true,
}

// describe reports whether one of the tags says something about a parameter.
func (t tags) describe() bool {
	for _, tag := range t {
		if word, ok := metaWords[tag.name]; tag.name == "json" || ownTags[tag.name] || ok && !word.own {
			return true
		}
	}
	return false
}

// readTags reads a struct tag strictly: reflect takes a malformed one for none.
func readTags(tag string) (tags, error) {
	var all tags
	for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
		name, rest, ok := strings.Cut(tag, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \"`") {
			return nil, fmt.Errorf("%s is not of the form name:\"text\"", validate.Quote(tag))
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil || quoted[0] != '"' {
			return nil, fmt.Errorf("the text of %s is not in double quotes", name)
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, fmt.Errorf("the text of %s: %w", name, err)
		}
		if all.get(name) != "" {
			return nil, fmt.Errorf("%s stands twice", name)
		}
		all = append(all, struct{ name, text string }{name, text})
		tag = rest[len(quoted):]
	}
	return all, nil
}

// tagged adds what the tags say to a parameter whose type is known.
func (r *typeReader) tagged(p *Param, all tags) {
	m := metaReader{shapeReader: &r.shapeReader, p: p, given: map[string]bool{}, declared: true}
	var words []member
	for _, tag := range all {
		word, isWord := metaWords[tag.name]
		switch {
		case ownTags[tag.name]:
			r.at(tag.name, func() { r.own(p, tag.name, tag.text) })
		case isWord && !word.own:
			raw, err := literal(word.value, tag.text)
			if err != nil {
				r.at(tag.name, func() { r.fail("write "+string(word.value), "%v", err) })
				continue
			}
			w := member{tag.name, raw}
			p.Keywords = without(p.Keywords, tag.name)
			r.at(tag.name, func() { m.word(w) })
			m.given[tag.name] = true
			words = append(words, w)
		}
	}
	m.settle(words)
}

func (r *typeReader) own(p *Param, name, text string) {
	switch name {
	case "desc":
		p.Description = text
	case "placeholder":
		p.Placeholder = text
	case "label":
		p.Label = text
	case "from":
		p.From = text
	case "secret":
		p.Secret = r.yes(text)
	case "multiline":
		p.Multiline = r.yes(text)
	case "optional":
		p.Optional = r.yes(text) || p.Optional
	case "default":
		r.defaultTo(p, text)
	case "enum":
		r.enum(p, text)
	}
}

func (r *typeReader) yes(text string) bool {
	if text != "true" && text != "false" {
		r.fail(`write "true"`, "%s is neither true nor false", validate.Quote(text))
	}
	return text == "true"
}

// defaultTo takes a JSON literal; for strings bare text too.
func (r *typeReader) defaultTo(p *Param, text string) {
	raw := jsontext.Value(strings.TrimSpace(text))
	if p.Type == String && !(raw.Kind() == '"' && raw.IsValid()) {
		p.Default = jsonText(text)
		return
	}
	if !raw.IsValid() {
		r.fail("write a JSON literal", "%s is not JSON", validate.Quote(text))
		return
	}
	fixed, err := valueOfType(p.Type, json.RawMessage(raw))
	if err != nil {
		r.fail("write a value of the field's type", "%v", err)
		return
	}
	p.Default = fixed
}

// enum takes values parted by commas, or a JSON list. On a list they are those of its items.
func (r *typeReader) enum(p *Param, text string) {
	if p.Type == Array && p.Items != nil {
		p = p.Items
	}
	values, err := listed(text)
	if err != nil {
		r.fail(`write "a,b" or a JSON list`, "%v", err)
		return
	}
	m := metaReader{shapeReader: &r.shapeReader, p: p, values: values, valuesAt: "const"}
	m.path = m.path[:len(m.path)-1] // failValue adds the word
	m.valuesAt = "enum"
	m.settleValues()
	m.path = append(m.path, "enum")
}

func listed(text string) ([]json.RawMessage, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return readArray(json.RawMessage(text))
	}
	if text == "" {
		return nil, errors.New("the list is empty")
	}
	var values []json.RawMessage
	for value := range strings.SplitSeq(text, ",") {
		values = append(values, jsonText(strings.TrimSpace(value)))
	}
	return values, nil
}

// literal is the JSON of a tag's text: a text as it is, anything else a literal.
func literal(form valueForm, text string) (json.RawMessage, error) {
	if form == aText {
		return jsonText(text), nil
	}
	v := jsontext.Value(text)
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("%s is not JSON", validate.Quote(text))
	}
	return json.RawMessage(v), nil
}

func jsonText(s string) json.RawMessage {
	quoted, _ := jsontext.AppendQuote(nil, s) // bad UTF-8 becomes U+FFFD
	return json.RawMessage(quoted)
}

// without leaves a keyword out that a tag says otherwise.
func without(keywords []Keyword, name string) []Keyword {
	var rest []Keyword
	for _, k := range keywords {
		if k.Name != name {
			rest = append(rest, k)
		}
	}
	return rest
}
