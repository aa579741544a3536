package menu

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// The lenient reading takes a value that can't fit for the one that it is another spelling of, and a name for the one option
// whose name it is in another dress. A value that fits as it stands is never touched, and neither is one whose parameter takes
// several types, or any. Nothing is ever taken for what it only resembles.

// loosened copies the value at pos in the form that p takes, when it is another spelling of that; it notes the liberty. Else
// nothing has happened.
func (c *cleaner) loosened(p *registry.Param) bool {
	if p == nil || p.Hidden() {
		return false
	}
	switch first := c.text[c.pos]; {
	case first == '"':
		return c.loosenedText(p)
	case first == '-' || isDigit(first):
		return c.loosenedNumber(p)
	case first == '[' && p.Type == registry.Object && p.Enum == nil:
		return c.onlyItem(p)
	}
	return false
}

func (c *cleaner) loosenedText(p *registry.Param) bool {
	if p.Enum == nil && (p.Type == registry.String || p.Type == registry.Any) {
		return false
	}
	from := c.pos
	inside, _ := c.str()
	raw := inside.of(c.text)
	if c.mended && strings.HasPrefix(raw, bareEscape) || isPlaceholder(raw, p) || !c.spelled(unquoted(raw), p) {
		c.pos = from
		return false
	}
	return true
}

// spelled writes the value of p that a text spells.
func (c *cleaner) spelled(text string, p *registry.Param) bool {
	listed := c.listing(p)
	if listed.has(text) {
		return false
	}
	switch p.Type {
	case registry.Integer:
		return isInteger(text) && c.instead(text, p, TextAsNumber)
	case registry.Number:
		return isNumber(text) && c.instead(text, p, TextAsNumber)
	case registry.Boolean:
		return (text == "true" || text == "false") && c.instead(text, p, TextAsBool)
	case registry.Array:
		return p.Enum == nil && c.inside(text, '[', p)
	case registry.Object:
		return p.Enum == nil && c.inside(text, '{', p)
	}
	literal := listed.near(text)
	return literal != "" && c.instead(literal, p, FoldedValue)
}

// instead writes a literal for what was read, if p lists it or lists nothing.
func (c *cleaner) instead(literal string, p *registry.Param, how Liberty) bool {
	if p.Enum != nil && !c.listing(p).literals[literal] {
		return false
	}
	c.out = append(c.out, literal...)
	c.took.add(how)
	return true
}

// inside reads a text as the list or object that stands in it, in strict JSON. A text in that is a text.
func (c *cleaner) inside(text string, open byte, p *registry.Param) bool {
	text = strings.Trim(text, " \t\r\n")
	if c.inText || text == "" || text[0] != open || !json.Valid([]byte(text)) {
		return false
	}
	k := skimmer{text: text, depth: c.depth}
	if !k.value() || k.pos != len(text) {
		return false
	}
	outer, mended := c.skimmer, c.mended
	c.skimmer, c.mended, c.inText = skimmer{text: text, depth: outer.depth}, false, true
	if open == '[' {
		c.list(p)
	} else {
		c.object(p, false)
	}
	c.skimmer, c.mended, c.inText = outer, mended, false
	c.took.add(TextAsValue)
	return true
}

func (c *cleaner) loosenedNumber(p *registry.Param) bool {
	from := c.pos
	c.number()
	raw := c.text[from:c.pos]
	switch {
	case p.Type == registry.Integer:
		if n := wholePart(raw); n != "" && c.instead(n, p, WholeFloat) {
			return true
		}
	case p.Type == registry.String || p.Type == registry.Any && c.listing(p).texts:
		if c.instead(`"`+raw+`"`, p, NumberAsText) {
			return true
		}
	}
	c.pos = from
	return false
}

// onlyItem reads a list that holds one object and nothing else as that object.
func (c *cleaner) onlyItem(p *registry.Param) bool {
	item, end, ok := onlyObject(c.text, c.pos)
	if !ok {
		return false
	}
	c.pos = item.from
	c.object(p, false)
	c.pos = end
	c.took.add(OneItemList)
	return true
}

// onlyObject finds the one object of the list at pos, and the end of the list.
func onlyObject(text string, pos int) (item span, end int, ok bool) {
	next := skimmer{text: text, pos: pos + 1}
	if next.space(); next.pos >= len(text) || text[next.pos] != '{' {
		return span{}, 0, false
	}
	k := skimmer{text: text, pos: pos}
	if !k.value() || len(k.items) != 1 {
		return span{}, 0, false
	}
	next.pos = k.items[0].to
	if next.space(); next.pos != k.pos-1 {
		return span{}, 0, false // more than the object
	}
	return k.items[0], k.pos, true
}

// dress finds the option of a name that is in another dress.
func (r *reader) dress(rd *reading) {
	if o, how := r.nearly(rd.name); o != nil {
		rd.option, rd.name = o, o.Name
		rd.take(how)
	}
}

// unlisted takes a list of one object for the arguments.
func (rd *reading) unlisted(list string, problem *validate.Problem) (string, *validate.Problem) {
	if list == "" {
		return "", problem
	}
	object, ok := onlyArguments(list, rd.option)
	if !ok {
		return "", problem
	}
	rd.take(OneItemList)
	return object, nil
}

// take notes liberties. Those of a list that was mended belong to all its items.
func (rd *reading) take(took ...Liberty) {
	if len(took) > 0 {
		rd.took = slices.Clip(rd.took)
		rd.took.add(took...)
	}
}

