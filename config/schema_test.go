package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/validate"
)

func compiled(t testing.TB) *validate.Schema {
	t.Helper()
	s, err := validate.Compile(Schema())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkYAML(t testing.TB, s *validate.Schema, data []byte) []validate.Problem {
	t.Helper()
	n, bad := readYAML(data)
	if bad != nil {
		t.Fatalf("%v: %s", bad.pos, bad.message)
	}
	v, err := validate.Decode(n.json())
	if err != nil {
		t.Fatal(err)
	}
	return s.Check("file", v)
}

// TestSchemaTakesGoodFiles: what Parse takes, an editor takes too, and the parts that this version lacks as well.
func TestSchemaTakesGoodFiles(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	files := goodFiles(t)
	whole, err := os.ReadFile("testdata/whole.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files["whole"] = whole
	for name, data := range files {
		for _, p := range checkYAML(t, s, data) {
			t.Errorf("%s: %v", filepath.Base(name), p)
		}
	}
}

func TestSchemaRefusesMistakes(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	const method = "methods: {m: {summary: Do it., run: [x]"
	for _, in := range []string{
		"methodes: {}",
		"server: {nmae: x}",
		"methods: {m: {run: [x]}}",
		"methods: {m: {summary: Do it.}}",
		method + ", value: 1}}",
		method + ", effect: raed}}",
		method + ", timeout: 5}}",
		method + ", timeout: soon}}",
		method + ", idempotent: yes}}",
		method + ", result_cap: 0}}",
		method + ", params: [a]}}",
		method + ", params: {a: [x, y]}}}",
		method + ", params: {a: {type: strng}}}}",
		method + ", params: {a: {type: integer, minimum: x}}}}",
		"methods: {m: {summary: Do it., run: wc -w}}",
		"methods: {m: {summary: Do it., run: []}}",
		"methods: {m: {summary: Do it., run: {stdin: x}}}",
		"methods: {m: {summary: Do it., run: {argv: [x], output: xml}}}",
		"decisions: {d: {summary: Pick., prompt: x}}",
		"decisions: {d: {summary: Pick., prompt: x, options: {a: {description: x}}}}",
		"decisions: {d: {summary: Pick., prompt: x, options: {a: {value: 1, method: m}}}}",
		"decisions: {d: {summary: Pick., prompt: x, options: {a: {value: 1, then: once}}}}",
		"access: {a: {token: hunter2}}",
	} {
		if len(checkYAML(t, s, []byte(in))) == 0 {
			t.Errorf("%s: taken", in)
		}
	}
}

// TestSchemaSaysWhatIsLacking: an editor shows what each key is for, and which keys come later.
func TestSchemaSaysWhatIsLacking(t *testing.T) {
	t.Parallel()
	text := string(Schema())
	visit("", []form{grammar}, func(place string, k key) {
		if !strings.Contains(text, k.doc) {
			t.Errorf("%s: not described", place)
		}
		if k.lacks != "" && !strings.Contains(text, "Not in this version. "+k.lacks) {
			t.Errorf("%s: not said to be lacking", place)
		}
	})
}
