package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// endpoint is a method's HTTP request, ready to be filled in and sent.
type endpoint struct {
	method    string
	scheme    string
	host      string // with its port where the file writes one
	path      []registry.Template
	pairs     []registry.Template // of the query, as they stand in the address
	query     []field
	headers   []field
	body      *config.Body
	params    map[string]*registry.Param
	secrets   []string // values of references, which must not stand in an error text
	reads     bool     // the method changes nothing, so a request may be sent again
	transport http.RoundTripper
}

// field is one header, or one parameter of the query.
type field struct {
	name  string
	value registry.Template
	fixed *string // what a reference stands for; set instead of value
}

// endpoint makes a request of what the file says, or turns the method off with everything that is missing.
func (b *builder) endpoint(h *config.Endpoint, m *registry.Method) *endpoint {
	reads := m.Effect == registry.Read && m.Approval == nil
	e := &endpoint{
		method: h.Method, scheme: h.URL.Scheme, host: h.URL.Host, path: h.URL.Path, pairs: h.URL.Query, body: h.Body,
		params: byName(m.Params), reads: reads, transport: b.web.transport(h.AllowPrivate, reads),
	}
	e.query = b.fields("http.query.", h.Query, false)
	e.headers = append(b.fields("http.headers.", h.Headers, true), b.auth(h)...)
	e.secrets = b.secrets
	return e
}

func (b *builder) fields(key string, configured []config.Field, header bool) []field {
	var out []field
	for _, f := range configured {
		if f.Reference == "" {
			out = append(out, field{name: f.Name, value: f.Value})
			continue
		}
		text, ok := b.secret(f.Pos, key+f.Name, f.Reference)
		if ok && header && !sendable(text) {
			b.disable(f.Pos, key+f.Name, f.Reference+" holds what a header can't carry", "Keep it as one line of plain text")
		}
		out = append(out, field{name: f.Name, fixed: &text})
	}
	return out
}

// auth is the header that signs a request in.
func (b *builder) auth(h *config.Endpoint) []field {
	switch {
	case h.Auth.Bearer != "":
		text, ok := b.secret(h.Pos, "http.auth.bearer", h.Auth.Bearer)
		if ok && !sendable(text) {
			b.disable(h.Pos, "http.auth.bearer", h.Auth.Bearer+" holds what a header can't carry", "Keep it as one line of plain text")
		}
		text = "Bearer " + text
		return []field{{name: "Authorization", fixed: &text}}
	case h.Auth.Basic != "":
		text, ok := b.secret(h.Pos, "http.auth.basic", h.Auth.Basic)
		user, password, both := strings.Cut(text, ":")
		if ok && !both {
			b.disable(h.Pos, "http.auth.basic", h.Auth.Basic+" holds no user and password", "Write them as user:password")
		}
		encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
		b.secrets = append(b.secrets, encoded, password)
		text = "Basic " + encoded
		return []field{{name: "Authorization", fixed: &text}}
	}
	return nil
}

// refuse is what a caller can mend of arguments that can't be sent.
func (e *endpoint) refuse(args registry.Args) []validate.Problem {
	f := e.fill(args)
	var problems []validate.Problem
	for i := range f.misfits {
		// Where a hidden value is missing, it is seen when the request is about to be sent.
		if m := &f.misfits[i]; m.mendable() {
			problems = append(problems, m.problem())
		}
	}
	return problems
}

// run is the method's Run.
func (e *endpoint) run(ctx context.Context, args registry.Args) (any, error) {
	f := e.fill(args)
	if len(f.misfits) > 0 {
		return nil, registry.NotStarted(&f.misfits[0])
	}
	if err := context.Cause(ctx); err != nil {
		return nil, registry.NotStarted(why(err))
	}
	// From the moment there is a connection the request may have been written, all of it or a part.
	connected := false
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }})
	response, err := e.transport.RoundTrip(e.request(traced, f))
	if err != nil {
		err = fmt.Errorf("%s %s: %w", e.method, e.host, fault(ctx, err, connected))
		if !connected {
			return nil, registry.NotStarted(err)
		}
		return nil, registry.Uncertain(err)
	}
	defer response.Body.Close()
	return answer{ctx: ctx, response: response, veiled: e.veiled(args)}.result()
}

// request is the filled request as the client of the standard library sends it. Opaque keeps it from writing the
// path in another way.
func (e *endpoint) request(ctx context.Context, f filled) *http.Request {
	r := &http.Request{
		Method: e.method, Host: e.host, Header: f.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		URL: &url.URL{Scheme: e.scheme, Host: e.host, Opaque: f.path, RawQuery: f.query},
	}
	if f.body != nil {
		r.ContentLength = int64(len(f.body))
		r.Body = io.NopCloser(bytes.NewReader(f.body))
	}
	if e.reads {
		e.repeatable(r, f.body)
	}
	return r.WithContext(ctx)
}

// repeatable lets the client send a request again when a kept connection turns out to be closed. An empty list says so
// of a POST; it is not sent.
func (e *endpoint) repeatable(r *http.Request, body []byte) {
	if body != nil {
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	if _, own := r.Header["Idempotency-Key"]; !own {
		r.Header["Idempotency-Key"] = []string{}
	}
}

// veiled are the texts that no error may show: what references stand for, and hidden and secret values.
func (e *endpoint) veiled(args registry.Args) []string {
	all := e.secrets[:len(e.secrets):len(e.secrets)]
	for name, value := range args {
		if p, ok := e.params[name]; ok {
			all = veil(all, p, value, p.Hidden())
		}
	}
	return all
}

func veil(found []string, p *registry.Param, value any, all bool) []string {
	all = all || p.Secret
	switch value := value.(type) {
	case nil, bool:
	case map[string]any:
		for name, below := range value {
			found = veil(found, fieldOf(p, name), below, all)
		}
	case []any:
		item := &registry.Param{}
		if p.Items != nil {
			item = p.Items
		}
		for _, below := range value {
			found = veil(found, item, below, all)
		}
	default:
		if all {
			found = append(found, fmt.Sprint(value))
		}
	}
	return found
}

func fieldOf(p *registry.Param, name string) *registry.Param {
	for i := range p.Fields {
		if p.Fields[i].Name == name {
			return &p.Fields[i]
		}
	}
	return &registry.Param{}
}
