package validate

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Limits of one number. Beyond them a comparison would need arithmetic whose cost grows
// much faster than the text: 1e1000000 is nine characters and a million digits.
const (
	maxNumberText = 40  // characters
	maxExponent   = 308 // of ten
	minExponent   = 324 // of a tenth: 5e-324 is the least that a float can be
)

// numberFault says why a JSON number is not taken, as the end of "the number is …";
// "" when it is.
func numberFault(text string) string {
	if len(text) > maxNumberText {
		return "longer than 40 characters"
	}
	e := strings.IndexAny(text, "eE")
	if e < 0 {
		return ""
	}
	digits := strings.TrimLeft(text[e+1:], "+-0")
	n, _ := strconv.Atoi(digits[:min(len(digits), 4)])
	switch isSmall := text[e+1] == '-'; {
	case isSmall && n > minExponent:
		return "beyond an exponent of -324"
	case !isSmall && n > maxExponent:
		return "beyond an exponent of 308"
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return "too large"
	}
	return ""
}

// isInteger reports whether a JSON number has neither fraction nor exponent and fits 64
// bits. The text decides: 3.0 is no integer, since a carrier that rewrites 3 to 3.0 has
// rewritten larger ones too.
func isInteger(text string) bool {
	_, ok := integer(text)
	return ok
}

// integer is the value of such a number. (strconv builds an error for each 39.90, which
// costs more than all the rest of a check.)
func integer(text string) (int64, bool) {
	digits := strings.TrimPrefix(text, "-")
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// isNumber reports whether text is a JSON number within the limits of this package.
func isNumber(text string) bool {
	if text == "" || len(text) > maxNumberText {
		return false
	}
	if c := text[0]; c != '-' && (c < '0' || c > '9') {
		return false
	}
	return json.Valid([]byte(text)) && numberFault(text) == ""
}

// whole is the text of the integer that a JSON number equals, "" when it equals none
// within 64 bits: "3.0" and "0.3e1" give "3".
func whole(text string) string {
	if numberFault(text) != "" {
		return ""
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || !r.Num().IsInt64() {
		return ""
	}
	return r.Num().String()
}

// bound is a number of a schema that values are compared with.
type bound struct {
	text  string
	whole bool // n holds it exactly
	n     int64
	f     float64
}

func newBound(text string) *bound {
	b := &bound{text: text}
	b.n, b.whole = integer(text)
	b.f, _ = strconv.ParseFloat(text, 64)
	return b
}

// compare orders a JSON number against the bound: -1, 0 or 1, exactly. Rounding to a
// float keeps the order, so only equal floats need the long way.
func (b *bound) compare(text string) int {
	if b.whole {
		if n, ok := integer(text); ok {
			return cmp.Compare(n, b.n)
		}
	}
	f, _ := strconv.ParseFloat(text, 64)
	switch {
	case f < b.f:
		return -1
	case f > b.f:
		return 1
	}
	x, ok := new(big.Rat).SetString(text)
	y, also := new(big.Rat).SetString(b.text)
	if !ok || !also {
		return 0
	}
	return x.Cmp(y)
}
