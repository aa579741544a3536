package guard

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// The three columns of the product. Each row says what it is by itself; whether a combination passes says the table
// verdicts alone, which knows nothing of the code.
var (
	hostRows = []struct {
		host     string
		own      string // origins that a page of this host has, one per scheme; {} stands for the scheme
		loopback bool   // allowed when the connection came by loopback
		listed   bool   // allowed always
	}{
		{"localhost:8787", "{}://localhost:8787", true, false},
		{"LOCALHOST.:8787", "{}://localhost:8787", true, false},
		{"127.0.0.1:8787", "{}://127.0.0.1:8787", true, false},
		{"127.9.8.7", "{}://127.9.8.7", true, false},
		{"[::1]:8787", "{}://[::1]:8787", true, false},
		{"mcp.example.com", "{}://mcp.example.com", false, true},
		{"MCP.Example.Com.:99", "{}://mcp.example.com:99", false, true},
		{"alt.example.com:8443", "{}://alt.example.com:8443", false, true},
		{"alt.example.com:8444", "{}://alt.example.com:8444", false, false},
		{"evil.example", "{}://evil.example", false, false},
		{"localhost.evil.example", "{}://localhost.evil.example", false, false},
		{"0.0.0.0:8787", "{}://0.0.0.0:8787", false, false},
		{"", "{}://localhost:8787", false, false},
	}
	originRows = []struct {
		values []string // of the header; {own http} and the like are those of the host
		is     string   // absent, own, listed, foreign
	}{
		{nil, "absent"},
		{[]string{"{own http}"}, "own"},
		{[]string{"{own https}"}, "own by TLS"},
		{[]string{"{own ftp}"}, "foreign"},
		{[]string{"https://app.example.com"}, "listed"},
		{[]string{"https://APP.example.com:443"}, "listed"},
		{[]string{"http://app.example.com"}, "foreign"},
		{[]string{"https://evil.example.org"}, "foreign"},
		{[]string{"http://localhost:3000"}, "foreign"},
		{[]string{"null"}, "foreign"},
		{[]string{""}, "foreign"},
		{[]string{"https://app.example.com", "https://app.example.com"}, "foreign"},
		{[]string{"https://app.example.com.evil.example"}, "foreign"},
	}
	siteRows = []struct {
		value string // of Sec-Fetch-Site, "" = no such header
		ours  bool
	}{
		{"", true},
		{"same-origin", true},
		{"none", true},
		{"same-site", false},
		{"cross-site", false},
		{"anything", false},
	}
	// verdicts: may a request with this origin pass, when the browser says that it is ours, and when it says that it is not?
	verdicts = map[string]struct{ ours, notOurs bool }{
		"absent":  {true, false},
		"own":     {true, false},
		"listed":  {true, true},
		"foreign": {false, false},
	}
	methodRows = []string{"GET", "POST", "OPTIONS", "preflight"}
	tokenRows  = []string{"", "Bearer " + deskSecret}
)

// combination is one of the product of all rows.
type combination struct {
	host, own, origin, site, method, token string
	values                                 []string // of Origin
	loopback, pass                         bool
}

// combinations yields the product, with the verdict by the tables above.
func combinations(yield func(combination) bool) {
	for _, h := range hostRows {
		for _, o := range originRows {
			for _, s := range siteRows {
				for _, method := range methodRows {
					for _, token := range tokenRows {
						for _, loopback := range []bool{true, false} {
							c := combination{host: h.host, own: h.own, origin: o.is, site: s.value, method: method, token: token, values: o.values, loopback: loopback}
							if o.is == "own by TLS" {
								// Nobody ends TLS before a loopback name; before another one a proxy may.
								c.origin = map[bool]string{true: "own", false: "foreign"}[h.listed]
							}
							v := verdicts[c.origin]
							c.pass = (h.listed || h.loopback && loopback) && (s.ours && v.ours || !s.ours && v.notOurs)
							if !yield(c) {
								return
							}
						}
					}
				}
			}
		}
	}
}

func (c combination) request(pattern string) *http.Request {
	r := request(c.method, pattern, c.host, c.loopback)
	for _, v := range c.values {
		for _, scheme := range []string{"http", "https", "ftp"} {
			v = strings.ReplaceAll(v, "{own "+scheme+"}", strings.ReplaceAll(c.own, "{}", scheme))
		}
		r.Header.Add("Origin", v)
	}
	if c.site != "" {
		r.Header.Set("Sec-Fetch-Site", c.site)
	}
	if c.token != "" {
		r.Header.Set("Authorization", c.token)
	}
	return r
}

