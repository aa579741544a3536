package registry

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName is the longest name of a method, in characters.
const maxName = 64

// CheckName says what is wrong with the name of a method or an option: it has 1 to 64 letters, digits, "_", "-" and "."
// of any script. Combining marks count as letters, save at the start; characters that can't be seen do not.
func CheckName(name string) error {
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		return errors.New("the name is empty")
	case !utf8.ValidString(name):
		return fmt.Errorf("the name %+q is not valid UTF-8", cutText(name, maxName))
	case n > maxName:
		return fmt.Errorf("the name %q… has %d characters; at most %d are allowed", cutText(name, 20), n, maxName)
	case !norm.NFC.IsNormalString(name):
		return fmt.Errorf("the name %+q is not in Unicode form NFC; write %+q", name, norm.NFC.String(name))
	}
	for i, r := range name {
		if !inName(r) || i == 0 && unicode.IsMark(r) {
			return fmt.Errorf("the name %q has %+q at character %d; letters, digits, _, - and . are allowed",
				name, r, utf8.RuneCountInString(name[:i])+1)
		}
	}
	return nil
}

// CheckToolName says what is wrong with a name that is to be the name of an MCP tool: a letter from a to z, then at
// most 40 of a to z, 0 to 9 and "_".
func CheckToolName(name string) error {
	const rule = "a tool's name starts with a letter from a to z and goes on with at most 40 of a to z, 0 to 9 and _"
	if len(name) == 0 || len(name) > 41 || name[0] < 'a' || name[0] > 'z' {
		return fmt.Errorf("the name %q can't be a tool's: %s", cutText(name, maxName), rule)
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return fmt.Errorf("the name %q can't be a tool's: %s", name, rule)
		}
	}
	return nil
}

func inName(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u034f' {
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

// Names tells names that can be confused with each other. The zero value is ready to use.
type Names struct {
	bySkeleton map[string]string
	byShape    map[string]string
}

// Add takes a name in. The error says which earlier name it equals, or differs from only by case or by letters
// that look alike; the name is then not taken in.
func (n *Names) Add(name string) error {
	skeleton, shape := Skeleton(name), shapeOf(name)
	if other, ok := n.bySkeleton[skeleton]; ok {
		return clash(name, other)
	}
	if other, ok := n.byShape[shape]; ok {
		return clash(name, other)
	}
	if n.bySkeleton == nil {
		n.bySkeleton, n.byShape = map[string]string{}, map[string]string{}
	}
	n.bySkeleton[skeleton], n.byShape[shape] = name, name
	return nil
}

func clash(name, other string) error {
	if name == other {
		return fmt.Errorf("the name %q is taken", name)
	}
	a, b := fmt.Sprintf("%q", name), fmt.Sprintf("%q", other)
	if strings.EqualFold(name, other) {
		return fmt.Errorf("the name %s differs only by case from %s; rename one of them", a, b)
	}
	if !isASCII(name) || !isASCII(other) {
		a, b = fmt.Sprintf("%s (%+q)", a, name), fmt.Sprintf("%s (%+q)", b, other)
	}
	return fmt.Errorf("the name %s differs only by look-alike letters from %s; rename one of them", a, b)
}

// Skeleton is what a name comes to when case, width and the look of letters do not count. Two names with one
// skeleton can't be told apart by a reader and must not stand beside each other.
func Skeleton(name string) string { return undotted(strings.Map(look, folded(name))) }

// shapeOf is the skeleton the other way round: capitals are taken by their look before they are
// folded. "AI" and "Al" have one shape, "ail" and "all" have not.
func shapeOf(name string) string {
	return undotted(folded(strings.Map(lookOfCapital, norm.NFKD.String(name))))
}

// folded is the name with its case folded and its letters taken apart (Unicode form NFKD), so that an accent on a zero is
// one on an o too.
func folded(name string) string {
	if isASCII(name) {
		return strings.ToLower(name)
	}
	s := strings.Map(oneCase, cases.Fold().String(norm.NFKC.String(name)))
	return norm.NFKD.String(s)
}

// undotted takes a second dot off i and j, where it can't be seen. Folding a dotted capital I adds one.
func undotted(s string) string {
	var before rune
	return strings.Map(func(r rune) rune {
		if r == '\u0307' && (before == 'i' || before == 'j') {
			return -1
		}
		before = r
		return r
	}, s)
}

// oneCase goes by way of the capital: some letters have two small forms, and folding leaves Cherokee in either case.
func oneCase(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }

// BareWords is a text without what does not tell sentences apart: case, look, and all that is no letter or digit.
func BareWords(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M, unicode.N) {
			return r
		}
		return -1
	}, Skeleton(s))
}
