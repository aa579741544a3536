package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

const (
	maxPhrases = 100 // of one decision
	maxPhrase  = 200 // characters
)

// phrases reads the sentences that stand for options. What is said in one is less than a pick, so it may stand only for what changes
// nothing and needs nothing.
func (b *builder) phrases(at *path, decision *node, d *Decision) []Phrase {
	n := decision.get("phrases")
	if n == nil || n.kind != mapping {
		return nil
	}
	all := newPhraseBook(d)
	var out []Phrase
	for _, e := range n.keys {
		if e.value.kind != text || b.full() {
			continue
		}
		here := at.key(e.name)
		if message, fix := all.add(e.name, e.value.text); message != "" {
			b.fail(e.pos, here.String(), message, fix)
			continue
		}
		b.phraseOption(here, decision, e.value, d, all.options[e.value.text])
		out = append(out, Phrase{Text: e.name, Option: e.value.text, Pos: e.pos})
	}
	return out
}

// phraseOption makes sure that a phrase may stand for an option.
func (b *builder) phraseOption(at *path, decision, n *node, d *Decision, o *Option) {
	const other = "Let the phrase stand for an option that only reads and needs no argument, or say in the option's description when to pick it"
	if o != nil {
		if effect := b.effectOf(o); effect != registry.Read {
			b.fail(n.pos, at.String(), fmt.Sprintf("the option %s has effect %s, and a phrase can't stand for it", o.Name, effect), other)
		} else if param := b.needs(o); param != "" {
			b.fail(n.pos, at.String(), fmt.Sprintf("the option %s needs a value for %s, and a phrase gives none", o.Name, param), other)
		}
		return
	}
	if d.None && n.text == noneOfThese || decision.get("options").broken() || len(d.Options) == 0 {
		return // the last two: it may be one that could not be read
	}
	var names []string
	for _, o := range d.Options {
		names = append(names, o.Name)
	}
	if d.None {
		names = append(names, noneOfThese)
	}
	b.fail(n.pos, at.String(), "no option is called "+quote(n.text), nearest(n.text, names))
}

// phraseBook tells phrases from each other and from names of options.
type phraseBook struct {
	options map[string]*Option
	names   map[string]string    // of options, by their bare words
	phrases map[string][2]string // the phrase and its option, by the bare words
}

func newPhraseBook(d *Decision) *phraseBook {
	p := &phraseBook{options: map[string]*Option{}, names: map[string]string{}, phrases: map[string][2]string{}}
	for i := range d.Options {
		o := &d.Options[i]
		p.options[o.Name], p.names[registry.BareWords(o.Name)] = o, o.Name
	}
	if d.None {
		p.names[registry.BareWords(noneOfThese)] = noneOfThese
	}
	return p
}

// add takes a phrase in, or says what is wrong with it.
func (p *phraseBook) add(phrase, option string) (message, fix string) {
	if size := utf8.RuneCountInString(phrase); size > maxPhrase {
		return fmt.Sprintf("the phrase has %d characters, more than %d", size, maxPhrase), "Say it shorter"
	}
	if i := strings.IndexFunc(phrase, hidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(phrase[i:])
		return fmt.Sprintf("the invisible character U+%04X in a phrase", r), "Remove it"
	}
	if strings.IndexFunc(phrase, unicode.IsLetter) < 0 {
		return "a phrase without a letter", "Write words that a model would say"
	}
	words := registry.BareWords(phrase)
	if name, ok := p.names[words]; ok {
		return "the phrase is just the name of the option " + name + ", and a name alone picks nothing", "Write a sentence, such as \"I pick " + name + "\""
	}
	if other, ok := p.phrases[words]; ok && other[1] != option {
		return fmt.Sprintf("the phrase differs from %s, which stands for %s, by case, blanks or marks alone", quote(other[0]), other[1]), "Remove one of them"
	}
	p.phrases[words] = [2]string{phrase, option}
	return "", ""
}
