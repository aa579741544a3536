package config

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/registry"
)

// FuzzParse: no text panics or hangs, and each problem has a place in the file, a message, and one line.
func FuzzParse(f *testing.F) {
	for _, data := range goodFiles(f) {
		f.Add(string(data))
	}
	for _, name := range glob(f, "testdata/bad/*.txtar") {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(a.Files[0].Data))
	}
	whole, err := os.ReadFile("testdata/whole.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole))
	f.Fuzz(func(t *testing.T, in string) {
		file, err := Parse("f", "", []byte(in))
		for _, p := range problemsOf(file, err) {
			inside(t, in, p.Pos)
			if p.Message == "" || strings.ContainsFunc(p.String(), hidden) {
				t.Errorf("%q: %q", in, p.String())
			}
		}
		if err == nil && file == nil {
			t.Errorf("%q: neither a file nor an error", in)
		}
	})
}

// TestFormDoesNotMatter: a file says the same however it is laid out: as JSON, as blocks, with the keys of a map in
// another order where the order says nothing.
func TestFormDoesNotMatter(t *testing.T) {
	t.Parallel()
	for name, data := range goodFiles(t) {
		n, bad := readYAML(data)
		if bad != nil {
			t.Fatal(bad.message)
		}
		want, err := Parse("f", "", data)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				in := layout(t, shuffled(t, n, []form{grammar}), 0)
				got, err := Parse("f", "", []byte(in))
				if err != nil {
					t.Fatalf("%v\n%s", err, in)
				}
				if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(Pos{}), cmpopts.IgnoreFields(File{}, "Warnings"),
					cmpopts.IgnoreUnexported(registry.Method{}), cmp.Transformer("template", registry.Template.String)); diff != "" {
					t.Fatalf("-want +got\n%s\n%s", diff, in)
				}
			})
		})
	}
}

// shuffled is a tree with the keys of fixed maps in any order. The order of names is kept, since it says something.
func shuffled(t *rapid.T, n *node, forms []form) *node {
	f, ok := find(forms, n.kind)
	if !ok || f.free {
		return n
	}
	out := *n
	out.keys, out.items, out.index = slices.Clone(n.keys), slices.Clone(n.items), nil
	for i, e := range out.keys {
		below := f.entry
		if f.keys != nil {
			k, _ := known(f.keys, e.name)
			below = k.forms
		}
		out.keys[i].value = shuffled(t, e.value, below)
	}
	for i, item := range out.items {
		out.items[i] = shuffled(t, item, f.items)
	}
	if f.keys != nil {
		out.keys = rapid.Permutation(out.keys).Draw(t, "keys")
	}
	return &out
}

// layout writes a tree in any form, at an indentation.
func layout(t *rapid.T, n *node, indent int) string {
	pad := strings.Repeat(" ", indent)
	if n.scalar() || len(n.keys)+len(n.items) == 0 || rapid.IntRange(0, 3).Draw(t, "form") == 0 {
		return pad + inline(n) + comment(t) + "\n"
	}
	var b strings.Builder
	step := rapid.IntRange(1, 4).Draw(t, "step")
	for _, e := range n.keys {
		b.WriteString(pad + inline(&node{kind: text, text: e.name}) + ":" + comment(t) + "\n")
		b.WriteString(layout(t, e.value, indent+step))
	}
	for _, item := range n.items {
		b.WriteString(pad + "-" + comment(t) + "\n")
		b.WriteString(layout(t, item, indent+step))
	}
	return b.String()
}

func comment(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " # a comment: {x", "\n\n   # more"}).Draw(t, "comment")
}

// inline writes a tree on one line. A number stays as it was written.
func inline(n *node) string {
	if n.kind == odd {
		return n.text
	}
	if n.scalar() {
		return string(n.json())
	}
	var b bytes.Buffer
	open := map[kind]string{list: "[]", mapping: "{}"}[n.kind]
	b.WriteByte(open[0])
	for _, e := range n.keys {
		name, _ := json.Marshal(e.name)
		b.WriteString(string(name) + ": " + inline(e.value) + ", ")
	}
	for _, item := range n.items {
		b.WriteString(inline(item) + ", ")
	}
	b.WriteByte(open[1])
	return b.String()
}
