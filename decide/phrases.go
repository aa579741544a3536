package decide

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	maxPhrases = 100 // of one decision
	maxPhrase  = 200 // characters
)

// reading checks how replies are read. A phrase says less than a pick, so it can stand only for an option that changes nothing and needs
// nothing.
func (c *checker) reading() {
	d := c.d
	if d.Reading.Cut {
		c.fail("reading: whether a reply was cut is known of each reply; set Answer.Cut")
	}
	if len(d.Reading.Shown) > 0 {
		c.fail("reading: which examples were shown is known of each turn, by the engine; leave Shown empty")
	}
	if n := len(d.Reading.Phrases); n > maxPhrases {
		c.fail("phrases: there are %d; at most %d are allowed", n, maxPhrases)
		return
	}
	d.Reading.Phrases = slices.Clone(d.Reading.Phrases)
	options := map[string]*Option{}
	names := map[string]string{} // by their bare words
	for i := range d.Options {
		o := &d.Options[i]
		options[o.Name], names[registry.BareWords(o.Name)] = o, o.Name
	}
	earlier := map[string]menu.Phrase{}
	for _, p := range d.Reading.Phrases {
		words := registry.BareWords(p.Text)
		other, again := earlier[words]
		switch name, bare := names[words]; {
		case !utf8.ValidString(p.Text) || strings.ContainsFunc(p.Text, unicode.IsControl):
			c.fail("phrase %+q: it has control characters, or is not valid UTF-8", cut(p.Text, maxPhrase))
		case utf8.RuneCountInString(p.Text) > maxPhrase:
			c.fail("phrase %q…: it has %d characters; at most %d are allowed", cut(p.Text, 40), utf8.RuneCountInString(p.Text), maxPhrase)
		case !strings.ContainsFunc(p.Text, unicode.IsLetter):
			c.fail("phrase %q: it has no letter; write words that a model would say", p.Text)
		case bare:
			c.fail("phrase %q: it is just the name of the option %q, and a name alone picks nothing; write a sentence", p.Text, name)
		case again && other.Option != p.Option:
			c.fail("phrase %q: it differs from %q, which stands for %q, by case, blanks or marks alone", p.Text, other.Text, other.Option)
		case options[p.Option] == nil:
			c.fail("phrase %q: there is no option %q%s", p.Text, p.Option, didYouMean(p.Option, optionNames(d.Options)))
		default:
			c.phraseOption(p, options[p.Option])
		}
		earlier[words] = p
	}
}

// phraseOption makes sure that a phrase can stand for an option.
func (c *checker) phraseOption(p menu.Phrase, o *Option) {
	m := o.Own
	if m == nil {
		m, _ = c.methods.Find(o.Method)
	}
	if m == nil {
		return // reported with the option
	}
	if effect := m.Effect.Or(); effect != registry.Read {
		c.fail("phrase %q: the effect of the option %q is %s; a phrase can stand for one with effect read alone", p.Text, o.Name, effect)
		return
	}
	for i := range m.Params {
		if m.Params[i].Required() {
			c.fail("phrase %q: the argument %q of the option %q needs a value, and a phrase gives none", p.Text, m.Params[i].Name, o.Name)
			return
		}
	}
	if !Heard(p) {
		c.fail("phrase %q: a reply of just these words picks nothing, since they might mean something else; %s", p.Text, PhraseFix)
	}
}

// PhraseFix says what to do about a phrase that is not heard.
const PhraseFix = "write one plain sentence that says what is done, without a question, brackets, quotes, doubts or a negation"

// Heard reports whether a reply that is just the phrase is taken for it. One that is not would never do anything.
func Heard(p menu.Phrase) bool {
	alone := []registry.Option{{Name: p.Option, Method: &registry.Method{Name: p.Option, Effect: registry.Read}}}
	pick, err := menu.Parse(p.Text, alone, menu.Reading{Phrases: []menu.Phrase{p}})
	return err == nil && pick.Name == p.Option && pick.Strategy == menu.ByPhrase
}
