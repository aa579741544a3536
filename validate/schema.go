package validate

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Schema is a compiled JSON Schema, safe for concurrent use. The zero value accepts nothing.
type Schema struct {
	text string // sound
	made atomic.Pointer[compiled]
}

// compiled is what checking needs of a schema.
type compiled struct {
	root   *node
	nodes  map[string]*node // by JSON Pointer
	engine func() (*engine, error)
}

// Compile reads one JSON Schema (draft 2020-12) and refuses, with a JSON Pointer to
// the place, what must not be used: text that is not strict JSON, references to
// files or the network, unknown keywords that are near misses of known ones, bad
// patterns, and schemas whose static cost is over the limits of this package: 1 MiB of
// text, 2,000 schemas in 64 levels, 512 properties of one object, 1,000 listed values, patterns of 1,000
// characters, and 20,000 visits of schemas for one value, references followed. The error is a
// *SchemaError.
//
// Schemas that name draft-04 to 2019-09 in $schema are read as draft 2020-12; what means
// something else there is refused.
func Compile(schema []byte) (*Schema, error) {
	if len(schema) > maxSchemaText {
		return nil, &SchemaError{[]Fault{{Message: fmt.Sprintf("the text has %d bytes, at most %d are read", len(schema), maxSchemaText)}}}
	}
	c, err := read(string(schema))
	if err != nil {
		return nil, err
	}
	if !c.root.plain { // else the library is needed only to say what is wrong; its set-up is what costs time
		if _, err := c.engine(); err != nil {
			return nil, err
		}
	}
	s := &Schema{text: string(schema)}
	s.made.Store(c)
	return s, nil
}

// Rest drops all but the text of the schema, which is a fraction of it: of many schemas most are hardly ever used. The next
// Check makes it again, which takes as long as Compile did.
func (s *Schema) Rest() { s.made.Store(nil) }

// ready is what was made of the text, or is made again. It is nil for the zero value.
func (s *Schema) ready() *compiled {
	if c := s.made.Load(); c != nil || s.text == "" {
		return c
	}
	c, err := read(s.text)
	if err != nil {
		return nil // it was sound before
	}
	s.made.Store(c)
	return c
}

// read reads a text and finds it sound, or says all that is wrong with it.
func read(text string) (*compiled, error) {
	doc, fault := decodeOrdered([]byte(text))
	if fault != nil {
		return nil, &SchemaError{[]Fault{{Pointer: string(fault.place), Message: fault.String()}}}
	}
	r := newReader()
	root := r.schema(doc, "", nil, apart, 1)
	r.links(doc)
	if len(r.faults) == 0 {
		r.costs(root)
	}
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	return &compiled{root: root, nodes: r.nodes, engine: sync.OnceValues(func() (*engine, error) {
		doc, _ := decodeOrdered([]byte(text))
		return compile(document(root, doc))
	})}, nil
}

// document is the schema for the library, without the words that would give it another name
// or dialect. The library takes objects only where schemas may be true or false.
func document(root *node, doc any) map[string]any {
	plain, ok := unordered(doc).(map[string]any)
	if !ok {
		if *root.always {
			return map[string]any{}
		}
		return map[string]any{"not": map[string]any{}}
	}
	delete(plain, "$schema")
	delete(plain, "$id")
	return plain
}

// Check returns every problem of a decoded value (see Decode), paths rooted at
// root ("args"); nil when there is none. An integer is a JSON number without
// fraction or exponent within 64 bits, judged by its text. It never panics. At most 50
// problems are returned, the last of which then says how many more there are. A value on which the schema
// would take too long is a problem too.
func (s *Schema) Check(root string, v any) (problems []Problem) {
	if s == nil {
		return refused(root, noSchema)
	}
	c := s.ready()
	if c == nil {
		return refused(root, noSchema)
	}
	defer func() {
		if r := recover(); r != nil {
			problems = refused(root, "this value could not be checked")
		}
	}()
	if c.root.plain && c.root.fits(v, &meter{left: maxVisits}) {
		return nil
	}
	if c.root.always != nil {
		return refused(root, "the schema takes no value at all")
	}
	if fault := sound(v, 0); fault != "" {
		return refused(root, fault)
	}
	if !affordable(c.root, v) {
		return refused(root, "this value takes too long to check against its schema; give a smaller one")
	}
	e, err := c.engine()
	if err != nil {
		return refused(root, "the schema can't be used: "+err.Error())
	}
	return e.problems(c, root, v)
}

const noSchema = "there is no schema to check this with"

func refused(root, why string) []Problem {
	return []Problem{{Kind: TypeMismatch, Path: root, Hint: why}}
}
