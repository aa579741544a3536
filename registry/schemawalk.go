package registry

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// withItems says of every list in a JSON Schema that it may hold anything, where nothing else is said: some clients
// refuse a list without items. A list whose items unevaluatedItems decides about stays as it is, since items would
// change what it takes. A text that is no JSON is returned as it is.
func withItems(schema []byte) []byte {
	w := newSchemaWalk(schema)
	bare, err := w.schema()
	bare = append(w.bare, bare...)
	if err != nil || len(bare) == 0 || w.refs && w.unevaluated {
		return schema
	}
	const items = `,"items":{}`
	slices.Sort(bare)
	out := make([]byte, 0, len(schema)+len(bare)*len(items))
	from := 0
	for _, end := range bare {
		out = append(append(out, schema[from:end]...), items...)
		from = end
	}
	return append(out, schema[from:]...)
}

// schemaWalk goes once over the text of a JSON Schema, schema by schema.
type schemaWalk struct {
	d           *jsontext.Decoder
	each        func(schemaSeen) // called at the end of each schema that is an object, inner ones first; may be nil
	depth       int              // of the schema that is read; the outermost is 1
	bare        []int            // where lists without items end
	refs        bool             // some schema refers to another
	unevaluated bool             // some schema has unevaluatedItems
}

// schemaSeen is what the walk saw of one schema.
type schemaSeen struct {
	words []string // all that it holds, in order
	list  bool     // its type is array, or may be
}

func newSchemaWalk(text []byte) *schemaWalk {
	return &schemaWalk{d: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// schema reads one schema. What it returns are the ends of lists without items, in it and in the schemas inside that
// speak of the same value: for these, unevaluatedItems further out may decide.
func (w *schemaWalk) schema() (bare []int, err error) {
	if w.d.PeekKind() != '{' {
		return nil, w.d.SkipValue() // true or false
	}
	if _, err := w.d.ReadToken(); err != nil {
		return nil, err
	}
	w.depth++
	defer func() { w.depth-- }()
	var s schemaSeen
	for w.d.PeekKind() == '"' {
		word, err := w.d.ReadToken()
		if err != nil {
			return nil, err
		}
		s.words = append(s.words, word.String())
		same, err := w.word(&s)
		if err != nil {
			return nil, err
		}
		bare = append(bare, same...)
	}
	if _, err := w.d.ReadToken(); err != nil {
		return nil, err
	}
	if s.list && !s.has("items") {
		bare = append(bare, int(w.d.InputOffset())-1)
	}
	if s.has("unevaluatedItems") {
		w.unevaluated, bare = true, nil
	}
	if w.each != nil {
		w.each(s)
	}
	return bare, nil
}

func (s *schemaSeen) has(word string) bool { return slices.Contains(s.words, word) }

// inside says what the words of a JSON Schema hold that hold schemas again, and whether these speak of the
// same value as the schema around them. All other words hold plain values.
var inside = map[string]struct {
	form schemaForm
	same bool
}{
	"allOf": {schemaList, true}, "anyOf": {schemaList, true}, "oneOf": {schemaList, true}, "not": {aSchemaAlone, false},
	"if": {aSchemaAlone, true}, "then": {aSchemaAlone, true}, "else": {aSchemaAlone, true}, "dependentSchemas": {schemaMap, true},
	"properties": {schemaMap, false}, "patternProperties": {schemaMap, false}, "additionalProperties": {aSchemaAlone, false},
	"unevaluatedProperties": {aSchemaAlone, false}, "propertyNames": {aSchemaAlone, false},
	"items": {aSchemaAlone, false}, "prefixItems": {schemaList, false}, "contains": {aSchemaAlone, false},
	"unevaluatedItems": {aSchemaAlone, false}, "contentSchema": {aSchemaAlone, false},
	"$defs": {schemaMap, false}, "definitions": {schemaMap, false},
}

// schemaForm is how schemas stand in a word; the zero value is not at all.
type schemaForm int

const (
	aSchemaAlone schemaForm = iota + 1
	schemaList
	schemaMap
)

// references are the words that lead to another schema.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// word reads the value of the last word of s.
func (w *schemaWalk) word(s *schemaSeen) (bare []int, err error) {
	word := s.words[len(s.words)-1]
	if word == "type" {
		value, err := w.d.ReadValue()
		s.list = bytes.Contains(value, []byte(`"array"`))
		return nil, err
	}
	w.refs = w.refs || slices.Contains(references, word)
	holds := inside[word]
	switch kind := w.d.PeekKind(); {
	case holds.form == aSchemaAlone:
		bare, err = w.schema()
	case holds.form == schemaList && kind == '[', holds.form == schemaMap && kind == '{':
		bare, err = w.schemas(holds.form == schemaMap)
	default:
		return nil, w.d.SkipValue()
	}
	if holds.same {
		return bare, err
	}
	w.bare = append(w.bare, bare...)
	return nil, err
}

// schemas reads a list of schemas, or schemas by name.
func (w *schemaWalk) schemas(named bool) (bare []int, err error) {
	if _, err := w.d.ReadToken(); err != nil {
		return nil, err
	}
	for kind := w.d.PeekKind(); kind != ']' && kind != '}'; kind = w.d.PeekKind() {
		if named {
			if _, err := w.d.ReadToken(); err != nil {
				return nil, err
			}
		}
		found, err := w.schema()
		if err != nil {
			return nil, err
		}
		bare = append(bare, found...)
	}
	_, err = w.d.ReadToken()
	return bare, err
}
