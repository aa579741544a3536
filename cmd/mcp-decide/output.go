package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// output is standard output. It remembers that a write failed, so that no command ends well whose output was lost.
type output struct {
	w    io.Writer
	mu   sync.Mutex
	lost error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.lost = cmp.Or(o.lost, err)
	}
	return n, err
}

// failed is why output was lost; nil = none was.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lost
}

// printJSON writes one JSON value as one line, without HTML escapes. A terminal obeys more characters than JSON
// escapes, so those are escaped too.
func (a *app) printJSON(v any) error {
	data, err := encode(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s\n", escaped(data))
	return err
}

// escaped is JSON with the characters escaped that could harm a terminal; they stand in its texts alone.
func escaped(data []byte) []byte {
	if !bytes.ContainsFunc(data, hostile) {
		return data
	}
	out := make([]byte, 0, len(data)+64)
	for _, r := range string(data) {
		switch {
		case !hostile(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, "\\u%04x\\u%04x", high, low)
		default:
			out = fmt.Appendf(out, "\\u%04x", r)
		}
	}
	return out
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// indent is JSON for a person to read.
func indent(raw []byte) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

// safe makes foreign text harmless for a terminal: control and format characters are shown as escapes; line
// breaks and tabs stay.
func safe(s string) string {
	if !strings.ContainsFunc(s, hostile) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hostile(r) {
			fmt.Fprintf(&b, "\\u{%x}", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hostile(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co))
}
