package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Problem is one thing that is wrong with a value, and how to mend it.
type Problem struct {
	Kind     Kind
	Path     string // where, rooted at the arguments: args.steps[1].action
	Expected string // what stands in the schema, as a noun: "a number", `one of "a", "b"`
	Read     string // what was read, quoted and cut: `the text "39,90 EUR"`; empty when nothing was
	Example  string // a JSON literal that would pass; may be empty
	Nearest  string // the nearest allowed key or value, when one is near; may be empty
	Hint     string // how to write it, one sentence; may be empty
}

// String is the line of one problem, without the leading dash:
//
//	args.amount: expected a number, got the text "39,90 EUR". Write a plain JSON number, like 12.5
func (p Problem) String() string {
	said := p.fact()
	example := p.Example
	if p.Kind == MissingRequired && p.Read == "" && p.Expected != "" && p.Hint == "" && example != "" {
		said, example = said+", like "+example, ""
		if p.Nearest == "" {
			return p.placed(said)
		}
	}
	sentences := nonempty(said)
	if p.Nearest != "" {
		sentences = append(sentences, "Did you mean "+quote(p.Nearest)+"?")
	}
	hint := strings.TrimSuffix(p.Hint, ".")
	if hint != "" {
		sentences = append(sentences, hint)
	}
	if example == "" {
		return p.placed(sentence(sentences) + stop(sentences))
	}
	if hint == "" {
		return p.placed(sentence(append(sentences, "Example: "+example)))
	}
	return p.placed(sentence(sentences) + ", like " + example)
}

// fact is what is wrong, without advice and full stop.
func (p Problem) fact() string {
	switch {
	case p.Kind == MissingRequired && p.Read == "" && p.Expected == "":
		return "required, but not given"
	case p.Kind == MissingRequired && p.Read == "":
		return "required, but not given: " + p.Expected
	case p.Kind == EnumViolation && p.Read != "" && p.Expected != "":
		return bare(p.Read) + " is not " + p.Expected
	case p.Read != "" && p.Expected != "":
		return "expected " + p.Expected + ", got " + p.Read
	case p.Expected != "":
		return "expected " + p.Expected
	case p.Read != "":
		return "can't use " + p.Read
	}
	return ""
}

func (p Problem) placed(text string) string {
	if p.Path == "" {
		return text
	}
	return p.Path + ": " + text
}

// bare is a quotation without the noun before it.
func bare(read string) string {
	read = strings.TrimPrefix(read, "the text ")
	return strings.TrimPrefix(read, "the number ")
}

func nonempty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func sentence(parts []string) string {
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString(stop(parts[:i]) + " ")
		}
		b.WriteString(part)
	}
	return b.String()
}

func stop(parts []string) string {
	if len(parts) > 0 && strings.HasSuffix(parts[len(parts)-1], "?") {
		return ""
	}
	return "."
}

// Error holds every problem of one value. It means that nothing ran.
type Error struct {
	Kind     Kind      // the first of the problems' kinds in order of precedence
	Subject  string    // what did not fit: the option or method; may be empty
	Problems []Problem // at least one
}

// NewError makes an Error of problems and picks its kind by precedence: a kind that does
// not come from checking a value (bad_args and the like) before all others, then
// missing_required, type_mismatch, enum_violation. Without problems the kind is BadArgs.
func NewError(subject string, problems ...Problem) *Error {
	e := &Error{Kind: BadArgs, Subject: subject, Problems: problems}
	if len(problems) > 0 {
		e.Kind = foremost(problems)
	}
	return e
}

func foremost(problems []Problem) Kind {
	first := problems[0].Kind
	for _, p := range problems[1:] {
		if precedence(p.Kind) < precedence(first) {
			first = p.Kind
		}
	}
	return first
}

func precedence(k Kind) int {
	switch k {
	case MissingRequired:
		return 1
	case TypeMismatch:
		return 2
	case EnumViolation:
		return 3
	}
	return 0
}

const (
	maxLine = 1000 // characters of Error
	maxFix  = 8000 // characters of Fix
)

// Error is one line for logs and people: the subject, the first three problems and how
// many more there are. At most 1,000 characters.
func (e *Error) Error() string {
	var parts []string
	for i, p := range e.Problems {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", len(e.Problems)-i))
			break
		}
		parts = append(parts, strings.TrimSuffix(p.String(), "."))
	}
	if len(parts) == 0 {
		parts = []string{string(e.Kind)}
	}
	line := strings.Join(parts, "; ")
	if e.Subject != "" {
		line = e.Subject + ": " + line
	}
	return cut(printable(line), maxLine)
}

// Fix is the text for a model: one line a problem, each starting with "- ", with
// its place, what was expected, what was read, the nearest allowed word and an
// example. At most 8,000 characters, and of what was read at most 200 in all.
func (e *Error) Fix() string {
	var b strings.Builder
	used := 0
	repeat := budget{left: maxRepeated}
	for i, p := range e.Problems {
		p = repeat.take(p)
		line := "- " + cut(printable(p.String()), maxLine)
		size := utf8.RuneCountInString(line) + 1
		if used+size > maxFix-50 && i < len(e.Problems) {
			fmt.Fprintf(&b, "\n- %d more problems are not shown.", len(e.Problems)-i)
			break
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		used += size
	}
	return b.String()
}
