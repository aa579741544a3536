package source

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Limits of what is sent.
const (
	maxTarget = 32 << 10 // bytes of path and query; most servers take less
	maxHeader = 16 << 10 // bytes of one header's value
	maxSent   = 4 << 20  // bytes of a body
)

// filled is a request with the values of one call in it.
type filled struct {
	path    string // as it stands on the wire, from its first slash
	query   string
	header  http.Header
	body    []byte // nil = none
	misfits []misfit
}

// fill puts the values in, each escaped for the place where it stands, and says which can't stand there.
func (e *endpoint) fill(args registry.Args) filled {
	f := filled{header: http.Header{}}
	f.path = e.fillPath(&f, args)
	f.query = e.fillQuery(args)
	if len(f.path)+len(f.query) > maxTarget {
		f.misfit(e.longest(args), fmt.Sprintf("makes the address longer than the %d bytes that a request may have", maxTarget), "Say it shorter.")
	}
	e.fillHeaders(&f, args)
	e.fillBody(&f, args)
	return f
}

func (f *filled) misfit(m misfit, what, hint string) {
	m.what, m.hint = what, hint
	f.misfits = append(f.misfits, m)
}

// fillPath writes the path. A value never becomes more or less than a part of its own segment.
func (e *endpoint) fillPath(f *filled, args registry.Args) string {
	if len(e.path) == 0 {
		return "/"
	}
	var b strings.Builder
	for _, t := range e.path {
		b.WriteByte('/')
		names := t.Params()
		segment, ok := t.Escaped(args, escapeSegment)
		switch {
		case len(names) == 0:
		case !ok:
			m := blame(e.params, names, args, absent)
			m.absent = true
			f.misfit(m, "is not given, and the path needs it", "")
		case holdsEmpty(names, args):
			f.misfit(blame(e.params, names, args, isEmpty), "is empty, and the path needs it", "")
		case isStep(segment):
			f.misfit(blame(e.params, names, args, mayStep), `makes a step in the path, such as ".."`, "Give the name or number alone.")
		}
		b.WriteString(segment)
	}
	return b.String()
}

func isEmpty(value any) bool { return value == "" }

func holdsEmpty(names []string, args registry.Args) bool {
	for _, name := range names {
		if isEmpty(args[name]) {
			return true
		}
	}
	return false
}

// mayStep reports whether a value itself makes a step, or a part of one.
func mayStep(value any) bool {
	s, ok := value.(string)
	return ok && strings.Contains(decoded4(s), ".")
}

// escapeSegment writes a value as a part of one segment: all but letters, digits and -._~ as their bytes.
func escapeSegment(value string) string {
	const hex = "0123456789ABCDEF"
	plain := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
	}
	var b strings.Builder
	for i := range len(value) {
		if c := value[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// isStep reports whether some server could take a segment for one or several, with "." or ".." among them: servers
// decode once or more often, take \ for /, cut at ;, and drop blanks.
func isStep(segment string) bool {
	for part := range strings.SplitSeq(decoded4(segment), "/") {
		part, _, _ = strings.Cut(part, ";")
		part = strings.TrimFunc(part, func(r rune) bool { return r <= ' ' || r == 0x7f })
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// otherwise are bytes that careless servers take for a dot or a slash.
var otherwise = strings.NewReplacer(`\`, "/", "\xc0\xae", ".", "\xc0\xaf", "/", "\xc1\x9c", "/")

// decoded4 is a text without its percent escapes, and without those that appear then, four times over.
func decoded4(s string) string {
	for range 4 {
		before := s
		if s = otherwise.Replace(unescaped(s)); s == before {
			break
		}
	}
	return s
}

// unescaped takes escapes away where there are some, and leaves other percent signs.
func unescaped(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// fillQuery writes the query. What an absent value would stand in is left out.
func (e *endpoint) fillQuery(args registry.Args) string {
	var pairs []string
	for _, t := range e.pairs {
		if pair, ok := t.Escaped(args, url.QueryEscape); ok {
			pairs = append(pairs, pair)
		}
	}
	for _, f := range e.query {
		if text, ok := f.text(args); ok {
			pairs = append(pairs, url.QueryEscape(f.name)+"="+url.QueryEscape(text))
		}
	}
	return strings.Join(pairs, "&")
}

// text is the field's value; ok is false when something in it is absent.
func (f *field) text(args registry.Args) (text string, ok bool) {
	if f.fixed != nil {
		return *f.fixed, true
	}
	return f.value.Expand(args)
}

// fillHeaders writes the headers. One in which a value is absent is left out.
func (e *endpoint) fillHeaders(f *filled, args registry.Args) {
	f.header.Set("User-Agent", "mcp-decide")
	f.header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.5")
	for i := range e.headers {
		h := &e.headers[i]
		text, ok := h.text(args)
		switch {
		case !ok:
			continue
		case len(text) > maxHeader:
			f.misfit(e.longest(args, h.value.Params()...), fmt.Sprintf("is longer than the %d bytes that a header may have", maxHeader), "Say it shorter.")
		case !sendable(text):
			f.misfit(blame(e.params, h.value.Params(), args, unsendable), "holds what a header can't carry: a line end, another control character, or blanks at its ends",
				"Write it on one line.")
		}
		f.header.Set(h.name, text)
	}
}

// sendable reports whether a header can carry a text as it is.
func sendable(text string) bool {
	return strings.Trim(text, " ") == text && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func unsendable(value any) bool {
	text, ok := value.(string)
	return ok && !sendable(text)
}

// longest blames the longest of some values, or of all.
func (e *endpoint) longest(args registry.Args, names ...string) misfit {
	if names == nil {
		names = slices.Sorted(maps.Keys(e.params))
	}
	size := func(name string) int { text, _ := args[name].(string); return len(text) }
	most := slices.MaxFunc(append([]string{""}, names...), func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	if most == "" {
		return misfit{who: "a value"}
	}
	return blame(e.params, []string{most}, args, func(any) bool { return true })
}