// onlyArguments is the object in a list that stands for all arguments. It has to be all of parameters: the list may as
// well be meant for one of them.
func onlyArguments(list string, o *registry.Option) (object string, ok bool) {
	item, _, ok := onlyObject(list, 0)
	if !ok {
		return "", false
	}
	k := skimmer{text: list, pos: item.from}
	k.value()
	for _, m := range k.members {
		if p := parameter(o, unquoted(m.key.of(list))); p == nil || p.Hidden() {
			return "", false
		}
	}
	return item.of(list), true
}

// isInteger reports whether a text is the one way to write an integer of 64 bits.
func isInteger(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

// isNumber reports whether a text is a number as JSON writes it, and nothing else.
func isNumber(text string) bool {
	k := skimmer{text: text}
	return text != "" && len(text) <= maxNumber && (text[0] == '-' || isDigit(text[0])) && k.number() && k.pos == len(text)
}

const (
	maxNumber = 40      // characters that the checks take
	maxExact  = 1 << 53 // from here on a float no longer shows which integer was meant
)

// wholePart is the integer that a number with a fraction of zeros alone is, "" for any other number.
func wholePart(number string) string {
	whole, fraction, ok := strings.Cut(number, ".")
	if !ok || strings.Trim(fraction, "0") != "" || !isInteger(whole) {
		return ""
	}
	if n, _ := strconv.ParseInt(whole, 10, 64); n <= -maxExact || n >= maxExact {
		return ""
	}
	return whole
}

// listing are the values that a parameter lists, made ready to be looked up many times.
type listing struct {
	literals map[string]bool   // as they are written
	exact    map[string]bool   // the texts
	folded   map[string]string // the literal of a text by its folded form, "" where several have that
	texts    bool              // all are texts
}

func (c *cleaner) listing(p *registry.Param) *listing {
	if p.Enum == nil {
		return &listing{}
	}
	if l := c.listings[p]; l != nil {
		return l
	}
	l := &listing{map[string]bool{}, map[string]bool{}, map[string]string{}, hasTexts(p)}
	for _, v := range p.Enum {
		literal := string(v)
		l.literals[literal] = true
		var text string
		if literal == "" || literal[0] != '"' || json.Unmarshal(v, &text) != nil || l.exact[text] {
			continue
		}
		l.exact[text] = true
		form := foldedForm(text)
		if _, twice := l.folded[form]; twice {
			literal = ""
		}
		l.folded[form] = literal
	}
	if c.listings == nil {
		c.listings = make(map[*registry.Param]*listing)
	}
	c.listings[p] = l
	return l
}

func (l *listing) has(text string) bool { return l.exact[text] }

// near is the literal of the one listed text that has the folded form of text. Beside values of other types there is none: which
// of them was meant is not certain.
func (l *listing) near(text string) string {
	if !l.texts {
		return ""
	}
	return l.folded[foldedForm(text)]
}

// named is the option of a name, if need be and the reading allows it of one in another dress.
func (r *reader) named(name string) *registry.Option {
	o := r.find(name)
	if o == nil && r.how.Lenient {
		o, _ = r.nearly(name)
	}
	return o
}

// nearly is the one option whose name it is, with another case, other blanks and dashes, or a prefix that systems put before the
// names of their tools.
func (r *reader) nearly(name string) (*registry.Option, Liberty) {
	if r.folded == nil {
		r.folded = make(map[string]*registry.Option, len(r.offered))
		for i := range r.offered {
			form := foldedForm(r.offered[i].Name)
			if _, twice := r.folded[form]; twice {
				r.folded[form] = nil
				continue
			}
			r.folded[form] = &r.offered[i]
		}
	}
	o, known := r.folded[foldedForm(name)]
	how := FoldedName
	for _, prefix := range prefixes {
		if !hasPrefixFold(name, prefix) {
			continue
		}
		bare, also := r.folded[foldedForm(name[len(prefix):])]
		if also && known {
			return nil, "" // with and without it
		}
		if also {
			o, how = bare, PrefixedName
		}
		break
	}
	return o, how
}

// prefixes stand before the names of tools in other formats: OpenAI's functions, Gemini's default_api.
var prefixes = []string{"functions.", "functions:", "function.", "tools.", "tool.", "default_api."}

// foldedForm is equal for texts that differ in case, or in whether and how two words are joined: by a blank, a dash, an underscore or not
// at all. A dash at the start or beside a digit may be a sign, or part of a number, so that it stays.
func foldedForm(text string) string {
	runes := []rune(strings.TrimSpace(text))
	form := make([]rune, 0, len(runes))
	for i, r := range runes {
		if !isJoint(r) || i == 0 || i == len(runes)-1 || isJoint(runes[i-1]) || isJoint(runes[i+1]) {
			form = append(form, foldedRune(r))
			continue
		}
		switch before, behind := runes[i-1], runes[i+1]; {
		case isWordRune(before) && isWordRune(behind):
		case unicode.IsDigit(before) && isWordRune(behind), isWordRune(before) && unicode.IsDigit(behind) && !unicode.Is(unicode.Pd, r):
			form = append(form, '_')
		default:
			form = append(form, foldedRune(r))
		}
	}
	return string(form)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) }

func isJoint(r rune) bool { return r == '_' || unicode.Is(unicode.Pd, r) || unicode.IsSpace(r) }

// foldedRune is the least of the characters that differ from r in case alone.
func foldedRune(r rune) rune {
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return least
}
