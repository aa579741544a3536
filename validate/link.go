package validate

import (
	"net/url"
	"strconv"
	"strings"
)

// links resolves the references of a document, once all its schemas are read. Each is
// rewritten to the pointer that it was found to mean, so that the library can't read
// it otherwise. A reference may lead to a schema that stands where none is looked for; it is
// read then, and may bring references of its own.
func (r *reader) links(doc any) {
	for i := 0; i < len(r.refs); i++ {
		ref := r.refs[i]
		target := r.target(doc, ref.to)
		if target == nil {
			r.faults.add(ref.from.at+"/$ref", "", "there is no schema at %s", quote(ref.to))
			continue
		}
		ref.from.ref = target
		ref.doc.at["$ref"] = "#" + libraryPointer(target.at)
	}
}

func (r *reader) target(doc any, to string) *node {
	fragment, err := url.PathUnescape(strings.TrimPrefix(to, "#"))
	if err != nil {
		return nil
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return r.anchors[fragment]
	}
	if n := r.nodes[fragment]; n != nil {
		return n
	}
	found, ok := lookUp(doc, fragment)
	if !ok {
		return nil
	}
	switch found.(type) {
	case bool, *ordered:
		return r.schema(found, fragment, r.nodes[""], apart, 1)
	}
	return nil
}

func lookUp(doc any, pointer string) (any, bool) {
	for pointer != "" {
		token, rest, more := strings.Cut(pointer[1:], "/")
		pointer = ""
		if more {
			pointer = "/" + rest
		}
		switch parent := doc.(type) {
		case *ordered:
			v, ok := parent.at[unescapePointer(token)]
			if !ok {
				return nil, false
			}
			doc = v
		case []any:
			i, ok := arrayIndex(token)
			if !ok || i >= len(parent) || strconv.Itoa(i) != token {
				return nil, false
			}
			doc = parent[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// libraryPointer writes a JSON Pointer the way the library writes its own: escaped for a
// URL, step by step.
func libraryPointer(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = url.PathEscape(token)
	}
	return strings.Join(tokens, "/")
}
