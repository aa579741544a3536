package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcp-decide/mcp-decide/validate"
)

// ParseParams reads an ordered object of named shapes, {"order_id": "string", "note?": {...}}, the
// schema language of the configuration file. The error is a *ShapeError, or several joined.
//
// A shape is one of
//
//	"integer"                        a type name
//	"The order's number."            a text of several words: a string, described
//	["string"]                       a list; exactly one template
//	{"street": "string", ...}        an object with these fields
//	{"type": "integer", ...}         the meta form: all keys are words of it
//	{}                               a string; {"fields": {}} is the empty object
//
// The words of the meta form are in metawords.go. A question mark behind a name makes the
// parameter or field optional. Shapes nest at most 32 deep.
func ParseParams(raw json.RawMessage) ([]Param, error) {
	var r shapeReader
	params := r.params(raw, 0)
	if err := r.err(); err != nil {
		return nil, err
	}
	return params, nil
}

// ParseShape reads one shape; see ParseParams. The name may end in a question mark. Paths of
// errors start with the name as given.
func ParseShape(name string, raw json.RawMessage) (Param, error) {
	var r shapeReader
	p := r.named(name, raw, 1)
	if err := r.err(); err != nil {
		return Param{}, err
	}
	return p, nil
}

// ShapeError says where a shape is wrong and what to write instead.
type ShapeError struct {
	Path    []string // keys from the outside in, as written; list positions as "0"
	Message string
	Fix     string
}

// Error is one line: the path, what is wrong, what to write.
func (e *ShapeError) Error() string {
	text := e.Message
	if len(e.Path) > 0 {
		text = strings.Join(e.Path, ".") + ": " + text
	}
	if e.Fix != "" {
		text += "; " + e.Fix
	}
	return text
}

// typeNames are the words that name a type. "any" is any JSON value.
var typeNames = map[string]Type{
	"string": String, "integer": Integer, "number": Number, "boolean": Boolean, "array": Array, "object": Object,
	"str": String, "int": Integer, "float": Number, "bool": Boolean, "list": Array, "dict": Object,
	"any": Any,
}

// TypeNamed is the type that a word names in a file or in another form of a shape: a JSON type, any, or one of str, int,
// float, bool, list, dict.
func TypeNamed(word string) (Type, bool) {
	t, ok := typeNames[word]
	return t, ok
}

// typeWords are the type names to propose.
var typeWords = []string{"string", "integer", "number", "boolean", "array", "object", "any"}

// shapeReader collects all problems of one reading. Every method goes on after a problem with
// what can still be read, and the result counts only if there was none.
type shapeReader struct {
	path []string
	errs []error
}

// params reads an object of named shapes that stands at the given depth.
func (r *shapeReader) params(raw json.RawMessage, depth int) []Param {
	members, err := readObject(raw)
	if err != nil {
		r.fail("write an object of names and shapes, like {order_id: string}", "%v", err)
		return nil
	}
	params := make([]Param, 0, len(members))
	seen := make(map[string]bool, len(members))
	for _, m := range members {
		p := r.named(m.name, m.value, depth+1)
		if p.Name != "" && seen[p.Name] {
			r.at(m.name, func() { r.fail("keep one of them", "%q is given twice", p.Name) })
		}
		seen[p.Name] = true
		params = append(params, p)
	}
	return params
}

func (r *shapeReader) named(name string, raw json.RawMessage, depth int) Param {
	bare, optional := strings.CutSuffix(name, "?")
	p := Param{Name: bare, Optional: optional}
	r.at(name, func() {
		if bare == "" || strings.HasSuffix(bare, "?") {
			r.fail("write a name, with one ? behind it if it is optional", "%q is no name", name)
		}
		r.shape(&p, raw, depth)
	})
	return p
}

func (r *shapeReader) shape(p *Param, raw json.RawMessage, depth int) {
	if depth > maxShapeDepth {
		r.fail("write it flatter", "shapes nest more than %d deep", maxShapeDepth)
		return
	}
	switch value := jsontext.Value(raw); value.Kind() {
	case '"':
		r.text(p, raw)
	case '[':
		r.list(p, raw, depth)
	case '{':
		r.object(p, raw, depth)
	default:
		r.fail("write a type name, a description, [item], or an object", "%s is no shape", show(raw))
	}
}

// text is a type name or the description of a string.
func (r *shapeReader) text(p *Param, raw json.RawMessage) {
	text, ok := r.asText(raw)
	if !ok {
		return
	}
	if t, ok := typeNames[text]; ok {
		p.Type = t
		return
	}
	p.Type = String
	p.Description = text
	if isLoneWord(text) {
		r.fail(fixType(text)+fmt.Sprintf(", or {type: string, description: %s} if it is a description", validate.Quote(text)),
			"%s is no type name", validate.Quote(text))
	}
}

func (r *shapeReader) list(p *Param, raw json.RawMessage, depth int) {
	p.Type = Array
	templates, err := readArray(raw)
	if err != nil {
		r.fail("", "%v", err)
		return
	}
	if len(templates) != 1 {
		r.fail("write one template, like [string] or [{name: string}]", "a list has exactly one item template, not %d", len(templates))
		return
	}
	p.Items = new(Param)
	r.at("0", func() { r.shape(p.Items, templates[0], depth+1) })
}

