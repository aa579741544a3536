package menu

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// mended is a damaged object or list as the strict JSON that it can only mean.
type mended struct {
	text   string // a word without quotes stands as a text that begins with bareMark
	end    int    // in the reply
	took   liberties
	closed int  // closing braces that were put in at the end of text; the reply, or what carried it, ended there
	done   bool // what ended there was a fence or a tag: the one who wrote it was done
}

// mend reads what stands at pos once more, now with the liberties that have one reading alone. It is for text that a skimmer could
// not read. ok is false when there are several readings, or none; why says so.
func mend(text string, pos int) (m mended, why damage, ok bool) {
	d := mender{text: text, pos: pos}
	if !d.value() {
		return mended{end: d.pos}, d.damaged(), false
	}
	return mended{text: string(d.out), end: d.pos, took: d.took, closed: d.closed, done: d.done}, damage{}, true
}

// bareMark begins a text that was written without quotes. Written as an escape, it is in no text that a mender copies.
const (
	bareMark   = "\x01"
	bareEscape = `\u0001`
)

// A mender copies a value as strict JSON and mends on the way. Where the damage has several readings it stops.
type mender struct {
	text   string
	pos    int
	out    []byte
	depth  int
	took   liberties
	path   []string // keys and list marks of what is open
	said   []span   // comments
	short  bool     // the text ended at pos
	why    string   // what is wrong at pos
	done   bool
	closed int
}

func (d *mender) fail(why string) bool {
	d.why = why
	return false
}

// cut fails because the text ends inside a value.
func (d *mender) cut() bool {
	d.short = true
	return d.fail("the reply ends inside it")
}

func (d *mender) damaged() damage {
	if d.short {
		return damage{why: d.endsIn()}
	}
	return damage{d.why, d.text[max(0, min(d.pos, len(d.text))-24):min(len(d.text), d.pos+24)]}
}

// endsIn says inside what the text ends: "the reply ends inside args.note".
func (d *mender) endsIn() string {
	path := strings.ReplaceAll(strings.Join(d.path, "."), ".[]", "[]")
	if path == "" {
		return "the reply ends inside it"
	}
	return "the reply ends inside " + fold(path, maxPath)
}

func (d *mender) value() bool {
	if d.atEnd() {
		return d.cut()
	}
	switch c := d.text[d.pos]; {
	case c == '{':
		return d.object()
	case c == '[':
		return d.list()
	case c == '-' || isDigit(c):
		return d.number()
	case c == '<':
		return d.placeholder()
	}
	if _, ok := quoteAt(d.text[d.pos:]); ok {
		return d.str()
	}
	return d.word()
}

func (d *mender) open() bool {
	d.out = append(d.out, d.text[d.pos])
	d.pos++
	if d.depth++; d.depth > maxNesting {
		return d.fail("it is nested more than 200 deep")
	}
	return d.space()
}

func (d *mender) close(c byte) bool {
	d.out = append(d.out, c)
	d.pos++
	d.depth--
	return true
}

func (d *mender) object() bool {
	if !d.open() {
		return false
	}
	d.path = append(d.path, "")
	defer func() {
		if d.why == "" { // else it says where it ended
			d.path = d.path[:len(d.path)-1]
		}
	}()
	for n := 0; ; n++ {
		switch {
		case d.atEnd():
			return d.cut() // before a first member, or behind a comma: more was to come
		case d.text[d.pos] == '}':
			if n > 0 {
				d.took.add(TrailingComma)
			}
			return d.close('}')
		}
		if n > 0 {
			d.out = append(d.out, ',')
		}
		if n == maxMembers {
			return d.fail("it has too many members")
		}
		if !d.member() {
			return false
		}
		switch broke, ok := d.behind(); {
		case !ok:
			return false
		case d.atEnd():
			return d.closeBrace()
		case d.text[d.pos] == '}':
			return d.close('}')
		case d.comma():
			if !d.space() {
				return false
			}
		case broke && d.startsKey():
			d.took.add(MissingComma)
		default:
			return d.fail("a comma or a closing brace is missing")
		}
	}
}

