package menu

import "slices"

// Liberty is one way in which a pick was read differently from how it was written.
type Liberty string

// Damage that has one reading.
const (
	TrailingComma Liberty = "a trailing comma left out"
	MissingComma  Liberty = "a comma put in at a line end"
	OtherQuotes   Liberty = "other quotes taken for double quotes"
	PythonWord    Liberty = "True, False or None taken for true, false or null"
	Comment       Liberty = "a comment left out"
	UnquotedKey   Liberty = "a key without quotes"
	BareWord      Liberty = "a word without quotes taken for a listed value"
	WideSign      Liberty = "a full-width colon or comma"
	RawBreak      Liberty = "a line break or tab in a text"
	SurplusBrace  Liberty = "a surplus closing brace left out"
	MissingOpen   Liberty = "the first brace put in"
	MissingClose  Liberty = "closing braces put in"
	Escaped       Liberty = "one level of escaping undone"
	OddEscape     Liberty = "an escape that JSON does not have"
)

// Liberties of the lenient reading alone.
const (
	TextAsNumber Liberty = "a text taken for a number"
	TextAsBool   Liberty = "a text taken for true or false"
	WholeFloat   Liberty = "a whole float taken for an integer"
	NumberAsText Liberty = "a number taken for a text"
	TextAsValue  Liberty = "a text taken for the list or object in it"
	OneItemList  Liberty = "a list of one object taken for the object"
	FoldedName   Liberty = "an option's name with other case, blanks or dashes"
	PrefixedName Liberty = "an option's name without the prefix before it"
	FoldedValue  Liberty = "a listed value with other case, blanks or dashes"
)

// liberties are a set, in the order in which they were taken.
type liberties []Liberty

func (l *liberties) add(more ...Liberty) {
	for _, one := range more {
		if !slices.Contains(*l, one) {
			*l = append(*l, one)
		}
	}
}

// isRepair reports whether the liberty mended damage. The others are of the lenient reading.
func isRepair(l Liberty) bool {
	switch l {
	case TextAsNumber, TextAsBool, WholeFloat, NumberAsText, TextAsValue, OneItemList, FoldedName, PrefixedName, FoldedValue:
		return false
	}
	return true
}
