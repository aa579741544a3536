package source

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// describeEndpoint says in one line what is called, in the words of the file:
//
//	http: POST https://api.example/orders/{order_id}?lang=en, with page, X-Desk, a body, env:ORDERS_TOKEN
//
// What stands beside the address is named only: a literal value may be a secret that somebody wrote into the file.
func describeEndpoint(h *config.Endpoint) string {
	line := "http: " + h.Method + " " + h.URL.Scheme + "://" + h.URL.Host + "/" + joined(h.URL.Path, "/")
	if len(h.URL.Query) > 0 {
		line += "?" + joined(h.URL.Query, "&")
	}
	var with []string
	for _, f := range h.Query {
		with = append(with, quoted(f.Name))
	}
	for _, f := range h.Headers {
		with = append(with, f.Name)
	}
	if h.Body != nil {
		with = append(with, "a body")
	}
	for _, reference := range []string{h.Auth.Bearer, h.Auth.Basic} {
		if reference != "" {
			with = append(with, quoted(reference))
		}
	}
	if len(with) > 0 {
		line += ", with " + strings.Join(with, ", ")
	}
	return line
}

func joined(templates []registry.Template, by string) string {
	parts := make([]string, len(templates))
	for i, t := range templates {
		parts[i] = t.String()
	}
	return strings.Join(parts, by)
}

// pinOf is what decides what is sent and describeEndpoint leaves out. References stand as they are written: a secret
// that is renewed changes no method.
func pinOf(h *config.Endpoint) string {
	return fmt.Sprintf("%s %s %q %v %s", pinFields(h.Query), pinFields(h.Headers), h.Auth, h.AllowPrivate, pinBody(h.Body))
}

func pinFields(fields []config.Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%q=%q %q;", f.Name, f.Value.String(), f.Reference)
	}
	return b.String()
}

func pinBody(body *config.Body) string {
	switch {
	case body == nil:
		return "none"
	case body.Text != nil:
		return "text " + strconv.Quote(body.Text.String())
	}
	return fmt.Sprintf("form:%v ", body.Form) + pinValue(body.Value)
}

// pinValue is a value of a body as a text that no other value has.
func pinValue(v *config.Value) string {
	var b strings.Builder
	switch {
	case v.Param != "":
		return "param " + strconv.Quote(v.Param)
	case v.Text != nil:
		return strconv.Quote(v.Text.String())
	case v.Items != nil:
		b.WriteByte('[')
		for i := range v.Items {
			b.WriteString(pinValue(&v.Items[i]) + ",")
		}
		b.WriteByte(']')
	case v.Members != nil:
		b.WriteByte('{')
		for i := range v.Members {
			b.WriteString(strconv.Quote(v.Members[i].Name) + ":" + pinValue(&v.Members[i].Value) + ",")
		}
		b.WriteByte('}')
	default:
		return string(v.Raw)
	}
	return b.String()
}
