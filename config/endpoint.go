package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Endpoint is what a method calls over HTTP. The host is fixed; values stand in what follows it.
type Endpoint struct {
	Method       string // GET, HEAD, POST, PUT, PATCH or DELETE
	URL          Address
	Query        []Field // parameters behind those that the address itself has
	Headers      []Field
	Body         *Body // nil = none
	Auth         Auth
	AllowPrivate bool // the host's name may lead to a private address
	Pos          Pos
}

// Address is where a request goes. The own text of its templates stands as it is on the wire; values are escaped there.
type Address struct {
	Scheme string              // http or https
	Host   string              // a name, an IP address or one in brackets, with the port where one is written
	Path   []registry.Template // between the slashes; none = /
	Query  []registry.Template // between the &; each a name, or a name, = and a value. Left out without its values
}

// Field is one parameter of the query or one header, as plain text. One whose values are absent is left out.
type Field struct {
	Name      string
	Value     registry.Template
	Reference string // env:NAME or file:PATH, set instead of Value
	Pos       Pos
}

// Auth says how a request signs in: by the reference that is set, or not at all.
type Auth struct {
	Bearer string
	Basic  string // of user:password
}

// Body is what a request carries: a text or a value.
type Body struct {
	Text  *registry.Template
	Value *Value // as JSON
	Form  bool   // Value is a map of texts, sent as the fields of a form
}

// Value is a JSON value whose texts are templates. One field is set.
type Value struct {
	Raw     json.RawMessage    // what holds no text
	Text    *registry.Template // a text
	Param   string             // the value of this parameter, as it is
	Items   []Value
	Members []Member
}

// Member is one key of a Value.
type Member struct {
	Name  string
	Value Value
}

// endpoint reads http.
func (b *builder) endpoint(at *path, n, declared *node, m *Method) *Endpoint {
	e := &Endpoint{Method: cmp.Or(words(n.get("method")), "GET"), AllowPrivate: isTrue(n.get("allow_private")), Pos: n.pos}
	u := uses{builder: b, declared: declared, params: m.Params, used: map[string]bool{}, what: "http",
		where: "url, query, headers or body", secrets: "Write a parameter that is filled in, {type: string, from: env:NAME}, and its name here in braces"}
	if address := n.get("url"); address != nil && address.kind == text && !address.flawed {
		e.URL = u.address(at.key("url"), address)
	}
	e.Query = u.query(at.key("query"), n.get("query"), e.URL.Query)
	e.Headers = u.headers(at.key("headers"), n.get("headers"), n.has("auth"))
	e.Auth = b.auth(at.key("auth"), n.get("auth"))
	e.Body = u.body(at.key("body"), n.get("body"), e)
	u.unused(at)
	b.inClear(at, n, e)
	return e
}

// auth reads how a request signs in.
func (b *builder) auth(at *path, n *node) Auth {
	var a Auth
	if n == nil || n.kind != mapping {
		return a
	}
	if len(n.keys) == 0 || n.has("bearer") && n.has("basic") {
		b.fail(n.pos, at.String(), "it takes exactly one of bearer and basic", "Write auth: {bearer: env:NAME}")
	}
	for _, e := range n.keys {
		if e.value.kind != text {
			continue
		}
		where := at.key(e.name)
		if !isReference(e.value.text) {
			b.fail(e.value.pos, where.String(), "a secret stands in clear in the file", "Write env:NAME or file:PATH instead")
			continue
		}
		b.reference(where, e.value)
		switch e.name {
		case "bearer":
			a.Bearer = e.value.text
		case "basic":
			a.Basic = e.value.text
		}
	}
	return a
}

// inClear warns of a secret that others on the way can read.
func (b *builder) inClear(at *path, n *node, e *Endpoint) {
	host := (&url.URL{Host: e.URL.Host}).Hostname()
	ip, err := netip.ParseAddr(host)
	if e.URL.Scheme != "http" || loopback(host) || e.AllowPrivate || err == nil && ip.IsPrivate() {
		return
	}
	secret := e.Auth != Auth{}
	for _, f := range slices.Concat(e.Headers, e.Query) {
		secret = secret || f.Reference != ""
	}
	if secret {
		b.warn(n.at("url").pos, at.key("url").String(), "the secret that goes with the request travels unencrypted", "Write https://")
	}
}

// endpointWarnings says what is allowed and probably not meant.
func (b *builder) endpointWarnings(at *path, n *node, m *Method) {
	if e := n.at("open_world"); e.value != nil && e.value.kind == boolean && !isTrue(e.value) {
		b.warn(e.pos, at.key("open_world").String(), "a method that calls an endpoint counts as talking to other systems, whatever stands here", "Remove it")
	}
	if method := m.HTTP.Method; m.Effect == registry.Read && contains([]string{"POST", "PUT", "PATCH", "DELETE"}, method) {
		b.warn(n.at("effect").pos, at.key("effect").String(), "effect is read, and "+method+" is for changing something",
			"Write effect: write or destructive, unless this endpoint only reads")
	}
}

// query reads the parameters that stand beside the address.
func (u *uses) query(at *path, n *node, inURL []registry.Template) []Field {
	if n == nil || n.kind != mapping || len(n.keys) > maxQuery {
		return nil
	}
	taken := map[string]bool{}
	for _, pair := range inURL {
		name, _, _ := strings.Cut(pair.String(), "=")
		if name, err := url.QueryUnescape(name); err == nil {
			taken[name] = true
		}
	}
	var fields []Field
	for _, e := range n.keys {
		where := at.key(e.name)
		switch {
		case e.name == "":
			u.fail(e.pos, where.String(), "the name of the parameter is empty", "Write a name")
		case u.mentions(e.name):
			u.fail(e.pos, where.String(), "a placeholder in the name of a parameter", "Write the name out; values stand behind it")
		case taken[e.name]:
			u.fail(e.pos, where.String(), "the url has this parameter too", "Remove one of them")
		}
		if f, ok := u.field(where, e); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// field reads one value of a query or a header.
func (u *uses) field(at *path, e entry) (Field, bool) {
	f := Field{Name: e.name, Pos: e.pos}
	if !e.value.scalar() || e.value.kind == null {
		return f, false
	}
	if e.value.kind == text && isReference(e.value.text) {
		u.reference(at, e.value)
		f.Reference = e.value.text
		return f, true
	}
	if secretName(e.name) && !secretText(e.value.text) && e.value.text != "" && !strings.Contains(e.value.text, "{") {
		u.clearSecret(at, e.value.pos, "Write env:NAME or file:PATH instead")
	}
	f.Value = u.template(at, e.value)
	return f, true
}

// mentions reports whether a text holds a placeholder of one of the parameters.
func (u *uses) mentions(s string) bool {
	for _, p := range u.params {
		if strings.Contains(s, "{"+p.Name+"}") {
			return true
		}
	}
	return false
}

// needed refuses a value that may be absent where nothing can be left out.
func (u *uses) needed(at *path, n *node, t registry.Template) {
	for _, name := range t.Params() {
		if p := u.param(name); p != nil && p.Optional && p.Default == nil {
			u.fail(n.pos, at.String(), fmt.Sprintf("{%s} may be absent, and a path without it is another one", name),
				"Make it required, give it a default, or put it into query, where it is left out")
		}
	}
}
