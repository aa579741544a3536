package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every answer has the headers of the guard, whoever gives it.
func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{Origins: []string{"https://app.example.com"}})
	handlers := map[string]http.HandlerFunc{
		"/silent": func(http.ResponseWriter, *http.Request) {},
		"/writes": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") },
		"/status": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
		"/flush":  func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() },
		"/error":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "x", 500) },
		"/panic":  func(http.ResponseWriter, *http.Request) { panic("x") },
		"/hints": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusOK)
		},
		"/wide": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Allow-Credentials", "true")
			w.Header().Set("X-Content-Type-Options", "sniff")
		},
		"/own": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cache-Control", "max-age=60")
			w.Header().Set("Referrer-Policy", "same-origin")
			w.Header().Set("Content-Security-Policy", "default-src 'self'")
			w.Header().Set("Vary", "Accept")
		},
	}
	for pattern, h := range handlers {
		g.Handle(pattern, h)
	}
	usual := http.Header{
		"X-Content-Type-Options":  {"nosniff"},
		"Cache-Control":           {"no-store"},
		"Referrer-Policy":         {"no-referrer"},
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
		"Vary":                    {"Origin"},
	}
	own := http.Header{
		"X-Content-Type-Options":  {"nosniff"},
		"Cache-Control":           {"max-age=60"},
		"Referrer-Policy":         {"same-origin"},
		"Content-Security-Policy": {"default-src 'self'"},
		"Vary":                    {"Accept", "Origin"},
	}
	check := func(name, target string, header ...string) {
		rec := ask(g, target, header...)
		want := usual
		if target == "/own" {
			want = own
		}
		got := http.Header{}
		for key, values := range rec.Header() {
			if _, cared := want[key]; cared || strings.HasPrefix(key, "Access-Control") {
				got[key] = values
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: status %d, headers (-want +got):\n%s", name, rec.Code, diff)
		}
	}
	for pattern := range handlers {
		check(pattern, pattern, "Bearer "+deskSecret)
	}
	check("no token", "/silent")
	check("unknown path", "/nowhere", "Bearer "+deskSecret)
}

// A page of an allowed origin can ask first, and can read what it needs, also of a refusal.
func TestPreflight(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{Origins: []string{"https://app.example.com"}})
	g.Handle("/mcp", echoCaller)
	asked := func(method string, headers map[string]string) http.Header {
		r := httptest.NewRequest(method, "/mcp", nil)
		r.Host = "localhost:8787"
		for k, v := range headers {
			r.Header.Set(k, v)
		}
		rec := httptest.NewRecorder()
		g.ServeHTTP(rec, r)
		h := rec.Header()
		h.Set("status", fmt.Sprint(rec.Code))
		return h
	}
	const origin = "https://app.example.com"
	got := asked("OPTIONS", map[string]string{
		"Origin": origin, "Sec-Fetch-Site": "cross-site", "Access-Control-Request-Method": "POST",
		"Access-Control-Request-Headers": "authorization, mcp-param-region , mcp-param-, mcp-param-a;b, x-evil, Mcp-Param-B" + strings.Repeat(",mcp-param-x", 200),
	})
	if got.Get("status") != "204" || got.Get("Access-Control-Allow-Origin") != origin || got.Get("Access-Control-Allow-Methods") != "GET, POST, DELETE" || got.Get("Access-Control-Max-Age") != "600" {
		t.Errorf("preflight: %v", got)
	}
	allowed := got.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Authorization", "Content-Type", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-Id", "mcp-param-region", "mcp-param-b"} {
		if !strings.Contains(allowed, ", "+name) && !strings.HasPrefix(allowed, name) {
			t.Errorf("%s may not be sent: %s", name, allowed)
		}
	}
	if strings.Contains(allowed, "evil") || strings.ContainsAny(allowed, "*;") || strings.Count(allowed, "mcp-param-") != maxParams {
		t.Errorf("too much may be sent: %s", allowed)
	}

	got = asked("POST", map[string]string{"Origin": origin})
	if exposed := got.Get("Access-Control-Expose-Headers"); got.Get("status") != "401" || got.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(exposed, "Mcp-Session-Id") || !strings.Contains(exposed, "WWW-Authenticate") {
		t.Errorf("401 of an allowed origin: %v", got)
	}
	for name, headers := range map[string]map[string]string{
		"OPTIONS that asks for nothing": {"Origin": origin},
		"a preflight without origin":    {"Access-Control-Request-Method": "POST"},
		"a preflight of its own origin": {"Access-Control-Request-Method": "POST", "Origin": "http://localhost:8787"},
	} {
		if got := asked("OPTIONS", headers); got.Get("status") != "401" || got.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s: %v, want 401", name, got)
		}
	}
}

