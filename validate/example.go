package validate

import (
	"encoding/json"
	"math/big"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// example is a short JSON literal that the schema takes, "" when none is found. What the schema
// itself gives comes first: its default, its examples, its listed values.
func (x *explainer) example(n *node) string {
	v, ok := x.sample(n, 3)
	if !ok {
		return ""
	}
	return literal(v)
}

// accepts reports whether the schema at a node takes a value. What it costs is bounded for
// one Check as a whole; when that is spent, nothing is accepted and no example shown.
func (x *explainer) accepts(n *node, v any) bool {
	if n == nil || n.always != nil {
		return n != nil && *n.always
	}
	m := meter{left: x.left - 10}
	m.visit(n, v, 0)
	if x.left = m.left; x.left < 0 || sound(v, 0) != "" {
		return false
	}
	if n.plain && n.fits(v, &m) {
		return true
	}
	compiled := x.engine.at[n.at]
	return compiled != nil && compiled.Validate(v) == nil
}

// sample finds a value that the schema takes, objects in it nested at most depth deep.
func (x *explainer) sample(n *node, depth int) (any, bool) {
	if n == nil || n.always != nil {
		return nil, false
	}
	for _, v := range x.candidates(n, depth) {
		if x.accepts(n, v) {
			return v, true
		}
	}
	return nil, false
}

func (x *explainer) candidates(n *node, depth int) []any {
	var all []any
	for _, word := range []string{"default", "example", "const"} {
		if v, ok := n.words[word]; ok {
			all = append(all, v)
		}
	}
	for _, word := range []string{"examples", "enum"} {
		if values, _ := n.words[word].([]any); len(values) > 0 {
			all = append(all, values[:min(len(values), 10)]...)
		}
	}
	if n.ref != nil && depth > 0 {
		if v, ok := x.sample(n.ref, depth-1); ok {
			all = append(all, v)
		}
	}
	for _, s := range n.subs {
		if s.reach == inPlace && s.word != "not" && depth > 0 {
			if v, ok := x.sample(s.node, depth-1); ok {
				all = append(all, v)
			}
		}
	}
	if n.takes(aString) {
		all = append(all, sampleTexts(n)...)
	}
	if n.takes(aFloat | anInteger) {
		all = append(all, sampleNumbers(n)...)
	}
	if n.takes(aBoolean) {
		all = append(all, true)
	}
	if n.takes(anArray) && depth > 0 {
		all = append(all, x.sampleLists(n, depth)...)
	}
	if n.takes(anObject) && depth > 0 {
		all = append(all, x.sampleObject(n, depth))
	}
	if n.takes(aNull) {
		all = append(all, nil)
	}
	return all
}

func sampleTexts(n *node) []any {
	var all []any
	if name, ok := n.words["format"].(string); ok && formatSamples[name] != "" {
		all = append(all, formatSamples[name])
	}
	if n.pattern.re != nil {
		if tree, err := syntax.Parse(n.pattern.re.String(), syntax.Perl); err == nil {
			var b strings.Builder
			writeMatch(&b, tree)
			all = append(all, b.String())
		}
	}
	text := "text"
	if n.minLength > len(text) && n.minLength <= maxQuote {
		text = strings.Repeat("text ", n.minLength/5+1)[:n.minLength]
		if strings.HasSuffix(text, " ") {
			text = text[:len(text)-1] + "."
		}
	}
	if n.maxLength >= 0 && n.maxLength < len(text) {
		text = text[:n.maxLength]
	}
	return append(all, text)
}

// writeMatch writes the plainest text that a pattern takes. Anchors and look-arounds are
// passed over; the result is checked before it is shown.
func writeMatch(b *strings.Builder, re *syntax.Regexp) {
	if b.Len() > maxLiteral {
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainest(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('x')
	case syntax.OpCapture, syntax.OpPlus:
		writeMatch(b, re.Sub[0])
	case syntax.OpRepeat:
		for range re.Min {
			if b.Len() > maxLiteral {
				return
			}
			writeMatch(b, re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeMatch(b, sub)
		}
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0])
	}
}

// plainest picks a readable character of a class, given as pairs of first and last.
func plainest(class []rune) rune {
	for _, want := range []rune{'a', 'A', '1', '0'} {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	for i := 0; i+1 < len(class); i += 2 {
		if r := max(class[i], '!'); r <= class[i+1] && r != utf8.RuneError {
			return r
		}
	}
	if len(class) > 0 {
		return class[0]
	}
	return 'x'
}

// sampleNumbers are round numbers, and numbers at, beside and between the bounds.
func sampleNumbers(n *node) []any {
	tries := []*big.Rat{big.NewRat(1, 1), big.NewRat(10, 1), new(big.Rat)}
	if n.types&(aFloat|anInteger) == aFloat {
		tries = append([]*big.Rat{big.NewRat(25, 2)}, tries...)
	}
	low, high := rational(n.least, n.over), rational(n.most, n.under)
	for _, at := range []*big.Rat{low, high} {
		if at != nil {
			floor := new(big.Rat).SetInt(new(big.Int).Div(at.Num(), at.Denom()))
			one := big.NewRat(1, 1)
			tries = append(tries, at, floor, new(big.Rat).Add(floor, one), new(big.Rat).Sub(floor, one))
		}
	}
	if low != nil && high != nil {
		tries = append(tries, new(big.Rat).Quo(new(big.Rat).Add(low, high), big.NewRat(2, 1)))
	}
	all := make([]any, 0, len(tries)+1)
	for _, r := range tries {
		text := r.FloatString(6)
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		all = append(all, json.Number(text))
	}
	if step, ok := n.words["multipleOf"].(json.Number); ok {
		all = append(all, step)
	}
	return all
}

// rational is the first bound that is given, unless it is too long for an example.
func rational(bounds ...*bound) *big.Rat {
	for _, b := range bounds {
		if b == nil {
			continue
		}
		if r, ok := new(big.Rat).SetString(b.text); ok && b.f < 1e18 && b.f > -1e18 && len(b.text) < 20 {
			return r
		}
	}
	return nil
}

func (x *explainer) sampleLists(n *node, depth int) []any {
	item, ok := any("text"), true
	if n.items != nil {
		item, ok = x.sample(n.items, depth-1)
	}
	if !ok {
		return []any{[]any{}}
	}
	list := []any{}
	for i := range n.prefix {
		v, ok := x.sample(n.prefix[i], depth-1)
		if !ok {
			return []any{[]any{}}
		}
		list = append(list, v)
	}
	for len(list) < max(1, min(n.minItems, 10)) {
		list = append(list, item)
	}
	return []any{list, []any{}}
}

func (x *explainer) sampleObject(n *node, depth int) any {
	object := map[string]any{}
	for _, name := range n.required {
		if v, ok := x.sample(n.property(name), depth-1); ok {
			object[name] = v
		}
	}
	for _, p := range n.props {
		if len(object) >= n.minProps {
			break
		}
		if v, ok := x.sample(p.node, depth-1); ok {
			object[p.key] = v
		}
	}
	return object
}
