package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Template is text with {name} where a parameter's value stands; {{ and }} are literal braces.
// The zero value is the empty text.
type Template struct {
	pieces []piece
}

type piece struct {
	text  string
	param string // set instead of text
}

// ParseTemplate reads a template. The error says at which character (from 1) it is wrong.
// Whether a name is a parameter is for the caller to say; see Params.
func ParseTemplate(s string) (Template, error) {
	var t Template
	var text strings.Builder
	for i := 0; i < len(s); {
		next := strings.IndexAny(s[i:], "{}")
		if next < 0 {
			text.WriteString(s[i:])
			break
		}
		text.WriteString(s[i : i+next])
		i += next
		if strings.HasPrefix(s[i:], "{{") || strings.HasPrefix(s[i:], "}}") {
			text.WriteByte(s[i])
			i += 2
			continue
		}
		name, err := placeholderAt(s, i)
		if err != nil {
			return Template{}, err
		}
		if text.Len() > 0 {
			t.pieces = append(t.pieces, piece{text: text.String()})
			text.Reset()
		}
		t.pieces = append(t.pieces, piece{param: name})
		i += len(name) + 2
	}
	if text.Len() > 0 {
		t.pieces = append(t.pieces, piece{text: text.String()})
	}
	return t, nil
}

// placeholderAt reads the name in {name} at byte i, where a single brace stands.
func placeholderAt(s string, i int) (string, error) {
	if s[i] == '}' {
		return "", templateError(s, i, "} without {", "write }} for a literal brace")
	}
	rest := s[i+1:]
	end := strings.IndexAny(rest, "{}")
	if end < 0 || rest[end] == '{' {
		return "", templateError(s, i, "{ without }", "write {name} for a value, {{ for a literal brace")
	}
	name := rest[:end]
	if name == "" {
		return "", templateError(s, i, "{} names no parameter", "write {name} for a value, {{}} for literal braces")
	}
	if strings.ContainsFunc(name, func(c rune) bool { return !inName(c) }) {
		return "", templateError(s, i, fmt.Sprintf("{%s} names no parameter", cutText(name, maxQuoted)),
			"a name has letters, digits, _, - and . only; write {{ and }} for literal braces")
	}
	return name, nil
}

func templateError(s string, i int, what, fix string) error {
	return fmt.Errorf("character %d: %s; %s", utf8.RuneCountInString(s[:i])+1, what, fix)
}

// Params are the names that the template mentions, in order, each once.
func (t Template) Params() []string {
	var names []string
	seen := map[string]bool{}
	for _, p := range t.pieces {
		if p.param != "" && !seen[p.param] {
			seen[p.param] = true
			names = append(names, p.param)
		}
	}
	return names
}

// Expand puts values in: text as it is, other JSON values as their JSON text, numbers as written. ok is false
// when a value that the template mentions is absent.
func (t Template) Expand(args Args) (text string, ok bool) {
	return t.Escaped(args, func(value string) string { return value })
}

// Escaped is Expand with each value's text changed by escape before it is put in; the template's own text stays as it is.
func (t Template) Escaped(args Args, escape func(value string) string) (text string, ok bool) {
	var out strings.Builder
	for _, p := range t.pieces {
		if p.param == "" {
			out.WriteString(p.text)
			continue
		}
		value, given := args[p.param]
		if !given {
			return "", false
		}
		text, ok := textOf(value)
		if !ok {
			return "", false
		}
		out.WriteString(escape(text))
	}
	return out.String(), true
}

// Alone is the name of the one parameter that the template consists of; ok is false when it holds anything else.
func (t Template) Alone() (name string, ok bool) {
	if len(t.pieces) != 1 {
		return "", false
	}
	return t.pieces[0].param, t.pieces[0].param != ""
}

var doubled = strings.NewReplacer("{", "{{", "}", "}}")

// String is the template as it can be parsed again.
func (t Template) String() string {
	var out strings.Builder
	for _, p := range t.pieces {
		if p.param != "" {
			out.WriteString("{" + p.param + "}")
			continue
		}
		out.WriteString(doubled.Replace(p.text))
	}
	return out.String()
}

// textOf is a value as it stands in a text: a string as it is, anything else as compact JSON.
func textOf(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(value) != nil {
		return "", false
	}
	return strings.TrimSuffix(out.String(), "\n"), true
}
