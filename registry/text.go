package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxQuoted = 60 // characters of foreign text in one quotation

// TitleOf makes a title for people out of a name: "lookup_order" becomes "Lookup order".
func TitleOf(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' })
	if len(words) == 0 {
		return name
	}
	first, size := utf8.DecodeRuneInString(words[0])
	words[0] = string(unicode.ToTitle(first)) + words[0][size:]
	return strings.Join(words, " ")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cutText is the text, or its first max characters.
func cutText(s string, max int) string {
	if len(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n == max {
			return s[:i]
		}
		n++
	}
	return s
}
