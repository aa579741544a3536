package config

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReference: docs/config.md is made from the grammar; -update writes it.
func TestReference(t *testing.T) {
	t.Parallel()
	const path = "../docs/config.md"
	got := reference()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("docs/config.md is stale, run go test ./config -update: -want +got\n%s", diff)
	}
}

const referenceHead = `# The configuration file

This page is made from the grammar that the reader itself uses; ` + "`go test ./config -update`" + ` rewrites it.
Keys marked "not yet" are read and checked, and then refused, since this version does not have what they ask for.

The file is YAML in UTF-8, at most 8 MiB, one document, at most 64 levels deep, indented with spaces. Anchors, aliases, tags
and merge keys are not read. A number is what JSON calls a number; ` + "`0123`, `0x1f`, `.5` and `True`" + ` are refused, since readers
differ on them. ` + "`yes`, `no`, `on` and `off`" + ` are text. A key that is unknown or given twice is an error.

Every problem is reported with its place, all at once:

` + "```" + `
mcp-decide.yaml:3:5: methods.m.sumary: unknown key "sumary". Did you mean summary?
` + "```" + `

A text of one line, such as a summary or a title, has at most 1,000 characters, a description 10,000; a parameter lists at most 1,000 values.
Durations are whole numbers with a unit: ` + "`250ms`, `30s`, `5m`, `1h30m`, `30d`" + `; so are sizes: ` + "`500MiB`, `1GiB`" + `. In ` + "`run`, `http`" + ` and a ` + "`prompt`" + `, ` + "`{name}`" + ` stands
for a parameter's value; ` + "`{{` and `}}`" + ` are literal braces. A secret is never written into the file: ` + "`env:NAME`" + ` names an environment
variable, ` + "`file:PATH`" + ` a file; relative paths start at the folder of this file. That folder must not be writable for everybody.
`

const requests = `
## Requests

What a method with ` + "`http`" + ` sends is fixed but for the values in it, and each value is escaped for where it stands:

| a value in | is written | is refused |
|---|---|---|
| the path | as a part of its segment: all bytes but letters, digits and ` + "`-._~`" + ` as ` + "`%XX`" + ` | when it is empty, or makes a step such as ` + "`..`" + `, however it is escaped |
| the query | as in a form: a blank is ` + "`+`" + ` | |
| a header | as it is | with line ends, other control characters, or blanks at its ends |
| a map or a list as ` + "`body`" + ` | as JSON; a text that is one placeholder becomes the value with its own type | |
| the same, as a form | as in the query | |
| a text as ` + "`body`" + ` | as it is | |

The path and the query in ` + "`url`" + ` are sent as they are written, so what they hold beside letters has to be escaped there; names and values under ` + "`query`" + ` are plain
text. Scheme, host, port, names of headers and keys of a body hold no values. A method that has ` + "`effect: read`" + ` uses connections that are kept open, and its request
may be sent again when one of them was closed; any other request has a connection of its own and is sent once.

An answer from 200 to 299 is the result: JSON, text in UTF-8, or an image or sound; at most 4 MiB, unpacked. Text that is longer is cut, the rest refused. Any other status is a
failure with the beginning of what was said; redirects are not followed. What failed before there was a connection counts as not run. When the connection is lost before the whole
answer has come, or 502 or 504 says that something on the way was, it is unknown whether a method that changes something has done so.
`

const shapesFoot = `
Further words of JSON Schema, such as ` + "`prefixItems` or `anyOf`" + `, are taken over as they stand.

What is a tool, a method without ` + "`offer: menu`" + ` or a decision, has no references (` + "`$ref`" + `) in the schema of its inputs, and at most ten
levels: some clients refuse more.
`

// reference is the text of docs/config.md.
func reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	section(&b, "The file", "", grammar, map[string]bool{})
	b.WriteString(requests)
	b.WriteString(`
## Shapes

A parameter, a field of ` + "`schema`" + ` and a result are described by a shape. It is one of

| written | means |
|---|---|
| ` + "`integer`" + ` | a value of that type: ` + code(typeWords) + ` |
| ` + "`The order's number.`" + ` | a text of several words: a string, described |
| ` + "`[string]`" + ` | a list; exactly one shape, for its items |
| ` + "`{street: string, city?: string}`" + ` | an object with these fields; a ` + "`?`" + ` behind a name makes it optional |
| ` + "`{type: integer, minimum: 1}`" + ` | a map of the words below; a map mixes them with names of fields only under ` + "`fields`" + ` |

| word | value | |
|---|---|---|
`)
	for _, w := range shapeWords {
		value := "shape"
		if w.forms != nil {
			value = nouns(visible(w.forms))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", w.name, cell(value), cell(w.doc))
	}
	b.WriteString(shapesFoot)
	return b.String()
}

// section writes the keys of one map, and then the maps below it.
func section(b *strings.Builder, title, place string, f form, seen map[string]bool) {
	id := fmt.Sprintf("%p", f.keys)
	if seen[id] {
		return
	}
	seen[id] = true
	fmt.Fprintf(b, "\n## %s\n\n| key | value | | example |\n|---|---|---|---|\n", title)
	for _, k := range f.keys {
		doc := k.doc
		switch {
		case k.lacks != "":
			doc += " **Not yet**; " + strings.ToLower(k.lacks[:1]) + k.lacks[1:] + "."
		case k.must:
			doc += " **Needed.**"
		}
		forms := visible(k.forms)
		fmt.Fprintf(b, "| `%s` | %s | %s | `%s` |\n", k.name, cell(nouns(forms)), cell(doc), cell(forms[0].example))
	}
	if f.one != nil {
		fmt.Fprintf(b, "\nExactly one of %s.\n", code(f.one))
	}
	for _, k := range f.keys {
		for _, f := range k.forms {
			below(b, strings.TrimPrefix(place+"."+k.name, "."), f, seen)
		}
	}
}

// below writes the maps that a value holds.
func below(b *strings.Builder, place string, f form, seen map[string]bool) {
	if f.keys != nil {
		section(b, "`"+place+"`", place, f, seen)
	}
	for _, e := range f.entry {
		below(b, place+".NAME", e, seen)
	}
	for _, item := range f.items {
		below(b, place, item, seen)
	}
}

func code(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
