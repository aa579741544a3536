package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// fillBody writes the body and names its type, unless the file does.
func (e *endpoint) fillBody(f *filled, args registry.Args) {
	if e.body == nil {
		return
	}
	var media string
	switch {
	case e.body.Text != nil:
		if text, ok := e.body.Text.Expand(args); ok {
			f.body, media = []byte(text), "text/plain; charset=utf-8"
		}
	case e.body.Form:
		f.body, media = form(e.body.Value.Members, args), "application/x-www-form-urlencoded"
	default:
		w := jsonBody{args: args}
		if w.value(e.body.Value) {
			f.body, media = w.out.Bytes(), "application/json"
		}
		if w.failed != nil {
			f.misfit(misfit{who: "the body"}, "can't be written as JSON", "")
		}
	}
	if len(f.body) > maxSent {
		f.misfit(e.longest(args), fmt.Sprintf("makes the body longer than the %d bytes that are sent", maxSent), "Say it shorter.")
	}
	if f.body != nil && f.header.Get("Content-Type") == "" {
		f.header.Set("Content-Type", media)
	}
}

// jsonBody writes a body as JSON, without what is absent.
type jsonBody struct {
	args   registry.Args
	out    bytes.Buffer
	failed error
}

// value writes one value; false when it is absent, and then nothing is written.
func (w *jsonBody) value(v *config.Value) bool {
	switch {
	case v.Param != "":
		value, given := w.args[v.Param]
		if given {
			w.encode(value)
		}
		return given
	case v.Text != nil:
		text, given := v.Text.Expand(w.args)
		if given {
			w.encode(text)
		}
		return given
	case v.Items != nil:
		w.items(v.Items)
	case v.Members != nil:
		w.members(v.Members)
	default:
		w.out.Write(v.Raw)
	}
	return true
}

func (w *jsonBody) items(items []config.Value) {
	w.out.WriteByte('[')
	written := false
	for i := range items {
		before := w.out.Len()
		if written {
			w.out.WriteByte(',')
		}
		if !w.value(&items[i]) {
			w.out.Truncate(before)
			continue
		}
		written = true
	}
	w.out.WriteByte(']')
}

func (w *jsonBody) members(members []config.Member) {
	w.out.WriteByte('{')
	written := false
	for i := range members {
		before := w.out.Len()
		if written {
			w.out.WriteByte(',')
		}
		w.encode(members[i].Name)
		w.out.WriteByte(':')
		if !w.value(&members[i].Value) {
			w.out.Truncate(before)
			continue
		}
		written = true
	}
	w.out.WriteByte('}')
}

func (w *jsonBody) encode(value any) {
	e := json.NewEncoder(&w.out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		w.failed = err
		return
	}
	w.out.Truncate(w.out.Len() - 1) // the line end that an encoder writes
}

// form writes the fields of a form, in their order.
func form(members []config.Member, args registry.Args) []byte {
	pairs := []string{}
	for i := range members {
		if text, given := plain(&members[i].Value, args); given {
			pairs = append(pairs, url.QueryEscape(members[i].Name)+"="+url.QueryEscape(text))
		}
	}
	return []byte(strings.Join(pairs, "&"))
}

// plain is a value as the text of a field.
func plain(v *config.Value, args registry.Args) (text string, given bool) {
	switch {
	case v.Param != "":
		t, err := registry.ParseTemplate("{" + v.Param + "}")
		if err != nil {
			return "", false
		}
		return t.Expand(args)
	case v.Text != nil:
		return v.Text.Expand(args)
	case string(v.Raw) == "null":
		return "", true
	}
	return string(v.Raw), true
}
