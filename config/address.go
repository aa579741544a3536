package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/registry"
)

// address reads a url. What decides where a request goes holds no value.
func (u *uses) address(at *path, n *node) Address {
	fail := func(message, fix string) { u.fail(n.pos, at.String(), message, fix) }
	before := u.said()
	u.template(at, n) // says what is wrong with placeholders, and notes which are used
	scheme, rest, ok := strings.Cut(n.text, "://")
	if message, fix := checkScheme(scheme, ok); message != "" {
		fail(message, fix)
		return Address{}
	}
	host := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host = rest[:i]
	}
	rest = rest[len(host):]
	if message, fix := checkTarget(host); message != "" {
		fail(message, fix)
	}
	if strings.Contains(rest, "#") {
		fail("what follows # is never sent", "Remove it; a # in the path or the query is written %23")
	}
	if u.said() > before {
		return Address{}
	}
	a := Address{Scheme: strings.ToLower(scheme), Host: strings.ToLower(host)}
	route, query, asks := strings.Cut(rest, "?")
	a.Path = u.route(at, n, route)
	if asks {
		a.Query = u.pairs(at, n, query)
	}
	return a
}

func checkScheme(scheme string, ok bool) (message, fix string) {
	const example = `Write it like "https://orders.example/{order_id}"`
	switch {
	case strings.ContainsAny(scheme, "{}") && (ok || strings.HasPrefix(scheme, "{")):
		return "a placeholder in front of the path: an argument can't choose where a request goes", "Write scheme and host out; make one method for each"
	case !ok:
		return "the address has no scheme", example
	}
	switch strings.ToLower(scheme) {
	case "http", "https":
		return "", ""
	}
	return quote(scheme) + " is no scheme that can be called", "There are http and https"
}

// checkTarget checks a host with or without a port.
func checkTarget(host string) (message, fix string) {
	const example = "api.example, api.example:8443 or 127.0.0.1:9000"
	switch {
	case strings.Contains(host, "@"):
		return "a user or a password stands in the address", "Write auth: {basic: env:NAME} instead" // not shown
	case strings.ContainsAny(host, "{}"):
		return "a placeholder in the host: an argument can't choose where a request goes", "Write scheme and host out; make one method for each"
	case host == "":
		return "the address names no host", "Write a host like " + example
	}
	return checkHostPort(host, example)
}

// checkNumeric refuses what some readers take for an IP address and others for a name: 127.1, 0x7f.0.0.1, 0177.0.0.1.
func checkNumeric(name string) (message, fix string) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" || digits(last) < len(last) && !strings.HasPrefix(strings.ToLower(last), "0x") {
		return "", ""
	}
	if _, err := netip.ParseAddr(name); err != nil {
		return quote(name) + " is neither a name nor an IP address", "Write four numbers, like 127.0.0.1"
	}
	return "", ""
}

// route reads the path of a url, segment by segment.
func (u *uses) route(at *path, n *node, route string) []registry.Template {
	if route == "" || route == "/" {
		return nil
	}
	segments := strings.Split(route[1:], "/")
	out := make([]registry.Template, 0, len(segments))
	for i, s := range segments {
		if s == "" && i < len(segments)-1 {
			u.fail(n.pos, at.String(), "two slashes in a row in the path", "Write one")
			return nil
		}
		t := parsed(s)
		own := ownText(t)
		u.onWire(at, n, own, "path", "")
		if plain, err := url.PathUnescape(own); err == nil && (plain == "." || plain == "..") {
			u.fail(n.pos, at.String(), "the segment "+quote(s)+" is taken for a step in the path", "Write the path without it")
		}
		u.needed(at, n, t)
		out = append(out, t)
	}
	return out
}

// pairs reads the query of a url.
func (u *uses) pairs(at *path, n *node, query string) []registry.Template {
	var out []registry.Template
	for _, s := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(s, "=")
		switch {
		case name == "":
			u.fail(n.pos, at.String(), "a parameter without a name in the query", "Write name=value, with & between them")
			return nil
		case strings.Contains(name, "{"):
			u.fail(n.pos, at.String(), "a placeholder in the name of a parameter", "Write the name out; values stand behind =")
			return nil
		}
		t := parsed(s)
		u.onWire(at, n, ownText(t), "query", "/?")
		if _, value, _ := strings.Cut(s, "="); secretName(name) && value != "" && !strings.Contains(value, "{") {
			u.clearSecret(at, n.pos, "Write query: {"+quote(name)+": env:NAME} instead")
		}
		out = append(out, t)
	}
	return out
}

// parsed is a part of a template that has been read as a whole.
func parsed(s string) registry.Template {
	t, _ := registry.ParseTemplate(s)
	return t
}

// ownText is a template's own text, with a NUL for each value.
func ownText(t registry.Template) string {
	args := registry.Args{}
	for _, name := range t.Params() {
		args[name] = ""
	}
	s, _ := t.Escaped(args, func(string) string { return "\x00" })
	return s
}

// onWire refuses what can't stand in an address as it is written. It is not escaped here, since % may be written already.
func (u *uses) onWire(at *path, n *node, own, what, also string) {
	for i, r := range own {
		switch {
		case r == 0, r < utf8.RuneSelf && strings.ContainsRune("-._~!$&'()*+,;=:@"+also, r):
		case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		case r == '%' && len(own) > i+2 && isHex(own[i+1]) && isHex(own[i+2]):
		case r == '%':
			u.fail(n.pos, at.String(), "% without two hexadecimal digits in the "+what, "Write %25 for the sign itself")
			return
		default:
			u.fail(n.pos, at.String(), fmt.Sprintf("%s can't stand in the %s as it is", strconv.QuoteRune(r), what), "Write "+escaped(own[i:]))
			return
		}
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// escaped is the first character of a text as it stands in an address.
func escaped(s string) string {
	_, size := utf8.DecodeRuneInString(s)
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}