// Row S10 for HTTP: a panic is a constant text with a reference, and the log has the rest.
func TestPanicsAreContained(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	g := newGuard(t, Options{Log: slog.New(slog.NewTextHandler(&out, nil))})
	g.Handle("/early", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "canary")
		w.Header().Set("Content-Length", "12345")
		panic(errors.New("secret=hunter2"))
	}))
	g.Handle("/late", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half an answer")
		w.(http.Flusher).Flush()
		panic("secret=hunter2")
	}))
	g.Handle("/abort", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	g.Handle("/x", echoCaller)
	addr := startTCP(t, g, ServerOptions{})

	// The same connection serves the next request.
	got := converse(t, addr, post("/early", "\r\n")+post("/x", "\r\n"))
	if diff := cmp.Diff([]int{500, 200}, got.statuses); diff != "" {
		t.Fatalf("statuses (-want +got):\n%s", diff)
	}
	ref := regexp.MustCompile(`^Something went wrong here\. Reference: ([A-Z0-9]{10})\n$`).FindStringSubmatch(got.bodies[0])
	if ref == nil || got.headers[0].Get("Set-Cookie") != "" {
		t.Fatalf("the client gets %q with %v", got.bodies[0], got.headers[0])
	}
	if line := out.String(); !strings.Contains(line, ref[1]) || !strings.Contains(line, "hunter2") || !strings.Contains(line, "response_test.go") {
		t.Errorf("the log lacks the reference, the cause or the place: %s", line)
	}

	for _, target := range []string{"/late", "/abort"} {
		r, _ := http.NewRequest("POST", "http://"+addr+target, nil)
		r.Header.Set("Authorization", "Bearer "+deskSecret)
		res, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: the client takes it for a whole answer", target)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// What is observed has names of the guard's choice only.
func TestObserve(t *testing.T) {
	t.Parallel()
	type seen struct {
		Route, Method string
		Status        int
	}
	var got []seen
	g := newGuard(t, Options{MaxBody: 10, Observe: func(route, method string, status int, took time.Duration) {
		if took < 0 || took > time.Hour {
			t.Errorf("took %v", took)
		}
		got = append(got, seen{route, method, status})
	}})
	g.Handle("/traces/{id}", echoCaller)
	g.Handle("/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("x") }))
	g.Handle("/abort", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	for _, tc := range []struct {
		method, target, host, token string
		want                        seen
	}{
		{"GET", "/traces/secret-id", "localhost", deskSecret, seen{"/traces/{id}", "GET", 200}},
		{"GET", "/traces/secret-id", "localhost", "", seen{"/traces/{id}", "GET", 401}},
		{"GET", "/traces/secret-id", "evil.example", deskSecret, seen{"/traces/{id}", "GET", 403}},
		{"GET", "/made/up/by/strangers", "localhost", "", seen{"", "GET", 401}},
		{"GET", "/made/up/by/strangers", "localhost", deskSecret, seen{"", "GET", 404}},
		{"MADEUP", "/traces/secret-id", "localhost", deskSecret, seen{"/traces/{id}", "other", 200}},
		{"GET", "/panic", "localhost", deskSecret, seen{"/panic", "GET", 500}},
		{"GET", "/abort", "localhost", deskSecret, seen{"/abort", "GET", 0}},
	} {
		got = nil
		r := httptest.NewRequest(tc.method, tc.target, nil)
		r.Host = tc.host
		r.Header.Set("Authorization", "Bearer "+tc.token)
		func() {
			defer func() { _ = recover() }()
			g.ServeHTTP(httptest.NewRecorder(), r)
		}()
		if diff := cmp.Diff([]seen{tc.want}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tc.method, tc.target, diff)
		}
	}
}

// A path has a route or it has none: nothing is redirected that a stranger could learn from.
func TestPaths(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{})
	g.Handle("/mcp", echoCaller)
	g.Handle("/tree/", echoCaller)
	g.HandleOpen("/open/", echoCaller)
	for _, tc := range []struct {
		target         string
		stranger, desk int
	}{
		{"/mcp", 401, 200},
		{"/%6dcp", 401, 200},
		{"/mcp/", 401, 404},
		{"/MCP", 401, 404},
		{"//mcp", 401, 404},
		{"/./mcp", 401, 404},
		{"/x/../mcp", 401, 404},
		{"/open/../mcp", 401, 404},
		{"/open/%2e%2e/mcp", 401, 404},
		{"/open/..%2fmcp", 401, 404},
		{"/open//mcp", 401, 404},
		{"/open/x", 200, 200},
		{"/tree", 401, 307},
		{"/tree/a/b", 401, 200},
		{"/open", 307, 307},
		{"/", 401, 404},
		{"*", 401, 404},
	} {
		u, err := url.ParseRequestURI(tc.target)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.URL, r.RequestURI = u, tc.target
		r.Host = "localhost"
		for token, want := range map[string]int{"": tc.stranger, deskSecret: tc.desk} {
			r.Header.Set("Authorization", "Bearer "+token)
			rec := httptest.NewRecorder()
			g.ServeHTTP(rec, r)
			if rec.Code != want {
				t.Errorf("%s with token %q: %d, want %d", tc.target, token, rec.Code, want)
			}
		}
	}
}

func TestPatternsThatPanic(t *testing.T) {
	t.Parallel()
	g := newGuard(t, Options{})
	g.Handle("/mcp", echoCaller)
	for _, pattern := range []string{"", "mcp", "GET /x", "example.com/x", "/mcp", "/{", "/a/{x}/{x}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was taken", pattern)
				}
			}()
			g.Handle(pattern, echoCaller)
		}()
	}
	if diff := cmp.Diff([]string{"/mcp"}, g.Routes()); diff != "" {
		t.Error(diff)
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		resource string
		routes   []string
		url      string
	}{
		{"https://mcp.example.com/mcp", []string{wellKnown, wellKnown + "/mcp"}, "https://mcp.example.com" + wellKnown + "/mcp"},
		{"https://mcp.example.com:8443", []string{wellKnown}, "https://mcp.example.com:8443" + wellKnown},
		{"https://mcp.example.com/", []string{wellKnown}, "https://mcp.example.com" + wellKnown},
		{"http://localhost:8787/a/b", []string{wellKnown, wellKnown + "/a/b"}, "http://localhost:8787" + wellKnown + "/a/b"},
	} {
		g := newGuard(t, Options{Metadata: &Metadata{Resource: tc.resource, Issuers: []string{"https://login.example.com", "http://127.0.0.1:9000/realm"}}})
		g.Handle("/mcp", echoCaller)
		if diff := cmp.Diff(append(tc.routes, "/mcp"), g.Routes()); diff != "" {
			t.Errorf("%s: routes (-want +got):\n%s", tc.resource, diff)
		}
		for _, target := range tc.routes {
			r := httptest.NewRequest("GET", target, nil)
			r.Host = "localhost"
			rec := httptest.NewRecorder()
			g.ServeHTTP(rec, r)
			want := `{"authorization_servers":["https://login.example.com","http://127.0.0.1:9000/realm"],"bearer_methods_supported":["header"],"resource":"` + tc.resource + `"}`
			if rec.Code != 200 || rec.Body.String() != want || rec.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s: %d %s", target, rec.Code, rec.Body)
			}
			for method, want := range map[string]int{"HEAD": 200, "POST": 405} {
				r.Method = method
				rec := httptest.NewRecorder()
				if g.ServeHTTP(rec, r); rec.Code != want || (rec.Header().Get("Allow") == "GET, HEAD") != (want == 405) {
					t.Errorf("%s %s: %d, Allow %q", method, target, rec.Code, rec.Header().Get("Allow"))
				}
			}
		}
		for header, want := range map[string]string{
			"":               `Bearer resource_metadata="` + tc.url + `"`,
			"Bearer unknown": `Bearer error="invalid_token", resource_metadata="` + tc.url + `"`,
		} {
			if got := ask(g, "/mcp", header).Header().Get("WWW-Authenticate"); got != want {
				t.Errorf("WWW-Authenticate %q, want %q", got, want)
			}
		}
	}
}
