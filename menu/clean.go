package menu

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// cleaned copies an argument object that a skimmer has passed: compact, without placeholders,
// without what does not show between its tokens, equal keys once, lone surrogates replaced. All
// else stays as it was written, numbers and escapes included.
//
// The problems are missing_required for each placeholder where a value has to stand, and ambiguous for
// the first key with two values.
//
// A lenient copy has the values that are another spelling of what is declared in that form, and says which liberties these were.
func cleaned(text string, fields []registry.Param, mended, lenient bool) (json.RawMessage, []validate.Problem, liberties) {
	c := cleaner{skimmer: skimmer{text: text}, mended: mended, lenient: lenient, out: make([]byte, 0, len(text)), path: []byte("args")}
	c.object(&registry.Param{Fields: fields}, true)
	return c.out, c.problems, c.took
}

type cleaner struct {
	skimmer
	out      []byte
	path     []byte
	problems []validate.Problem
	tangled  bool // a key has two values
	mended   bool // a text may be a word that was written without quotes
	lenient  bool
	inText   bool // what is read stands in a text of the reply
	took     liberties
	words    map[*registry.Param]*registry.Param // of whole schemas; see plain
	listings map[*registry.Param]*listing
}

// value copies one value of p, which is nil where nothing is declared, and reports whether
// one was given.
func (c *cleaner) value(p *registry.Param) bool {
	p = c.plain(p)
	if c.lenient && c.loosened(p) {
		return true
	}
	from := c.pos
	switch c.text[from] {
	case '{':
		c.object(p, false)
		return true
	case '[':
		c.list(p)
		return true
	case '"':
		inside, _ := c.str()
		raw := inside.of(c.text)
		if c.mended && strings.HasPrefix(raw, bareEscape) {
			return c.bareWord(raw[len(bareEscape):], p)
		}
		if isPlaceholder(raw, p) {
			return false
		}
		c.out = appendSound(c.out, raw)
		return true
	case '<':
		c.skimmer.value()
		return false
	}
	c.skimmer.value()
	c.out = append(c.out, c.text[from:c.pos]...)
	return true
}

// plain is readable, once for each whole schema.
func (c *cleaner) plain(p *registry.Param) *registry.Param {
	if p == nil || p.Schema == nil {
		return p
	}
	q := c.words[p]
	if q == nil {
		if c.words == nil {
			c.words = make(map[*registry.Param]*registry.Param)
		}
		q = readable(p)
		c.words[p] = q
	}
	return q
}

// bareWord copies a word that was written without quotes, where nothing but a listed value can stand.
func (c *cleaner) bareWord(word string, p *registry.Param) bool {
	if !lists(p, word) {
		c.fail(validate.BadArgs, "a value as in JSON", string(appendString(nil, word))+" without quotes", "Write a text in double quotes")
	}
	c.out = appendString(c.out, word)
	return true
}

func (c *cleaner) object(p *registry.Param, top bool) {
	c.open()
	c.out = append(c.out, '{')
	start := len(c.out)
	var keys seenKeys
	for c.text[c.pos] != '}' && !c.tangled {
		inside, _ := c.str()
		c.space()
		c.pos++
		c.space()
		c.member(p, inside.of(c.text), &keys, start, top)
		if done, ok := c.next('}'); done || !ok {
			break
		}
	}
	c.out = append(c.out, '}')
	c.pos++
	c.depth--
}

// member copies one member whose value stands at pos.
func (c *cleaner) member(p *registry.Param, rawKey string, keys *seenKeys, start int, top bool) {
	key := unquoted(rawKey)
	field := fieldOf(p, key)
	before, depth := len(c.out), len(c.path)
	c.path = append(append(c.path, '.'), key...)
	if before > start {
		c.out = append(c.out, ',')
	}
	c.out = append(appendSound(c.out, rawKey), ':')
	from := len(c.out)
	given := c.value(field)
	if !given {
		c.out = c.out[:before]
		from = before
		if field != nil && field.Required() || field == nil && !top {
			c.missing()
		}
	}
	switch old, again := keys.put(key, span{from, len(c.out)}); {
	case again && string(c.out[old.from:old.to]) != string(c.out[from:]):
		c.twoValues()
	case again:
		c.out = c.out[:before]
	}
	c.path = c.path[:depth]
}