// object is a meta form if all its keys are words of it, a nested object if none is.
func (r *shapeReader) object(p *Param, raw json.RawMessage, depth int) {
	members, err := readObject(raw)
	if err != nil {
		r.fail("", "%v", err)
		return
	}
	isWord := func(m member) bool { _, ok := metaWords[m.name]; return ok }
	word := slices.IndexFunc(members, isWord)
	field := slices.IndexFunc(members, func(m member) bool { return !isWord(m) })
	switch {
	case field < 0:
		r.meta(p, members, depth)
	case word < 0:
		p.Type = Object
		p.Fields = r.params(raw, depth)
	default:
		r.mixed(members[word].name, members[field].name)
	}
}

func (r *shapeReader) mixed(word, field string) {
	fix := fmt.Sprintf("if they are names of fields, write fields: {%s: …, %s: …}", word, field)
	if near := validate.Nearest(field, metaNames()); near != "" {
		fix = fmt.Sprintf("write %s; %s", near, fix)
	}
	r.at(field, func() {
		r.fail(fix, "%s is a word that describes a value, %s is none", strconv.Quote(word), validate.Quote(field))
	})
}

// at runs read with one more key in the path.
func (r *shapeReader) at(key string, read func()) {
	r.path = append(r.path, key)
	read()
	r.path = r.path[:len(r.path)-1]
}

func (r *shapeReader) fail(fix, format string, args ...any) {
	r.errs = append(r.errs, &ShapeError{Path: slices.Clone(r.path), Message: fmt.Sprintf(format, args...), Fix: fix})
}

func (r *shapeReader) err() error {
	if len(r.errs) == 1 {
		return r.errs[0]
	}
	return errors.Join(r.errs...)
}

// isLoneWord reports whether text is one word, so perhaps a misspelt type name. A script that is
// written without blanks has no lone words.
func isLoneWord(text string) bool {
	if len(strings.Fields(text)) != 1 {
		return false
	}
	return !strings.ContainsFunc(text, func(c rune) bool {
		return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// fixType says which type name to write for a word that is none.
func fixType(word string) string {
	switch {
	case word == "null" || word == "none" || word == "None" || word == "NoneType":
		return "write the type of the value, and a ? behind the name if it may be left out"
	case strings.HasSuffix(word, "?") && typeNames[strings.TrimSuffix(word, "?")] != Any:
		return fmt.Sprintf("write %s, and the ? behind the name", strings.TrimSuffix(word, "?"))
	}
	if near := validate.Nearest(word, slices.Concat(typeWords, []string{"str", "int", "float", "bool", "list", "dict"})); near != "" {
		return "write " + near
	}
	return "write one of " + strings.Join(typeWords, ", ")
}

// member is one key of an object and its value.
type member struct {
	name  string
	value json.RawMessage
}

// readObject gives the members of a JSON object in order. Duplicate keys are an error.
func readObject(raw json.RawMessage) ([]member, error) {
	if jsontext.Value(raw).Kind() != '{' {
		return nil, fmt.Errorf("%s is no object", show(raw))
	}
	var members []member
	err := readAll(raw, func(d *jsontext.Decoder) error {
		key, err := d.ReadToken()
		if err != nil {
			return err
		}
		name := key.String()
		value, err := d.ReadValue()
		members = append(members, member{name, json.RawMessage(bytes.Clone(value))})
		return err
	})
	return members, err
}

// readArray gives the elements of a JSON array.
func readArray(raw json.RawMessage) ([]json.RawMessage, error) {
	if jsontext.Value(raw).Kind() != '[' {
		return nil, fmt.Errorf("%s is no list", show(raw))
	}
	var elements []json.RawMessage
	err := readAll(raw, func(d *jsontext.Decoder) error {
		value, err := d.ReadValue()
		elements = append(elements, json.RawMessage(bytes.Clone(value)))
		return err
	})
	return elements, err
}

// readAll calls next for each member or element of one JSON value with nothing behind it.
func readAll(raw json.RawMessage, next func(*jsontext.Decoder) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := d.ReadToken(); err != nil {
		return unreadable(err)
	}
	for k := d.PeekKind(); k != '}' && k != ']'; k = d.PeekKind() {
		if err := next(d); err != nil {
			return unreadable(err)
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return unreadable(err)
	}
	if end := d.InputOffset(); len(bytes.TrimSpace(raw[end:])) > 0 {
		return fmt.Errorf("text after the end of the JSON value, at byte %d", end)
	}
	return nil
}

// unreadable words an error of the JSON reader.
func unreadable(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("not readable as JSON: %w", err)
	}
	return fmt.Errorf("not readable as JSON at byte %d: %w", syntax.ByteOffset, syntax.Err)
}

// show is a JSON value for an error text.
func show(raw json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return "text that is not JSON"
	}
	if len(raw) == 0 {
		return "nothing"
	}
	text := compact.String()
	if short := cutText(text, maxQuoted); len(short) < len(text) {
		return short + "…"
	}
	return text
}
