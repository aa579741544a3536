package validate

import (
	"strconv"
	"strings"
)

// Limits of a schema's text. They keep every later step small.
const (
	maxSchemaText   = 1 << 20 // bytes
	maxSchemas      = 2000    // in one document; compiling takes time that grows with the square
	maxSchemaDepth  = 64      // schemas in one another, and steps that stay on one value
	maxProperties   = 512     // of one object, and names in one required
	maxEnum         = 1000
	maxPattern      = 1000 // characters
	maxInstructions = 4000 // of a compiled pattern
	maxName         = 500  // bytes of a property's name
	maxLength       = 1 << 31
)

// reader reads a document of schemas into nodes and notes everything that is wrong.
type reader struct {
	faults  faults
	nodes   map[string]*node // by JSON Pointer
	anchors map[string]*node
	refs    []reference
	regexps map[string]pattern
	full    bool // too many schemas; said once
}

type reference struct {
	from *node
	doc  *ordered // holds the word $ref
	to   string
}

func newReader() *reader {
	return &reader{nodes: map[string]*node{}, anchors: map[string]*node{}, regexps: map[string]pattern{}}
}

// schema reads the schema at pointer. Its result is never nil.
func (r *reader) schema(doc any, at string, outer *node, reach reach, depth int) *node {
	n := &node{at: at, outer: outer, reach: reach}
	r.nodes[at] = n
	switch doc := doc.(type) {
	case bool:
		n.always, n.plain = &doc, true
	case *ordered:
		if r.tooMuch(n, depth) {
			break
		}
		n.words = make(map[string]any, len(doc.keys))
		for _, name := range doc.keys {
			if r.word(n, name, doc.at[name]) {
				n.words[name] = unordered(doc.at[name])
			}
		}
		n.note()
		for _, name := range doc.keys {
			r.inside(n, name, doc, depth+1)
		}
	default:
		r.faults.add(at, "", "a schema is an object, true or false, not %s", describe(unordered(doc)))
	}
	return n
}

func (r *reader) tooMuch(n *node, depth int) bool {
	if depth > maxSchemaDepth {
		r.faults.add(n.at, "", "schemas are nested deeper than %d", maxSchemaDepth)
		return true
	}
	if len(r.nodes) > maxSchemas {
		if !r.full {
			r.faults.add("", "", "there are more than %d schemas in it", maxSchemas)
		}
		r.full = true
	}
	return r.full
}

// word checks one word of a schema and its value, but not the schemas in it.
func (r *reader) word(n *node, name string, v any) bool {
	at := n.at + "/" + escapePointer(name)
	w, known := words[name]
	switch {
	case !known:
		return r.unknown(at, name)
	case w.shape == unusable:
		r.faults.add(at, `use "$ref" and "$defs"`, "the word %s can't be used here", quote(name))
		return false
	case name == "$id" && n.outer != nil:
		r.faults.add(at, `remove it and point with "#/..."`, `an inner "$id" can't be used`)
		return false
	case name == "$schema":
		return r.dialect(at, v)
	}
	if fault, fix := misshapen(w.shape, v); fault != "" {
		r.faults.add(at, fix, "%s", fault)
		return false
	}
	return r.small(at, name, v)
}

func (r *reader) unknown(at, name string) bool {
	if strings.HasPrefix(name, "x-") {
		return false
	}
	near := Nearest(name, Keywords())
	if len(near) <= 3 && !strings.EqualFold(near, name) {
		return false // "note" is no slip of "not"
	}
	if near != "" {
		r.faults.add(at, "did you mean "+quote(near)+"?", "%s is no word of JSON Schema", quote(name))
	}
	return false
}

// dialect takes the drafts whose words mean the same in draft 2020-12, or are refused by name.
func (r *reader) dialect(at string, v any) bool {
	s, _ := v.(string)
	trimmed := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://"), "#")
	switch trimmed {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema",
		"json-schema.org/schema":
		return true
	}
	r.faults.add(at, `leave it out, or write "https://json-schema.org/draft/2020-12/schema"`,
		"the dialect %s is not known", quoteAny(v))
	return false
}

// small refuses what would make checking expensive.
func (r *reader) small(at, name string, v any) bool {
	before := len(r.faults)
	switch list := v.(type) {
	case []any:
		if name == "enum" && len(list) == 0 {
			r.faults.add(at, "list the allowed values, or leave it out", "the list is empty, so no value could pass")
		}
		if name == "enum" && len(list) > maxEnum {
			r.faults.add(at, "", "there are %d values, at most %d can be listed", len(list), maxEnum)
		}
		if name == "required" && len(list) > maxProperties {
			r.faults.add(at, "", "there are %d names, at most %d can be listed", len(list), maxProperties)
		}
	case *ordered:
		if name == "properties" && len(list.keys) > maxProperties {
			r.faults.add(at, "", "there are %d properties, at most %d can be declared", len(list.keys), maxProperties)
		}
	case string:
		if name == "pattern" {
			r.pattern(at, list)
		}
	}
	return len(r.faults) == before
}

// inside reads the schemas in one word, and what waits for all schemas to be read.
func (r *reader) inside(n *node, name string, doc *ordered, depth int) {
	if _, sound := n.words[name]; !sound {
		return
	}
	at := n.at + "/" + escapePointer(name)
	w := words[name]
	child := func(v any, at, key string) *node {
		return r.schema(v, at, n, w.reach, depth)
	}
	switch v := doc.at[name].(type) {
	case []any:
		if w.shape == schemas {
			for i, item := range v {
				n.adopt(sub{name, "", child(item, at+"/"+strconv.Itoa(i), "")})
			}
		}
	case *ordered:
		if w.shape == aSchema {
			n.adopt(sub{name, "", child(v, at, "")})
		}
		if w.shape == schemaMap || w.shape == patternMap || w.shape == eitherMap {
			r.named(n, name, v, depth)
		}
	case bool:
		if w.shape == aSchema {
			n.adopt(sub{name, "", child(v, at, "")})
		}
	case string:
		r.link(n, name, v, doc)
	}
}

// named reads schemas that stand by name, by pattern, or beside lists of names.
func (r *reader) named(n *node, name string, doc *ordered, depth int) {
	for _, key := range doc.keys {
		at := n.at + "/" + escapePointer(name) + "/" + escapePointer(key)
		if len(key) > maxName {
			r.faults.add(at, "", "the name is longer than %d bytes", maxName)
			continue
		}
		if _, list := doc.at[key].([]any); list && words[name].shape == eitherMap {
			continue
		}
		child := r.schema(doc.at[key], at, n, words[name].reach, depth)
		n.adopt(sub{name, key, child})
		if words[name].shape != patternMap {
			continue
		}
		if p := r.pattern(at, key); p.re != nil {
			n.patterns = append(n.patterns, patternSub{p, child})
		}
	}
}

func (r *reader) link(n *node, name, v string, doc *ordered) {
	switch name {
	case "$ref":
		r.refs = append(r.refs, reference{n, doc, v})
	case "$anchor":
		if r.anchors[v] != nil {
			r.faults.add(n.at+"/$anchor", "", "the anchor %s stands there twice", quote(v))
		}
		r.anchors[v] = n
	case "pattern":
		n.pattern = r.pattern(n.at+"/pattern", v)
	}
}
