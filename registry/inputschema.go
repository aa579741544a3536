package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of a written schema. A method beyond them is a mistake, or a list of parameters
// that contains itself.
const (
	maxShapeDepth  = 32
	maxSchemaBytes = 1 << 20
)

// schemaOf writes the JSON Schema (draft 2020-12) of an object with the visible ones of params:
// closed, everything in declared order, without $schema, references or combinators of our own. What a whole schema
// holds stays, and every list has items.
func schemaOf(params []Param) ([]byte, error) {
	w := schemaWriter{}
	w.text(`{"type":"object"`)
	w.members(params, 0)
	w.text(`}`)
	if w.err != nil {
		return nil, w.err
	}
	return withItems(w.out), nil
}

// schemaOfParam writes the JSON Schema of one parameter, whether hidden or not.
func schemaOfParam(p Param) ([]byte, error) {
	w := schemaWriter{}
	w.param(&p, 0)
	if w.err != nil {
		return nil, w.err
	}
	return withItems(w.out), nil
}

// schemaWriter appends JSON text. Its first error stands, and carries the path of the parameter.
type schemaWriter struct {
	out  []byte
	path []string
	err  error
}

func (w *schemaWriter) param(p *Param, depth int) {
	switch {
	case w.err != nil:
		return
	case depth > maxShapeDepth:
		w.fail("is nested more than %d deep", maxShapeDepth)
		return
	case len(w.out) > maxSchemaBytes:
		w.fail("the schema is longer than %d bytes", maxSchemaBytes)
		return
	case p.Schema != nil:
		w.whole(p)
		return
	}
	w.text(`{`)
	w.typeOf(p)
	w.words(p)
	switch p.Type {
	case Array:
		w.items(p, depth)
	case Object:
		if p.Fields != nil {
			w.members(p.Fields, depth)
		}
	}
	for _, k := range p.Keywords {
		w.member(k.Name, k.Value)
	}
	w.text(`}`)
}

// typeOf writes the type. An enum with null widens it, since "already of Type" can't hold for null.
func (w *schemaWriter) typeOf(p *Param) {
	if p.Type == Any {
		return
	}
	if !holdsNull(p.Enum) {
		w.key("type")
		w.quote(string(p.Type))
		return
	}
	w.key("type")
	w.text(`[`)
	w.quote(string(p.Type))
	w.text(`,"null"]`)
}

// words writes what describes a value of any type.
func (w *schemaWriter) words(p *Param) {
	if p.Label != "" {
		w.key("title")
		w.shown(p.Label)
	}
	if d := describe(p); d != "" {
		w.key("description")
		w.shown(d)
	}
	if len(p.Enum) > 0 {
		w.key("enum")
		w.text(`[`)
		for i, v := range p.Enum {
			if i > 0 {
				w.text(`,`)
			}
			w.raw("enum", v)
		}
		w.text(`]`)
	}
	if p.Default != nil {
		w.member("default", p.Default)
	}
	if example := exampleOf(p); example != nil && !p.has("examples") {
		w.key("examples")
		w.text(`[`)
		w.raw("placeholder", example)
		w.text(`]`)
	}
}

// items writes the items even when they are anything: clients refuse lists without. Where unevaluatedItems decides
// about them, they would change what is taken.
func (w *schemaWriter) items(p *Param, depth int) {
	if p.Items == nil && p.has("unevaluatedItems") {
		return
	}
	w.key("items")
	if p.Items == nil {
		w.text(`{}`)
		return
	}
	w.path = append(w.path, "items")
	w.param(p.Items, depth+1)
	w.path = w.path[:len(w.path)-1]
}

// members writes the properties of a closed object. Its brace is open.
func (w *schemaWriter) members(params []Param, depth int) {
	w.key("properties")
	w.text(`{`)
	required := 0
	for i := range params {
		p := &params[i]
		if p.Hidden() {
			continue
		}
		if p.Required() {
			required++
		}
		w.path = append(w.path, p.Name)
		w.key(p.Name)
		w.param(p, depth+1)
		w.path = w.path[:len(w.path)-1]
	}
	w.text(`}`)
	if required > 0 {
		w.required(params)
	}
	w.key("additionalProperties")
	w.text(`false`)
}