type reachedKey struct{}

// Rows S1, S2, S4 and the flaws of others that they repeat: CVE rows 1, 4, 7, 8, 9, 10, 11. Every combination on every route
// that there is, on both kinds of address.
func TestNobodyElsesPageReachesAHandler(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { *r.Context().Value(reachedKey{}).(*bool) = true })
	g := newGuard(t, Options{
		Hosts:    []string{"mcp.example.com", "Alt.example.com:8443"},
		Origins:  []string{"https://app.example.com"},
		Metadata: &Metadata{Resource: "https://mcp.example.com/mcp", Issuers: []string{"https://login.example.com"}},
	})
	g.Handle("/mcp", handler)
	g.Handle("/traces/{id}", handler)
	g.HandleOpen("/healthz", handler)
	g.HandleOpen("/public/", handler)
	open := map[string]bool{"/healthz": true, "/public/": true}

	for _, pattern := range append(g.Routes(), "/nowhere") {
		t.Run("S1 S2 S4 CVE 1 4 7 8 9 "+pattern, func(t *testing.T) {
			t.Parallel()
			passed, refused := 0, 0
			for c := range combinations {
				reached := false
				r := c.request(pattern)
				r = r.WithContext(context.WithValue(r.Context(), reachedKey{}, &reached))
				rec := httptest.NewRecorder()
				g.ServeHTTP(rec, r)

				if c.pass {
					passed++
				} else {
					refused++
				}
				want, wantReached := wantStatus(c, pattern, open[pattern])
				if rec.Code != want || reached != wantReached {
					t.Errorf("%+v with Origin %q: status %d, handler reached: %v; want %d, %v", c, r.Header["Origin"], rec.Code, reached, want, wantReached)
				}
				checkCORS(t, rec.Header(), c, r)
			}
			if refused < 40 || passed < 40 {
				t.Errorf("%d combinations passed and %d were refused: too few of one kind to say anything", passed, refused)
			}
		})
	}
}

func request(method, pattern, host string, loopback bool) *http.Request {
	preflight := method == "preflight"
	if preflight {
		method = http.MethodOptions
	}
	r := &http.Request{
		Method:     method,
		URL:        &url.URL{Path: strings.ReplaceAll(pattern, "{id}", "17")},
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{},
		Host:       host,
		RemoteAddr: "192.0.2.7:5000",
	}
	if preflight {
		r.Header.Set("Access-Control-Request-Method", "POST")
	}
	local := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 8787}
	if loopback {
		local.IP = net.IPv4(127, 0, 0, 1)
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
}

// wantStatus says what a request gets once it is known whether it may pass the first two checks.
func wantStatus(c combination, pattern string, open bool) (status int, reached bool) {
	metadata := strings.HasPrefix(pattern, wellKnown)
	switch {
	case !c.pass:
		return http.StatusForbidden, false
	case c.method == "preflight" && c.origin == "listed":
		return http.StatusNoContent, false
	case metadata && c.method != "GET":
		return http.StatusMethodNotAllowed, false
	case metadata:
		return http.StatusOK, false
	case open:
		return http.StatusOK, true
	case c.token == "":
		return http.StatusUnauthorized, false
	case pattern == "/nowhere":
		return http.StatusNotFound, false
	}
	return http.StatusOK, true
}

// checkCORS: only a page of a listed origin may read an answer, and no header is wider than that.
func checkCORS(t *testing.T, h http.Header, c combination, r *http.Request) {
	t.Helper()
	want := ""
	if c.pass && c.origin == "listed" {
		want = r.Header.Get("Origin")
	}
	if got := h.Get("Access-Control-Allow-Origin"); got != want {
		t.Errorf("%+v: Access-Control-Allow-Origin %q, want %q", c, got, want)
	}
	if _, there := h["Access-Control-Allow-Credentials"]; there || h.Get("Vary") != "Origin" {
		t.Errorf("%+v: credentials allowed: %v, Vary %q", c, there, h.Get("Vary"))
	}
}

