package config

import (
	"fmt"
	"net/netip"
	"net/url"
	slash "path"
	"strconv"
	"strings"
)

// maxHosts is the most names that each list of the HTTP server may hold.
const maxHosts = 100

var httpServerForm = mapWith("a map", "{allowed_hosts: [desk.example]}",
	key{name: "allowed_hosts", doc: "Further names under which it may be reached, with a port or without. Without one it answers to the names of this machine's loopback alone, and listens nowhere else.",
		forms: []form{listOf(aHost, `[desk.example, "desk.example:8443"]`).upTo(maxHosts)}},
	key{name: "allowed_origins", doc: "Pages from elsewhere that may call it. Without one, none may; its own always may.",
		forms: []form{listOf(anOrigin, `["https://desk.example"]`).upTo(maxHosts)}},
	key{name: "caller_headers", doc: "Headers that tell who calls.", forms: []form{listOf(aText, "[X-User]"), mapOf("a map", "{id: X-User}", aText)},
		lacks: "Give each caller a token of their own, under access"},
	key{name: "resource", doc: "Its address as clients know it, for the metadata of RFC 9728. Without it there is no metadata.", forms: []form{aResource}},
	key{name: "issuers", doc: "Who issues tokens for the resource, as the metadata names them. This version takes only the tokens of access.",
		forms: []form{listOf(anAddress, `["https://id.example"]`).upTo(maxHosts)}},
)

var (
	aHost     = form{noun: "a name or name:port", takes: []kind{text}, example: "desk.example", check: checkHost, pattern: `^[^/*@\s]+$`}
	anOrigin  = form{noun: "an origin", takes: []kind{text}, example: `"https://desk.example"`, check: checkOrigin, pattern: `^[a-z][a-z0-9+.-]*://[^/*@\s]+$`}
	anAddress = form{noun: "an address", takes: []kind{text}, example: `"https://desk.example"`, check: checkAddress, pattern: `^https?://[^@\s#?]+$`}
)

var aResource = func() form {
	f := anAddress.but(`"https://desk.example/mcp"`)
	f.check = checkResource
	return f
}()

// httpServer reads what is said about serving over HTTP. Names count as lower case: clients write them so.
func (b *builder) httpServer() {
	n := b.root.get("http")
	h := &b.file.HTTP
	h.AllowedHosts = lowered(n.get("allowed_hosts"))
	h.AllowedOrigins = lowered(n.get("allowed_origins"))
	h.Resource = words(n.get("resource"))
	for _, item := range items(n.get("issuers")) {
		h.Issuers = append(h.Issuers, words(item))
	}
	switch {
	case !n.has("resource") && len(h.Issuers) > 0:
		b.fail(n.at("issuers").pos, "http.issuers", "issuers stand in the metadata of a resource, and there is none", `Write resource: "https://NAME/mcp", the address that clients use`)
	case h.Resource != "" && len(h.Issuers) == 0 && !n.get("issuers").broken():
		b.fail(n.at("resource").pos, "http.resource", "its metadata say who issues tokens for it, and nobody does", `Write issuers: ["https://id.example"], or leave resource out`)
	}
}

func lowered(n *node) []string {
	var all []string
	for _, item := range items(n) {
		all = append(all, strings.ToLower(words(item)))
	}
	return all
}

// everything says why a name with a star is refused.
func everything(s, what string) (message, fix string) {
	if !strings.Contains(s, "*") {
		return "", ""
	}
	return "a * would let in what nobody has named: a page could then reach it under a name of its own", "Write each " + what + " out"
}

func checkHost(n *node) (message, fix string) {
	s := n.text
	if message, fix := everything(s, "name"); message != "" {
		return message, fix
	}
	if scheme, _, ok := strings.Cut(s, "://"); ok {
		return "a name without " + quote(scheme+"://") + " is expected", "Write the name alone, like desk.example"
	}
	return checkHostPort(s, "desk.example or desk.example:8443")
}

