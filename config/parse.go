package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Parse reads a file's text; name stands in its problems. Relative paths in it are relative to dir. The error is
// Errors with everything that is wrong; the file then holds warnings alone, or is nil when the text can't be read at all.
func Parse(name, dir string, data []byte) (*File, error) {
	r := &report{file: name}
	root, bad := readYAML(data)
	if bad != nil {
		r.fail(bad.pos, "", bad.message, bad.fix)
		return nil, r.err()
	}
	if root.kind == null {
		r.fail(root.pos, "", "the file is empty", "Write methods: and below it what can be called; mcp-decide init writes a file to start from")
		return nil, r.err()
	}
	w := walker{r}
	w.value(nil, root.pos, root, []form{grammar})
	b := builder{report: r, root: root, file: &File{}, methods: map[string]int{}}
	if dir != "" {
		b.file.Path = filepath.Join(dir, filepath.Base(name))
	}
	b.build()
	b.file.Warnings = r.doubts()
	if err := r.err(); err != nil {
		return &File{Path: b.file.Path, Warnings: b.file.Warnings}, err
	}
	return b.file, nil
}

// builder makes plain values of a tree that the walker has been over. It skips what is of a wrong form, since that is
// reported, and reports what is wrong with the meaning.
type builder struct {
	*report
	root    *node
	file    *File
	taken   nameSpace
	methods map[string]int // the index in file.Methods, by name
}

// maxMethods is the most methods, decisions, or options of one decision.
const maxMethods = 10_000

func (b *builder) build() {
	if b.root.kind != mapping {
		return
	}
	server := b.root.get("server")
	b.file.Server = Server{Name: line(server.get("name")), Title: line(server.get("title")), Instructions: words(server.get("instructions"))}
	b.instructions(server.get("instructions"))
	b.file.Store = words(b.root.get("store"))
	trace := b.root.get("trace")
	b.file.Trace = Trace{Keep: durationOf(trace.get("keep")), Content: words(trace.get("content")), MaxSize: sizeOf(trace.get("max_size"))}
	for _, n := range []*node{b.root.get("methods"), b.root.get("decisions")} {
		if n != nil && len(n.keys) > maxMethods {
			return // refused already, and nothing is built of it
		}
	}
	b.taken.helpers()
	at := (*path)(nil).key("methods")
	methods := b.entries("methods")
	b.file.Methods = make([]Method, 0, len(methods))
	for _, e := range methods {
		b.method(at.key(e.name), e)
	}
	at = (*path)(nil).key("decisions")
	for _, e := range b.entries("decisions") {
		b.decision(at.key(e.name), e)
	}
	b.access()
	b.httpServer()
	b.laterSecrets()
	if !b.root.has("methods") && !b.root.has("decisions") && len(b.errors) == 0 {
		b.warn(b.root.pos, "", "the file has neither methods nor decisions, so nothing is offered", "Write methods: and below it what can be called")
	}
}

// maxInstructions is the most that a server says of itself, in bytes; ours are added to the author's.
const maxInstructions = 2000

func (b *builder) instructions(n *node) {
	if len(words(n)) > maxInstructions {
		b.fail(n.pos, "server.instructions", fmt.Sprintf("the text has %d bytes, more than %d", len(n.text), maxInstructions), "Say it shorter; clients cut it")
	}
}

// entries are the named maps below a key, each name once.
func (b *builder) entries(key string) []entry {
	n := b.root.get(key)
	if n == nil || n.kind != mapping {
		return nil
	}
	seen := make(map[string]bool, len(n.keys))
	var out []entry
	for _, e := range n.keys {
		if e.value.kind == mapping && !seen[e.name] {
			out = append(out, e)
		}
		seen[e.name] = true
	}
	return out
}

// readParams reads named shapes; what is wrong with them is reported at its place.
func (b *builder) readParams(at *path, n *node) []registry.Param {
	if n == nil || n.kind != mapping || n.flawed {
		return nil
	}
	params, err := registry.ParseParams(n.json())
	b.shapeErrors(at, n, err)
	n.flawed = err != nil
	return params
}

// readShape reads one shape.
func (b *builder) readShape(at *path, n *node) *registry.Param {
	if n == nil || n.flawed {
		return nil
	}
	p, err := registry.ParseShape(at.name, n.json())
	b.shapeErrors(at.up, &node{kind: mapping, pos: n.pos, keys: []entry{{at.name, n.pos, n}}}, err)
	if err != nil {
		return nil
	}
	return &p
}

func (b *builder) shapeErrors(at *path, n *node, err error) {
	if err == nil {
		return
	}
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, err := range all[:min(len(all), maxProblems)] {
		var shape *registry.ShapeError
		if !errors.As(err, &shape) {
			b.fail(n.pos, at.String(), err.Error(), "")
			continue
		}
		where := at
		for _, k := range shape.Path {
			where = where.key(k)
		}
		b.fail(n.find(shape.Path), where.String(), shape.Message, sentence(shape.Fix))
	}
}

// find is the place of a value below n, or of what was found of the way to it. A question mark behind a name may be missing.
func (n *node) find(keys []string) Pos {
	pos := n.pos
	for _, k := range keys {
		next := n.step(k)
		if next.value == nil {
			break
		}
		pos, n = next.pos, next.value
	}
	if n.scalar() {
		return n.pos
	}
	return pos
}

// step is the entry of a key, of a name with or without its question mark, or of a list's position.
func (n *node) step(key string) entry {
	if e := n.at(key); e.value != nil {
		return e
	}
	if e := n.at(key + "?"); e.value != nil {
		return e
	}
	if i, err := strconv.Atoi(key); n != nil && err == nil && i >= 0 && i < len(n.items) {
		return entry{key, n.items[i].pos, n.items[i]}
	}
	return entry{}
}

// sentence starts with a capital letter, as fixes do.
func sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}