// Whatever the protection of the standard library refuses, the guard refuses too.
func TestStricterThanCrossOriginProtection(t *testing.T) {
	t.Parallel()
	theirs := http.NewCrossOriginProtection()
	if err := theirs.AddTrustedOrigin("https://app.example.com"); err != nil {
		t.Fatal(err)
	}
	ours, err := newOrigins([]string{"https://app.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, method := range methodRows {
		for _, origin := range []string{"", "null", "http://localhost:8787", "https://localhost:8787", "https://app.example.com", "http://evil.example", "://", "localhost:8787"} {
			for _, s := range siteRows {
				r := request(method, "/mcp", "localhost:8787", true)
				if origin != "" {
					r.Header.Set("Origin", origin)
				}
				if s.value != "" {
					r.Header.Set("Sec-Fetch-Site", s.value)
				}
				own, _ := parseHost(r.Host)
				_, ok := ours.check(r, own)
				if theirs.Check(r) == nil {
					continue
				}
				refused++
				if ok {
					t.Errorf("%s, Origin %q, Sec-Fetch-Site %q: the standard library refuses it and the guard does not", method, origin, s.value)
				}
			}
		}
	}
	if refused == 0 {
		t.Error("the standard library refused nothing; this compares nothing")
	}
}

// The guard's defaults let in nobody: CVE rows 10 and 11.
func TestDefaultsAreClosed(t *testing.T) {
	t.Parallel()
	resource := func(m Metadata) Options { return Options{Tokens: deskToken(), Metadata: &m} }
	issuers := []string{"https://login.example.com"}
	for _, tc := range []struct {
		name string
		o    Options
		want string // in the error
	}{
		{"CVE 11 no tokens", Options{}, "nobody could get in"},
		{"CVE 11 an empty list of tokens", Options{Tokens: []Token{}}, "nobody could get in"},
		{"CVE 10 star as host", Options{Tokens: deskToken(), Hosts: []string{"*"}}, `"*": wildcards are not taken`},
		{"CVE 10 star in a host", Options{Tokens: deskToken(), Hosts: []string{"*.example.com"}}, "wildcards are not taken"},
		{"CVE 10 star as origin", Options{Tokens: deskToken(), Origins: []string{"*"}}, `"*": wildcards are not taken`},
		{"CVE 10 star in an origin", Options{Tokens: deskToken(), Origins: []string{"https://*.example.com"}}, "wildcards are not taken"},
		{"S2 null as origin", Options{Tokens: deskToken(), Origins: []string{"null"}}, "every page can make itself"},
		{"a URL as host", Options{Tokens: deskToken(), Hosts: []string{"https://mcp.example.com"}}, "without scheme and path"},
		{"an address without brackets as host", Options{Tokens: deskToken(), Hosts: []string{"2001:db8::1"}}, "[2001:db8::1]"},
		{"an empty host", Options{Tokens: deskToken(), Hosts: []string{""}}, "a name or name:port is expected"},
		{"a host with other letters", Options{Tokens: deskToken(), Hosts: []string{"müller.example"}}, "xn--"},
		{"a path in an origin", Options{Tokens: deskToken(), Origins: []string{"https://app.example.com/"}}, "scheme://host"},
		{"an origin without scheme", Options{Tokens: deskToken(), Origins: []string{"app.example.com"}}, "scheme://host"},
		{"tokens and everybody", Options{Tokens: deskToken(), Unauthenticated: true}, "choose one"},
		{"a negative number of requests", Options{Tokens: deskToken(), MaxRequests: -1}, "negative"},
		{"a negative size", Options{Tokens: deskToken(), MaxBody: -1}, "negative"},
		{"a negative time for bodies", Options{Tokens: deskToken(), BodyTimeout: -1}, "negative"},
		{"a negative time for writes", Options{Tokens: deskToken(), WriteTimeout: -1}, "negative"},
		{"a resource over plain HTTP", resource(Metadata{Resource: "http://mcp.example.com/mcp", Issuers: issuers}), "https URL"},
		{"a resource that is no URL", resource(Metadata{Resource: "https://mcp.example.com/%zz", Issuers: issuers}), "not a URL"},
		{"a resource of another scheme", resource(Metadata{Resource: "ftp://localhost/mcp", Issuers: issuers}), "https URL"},
		{"a resource without a host", resource(Metadata{Resource: "https:///mcp", Issuers: issuers}), "https URL"},
		{"a resource with a user", resource(Metadata{Resource: "https://u:p@mcp.example.com/mcp", Issuers: issuers}), "https URL"},
		{"a resource with a fragment", resource(Metadata{Resource: "https://mcp.example.com/mcp#x", Issuers: issuers}), "https URL"},
		{"a resource with an empty query", resource(Metadata{Resource: "https://mcp.example.com/mcp?", Issuers: issuers}), "https URL"},
		{"a resource with a path that goes up", resource(Metadata{Resource: "https://mcp.example.com/a/../mcp", Issuers: issuers}), "plain"},
		{"a resource with two slashes", resource(Metadata{Resource: "https://mcp.example.com//mcp", Issuers: issuers}), "plain"},
		{"a resource with a percent sign", resource(Metadata{Resource: "https://mcp.example.com/m%20cp", Issuers: issuers}), "plain"},
		{"a resource with a query", resource(Metadata{Resource: "https://mcp.example.com/mcp?x=1", Issuers: issuers}), "without user, query and fragment"},
		{"a resource with a slash at its end", resource(Metadata{Resource: "https://mcp.example.com/mcp/", Issuers: issuers}), "plain"},
		{"a resource with a pattern for a path", resource(Metadata{Resource: "https://mcp.example.com/{x}", Issuers: issuers}), "plain"},
		{"a resource without issuers", resource(Metadata{Resource: "https://mcp.example.com/mcp"}), "without issuers"},
		{"an issuer that is no URL", resource(Metadata{Resource: "https://mcp.example.com/mcp", Issuers: []string{"login"}}), "issuer"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			g, err := New(tc.o)
			if err == nil || g != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, %v; want an error with %q", g, err, tc.want)
			}
		})
	}
}

