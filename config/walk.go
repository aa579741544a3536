package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/validate"
)

// path is where a value stands in the file: methods.lookup_order.params.
type path struct {
	up   *path
	name string
}

func (p *path) key(name string) *path { return &path{p, name} }

func (p *path) index(i int) *path { return &path{p, "[" + strconv.Itoa(i) + "]"} }

// below is the path of keys below it.
func (p *path) below(keys []string) *path {
	for _, k := range keys {
		p = p.key(k)
	}
	return p
}

func (p *path) String() string {
	var parts []string
	for ; p != nil; p = p.up {
		parts = append(parts, showKey(p.name))
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		if b.Len() > 0 && parts[i][0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(parts[i])
	}
	return b.String()
}

// showKey is a key as it stands in a path; quoted when it could be taken for something else.
func showKey(name string) string {
	if q := quote(name); name == "" || len(q) != len(name)+2 || strings.ContainsAny(name, " .:") {
		return q
	}
	return name
}

// walker checks a tree against the grammar. It says everything that is wrong with the form of the file; what the
// values mean is looked at afterwards.
type walker struct{ *report }

// value checks what stands at a place, pos being where its key is.
func (w *walker) value(at *path, pos Pos, n *node, forms []form) {
	before := w.said()
	w.check(at, pos, n, forms)
	n.flawed = n.flawed || w.said() > before
}

func (w *walker) check(at *path, pos Pos, n *node, forms []form) {
	f, ok := find(forms, n.kind)
	if !ok {
		w.wrong(at, pos, n, forms)
		return
	}
	if f.some && len(n.items)+len(n.keys) == 0 && !n.scalar() {
		w.fail(n.pos, at.String(), "it is empty", "Write it like "+f.example)
	}
	if size := len(n.items) + len(n.keys); f.limit > 0 && size > f.limit {
		w.fail(n.pos, at.String(), fmt.Sprintf("%d entries, more than %d", size, f.limit), "Split it")
		return
	}
	switch {
	case f.shape:
		w.free(at, n)
		w.shape(at, n)
	case f.free:
		w.free(at, n)
	case n.kind == mapping:
		w.mapping(at, pos, n, f)
	case n.kind == list:
		for i, item := range n.items {
			w.value(at.index(i), item.pos, item, f.items)
		}
	default:
		w.scalar(at, n, f)
	}
}

func (w *walker) mapping(at *path, pos Pos, n *node, f form) {
	w.duplicates(at, n)
	if f.keys == nil {
		for _, e := range n.keys {
			w.value(at.key(e.name), e.pos, e.value, f.entry)
		}
		return
	}
	for _, e := range n.keys {
		k, ok := known(f.keys, e.name)
		if !ok {
			w.unknown(at, e, f.keys)
			continue
		}
		w.value(at.key(e.name), e.pos, e.value, k.forms)
		if k.lacks != "" {
			w.fail(e.pos, at.key(e.name).String(), "this version does not have "+e.name+" yet", k.lacks)
		}
	}
	for _, k := range f.keys {
		if k.must && !n.has(k.name) {
			w.fail(pos, at.String(), k.name+" is missing", fmt.Sprintf("Write %s: %s", k.name, k.forms[0].example))
		}
	}
}

func known(keys []key, name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

func (w *walker) unknown(at *path, e entry, keys []key) {
	if w.full() {
		return
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	w.fail(e.pos, at.key(e.name).String(), "unknown key "+quote(e.name), nearest(e.name, names))
}

// nearest proposes the word that was probably meant, or shows all that there are.
func nearest(word string, allowed []string) string {
	if len(allowed) == 0 {
		return ""
	}
	if near := near(word, allowed); near != "" {
		return "Did you mean " + near + "?"
	}
	const most = 40
	if len(allowed) > most {
		return fmt.Sprintf("There are %s and %d more", strings.Join(allowed[:most], ", "), len(allowed)-most)
	}
	if len(allowed) == 1 {
		return "There is only " + allowed[0]
	}
	return "There are " + join(allowed, "and")
}

// near is the allowed word that is nearest. A long word is no slip of the hand.
func near(word string, allowed []string) string {
	if len(word) > maxWord {
		return ""
	}
	return validate.Nearest(word, allowed)
}

// maxWord is the longest word for which a near one is looked for, in bytes.
const maxWord = 64

// duplicates says which keys are given twice, with both places.
func (w *walker) duplicates(at *path, n *node) bool {
	if len(n.keys) < 2 {
		return false
	}
	found := false
	first := make(map[string]Pos, len(n.keys))
	for _, e := range n.keys {
		if p, ok := first[e.name]; ok {
			if found = true; w.full() {
				continue
			}
			w.fail(e.pos, at.key(e.name).String(), fmt.Sprintf("the key %s is given twice, first at %v", quote(e.name), p), "Remove one of them")
			continue
		}
		first[e.name] = e.pos
	}
	return found
}

// free checks values that the grammar says nothing about: their keys are given once, and each scalar has one meaning.
func (w *walker) free(at *path, n *node) {
	w.duplicates(at, n)
	for _, e := range n.keys {
		w.free(at.key(e.name), e.value)
	}
	for i, item := range n.items {
		w.free(at.index(i), item)
	}
	if n.kind == odd && !w.full() {
		w.fail(n.pos, at.String(), oddText(n), oddFix(n))
	}
}

// shape refuses what is too long in a shape: before the registry reads it, which would compile it first. Every text in
// one is for models or compared with what they write.
func (w *walker) shape(at *path, n *node) {
	if message, fix := tooLong(n, maxDescription); message != "" {
		w.fail(n.pos, at.String(), message, fix)
	}
	for _, e := range n.keys {
		if size := len(e.value.items); size > maxValues && (e.name == "enum" || e.name == "options") {
			w.fail(e.pos, at.key(e.name).String(), fmt.Sprintf("%d values, more than %d", size, maxValues), "List fewer, or let it be any text and the program itself refuse")
			continue
		}
		w.shape(at.key(e.name), e.value)
	}
	for i, item := range n.items {
		w.shape(at.index(i), item)
	}
}

func (w *walker) scalar(at *path, n *node, f form) {
	if message, fix := f.judge(n); message != "" {
		w.fail(n.pos, at.String(), message, fix)
	}
}

// judge says what is wrong with a scalar of a right kind; "" when nothing is.
func (f *form) judge(n *node) (message, fix string) {
	if message, fix := tooLong(n, f.longest); message != "" {
		return message, fix
	}
	switch {
	case f.check != nil:
		if message, fix = f.check(n); message != "" {
			return message, fix
		}
	case f.least != f.most:
		i, err := strconv.Atoi(n.text)
		if err != nil || i < f.least || i > f.most {
			return fmt.Sprintf("expected %s, got %s", f.noun, got(n)), ""
		}
	}
	if f.words != nil && !contains(f.words, n.text) {
		return fmt.Sprintf("expected %s, got %s", f.noun, got(n)), nearest(n.text, f.words)
	}
	return "", ""
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// wrong says that a value has another type than expected.
func (w *walker) wrong(at *path, pos Pos, n *node, forms []form) {
	if w.full() {
		return
	}
	shown := visible(forms)
	what := got(n)
	for _, f := range forms {
		if f.secret {
			what = "something else"
		}
	}
	switch {
	case n.kind == null && n.text == "":
		w.fail(pos, at.String(), "it has no value", "Write it like "+examples(shown))
	case n.kind == odd && !hasSecret(forms):
		w.fail(n.pos, at.String(), oddText(n), oddFix(n))
	default:
		w.fail(n.pos, at.String(), fmt.Sprintf("expected %s, got %s", nouns(shown), what), mend(n, shown))
	}
}

// visible are the forms that may be proposed.
func visible(forms []form) []form {
	var out []form
	for _, f := range forms {
		if f.noun != "" {
			out = append(out, f)
		}
	}
	return out
}

func hasSecret(forms []form) bool {
	for _, f := range forms {
		if f.secret {
			return true
		}
	}
	return false
}

// mend says how to write what was probably meant.
func mend(n *node, forms []form) string {
	_, takesText := find(forms, text)
	_, takesFlag := find(forms, boolean)
	_, takesNumber := find(forms, number)
	switch {
	case hasSecret(forms):
	case n.kind == number && forms[0].noun == aDuration.noun:
		return "Write it with a unit: " + n.text + "s"
	case takesText && plain(forms) && (n.kind == number || n.kind == boolean || n.kind == null) && asText(n, forms):
		return fmt.Sprintf("Put it in quotes: %q", n.text)
	case takesFlag && n.kind == text:
		switch strings.ToLower(n.text) {
		case "yes", "on", "true":
			return "Write true"
		case "no", "off", "false":
			return "Write false"
		}
	case takesNumber && n.quoted && jsonNumber(n.text) && len(n.text) <= maxNumber:
		return "Write it without quotes: " + n.text
	}
	return "Write it like " + examples(forms)
}

// asText reports whether a value would do in quotes: a rate called "null" would be the next mistake.
func asText(n *node, forms []form) bool {
	f, _ := find(forms, text)
	quoted := *n
	quoted.kind, quoted.quoted = text, true
	message, _ := f.judge(&quoted)
	return message == ""
}

// plain reports whether a form takes any text.
func plain(forms []form) bool {
	f, _ := find(forms, text)
	return f.words == nil && !f.free
}

// got names a value that was read.
func got(n *node) string {
	switch n.kind {
	case null:
		return "null"
	case boolean:
		return n.text
	case number:
		return "the number " + n.text
	case text:
		return "the text " + quote(n.text)
	case list:
		return "a list"
	case mapping:
		return "a map"
	}
	return n.text
}

func oddText(n *node) string {
	return fmt.Sprintf("%s is read differently by different readers", quote(n.text))
}

func oddFix(n *node) string {
	s := strings.ToLower(strings.TrimPrefix(n.text, "+"))
	switch {
	case s == "true" || s == "false":
		return fmt.Sprintf("Write %s, or %q for the text", s, n.text)
	case strings.HasPrefix(s, "."):
		s = "0" + s
	case strings.HasSuffix(s, "."):
		s += "0"
	}
	s = strings.ReplaceAll(s, "_", "")
	if minus := strings.HasPrefix(s, "-"); len(s) > 1 {
		s = strings.TrimLeft(strings.TrimPrefix(s, "-"), "0")
		if s == "" || digits(s[:1]) == 0 {
			s = "0" + s
		}
		if minus {
			s = "-" + s
		}
	}
	if !jsonNumber(s) {
		return fmt.Sprintf("Write %q for the text, or the number in decimal digits", n.text)
	}
	return fmt.Sprintf("Write %q for the text, or %s for the number", n.text, s)
}
