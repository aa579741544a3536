package guard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// host is a host name and a port in one way of writing: lower case, no dot at the end, IPv6 in brackets.
type host struct {
	name string
	port string // "" = none was written
}

// maxName is the longest host name that DNS knows, in bytes.
const maxName = 253

// parseHost reads what a Host header, or the part of a URL that stands for it, may hold. It is narrower than the
// grammar of URLs: no user, no percent signs, no IPv6 zone, no empty port, no number that only some readers
// take for an address. It is linear.
func parseHost(s string) (host, bool) {
	if strings.HasPrefix(s, "[") {
		return parseIPv6(s)
	}
	name, port, colon := strings.Cut(s, ":")
	name = lower(strings.TrimSuffix(name, "."))
	if colon && !isPort(port) || !isName(name) {
		return host{}, false
	}
	return host{name, port}, true
}

// lower is for ASCII alone. Unicode knows letters outside it whose lower case is inside.
func lower(s string) string {
	if !strings.ContainsFunc(s, isUpper) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isUpper(r) {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }

func parseIPv6(s string) (host, bool) {
	inside, rest, closed := strings.Cut(s[1:], "]")
	port, colon := strings.CutPrefix(rest, ":")
	if !closed || !colon && rest != "" || colon && !isPort(port) {
		return host{}, false
	}
	addr, err := netip.ParseAddr(inside)
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return host{}, false
	}
	return host{"[" + addr.String() + "]", port}, true
}

// isPort reports whether s is a port from 1 to 65535 without leading zeros.
func isPort(s string) bool {
	if s == "" || len(s) > 5 || s[0] == '0' {
		return false
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return n <= 65535
}

// isName reports whether s is a name of DNS or an IPv4 address of four decimal numbers. Browsers take every name that
// ends in a number for an address, written in one of many ways; only the plain way is taken.
func isName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	last := ""
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || !isLabel(label) {
			return false
		}
		last = label
	}
	if isNumber(last) {
		addr, err := netip.ParseAddr(s)
		return err == nil && addr.Is4()
	}
	return true
}

// isNumber reports whether s is a number, decimal or in the hexadecimal form that browsers know.
func isNumber(s string) bool {
	digits := "0123456789"
	if rest, hex := strings.CutPrefix(s, "0x"); hex {
		s, digits = rest, "0123456789abcdef"
	}
	return strings.Trim(s, digits) == ""
}

func isLabel(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// loopback reports whether h can only mean this machine.
func (h host) loopback() bool {
	if h.name == "localhost" || h.name == "[::1]" {
		return true
	}
	addr, err := netip.ParseAddr(h.name)
	return err == nil && addr.IsLoopback()
}

// hosts are the names under which a server may be reached, beside the loopback ones. A port "" stands for every port.
type hosts map[host]bool

func newHosts(names []string) (hosts, error) {
	known := hosts{}
	for _, s := range names {
		h, ok := parseHost(s)
		switch {
		case strings.Contains(s, "*"):
			return nil, fmt.Errorf("allowed host %q: wildcards are not taken, since a page could then reach the server under a name of its own; list each name", s)
		case strings.Contains(s, "/"):
			return nil, fmt.Errorf("allowed host %q: a name or name:port is expected, like mcp.example.com, without scheme and path", s)
		case !ok:
			return nil, fmt.Errorf("allowed host %q: a name or name:port is expected, like mcp.example.com:8443 or [2001:db8::1] (a name with other letters in its xn-- form)", s)
		}
		known[h] = true
	}
	return known, nil
}

// of returns the host that a request is for, and whether that is one of ours. A loopback name is one when the connection
// came to a loopback address, or nobody knows to which.
func (known hosts) of(r *http.Request) (host, bool) {
	h, ok := parseHost(r.Host)
	if !ok || !agrees(h, r) {
		return host{}, false
	}
	return h, known.has(h) || h.loopback() && cameByLoopback(r)
}

func (known hosts) has(h host) bool {
	if known[host{name: h.name}] {
		return true
	}
	if h.port != "" {
		return known[h]
	}
	// Without a port it is that of the scheme, which only a proxy in front may know.
	return known[host{h.name, "80"}] || known[host{h.name, "443"}]
}

// agrees reports whether every other place of the request that names a host names h.
func agrees(h host, r *http.Request) bool {
	if r.URL.User != nil {
		return false
	}
	others := r.Header["Host"]
	if r.URL.Host != "" {
		others = append([]string{r.URL.Host}, others...)
	}
	for _, s := range others {
		if other, ok := parseHost(s); !ok || other != h {
			return false
		}
	}
	return true
}

func cameByLoopback(r *http.Request) bool {
	switch local := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		return local.IP.IsLoopback()
	case net.Addr:
		addr, err := netip.ParseAddrPort(local.String())
		return err != nil || addr.Addr().IsLoopback()
	}
	return true
}
