package config

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcp-decide/mcp-decide/registry"
)

// visit calls each key of the grammar with its place: methods.*.timeout.
func visit(at string, forms []form, each func(place string, k key)) {
	for _, f := range forms {
		for _, k := range f.keys {
			place := strings.TrimPrefix(at+"."+k.name, ".")
			each(place, k)
			visit(place, k.forms, each)
		}
		visit(at+".*", f.entry, each)
		visit(at, f.items, each)
	}
}

// found calls each key of the grammar that stands in a file.
func found(at string, n *node, forms []form, each func(place string)) {
	f, ok := find(forms, n.kind)
	if !ok {
		return
	}
	for _, e := range n.keys {
		if f.keys == nil {
			found(at+".*", e.value, f.entry, each)
		} else if k, ok := known(f.keys, e.name); ok {
			place := strings.TrimPrefix(at+"."+k.name, ".")
			each(place)
			found(place, e.value, k.forms, each)
		}
	}
	for _, item := range n.items {
		found(at, item, f.items, each)
	}
}

// TestEveryKeyIsTested: each key that this version has stands in a good file, each that it lacks in a bad one.
func TestEveryKeyIsTested(t *testing.T) {
	t.Parallel()
	good, bad := map[string]bool{}, map[string]bool{}
	collect := func(data []byte, into map[string]bool) {
		if n, syntax := readYAML(data); syntax == nil {
			found("", n, []form{grammar}, func(place string) { into[place] = true })
		}
	}
	for _, data := range goodFiles(t) {
		collect(data, good)
	}
	for _, name := range glob(t, "testdata/bad/*.txtar") {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		collect(a.Files[0].Data, bad)
	}
	var lacking []string // places below which nothing runs
	visit("", []form{grammar}, func(place string, k key) {
		below := slices.ContainsFunc(lacking, func(l string) bool { return strings.HasPrefix(place, l+".") })
		switch {
		case k.lacks != "":
			lacking = append(lacking, place)
			if !bad[place] {
				t.Errorf("%s: no bad file shows what is said about it", place)
			}
		case !below && !good[place]:
			t.Errorf("%s: no good file has it", place)
		}
	})
}

// TestGrammarIsDescribed: each key has a description, and examples that its own form takes.
func TestGrammarIsDescribed(t *testing.T) {
	t.Parallel()
	visit("", []form{grammar}, func(place string, k key) {
		if !strings.HasSuffix(k.doc, ".") && !strings.Contains(k.doc, ": ") {
			t.Errorf("%s: %q is no sentence", place, k.doc)
		}
		for _, f := range visible(k.forms) {
			n, bad := readYAML([]byte("x: " + f.example + "\n"))
			if bad != nil {
				t.Errorf("%s: example %s: %s", place, f.example, bad.message)
				continue
			}
			if strings.Contains(f.example, "…") {
				continue // shortened
			}
			if _, ok := find([]form{f}, n.keys[0].value.kind); !ok {
				t.Errorf("%s: the form does not take its example %s", place, f.example)
				continue
			}
			w := walker{&report{}}
			w.value(nil, Pos{1, 1}, n.keys[0].value, []form{f})
			if err := w.err(); err != nil {
				t.Errorf("%s: example %s: %v", place, f.example, err)
			}
		}
	})
}

// TestShapeWords: what the reference says of shapes is what the registry reads.
func TestShapeWords(t *testing.T) {
	t.Parallel()
	for _, w := range shapeWords {
		example := map[string]string{"fields": "{a: A letter here.}", "items": "string"}[w.name]
		if example == "" {
			example = w.forms[0].example
		}
		shape := "x: {" + w.name + ": " + example + "}"
		n, bad := readYAML([]byte(shape))
		if bad != nil {
			t.Fatalf("%s: %s", shape, bad.message)
		}
		_, err := registry.ParseParams(n.json())
		if err != nil && (strings.Contains(err.Error(), "is no type name") || strings.Contains(err.Error(), "is a word that describes")) {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	for _, name := range typeWords {
		if _, err := registry.ParseShape("x", []byte(`"`+name+`"`)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := registry.ParseShape("x", []byte(`{"type":"string","no such word":1}`))
	if err == nil {
		t.Error("an unknown word is taken")
	}
}

// TestWhole: the whole grammar's example has no other fault than being early.
func TestWhole(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/whole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("whole.yaml", "", data)
	var got []string
	for _, p := range problemsOf(nil, err) {
		if !strings.Contains(p.Message, "this version does not have") {
			t.Error(p)
		}
		got = append(got, p.Key)
	}
	want := []string{"models", "methods.lookup_order.cache", "methods.summarise.ask", "upstreams"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