// closeBrace puts in the brace of an object that ends with the text. Where lines are members without a comma, what ends may be prose, and
// a comment may have hidden the brace, or more. A number may have been longer.
func (d *mender) closeBrace() bool {
	if len(d.said) > 0 || slices.Contains(d.took, MissingComma) || !d.done && isDigit(d.out[len(d.out)-1]) {
		return d.cut()
	}
	d.out = append(d.out, '}')
	d.closed++
	d.depth--
	d.took.add(MissingClose)
	return true
}

func (d *mender) member() bool {
	at := &d.path[len(d.path)-1]
	*at = ""
	from := len(d.out)
	if _, ok := quoteAt(d.text[d.pos:]); ok {
		if !d.str() {
			return false
		}
	} else if !d.key() {
		return false
	}
	*at = unquoted(string(d.out[from+1 : len(d.out)-1]))
	if !d.space() {
		return false
	}
	if d.atEnd() {
		return d.cut()
	}
	if !d.colon() {
		return d.fail("there is no colon after a key")
	}
	d.out = append(d.out, ':')
	return d.space() && d.value()
}

// key copies a key without quotes.
func (d *mender) key() bool {
	n := nameLength(d.text[d.pos:])
	if n == 0 || d.text[d.pos] == '.' {
		return d.fail("a key must be a text in double quotes")
	}
	if d.pos+n == len(d.text) {
		d.pos += n
		return d.cut()
	}
	d.out = appendString(d.out, d.text[d.pos:d.pos+n])
	d.pos += n
	d.took.add(UnquotedKey)
	return true
}

// startsKey reports whether a key and a colon stand here.
func (d *mender) startsKey() bool {
	if q, ok := quoteAt(d.text[d.pos:]); ok {
		rest := d.text[d.pos+q.size:]
		end := strings.IndexAny(rest[:min(len(rest), maxExtraKey)], q.closers+"\n")
		if end < 0 || rest[end] == '\n' {
			return false
		}
		_, n := utf8.DecodeRuneInString(rest[end:])
		return startsColon(rest[end+n:])
	}
	n := nameLength(d.text[d.pos:])
	return n > 0 && startsColon(d.text[d.pos+n:])
}

const maxExtraKey = 200 // bytes of a key behind a missing comma

func startsColon(rest string) bool {
	rest = strings.TrimLeft(rest[:min(len(rest), 40)], " \t")
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")
}

func nameLength(text string) int {
	for i, r := range text {
		if !isNameRune(r) {
			return i
		}
	}
	return len(text)
}

func (d *mender) list() bool {
	if !d.open() {
		return false
	}
	d.path = append(d.path, "[]")
	defer func() {
		if d.why == "" {
			d.path = d.path[:len(d.path)-1]
		}
	}()
	for n := 0; ; n++ {
		switch {
		case d.atEnd():
			return d.cut()
		case d.text[d.pos] == ']':
			if n > 0 {
				d.took.add(TrailingComma)
			}
			return d.close(']')
		}
		if n > 0 {
			d.out = append(d.out, ',')
		}
		opens := d.text[d.pos] == '{'
		if !d.value() {
			return false
		}
		if d.closed > 0 {
			return d.cut() // the end of a list is never put in
		}
		switch broke, ok := d.behind(); {
		case !ok:
			return false
		case d.atEnd():
			return d.cut()
		case d.text[d.pos] == ']':
			return d.close(']')
		case d.comma():
			if !d.space() {
				return false
			}
		case broke && opens && d.text[d.pos] == '{': // texts one below the other may be one text
			d.took.add(MissingComma)
		default:
			return d.fail("a comma or a closing bracket is missing")
		}
	}
}

// behind passes what stands behind a value; broke: a line ends there.
func (d *mender) behind() (broke, ok bool) {
	from := d.pos
	ok = d.space()
	return strings.IndexByte(d.text[from:d.pos], '\n') >= 0, ok
}

func (d *mender) comma() bool { return d.sign(",", "，") }
func (d *mender) colon() bool { return d.sign(":", "：") }

// sign passes a sign, or its full-width form.
func (d *mender) sign(narrow, wide string) bool {
	rest := d.text[d.pos:]
	switch {
	case strings.HasPrefix(rest, narrow):
		d.pos += len(narrow)
	case strings.HasPrefix(rest, wide):
		d.pos += len(wide)
		d.took.add(WideSign)
	default:
		return false
	}
	return true
}

