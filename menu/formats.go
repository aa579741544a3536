package menu

import (
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// The formats in which model families write tool calls, as Pick.Form names them. All of them are read into one object,
// {"call": name, "args": {...}}, and judged like an object from there on.
//
// What holds for each: a call is read whole or not at all. One whose end is missing, or that has anything between its parts, is
// refused, and the rest of the reply belongs to it; nothing inside it is looked at as a pick of its own. So the scanner never
// goes back, however many calls are opened and not closed.
const (
	formHermes   = "hermes"   // <tool_call>{"name": ..., "arguments": {...}}</tool_call>
	formLlama    = "llama"    // <|python_tag|>{...}, <|python_tag|>name(key=value)
	formMistral  = "mistral"  // [TOOL_CALLS][{...}], [TOOL_CALLS]name[ARGS]{...}
	formDeepSeek = "deepseek" // <｜tool▁call▁begin｜>name<｜tool▁sep｜>{...}<｜tool▁call▁end｜>
	formDSML     = "dsml"     // <｜DSML｜invoke name="..."><｜DSML｜parameter name="..." string="true">...
	formKimi     = "kimi"     // <|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{...}<|tool_call_end|>
	formQwen     = "qwen"     // <function=name><parameter=key>value</parameter></function>
	formGLM      = "glm"      // <tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>
	formHarmony  = "harmony"  // <|channel|>commentary to=functions.name<|message|>{...}<|call|>
	formInvoke   = "invoke"   // <invoke name="name"><parameter name="key">value</parameter></invoke>
	formKeyTags  = "key tags" // <tool_use><tool_name>name</tool_name><parameters><key>value</key></parameters></tool_use>
	formLiteral  = "pythonic" // [name(key=value)]
)

// A draft is a call in one of these formats while it is read.
type draft struct {
	form     string
	from     int
	standing standing
	name     string // "" = not known, or not known whole
	option   *registry.Option
	args     []byte // the argument object, without its last brace while arguments are added
	mended   bool   // the argument object was damaged
	took     liberties
	doubt    string // why the arguments have several readings; "" = they have one
}

func (s *scanner) draft(form string) draft {
	return draft{form: form, from: s.pos, standing: s.standing(s.pos)}
}

// call sets which option is called. A name that only the lenient reading takes for that of an option gives the types of the
// option too: whether it is taken is for the reader of the whole object to say.
func (d *draft) call(name string, r *reader) {
	d.name, d.option = name, r.named(name)
}

// hand gives a call that was read whole to the chooser. It ends at end.
func (s *scanner) hand(d *draft, end int) {
	st := s.skipped(d, end)
	s.give(d, span{d.from, end}, st)
}

// skipped goes over what d stands in, and says how that stands.
func (s *scanner) skipped(d *draft, end int) standing {
	s.skip(end, d.standing, true)
	if d.standing != stands {
		return d.standing
	}
	st, around := s.after(span{d.from, end})
	d.took.add(around...)
	return st
}

// give hands over one call of those that were read whole.
func (s *scanner) give(d *draft, at span, st standing) {
	object := callObject(d.name, d.args)
	switch {
	case d.doubt != "":
	case d.mended:
		if s.carriedMended(at, mended{text: object, end: at.to, took: d.took}, d.form, st) {
			return
		}
	case s.carried(at, object, d.form, st, d.took...):
		return
	}
	why := d.doubt
	if why == "" {
		why = "it is nested too deep, or too large"
	}
	s.choice.found(s.read.lost(d, at.of(s.text), why), found{standing: st, from: at.from, end: at.to, strategy: Format, form: d.form})
}

// lose gives up a call that is cut or whose parts don't fit. Where it ends is not certain, so the rest of the reply belongs to it.
func (s *scanner) lose(d *draft, why string) {
	if d.standing != stands {
		s.vendor()
		return
	}
	rd := s.read.lost(d, s.text[d.from:], why)
	s.choice.found(rd, found{standing: stands, from: d.from, end: len(s.text), strategy: Format, form: d.form})
	s.pos = len(s.text)
}

// lost is the reading of a call that can't be read.
func (r *reader) lost(d *draft, text, why string) *reading {
	rd := &reading{text: text, name: d.name, option: d.option}
	p := validate.Problem{Kind: validate.NoAction, Expected: "a whole call", Read: "a call in the form " + d.form + ": " + why, Hint: howToAnswer}
	switch {
	case d.option != nil:
		p.Kind, p.Path = validate.BadArgs, "args"
	case d.name != "":
		p = r.unknown(d.name)
	}
	rd.fail(p)
	return rd
}

// carriedMended is carried for a call whose argument object was damaged.
func (s *scanner) carriedMended(at span, m mended, form string, st standing) bool {
	rd, ok := s.read.readMended(m)
	if ok {
		s.choice.found(rd, found{standing: st, from: at.from, end: at.to, strategy: Format, form: form})
	}
	return ok
}

// argumentsAt reads the argument object at pos. It is copied as it stands, or mended.
func (s *scanner) argumentsAt(d *draft, pos int) (end int, ok bool) {
	if pos >= len(s.text) || s.text[pos] != '{' {
		return pos, false
	}
	k := skimmer{text: s.text, pos: pos}
	if k.value() {
		d.args = []byte(s.text[pos:k.pos])
		d.noteCall(s.text, k.members)
		return k.pos, true
	}
	m, _, ok := s.mended(pos)
	if !ok || m.closed > 0 {
		return pos, false
	}
	d.args, d.mended, d.took = []byte(m.text), true, m.took
	if k = (skimmer{text: m.text}); k.value() {
		d.noteCall(m.text, k.members)
	}
	return m.end, true
}

// noteCall notes an argument object that is a call itself: it may be the one that was meant.
func (d *draft) noteCall(text string, members []member) {
	c, ok := callOf(text, members, maxWrappers)
	if !ok {
		return
	}
	for _, key := range c.keys {
		if d.option != nil && parameter(d.option, key) != nil {
			return
		}
	}
	d.note("its argument object is a call itself")
}

// callObject writes {"call": name, "args": {...}}.
func callObject(name string, args []byte) string {
	b := make([]byte, 0, len(args)+len(name)+32)
	b = appendText(append(b, `{"call": `...), name)
	b = append(append(b, `, "args": `...), args...)
	return string(append(b, '}'))
}

// appendText writes a JSON text that means exactly text.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, text[from:]...), '"')
}

// functionName is the option that formats mean by "functions.name".
func (r *reader) functionName(written string) string {
	name, ok := strings.CutPrefix(written, "functions.")
	if !ok || r.find(name) == nil && r.find(written) != nil {
		return written
	}
	return name
}

// blankEnd is where the blanks that start at pos end.
func (s *scanner) blankEnd(pos int) int {
	k := skimmer{text: s.text, pos: pos}
	k.space()
	return k.pos
}

const maxCallName = 300 // bytes of an option's name in a format

// nameAt is the name of letters, digits, '_', '-' and '.' at pos.
func nameAt(text string, pos int) string {
	near := text[pos:min(len(text), pos+maxCallName)]
	n := 0
	for n < len(near) && nameBytes[near[n]] {
		n++
	}
	if n < len(near) && near[n] >= utf8.RuneSelf {
		n += nameLength(near[n:])
	}
	return near[:n]
}