func (w *schemaWriter) required(params []Param) {
	w.key("required")
	w.text(`[`)
	for i := range params {
		if !params[i].Required() {
			continue
		}
		if w.out[len(w.out)-1] != '[' {
			w.text(`,`)
		}
		w.quote(params[i].Name)
	}
	w.text(`]`)
}

// whole writes a schema that was given whole, with our words in front that it has not itself.
func (w *schemaWriter) whole(p *Param) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, p.Schema); err != nil {
		w.fail("json_schema: %v", err)
		return
	}
	text := compact.Bytes()
	if len(text) == 0 || text[0] != '{' {
		w.out = append(w.out, text...)
		return
	}
	w.text(`{`)
	if d := describe(p); d != "" && !hasMember(text, "description") {
		w.key("description")
		w.shown(d)
	}
	if p.Label != "" && !hasMember(text, "title") {
		w.key("title")
		w.shown(p.Label)
	}
	if p.Default != nil && !hasMember(text, "default") {
		w.member("default", p.Default)
	}
	if w.out[len(w.out)-1] != '{' && len(text) > 2 {
		w.text(`,`)
	}
	w.out = append(w.out, text[1:]...)
}

func (w *schemaWriter) member(name string, value json.RawMessage) {
	w.key(name)
	w.raw(name, value)
}

// key writes the name of the next member, and the comma before it.
func (w *schemaWriter) key(name string) {
	if w.out[len(w.out)-1] != '{' {
		w.text(`,`)
	}
	w.quote(name)
	w.text(`:`)
}

func (w *schemaWriter) text(s string) { w.out = append(w.out, s...) }

func (w *schemaWriter) quote(s string) {
	out, err := jsontext.AppendQuote(w.out, s)
	if err != nil {
		w.fail("text %q is not valid UTF-8", s)
		return
	}
	w.out = out
}

// shown writes a text that is read by models and shown on terminals, so nothing in it is hidden or commands.
func (w *schemaWriter) shown(s string) {
	if utf8.ValidString(s) {
		s = Visible(s)
	}
	w.quote(s) // says what is not UTF-8
}

func (w *schemaWriter) raw(what string, v json.RawMessage) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, v); err != nil {
		w.fail("%s: %v", what, err)
		return
	}
	w.out = append(w.out, compact.Bytes()...)
}

func (w *schemaWriter) fail(format string, args ...any) {
	if w.err != nil {
		return
	}
	w.err = fmt.Errorf(format, args...)
	for i := len(w.path) - 1; i >= 0; i-- {
		w.err = fmt.Errorf("%s: %w", strconv.Quote(w.path[i]), w.err)
	}
}

// describe is the description of a parameter; the placeholder stands in for a missing one.
func describe(p *Param) string {
	if p.Description == "" && p.Placeholder != "" {
		return "e.g. " + p.Placeholder
	}
	return p.Description
}

// exampleOf is the placeholder as a JSON value of the parameter's type, nil when it is none.
func exampleOf(p *Param) json.RawMessage {
	if p.Placeholder == "" {
		return nil
	}
	if p.Type == String {
		quoted, err := jsontext.AppendQuote(nil, p.Placeholder)
		if err != nil {
			return nil
		}
		return json.RawMessage(quoted)
	}
	v := jsontext.Value(p.Placeholder)
	if p.Type == Any || !v.IsValid() {
		return nil
	}
	t := typeOfValue(json.RawMessage(v))
	if t == p.Type || t == Integer && p.Type == Number {
		return json.RawMessage(v)
	}
	return nil
}

// typeOfValue is the narrowest type of a JSON value; Any for null.
func typeOfValue(v json.RawMessage) Type {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return Any
	}
	switch v[0] {
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	case 't', 'f':
		return Boolean
	case 'n':
		return Any
	}
	if bytes.ContainsAny(v, ".eE") {
		return Number
	}
	return Integer
}

// has reports whether a JSON Schema word was written for the parameter.
func (p *Param) has(word string) bool {
	return slices.ContainsFunc(p.Keywords, func(k Keyword) bool { return k.Name == word })
}

func holdsNull(values []json.RawMessage) bool {
	for _, v := range values {
		if string(bytes.TrimSpace(v)) == "null" {
			return true
		}
	}
	return false
}

// hasMember reports whether a JSON object has a member of that name, at its top.
func hasMember(object []byte, name string) bool {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return false
		}
		if key.String() == name {
			return true
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	return false
}
