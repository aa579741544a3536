package menu

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

const (
	maxQuoted = 200 // characters of the reply in an error
	maxNames  = 600 // characters of option names in an error
)

// howToAnswer is the advice of every error about the form of a reply. It is no pick itself.
const howToAnswer = `Write {"call": <option>, "args": {...}} as one JSON object alone on its lines`

// refuse is the error of a reading that has problems.
func (r *reader) refuse(rd *reading) error {
	problems := slices.Clone(rd.problems)
	for i := range problems {
		p := &problems[i]
		if p.Read == "" {
			p.Read = rd.damage.String()
		}
		switch {
		case p.Kind == validate.UnknownCall:
			p.Expected, p.Nearest = r.listed(), validate.Nearest(rd.name, r.names())
		case p.Hint == "" && p.Kind == validate.Ambiguous:
			p.Hint = howToAnswer
		case p.Hint == "" && p.Kind == validate.BadArgs:
			p.Hint = `Write "args" as one JSON object with all arguments in it`
		}
	}
	subject := ""
	if rd.option != nil {
		subject = rd.option.Name
	}
	return validate.NewError(subject, problems...)
}

func (r *reader) unknown(name string) validate.Problem {
	read := string(appendString(nil, fold(name, maxQuoted)))
	if bare := strings.TrimSpace(name); bare != "" && bare != name {
		read += " with blanks around it" // which are not seen in it
	}
	return validate.Problem{Kind: validate.UnknownCall, Path: "call", Read: read}
}

// noAction says that there is no pick. why is one sentence without full stop, or "".
func (r *reader) noAction(why string) error {
	return validate.NewError("", validate.Problem{Kind: validate.NoAction, Expected: "a pick, " + r.listed(),
		Read: why, Hint: howToAnswer})
}

// ambiguous says that the reply can be read in several ways.
func (r *reader) ambiguous(why string) error {
	return validate.NewError("", validate.Problem{Kind: validate.Ambiguous, Expected: "one pick", Read: why, Hint: howToAnswer})
}

func (r *reader) names() []string {
	names := make([]string, len(r.offered))
	for i := range r.offered {
		names[i] = r.offered[i].Name
	}
	return names
}

// listed names the options for a sentence: one of "look", "refund".
func (r *reader) listed() string {
	switch len(r.offered) {
	case 0:
		return "an option, and none is offered"
	case 1:
		return string(appendString(nil, r.offered[0].Name))
	}
	return "one of " + quotedNames(r.offered)
}

func quotedNames(options []registry.Option) string {
	var b []byte
	for i := range options {
		if i > 0 {
			b = append(b, ", "...)
		}
		if len(b)+len(options[i].Name) > maxNames {
			b = append(b, "… "...)
			b = strconv.AppendInt(b, int64(len(options)-i), 10)
			return string(append(b, " more"...))
		}
		b = appendString(b, options[i].Name)
	}
	return string(b)
}

// bothNames names the options of two readings, for "several picks".
func bothNames(a, b *reading) string {
	if a.name == "" || b.name == "" {
		return "several picks"
	}
	if a.name == b.name {
		return "several picks" + a.called(" of ") + ", with other arguments"
	}
	return "several picks" + a.called(": ") + b.called(" and ")
}

const (
	maxCalled = 60 // characters of one name among others
	maxCount  = 3  // names of mentions
)

// called is the name that a reading said, for a sentence, behind a word that leads to it; "" when it said none.
func (rd *reading) called(lead string) string {
	if rd.name == "" {
		return ""
	}
	return lead + string(appendString(nil, fold(rd.name, maxCalled)))
}

// names are those of the first few readings of a kind, each once.
type names struct {
	few  []string
	more bool
}

func (n *names) add(rd *reading) {
	switch name := rd.called(""); {
	case name == "" || slices.Contains(n.few, name):
	case len(n.few) == maxCount:
		n.more = true
	default:
		n.few = append(n.few, name)
	}
}

// String is `: "a", "b" and more`, or nothing.
func (n *names) String() string {
	if len(n.few) == 0 {
		return ""
	}
	text := ": " + strings.Join(n.few, ", ")
	if n.more {
		text += " and more"
	}
	return text
}