func (d *mender) number() bool {
	k := skimmer{text: d.text, pos: d.pos}
	if !k.number() {
		return d.fail(k.why)
	}
	if k.pos == len(d.text) {
		d.pos = k.pos
		return d.cut() // there may be more of it
	}
	if r, _ := utf8.DecodeRuneInString(d.text[k.pos:]); isNameRune(r) {
		return d.fail("a number is not written as in JSON")
	}
	d.out = append(d.out, d.text[d.pos:k.pos]...)
	d.pos = k.pos
	return true
}

func (d *mender) placeholder() bool {
	n := bareplaceholder(d.text[d.pos:])
	if n == 0 {
		return d.fail("a value is not written as in JSON")
	}
	d.out = append(d.out, d.text[d.pos:d.pos+n]...)
	d.pos += n
	return true
}

var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// noWords are what other languages write for values that JSON does not have.
var noWords = set("undefined NaN nan Infinity inf nil NULL")

// word copies true, false and null, and Python's words for them. Another word may be an option's name or a listed value: that is
// for who knows the option to say.
func (d *mender) word() bool {
	n := nameLength(d.text[d.pos:])
	word := d.text[d.pos : d.pos+n]
	switch {
	case n == 0:
		return d.fail("a value is not written as in JSON")
	case word == "true" || word == "false" || word == "null":
		d.out = append(d.out, word...)
	case d.pos+n == len(d.text):
		d.pos += n
		return d.cut()
	case pythonWords[word] != "":
		d.out = append(d.out, pythonWords[word]...)
		d.took.add(PythonWord)
	case noWords[word] || word[0] == '.' || n > maxPlaceholder:
		return d.fail("a value is not written as in JSON")
	default:
		d.out = append(append(append(d.out, '"'), bareEscape...), word...)
		d.out = append(d.out, '"')
		d.took.add(BareWord)
	}
	d.pos += n
	return true
}

// space passes blanks, what does not show, and comments.
func (d *mender) space() bool {
	for {
		k := skimmer{text: d.text, pos: d.pos}
		k.space()
		d.pos = k.pos
		n, comment, ok := commentAt(d.text[d.pos:])
		switch {
		case !ok:
			d.pos = len(d.text)
			return d.cut()
		case n == 0:
			return true
		}
		d.said = append(d.said, span{d.pos, d.pos + n})
		if len(d.said) > maxComments || isDoubtful(comment) || remarksIn(comment, []span{{0, len(comment)}}).says() {
			return d.fail("a comment takes something back, or leaves it open")
		}
		d.pos += n
		d.took.add(Comment)
	}
}

const maxComments = 1000

// commentAt is the length of a comment and its words. ok is false when it does not end.
func commentAt(text string) (n int, words string, ok bool) {
	switch {
	case strings.HasPrefix(text, "/*"):
		end := strings.Index(text[2:], "*/")
		if end < 0 {
			return 0, "", false
		}
		return end + 4, text[2 : end+2], true
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "#"):
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return 0, "", false
		}
		return end + 1, strings.TrimLeft(text[:end], "/#"), true
	}
	return 0, "", true
}

// atEnd reports whether nothing of the value can follow here: the text ends, or the fence or the tag that it stands in.
func (d *mender) atEnd() bool {
	rest := d.text[d.pos:]
	switch {
	case rest == "":
		return true
	case startsFence(rest):
		if line := strings.TrimRight(d.text[:d.pos], " \t"); !strings.HasSuffix(line, "\n") {
			return false
		}
	case rest[0] == '<':
		if !endsCarrier(rest) {
			return false
		}
	default:
		return false
	}
	d.done = true
	return true
}

// endsCarrier reports whether a closing tag of what carries picks, or an end-of-turn token, stands here.
func endsCarrier(rest string) bool {
	if name, n := token(rest); n > 0 {
		return endTokens[name]
	}
	t := tagAt(rest)
	return t.closing && t.kind()&(placeTag|answerTag|endTag) != 0
}
