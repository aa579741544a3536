package validate

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// pattern is a regular expression and what it costs.
type pattern struct {
	re           *regexp.Regexp // nil = none
	instructions int
}

// pattern compiles a pattern once, and notes what is wrong with it.
func (r *reader) pattern(at, text string) pattern {
	if p, ok := r.regexps[text]; ok {
		return p
	}
	p, fault, fix := compilePattern(text)
	if fault != "" {
		r.faults.add(at, fix, "the pattern %s %s", quote(text), fault)
	}
	r.regexps[text] = p
	return p
}

func compilePattern(text string) (p pattern, fault, fix string) {
	if n := utf8.RuneCountInString(text); n > maxPattern {
		return p, fmt.Sprintf("has %d characters, at most %d are taken", n, maxPattern), ""
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return p, "can't be used: " + printable(cut(err.Error(), 200)), patternHint(text)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return p, "can't be used: " + printable(cut(err.Error(), 200)), ""
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxInstructions {
		return p, "is too expensive", `use "maxLength" instead of a high repeat count`
	}
	return pattern{re, len(prog.Inst)}, "", ""
}

// cost is what matching a text may cost, in visits. In the worst case every instruction is
// tried at every byte; short patterns come nowhere near that.
func (p pattern) cost(s string) int {
	if p.instructions <= 32 {
		return len(s) * p.instructions / 512
	}
	return len(s) * p.instructions / 64
}

func patternHint(text string) string {
	switch {
	case strings.Contains(text, "(?=") || strings.Contains(text, "(?!"):
		return "patterns are RE2: look-ahead is not available; say it with two patterns in allOf, or with not"
	case strings.Contains(text, "(?<=") || strings.Contains(text, "(?<!"):
		return "patterns are RE2: look-behind is not available"
	case strings.Contains(text, `\u`):
		return `write a character of Unicode as \x{00e9}, or as it is`
	case regexp.MustCompile(`\\[1-9]`).MatchString(text):
		return "patterns are RE2: a group can't be repeated by its number"
	}
	return "patterns are RE2, see https://github.com/google/re2/wiki/Syntax"
}
