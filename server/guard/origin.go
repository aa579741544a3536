package guard

import (
	"fmt"
	"net/http"
	"strings"
)

// origin is where a page comes from, as browsers say it. The port is always there for http and https.
type origin struct {
	scheme string
	host   host
}

// defaultPort is the port that is meant where none is written, "" for schemes that have none.
func defaultPort(scheme string) string {
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// parseOrigin reads scheme://host[:port]. "null", which stands for any origin that hides itself, is none.
func parseOrigin(s string) (origin, bool) {
	scheme, rest, ok := strings.Cut(s, "://")
	scheme = lower(scheme)
	if !ok || !isScheme(scheme) {
		return origin{}, false
	}
	h, ok := parseHost(rest)
	if !ok {
		return origin{}, false
	}
	if h.port == "" {
		h.port = defaultPort(scheme)
	}
	return origin{scheme, h}, true
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		if letter := c >= 'a' && c <= 'z'; !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

// origins are those whose pages may call the server although it is not theirs.
type origins map[origin]bool

func newOrigins(list []string) (origins, error) {
	known := origins{}
	for _, s := range list {
		o, ok := parseOrigin(s)
		switch {
		case strings.Contains(s, "*"):
			return nil, fmt.Errorf("allowed origin %q: wildcards are not taken, since any page could then call the server; list each origin", s)
		case s == "null":
			return nil, fmt.Errorf(`allowed origin "null": every page can make itself an origin that is sent as null; it can't be allowed`)
		case !ok:
			return nil, fmt.Errorf("allowed origin %q: scheme://host or scheme://host:port is expected, like https://app.example.com", s)
		}
		known[o] = true
	}
	return known, nil
}

// check says whether a request may come from where it comes from. Browsers say so in Origin and Sec-Fetch-Site; other
// clients send neither. If it is a page of another origin that is allowed, cross is that origin as it was sent.
//
// http.CrossOriginProtection is laxer: it lets GET pass, and an Origin with another scheme. A test holds the two
// against each other.
func (known origins) check(r *http.Request, own host) (cross string, ok bool) {
	if values, sent := r.Header["Origin"]; sent {
		if len(values) != 1 {
			return "", false
		}
		from, ok := parseOrigin(values[0])
		switch {
		case !ok:
			return "", false
		case known[from]:
			return values[0], true
		case !from.is(own, r.TLS != nil):
			return "", false
		}
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return "", false
		}
	}
	return "", true
}

// is reports whether o is the server itself, reached as own. A request that comes without TLS under a name that is not a
// loopback one may have come to a proxy by TLS.
func (o origin) is(own host, byTLS bool) bool {
	switch o.scheme {
	case "http":
		if byTLS {
			return false
		}
	case "https":
		if !byTLS && own.loopback() {
			return false
		}
	default:
		return false
	}
	if own.port == "" {
		own.port = defaultPort(o.scheme)
	}
	return o.host == own
}

// What pages of allowed origins may send and read.
const (
	corsMethods = "GET, POST, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-Id"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
	corsMaxAge  = "600" // seconds
	maxParams   = 64    // headers for single parameters that one preflight may ask for
)

// isPreflight reports whether a browser asks, for a page of an allowed origin, what that page may send.
func isPreflight(r *http.Request, cross string) bool {
	return cross != "" && r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// preflight answers for every path alike, so it tells nothing about which there are.
func preflight(w *response, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders+paramHeaders(r))
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// paramHeaders lists the headers that stand for single parameters of a tool, which have names of the tool's choice.
func paramHeaders(r *http.Request) string {
	var list strings.Builder
	n := 0
	for name := range strings.SplitSeq(r.Header.Get("Access-Control-Request-Headers"), ",") {
		name = lower(strings.TrimSpace(name))
		if rest, ok := strings.CutPrefix(name, "mcp-param-"); ok && rest != "" && isLabel(rest) && n < maxParams {
			list.WriteString(", " + name)
			n++
		}
	}
	return list.String()
}
