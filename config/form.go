package config

import (
	"fmt"
	"strings"
)

// form is one way to write a value. A key takes one form or several, told apart by what kind of value stands there.
type form struct {
	noun    string   // what it is, in messages: a text, a duration
	takes   []kind   // the kinds of value that are read by this form
	example string   // how to write it; in messages and in the reference
	words   []string // the only texts, when not nil
	least   int      // of a whole number, and
	most    int      // the greatest; both 0 = any number
	keys    []key    // of a map with fixed keys
	entry   []form   // of a map with free keys: what stands behind each
	items   []form   // of a list: what stands in it
	some    bool     // a list or map must not be empty
	limit   int      // the most entries of a list or map; 0 = no limit but the file's
	longest int      // of a text, in characters; 0 = no limit but the file's
	secret  bool     // a value that no message may show
	free    bool     // any value below, or one that another package reads
	shape   bool     // written in the schema language
	pattern string   // of a text, for editors; check says it in words
	one     []string // keys of which a map has exactly one, for editors
	check   func(n *node) (message, fix string)
}

// key is one key of a map with fixed keys.
type key struct {
	name  string
	doc   string // one sentence, for editors and the reference
	forms []form
	must  bool   // the map is wrong without it
	lacks string // what to do instead in this version, which does not have the key; "" = it has it
}

// forms that stand in many places.
var (
	aText     = form{noun: "a text", takes: []kind{text}, example: `"some words"`}
	aProse    = form{noun: "a text", takes: []kind{text}, example: `"some words"`, check: checkProse}
	aLine     = form{noun: "a text of one line", takes: []kind{text}, example: "Read one order.", check: checkLine, longest: maxLine}
	aName     = form{noun: "a name", takes: []kind{text}, example: "lookup_order", check: checkWord}
	yesNo     = form{noun: "true or false", takes: []kind{boolean}, example: "true"}
	aNumber   = form{noun: "a number", takes: []kind{number}, example: "0.5"}
	aDuration = form{noun: "a duration", takes: []kind{text}, example: "30s", check: checkDuration, pattern: "^([0-9]+(ms|s|m|h|d))+$"}
	someNames = listOf(aName, "[support, billing]")
	anyValue  = form{noun: "any value", takes: []kind{boolean, number, text, list, mapping, null}, free: true, example: "{status: closed}"}
	// word is one element of a command line or one variable: text, or what is as good as its text.
	aWord      = form{noun: "a text", takes: []kind{text, number, boolean, odd}, example: `"{text}"`}
	aReference = form{noun: "env:NAME or file:PATH", takes: []kind{text}, example: "env:ORDERS_TOKEN", secret: true, pattern: "^(env|file):."}
	aShape     = form{noun: "a shape", takes: []kind{text, list, mapping}, free: true, shape: true, example: "string"}
	someShapes = form{noun: "a map of names and shapes", takes: []kind{mapping}, free: true, shape: true, limit: 2000, example: "{order_id: string}"}
)

// The most that texts for models may hold, in characters, and the most values that a parameter may list.
const (
	maxLine        = 1000
	maxDescription = 10_000
	maxValues      = 1000
)

// aDescription is a text that models read again and again.
var aDescription = aProse.within(maxDescription)

func listOf(item form, example string) form {
	return form{noun: "a list", takes: []kind{list}, items: []form{item}, example: example}
}

func mapOf(noun, example string, entry ...form) form {
	return form{noun: noun, takes: []kind{mapping}, entry: entry, example: example}
}

func mapWith(noun, example string, keys ...key) form {
	return form{noun: noun, takes: []kind{mapping}, keys: keys, example: example}
}

func oneOf(words ...string) form {
	return form{noun: "one of " + join(words, "or"), takes: []kind{text}, words: words, example: words[0]}
}

func between(least, most int) form {
	return form{
		noun: fmt.Sprintf("a whole number from %d to %d", least, most), takes: []kind{number},
		least: least, most: most, example: fmt.Sprint(least),
	}
}

// but is the form with another example.
func (f form) but(example string) form {
	f.example = example
	return f
}

// filled is the form with at least one entry.
func (f form) filled() form {
	f.some = true
	return f
}

// upTo is the form with at most so many entries.
func (f form) upTo(limit int) form {
	f.limit = limit
	return f
}

// secretly is the form of a value that no message may show.
func (f form) secretly() form {
	f.secret = true
	return f
}

// within is the form of a text of at most so many characters.
func (f form) within(longest int) form {
	f.longest = longest
	return f
}

// having is the map form with keys of which exactly one is there.
func (f form) having(one []string) form {
	f.one = one
	return f
}

// find returns the form that reads a kind of value.
func find(forms []form, k kind) (form, bool) {
	for _, f := range forms {
		for _, t := range f.takes {
			if t == k {
				return f, true
			}
		}
	}
	return form{}, false
}

// nouns says what may stand somewhere.
func nouns(forms []form) string {
	var all []string
	for _, f := range forms {
		all = append(all, f.noun)
	}
	return join(all, "or")
}

// examples shows each form once.
func examples(forms []form) string {
	var all []string
	for _, f := range forms {
		all = append(all, f.example)
	}
	return strings.Join(all, ", or ")
}
