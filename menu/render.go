package menu

import (
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Style is how a menu is written.
type Style string

// The styles. The zero value counts as Full.
const (
	Full    Style = "full"
	Compact Style = "compact" // one signature line and the summary per option
	Classic Style = "classic" // the original's text, byte for byte
)

// Render writes the menu of the options, in order. Options of Full and Classic are parted by
// one empty line. The menu ends in one line feed; without options it is empty.
//
// An option's text is written once and kept with its method; a menu is put together of these.
func Render(style Style, options []registry.Option) string {
	name, write, between := writing(style)
	texts := make([]string, len(options))
	for i := range options {
		texts[i] = options[i].Text(name, write)
	}
	return strings.Join(texts, between)
}

// writing is how a style writes one option, the name under which that is kept, and what parts two options.
func writing(style Style) (name string, write func(*registry.Option) string, between string) {
	switch style {
	case Classic:
		return string(Classic), writeClassic, "\n"
	case Compact:
		return string(Compact), writeCompact, ""
	}
	return string(Full), writeFull, "\n"
}

func writeFull(o *registry.Option) string    { return string(appendFull(nil, o)) }
func writeCompact(o *registry.Option) string { return string(appendCompact(nil, o)) }
func writeClassic(o *registry.Option) string { return string(appendClassic(nil, o)) }

const (
	indent     = "    "
	maxSummary = 300 // characters of one description
)

func appendFull(b []byte, o *registry.Option) []byte {
	b = appendSignature(b, o)
	b = append(b, '\n')
	b = appendSummary(b, o)
	b = appendParams(b, o)
	return appendCallLine(b, o)
}

func appendCompact(b []byte, o *registry.Option) []byte {
	b = appendSignature(b, o)
	b = append(b, '\n')
	return appendSummary(b, o)
}

// appendSummary writes what the option does, who has to agree, and that the turn goes on.
func appendSummary(b []byte, o *registry.Option) []byte {
	s := sentences{b: append(b, indent...)}
	s.start = len(s.b)
	s.add(Fold(description(o), maxSummary))
	if o.Method != nil && o.Method.Approval != nil {
		s.add(approval(o.Method.Approval))
	}
	if o.Again {
		s.add("The turn goes on afterwards.")
	}
	if s.isEmpty() {
		return b
	}
	return append(s.b, '\n')
}

func description(o *registry.Option) string {
	if o.Description != "" || o.Method == nil {
		return o.Description
	}
	return o.Method.Summary
}

func approval(a *registry.Approval) string {
	switch {
	case a.Reason != "":
		return Fold(a.Reason, maxSummary)
	case a.If != nil:
		return "A person may have to agree first."
	}
	return "A person has to agree first."
}

// sentences are written one after the other, with a full stop where one is missing.
type sentences struct {
	b     []byte
	start int
}

func (s *sentences) isEmpty() bool { return len(s.b) == s.start }

func (s *sentences) add(text string) {
	if text == "" {
		return
	}
	s.next()
	s.b = append(s.b, text...)
}

// next ends the sentence before and writes a blank.
func (s *sentences) next() {
	if s.isEmpty() {
		return
	}
	switch s.b[len(s.b)-1] {
	case '.', '!', '?', ':', ';':
	default:
		if !hasWideStop(s.b) {
			s.b = append(s.b, '.')
		}
	}
	s.b = append(s.b, ' ')
}

// hasWideStop knows the sentence ends of other scripts, and the ellipsis of a cut text.
func hasWideStop(b []byte) bool {
	for _, stop := range []string{"。", "！", "？", "…", "।", "؟"} {
		if len(b) >= len(stop) && string(b[len(b)-len(stop):]) == stop {
			return true
		}
	}
	return false
}