// What a proxy or a client says about the host elsewhere does not count; what contradicts itself is refused.
func TestOneHostOnly(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{Hosts: []string{"mcp.example.com:443"}})
	g.HandleOpen("/x", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, tc := range []struct {
		name   string
		change func(*http.Request)
		want   int
	}{
		{"plain", func(*http.Request) {}, 200},
		{"K3 the target names another host", func(r *http.Request) { r.URL.Host = "evil.example" }, 403},
		{"K3 the target names the same host", func(r *http.Request) { r.URL.Host = "LOCALHOST.:8787" }, 200},
		{"K3 the target names another port", func(r *http.Request) { r.URL.Host = "localhost:8788" }, 403},
		{"K3 a second Host header", func(r *http.Request) { r.Header["Host"] = []string{"evil.example"} }, 403},
		{"K3 a second Host header that agrees", func(r *http.Request) { r.Header["Host"] = []string{"localhost:8787"} }, 200},
		{"K3 a user in the target", func(r *http.Request) { r.URL.User = url.User("u") }, 403},
		{"a host of the proxy does not help", func(r *http.Request) { r.Host = "evil.example"; r.Header.Set("X-Forwarded-Host", "localhost:8787") }, 403},
		{"a host of the proxy does not hurt", func(r *http.Request) { r.Header.Set("X-Forwarded-Host", "evil.example") }, 200},
		{"the port of the scheme, unwritten", func(r *http.Request) { r.Host = "mcp.example.com" }, 200},
		{"another port of a name with one", func(r *http.Request) { r.Host = "mcp.example.com:80" }, 403},
		{"K3 no host", func(r *http.Request) { r.Host = "" }, 403},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := request("GET", "/x", "localhost:8787", true)
			tc.change(r)
			rec := httptest.NewRecorder()
			g.ServeHTTP(rec, r)
			if rec.Code != tc.want {
				t.Errorf("status %d, want %d", rec.Code, tc.want)
			}
			if rec.Code == 403 && !strings.Contains(rec.Body.String(), "allowed_hosts") {
				t.Errorf("the answer does not say what to set: %q", rec.Body)
			}
		})
	}
}

// The local address decides about loopback names, in every form in which servers note it.
func TestLoopbackNamesNeedALoopbackAddress(t *testing.T) {
	t.Parallel()
	known, err := newHosts(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		local any
		want  bool
	}{
		{nil, true},
		{"something", true},
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, true},
		{&net.TCPAddr{IP: net.IPv6loopback}, true},
		{&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, false},
		{&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0"}, false},
		{&net.UDPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}, false},
		{&net.UDPAddr{IP: net.ParseIP("::ffff:127.0.0.1"), Port: 1}, true},
		{&net.UnixAddr{Name: "/run/x.sock"}, true},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = "localhost"
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, tc.local))
		if _, got := known.of(r); got != tc.want {
			t.Errorf("localhost at %s: %v, want %v", fmt.Sprintf("%T %v", tc.local, tc.local), got, tc.want)
		}
	}
}
