package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadYAML(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"empty", "", `null`},
		{"comment alone", "# x\n\n  # y", `null`},
		{"numbers as written", "a: 1\nb: -0.50\nc: 1e5\nd: '1'\ne: A-1\nf: 12345678901234567890123", `{"a":1,"b":-0.50,"c":1e5,"d":"1","e":"A-1","f":12345678901234567890123}`},
		{"words that are no truth values", "a: yes\nb: no\nc: on\nd: true\ne: 'true'", `{"a":"yes","b":"no","c":"on","d":true,"e":"true"}`},
		{"null", "a:\nb: ~\nc: null\nd: ''", `{"a":null,"b":null,"c":null,"d":""}`},
		{"times and dates are text", "a: 12:30\nb: 2024-01-02", `{"a":"12:30","b":"2024-01-02"}`},
		{"order is kept", "z: 1\na: 2\nm: 3", `{"z":1,"a":2,"m":3}`},
		{"list at the column of its key", "a:\n- 1\n- 2\nb: 3", `{"a":[1,2],"b":3}`},
		{"compact nesting", "- - 1\n  - 2\n- a: 1\n  b: 2\n-\n  c: 3", `[[1,2],{"a":1,"b":2},{"c":3}]`},
		{"empty entry", "-\n- a", `[null,"a"]`},
		{"flow", "a: [x, 'y, z', {b: 1, c: [2]}, ]\nd: {}\ne: []", `{"a":["x","y, z",{"b":1,"c":[2]}],"d":{},"e":[]}`},
		{"flow over lines", "a: [\n  x, # one\n  y\n]\nb: {\n c: 1,\n d: 2 }", `{"a":["x","y"],"b":{"c":1,"d":2}}`},
		{"pair in a flow list", "a: [look: {b: 1}, c]", `{"a":[{"look":{"b":1}},"c"]}`},
		{"colons inside words", "a: [git, show, HEAD:file]\nb: {u: http://x/y, argv: [x:y]}", `{"a":["git","show","HEAD:file"],"b":{"u":"http://x/y","argv":["x:y"]}}`},
		{"quoted key of a flow map", `{"a":1,"b": "c"}`, `{"a":1,"b":"c"}`},
		{"marks inside words", "a: b#c\nd: x#y # z\ne: a-b - c", `{"a":"b#c","d":"x#y","e":"a-b - c"}`},
		{"plain text over lines", "a: one\n  two\n\n\n  three # end\nb: 1", `{"a":"one two\n\nthree","b":1}`},
		{"double quotes", `a: "x\ty\\ \u00e9\x41 \"q\" \U0001F600"`, `{"a":"x\ty\\ éA \"q\" 😀"}`},
		{"double quotes over lines", "a: \"one  \n   two\\\n   three\\n \n\n  four\\ \n  \"", `{"a":"one twothree\n\nfour  "}`},
		{"single quotes", "a: 'it''s \\n'\n", `{"a":"it's \\n"}`},
		{"literal", "a: |\n  one\n    two\n\n  three\n\nb: 1", `{"a":"one\n  two\n\nthree\n","b":1}`},
		{"literal, end stripped", "a: |-\n  one\n\nb: |+\n  two\n\n", `{"a":"one","b":"two\n\n"}`},
		{"literal with an indentation", "a: |1\n   x\n  y\n", `{"a":"  x\n y\n"}`},
		{"literal at the end", "a: |\n  x", `{"a":"x"}`},
		{"literal without text", "a: |\nb: >\n", `{"a":"","b":""}`},
		{"comment sign inside a literal", "a: |\n  # x\n", `{"a":"# x\n"}`},
		{"folded", "a: >\n  one\n  two\n\n  three\n    four\n  five\n", `{"a":"one two\nthree\n  four\nfive\n"}`},
		{"document marks", "# c\n---\na: 1\n...\n# d", `{"a":1}`},
		{"carriage returns", "a: 1\r\nb: |\r\n  x\r\n  y\r\n", `{"a":1,"b":"x\ny\n"}`},
		{"byte order mark", "\ufeffa: 1", `{"a":1}`},
		{"tab as white space", "a:\t1\t# c\nb: 'x\ty'", `{"a":1,"b":"x\ty"}`},
		{"keys that look like values", "y: 1\nno: 2\n~: 3\nnull: 4\n1: 5\n01: 6\n1.5: 7\n", `{"y":1,"no":2,"~":3,"null":4,"1":5,"01":6,"1.5":7}`},
		{"comments anywhere", "# a\na: # b\n  # c\n- # d\n  b\n # e\n\n# f\nc: [ # g\n # h\n d, # i\n] # j\n", `{"a":["b"],"c":["d"]}`},
		{"colons at the end of words", "a: [x:, b]\n'c':  {d:, e: }\n", `{"a":[{"x":null},"b"],"c":{"d":null,"e":null}}`},
		{"brackets inside quotes", "a: \"" + strings.Repeat("[{", 100) + "\"", `{"a":"` + strings.Repeat("[{", 100) + `"}`},
		{"folded with odd indentation", "a: >2\n   x\n  y\n\n    z\n", `{"a":" x\ny\n\n  z\n"}`},
		{"literal, first lines empty", "a: |\n\n  x\n   y\n \n", `{"a":"\nx\n y\n"}`},
		{"dashes inside words", "a: b - c\nd:\n- e - f\n- g - h # i\n- j\n", `{"a":"b - c","d":["e - f","g - h","j"]}`},
		{"JSON with tabs", "{\n\t\"a\": {\n\t\t\"b\": [\n\t\t\t1\n\t\t]\n\t}\n}", `{"a":{"b":[1]}}`},
		{"key forms", "'a b': 1\n\"c\": 2\nd e : 3\n1: x\ntrue: y", `{"a b":1,"c":2,"d e":3,"1":"x","true":"y"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			n, bad := readYAML([]byte(tc.in))
			if bad != nil {
				t.Fatalf("%v: %s", bad.pos, bad.message)
			}
			if got := string(n.json()); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

func TestReadYAMLPositions(t *testing.T) {
	t.Parallel()
	n, bad := readYAML([]byte("é: {ä: x, \"ö\": [1,  ü]}\nlist:\n  - a: 1\n    b: |\n      x\n'😀' : {👍: \"👍\"}\nnone: # c\n"))
	if bad != nil {
		t.Fatal(bad.message)
	}
	var got []string
	var walk func(*node)
	walk = func(n *node) {
		for _, e := range n.keys {
			got = append(got, fmt.Sprintf("%s %v %v", e.name, e.pos, e.value.pos))
			walk(e.value)
		}
		for _, item := range n.items {
			got = append(got, fmt.Sprintf("- %v", item.pos))
			walk(item)
		}
	}
	walk(n)
	want := []string{"é 1:1 1:4", "ä 1:5 1:8", "ö 1:11 1:16", "- 1:17", "- 1:21", "list 2:1 3:3", "- 3:5", "a 3:5 3:8", "b 4:5 4:8", "😀 6:1 6:7", "👍 6:8 6:11", "none 7:1 7:6"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzReadYAML: no input panics or hangs, errors lie inside the text, what is read is JSON, and each value stands where
// its place says.
func FuzzReadYAML(f *testing.F) {
	for _, data := range goodFiles(f) {
		f.Add(string(data))
	}
	f.Add("a: >\n b\n\n  c\nd: \"x\\\n y\"\ne: [a: b, {c: d}]\n- x")
	f.Fuzz(func(t *testing.T, in string) {
		n, bad := readYAML([]byte(in))
		if bad != nil {
			inside(t, in, bad.pos)
			return
		}
		if !json.Valid(n.json()) {
			t.Errorf("%q is read as broken JSON: %s", in, n.json())
		}
		src, _ := plainText([]byte(in))
		standsThere(t, strings.Split(src, "\n"), n)
	})
}

// standsThere checks the places of a tree against the text.
func standsThere(t *testing.T, lines []string, n *node) {
	t.Helper()
	at := func(p Pos) string {
		return string([]rune(lines[p.Line-1])[min(p.Col-1, len([]rune(lines[p.Line-1]))):])
	}
	starts := func(s, text string) bool {
		word, _, _ := strings.Cut(text, "\n")
		word, _, _ = strings.Cut(word, " ")
		return strings.HasPrefix(s, word)
	}
	if n.kind == null && n.text == "" {
		return
	}
	here := at(n.pos)
	if n.scalar() && (n.quoted && strings.Trim(here[:1], `"'|>`) != "" || !n.quoted && !starts(here, n.text)) {
		t.Errorf("%q: %q does not stand at %v", lines, n.text, n.pos)
	}
	for _, e := range n.keys {
		if key := at(e.pos); key[0] != '"' && key[0] != '\'' && !strings.HasPrefix(key, e.name) {
			t.Errorf("%q: the key %q does not stand at %v", lines, e.name, e.pos)
		}
		standsThere(t, lines, e.value)
	}
	for _, item := range n.items {
		standsThere(t, lines, item)
	}
}

func inside(t *testing.T, in string, p Pos) {
	t.Helper()
	lines := strings.Split(strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n"), "\n")
	if p.Line < 1 || p.Line > len(lines) || p.Col < 1 || p.Col > len([]rune(lines[p.Line-1]))+2 {
		t.Errorf("%q: place %v lies outside", in, p)
	}
}
