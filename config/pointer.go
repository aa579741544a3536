package config

import "strings"

// pointed is the place of what a JSON Pointer speaks of: one into the schema that is made of what stands below keys, the
// parameters of a method or one shape. Where the way is lost, it is the place of what was found of it.
func (n *node) pointed(keys []string, pointer string) Pos {
	f := finder{n: n, pos: n.pos}
	f.enter(keys...)
	words := strings.Split(pointer, "/")[1:]
	for i, w := range words {
		words[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(w)
	}
	if len(keys) == 1 && keys[0] != "returns" {
		f.field(words) // names and shapes, where a shape would have its fields
	} else {
		f.shape(words)
	}
	if f.n.scalar() {
		return f.n.pos
	}
	return f.pos
}

// finder follows a pointer down the tree.
type finder struct {
	n   *node
	pos Pos // of the key at which n stands
}

// enter goes down key by key, as far as they are there; it reports whether all are.
func (f *finder) enter(keys ...string) bool {
	for _, k := range keys {
		next := f.n.step(k)
		if next.value == nil {
			return false
		}
		f.pos, f.n = next.pos, next.value
	}
	return true
}

// field goes on in a map of names and shapes.
func (f *finder) field(words []string) {
	if len(words) > 1 && words[0] == "properties" && f.enter(words[1]) {
		f.shape(words[2:])
	}
}

// shape goes on in a shape. What stands in a whole schema, or in a word of JSON Schema, has the keys of the pointer.
func (f *finder) shape(words []string) {
	switch {
	case len(words) == 0:
	case f.n.has("json_schema"):
		f.enter("json_schema")
		f.enter(words...)
	case words[0] == "properties":
		f.enter("fields")
		f.field(words)
	case words[0] == "items" && f.n.kind == list:
		f.enter("0")
		f.shape(words[1:])
	case words[0] == "items" && f.enter("items"):
		f.shape(words[1:])
	default:
		f.enter(words...)
	}
}