func (c *cleaner) list(p *registry.Param) {
	var item *registry.Param
	if p != nil {
		item = readable(p).Items
	}
	c.open()
	c.out = append(c.out, '[')
	depth := len(c.path)
	for n := 0; c.text[c.pos] != ']' && !c.tangled; n++ {
		if n > 0 {
			c.out = append(c.out, ',')
		}
		c.path = append(strconv.AppendInt(append(c.path[:depth], '['), int64(n), 10), ']')
		if !c.value(item) {
			c.missing()
		}
		if done, ok := c.next(']'); done || !ok {
			break
		}
	}
	c.path = c.path[:depth]
	c.out = append(c.out, ']')
	c.pos++
	c.depth--
}

func (c *cleaner) missing() {
	c.fail(validate.MissingRequired, "a value", "a placeholder", "Replace it by a value that you were given")
}

func (c *cleaner) twoValues() {
	c.tangled, c.problems = true, nil
	c.fail(validate.Ambiguous, "one value", "two values", "Give the key once")
}

const maxProblem = 20 // problems of one argument object

func (c *cleaner) fail(kind validate.Kind, expected, read, hint string) {
	if len(c.problems) < maxProblem {
		c.problems = append(c.problems, validate.Problem{Kind: kind, Path: fold(string(c.path), maxPath), Expected: expected, Read: read, Hint: hint})
	}
}

const maxPath = 200 // characters of a place in an error

func fieldOf(p *registry.Param, key string) *registry.Param {
	if p == nil {
		return nil
	}
	p = readable(p)
	for i := range p.Fields {
		if p.Fields[i].Name == key {
			return &p.Fields[i]
		}
	}
	return nil
}

// sameLetters reports whether two names differ in case, blanks, dashes and underscores alone.
func sameLetters(a, b string) bool {
	for {
		a, b = strings.TrimLeft(a, "_- ."), strings.TrimLeft(b, "_- .")
		if a == "" || b == "" {
			return a == b
		}
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y && foldedRune(x) != foldedRune(y) {
			return false
		}
		a, b = a[n:], b[m:]
	}
}

// seenKeys remembers where the values of one object's keys stand in the copy; a map when
// there are many.
type seenKeys struct {
	few  []keyPlace
	many map[string]span
}

type keyPlace struct {
	key   string
	value span
}

func (s *seenKeys) put(key string, value span) (old span, again bool) {
	if s.many != nil {
		old, again = s.many[key]
		if !again {
			s.many[key] = value
		}
		return old, again
	}
	for _, k := range s.few {
		if k.key == key {
			return k.value, true
		}
	}
	s.few = append(s.few, keyPlace{key, value})
	if len(s.few) > 16 {
		s.many = make(map[string]span)
		for _, k := range s.few {
			s.many[k.key] = k.value
		}
	}
	return span{}, false
}

// unquoted decodes the inside of a JSON text.
func unquoted(inside string) string {
	if strings.IndexByte(inside, '\\') < 0 {
		return inside
	}
	var text string
	if json.Unmarshal([]byte(`"`+inside+`"`), &text) != nil {
		return inside
	}
	return text
}

// appendSound writes a JSON text whose inside is given, lone surrogates as U+FFFD.
func appendSound(b []byte, inside string) []byte {
	b = append(b, '"')
	for {
		i := strings.Index(inside, `\u`)
		if i < 0 {
			break
		}
		if backslashes(inside[:i])%2 == 1 { // the backslash itself is escaped
			b = append(b, inside[:i+2]...)
			inside = inside[i+2:]
			continue
		}
		n := i + 6
		switch first := hexRune(inside[i:]); {
		case !utf16.IsSurrogate(first):
			b = append(b, inside[:n]...)
		case isPair(first, inside[n:]):
			n += 6
			b = append(b, inside[:n]...)
		default:
			b = append(append(b, inside[:i]...), `\ufffd`...)
		}
		inside = inside[n:]
	}
	return append(append(b, inside...), '"')
}

func backslashes(s string) int {
	n := 0
	for i := len(s) - 1; i >= 0 && s[i] == '\\'; i-- {
		n++
	}
	return n
}

func hexRune(escape string) rune {
	n, err := strconv.ParseUint(escape[2:6], 16, 16)
	if err != nil {
		return 0xfffd
	}
	return rune(n)
}

func isPair(first rune, rest string) bool {
	return strings.HasPrefix(rest, `\u`) && len(rest) >= 6 && utf16.DecodeRune(first, hexRune(rest)) != 0xfffd
}