// checkHostPort checks a name or an address, with or without a port.
func checkHostPort(s, example string) (message, fix string) {
	fix = "Write it like " + example
	switch {
	case strings.Contains(s, "@"):
		return "a user or a password stands before the name", fix // not shown
	case strings.ContainsAny(s, "/?#\\"):
		return "a name is expected, without a path", fix
	case bareIPv6(s):
		return "an address with colons stands in brackets", "Write \"[" + s + "]\""
	}
	host := s
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		if !isPort(s[i+1:]) {
			return quote(s[i+1:]) + " is no port", fix
		}
		host = s[:i]
	}
	if !strings.HasPrefix(host, "[") {
		return checkDomain(host, fix)
	}
	if !strings.HasSuffix(host, "]") || !bareIPv6(host[1:len(host)-1]) {
		return quote(host) + " is no address of IP version 6", `Write it like "[2001:db8::1]"`
	}
	return "", ""
}

func bareIPv6(s string) bool {
	ip, err := netip.ParseAddr(s)
	return err == nil && ip.Is6() && ip.Zone() == ""
}

func isPort(s string) bool {
	p, err := strconv.ParseUint(s, 10, 16)
	return err == nil && p > 0 && s[0] != '0'
}

// maxDomain is the longest name of a host, in bytes.
const maxDomain = 253

func checkDomain(host, fix string) (message, _ string) {
	if host == "" {
		return "the name is empty", fix
	}
	if len(host) > maxDomain {
		return fmt.Sprintf("the name has more than %d characters", maxDomain), fix
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" {
			return quote(host) + " has an empty part", "Remove the dot at its start or end, or the second of two"
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			return quote(host) + " is no name of a host", "Write letters from a to z, digits, - and dots; names in other scripts as xn--…"
		}
	}
	return checkNumeric(host)
}

func checkOrigin(n *node) (message, fix string) {
	const example = `"https://desk.example"`
	s := n.text
	if message, fix := everything(s, "origin"); message != "" {
		return message, fix
	}
	scheme, host, ok := strings.Cut(s, "://")
	switch {
	case s == "null":
		return "null is the origin of every page that hides its own", "Write the origins of pages that you know, like " + example
	case !ok || !isScheme(scheme):
		return "an origin starts with its scheme", "Write it like " + example
	case strings.HasSuffix(host, "/") && strings.Count(host, "/") == 1:
		return "an origin ends before the /", "Write " + strconv.Quote(cutTo(strings.TrimSuffix(s, "/")))
	}
	if message, fix := checkHostPort(host, `"https://desk.example" or "https://desk.example:8443"`); message != "" {
		return message, fix
	}
	if usual := map[string]string{"http": ":80", "https": ":443"}[strings.ToLower(scheme)]; usual != "" && strings.HasSuffix(host, usual) {
		return "browsers leave out the usual port", "Write " + strconv.Quote(cutTo(strings.TrimSuffix(s, usual)))
	}
	return "", ""
}

// cutTo shortens what a fix proposes.
func cutTo(s string) string { return s[:min(len(s), maxDomain)] }

func isScheme(s string) bool {
	s = strings.ToLower(s)
	return s != "" && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}

// checkAddress checks an address that others read in the metadata: https, or http on this machine.
func checkAddress(n *node) (message, fix string) {
	const example = `"https://desk.example/mcp"`
	u, err := url.Parse(n.text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "an address is expected", "Write it like " + example // not shown: it may hold a password
	case u.User != nil:
		return "a user or a password stands in an address that everybody may read", "Remove it"
	case u.Fragment != "" || strings.Contains(n.text, "#") || u.RawQuery != "" || u.ForceQuery:
		return "an address here has no query and no fragment", "Write it without what follows ? or #"
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return "tokens for this address would travel unencrypted", "Write https; http is for this machine alone"
	case u.Scheme != "https" && u.Scheme != "http":
		return "an address here starts with https://", "Write it like " + example
	}
	if message, _ := everything(u.Host, ""); message != "" {
		return "a * is no name of a host", "Write it like " + example
	}
	return checkHostPort(u.Host, example)
}

// checkResource checks an address whose path the address of its metadata ends in.
func checkResource(n *node) (message, fix string) {
	if message, fix := checkAddress(n); message != "" {
		return message, fix
	}
	u, err := url.Parse(n.text)
	if err != nil || strings.ContainsAny(n.text, "{}%") || strings.HasSuffix(n.text, "/") || u.Path != "" && slash.Clean(u.Path) != u.Path {
		return "the path of a resource is plain", "Write one like /mcp, without a / at its end"
	}
	return "", ""
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
