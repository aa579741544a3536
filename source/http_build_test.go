package source

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// endpointOf reads the http of a file's one method.
func endpointOf(t *testing.T, file string) *config.Endpoint {
	t.Helper()
	f, err := config.Parse("c.yaml", "", []byte("methods:\n  m:\n    summary: Call it.\n"+indented(file)))
	if err != nil {
		t.Fatal(err)
	}
	return f.Methods[0].HTTP
}

// A missing secret turns a method off, and no request is sent; what a reference stands for is never said.
func TestSecretsThatAreMissing(t *testing.T) {
	t.Parallel()
	h := online(t, map[string]string{"EMPTY": "", "LINES": "canary\nline", "LOGIN": "canarywithoutpassword", "FINE": "canary:fine"})
	for name, text := range map[string]string{"lines": "canary\r\nline\n", "open": "canary"} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		http string
		off  string
		said []string
	}{
		{"auth: {bearer: env:NONE}", "the environment variable NONE is not set", []string{"http.auth.bearer"}},
		{"auth: {bearer: env:EMPTY}", "the environment variable EMPTY is empty", []string{"http.auth.bearer"}},
		{"auth: {bearer: env:LINES}", "env:LINES holds what a header can't carry", []string{"http.auth.bearer"}},
		{"auth: {basic: env:LOGIN}", "env:LOGIN holds no user and password", []string{"http.auth.basic"}},
		{"auth: {basic: env:FINE}", "", nil},
		{"headers: {X-A: env:NONE, X-B: \"file:lines\", X-C: \"file:none\"}", "the environment variable NONE is not set; file:lines holds what a header can't carry; the file none can't be read: no such file or directory",
			[]string{"http.headers.X-A", "http.headers.X-B", "http.headers.X-B", "http.headers.X-C"}},
		{"query: {a: env:NONE, b: env:LINES}", "the environment variable NONE is not set", []string{"http.query.a"}},
		{"headers: {X-A: \"file:open\"}", "", []string{"http.headers.X-A"}},
	} {
		file := &config.File{Path: filepath.Join(h.dir, "c.yaml")}
		m := config.Method{Method: registry.Method{Name: "m", Summary: "Call it."}, HTTP: endpointOf(t, "effect: read\nhttp: {url: \"http://127.0.0.1:1/\", "+c.http+"}")}
		file.Methods = []config.Method{m}
		methods, warnings, err := build(file, h)
		if err != nil {
			t.Fatal(err)
		}
		worded(t, warnings)
		if methods[0].Off != c.off {
			t.Errorf("%s: off: %q", c.http, methods[0].Off)
		}
		var keys []string
		for _, w := range warnings {
			keys = append(keys, strings.TrimPrefix(w.Key, "methods.m."))
			if strings.Contains(w.String(), "canary") {
				t.Errorf("%s: %s", c.http, w)
			}
		}
		if diff := cmp.Diff(c.said, keys); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.http, diff)
		}
		if _, err := methods[0].Run(t.Context(), nil); c.off != "" && stateOf(t, registry.Write, err) != registry.NotRun {
			t.Errorf("%s: it runs: %v", c.http, err)
		}
	}
}

func TestDescribeEndpoint(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"params: {order_id: string}\nhttp: {url: \"http://127.0.0.1:9000/orders/{order_id}\"}": "http: GET http://127.0.0.1:9000/orders/{order_id}",
		"http: {url: \"HTTPS://Api.Example\"}":                                                 "http: GET https://api.example/",
		"params: {a: string, b: string}\nhttp: {method: POST, url: \"https://api.example/{a}/?q={b}&lang=en\", query: {page: 1, \"a b\": canary}, headers: {X-Desk: canary}, body: canary, auth: {bearer: env:TOKEN}}": "http: POST https://api.example/{a}/?q={b}&lang=en, with page, \"a b\", X-Desk, a body, env:TOKEN",
	} {
		if got := describeEndpoint(endpointOf(t, file)); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// The digest changes with whatever decides what is sent and where, and with no secret's value.
func TestDigestHoldsWhatIsSent(t *testing.T) {
	t.Parallel()
	digest := func(http string, env map[string]string) string {
		return prepared(t, online(t, env), "api.example", "effect: write\nparams: {a: string, b: string}\nhttp: "+http).Digest()
	}
	seen := map[string]string{}
	for _, http := range []string{
		`{url: "https://HOST/{a}/{b}"}`, `{url: "http://HOST/{a}/{b}"}`, `{url: "https://HOST:8443/{a}/{b}"}`, `{url: "https://HOST/{b}/{a}"}`, `{url: "https://HOST/{a}/{b}?x=1"}`,
		`{method: POST, url: "https://HOST/{a}/{b}"}`, `{url: "https://HOST/{a}/{b}", allow_private: true}`,
		`{url: "https://HOST/{a}/{b}", query: {x: 1}}`, `{url: "https://HOST/{a}/{b}", query: {x: 2}}`, `{url: "https://HOST/{a}/{b}", headers: {x: 1}}`,
		`{url: "https://HOST/{a}/{b}", headers: {x: env:A}}`, `{url: "https://HOST/{a}/{b}", headers: {x: env:B}}`, `{url: "https://HOST/{a}/{b}", headers: {x: "{a}"}}`,
		`{url: "https://HOST/{a}/{b}", auth: {bearer: env:A}}`, `{url: "https://HOST/{a}/{b}", auth: {bearer: env:B}}`, `{url: "https://HOST/{a}/{b}", auth: {basic: env:A}}`,
		`{method: POST, url: "https://HOST/{a}/{b}", body: "{a}"}`, `{method: POST, url: "https://HOST/{a}/{b}", body: ["{a}"]}`, `{method: POST, url: "https://HOST/{a}/{b}", body: [["{a}"]]}`,
		`{method: POST, url: "https://HOST/{a}/{b}", body: ["{a} "]}`, `{method: POST, url: "https://HOST/{a}/{b}", body: ["{b}"]}`, `{method: POST, url: "https://HOST/{a}/{b}", body: [1]}`, `{method: POST, url: "https://HOST/{a}/{b}", body: ["1"]}`,
		`{method: POST, url: "https://HOST/{a}/{b}", body: {x: "{a}"}}`, `{method: POST, url: "https://HOST/{a}/{b}", body: {y: "{a}"}}`, `{method: POST, url: "https://HOST/{a}/{b}", body: {}}`, `{method: POST, url: "https://HOST/{a}/{b}", body: []}`,
		`{method: POST, url: "https://HOST/{a}/{b}", headers: {Content-Type: application/x-www-form-urlencoded}, body: {x: "{a}"}}`,
	} {
		d := digest(http, map[string]string{"A": "1:2", "B": "3:4"})
		if d != digest(http, map[string]string{"A": "5:6", "B": "7:8"}) {
			t.Errorf("%s: the value of a secret is in the digest", http)
		}
		if other, taken := seen[d]; taken {
			t.Errorf("%s and %s have one digest", http, other)
		}
		seen[d] = http
	}
}

// Each call has its own values: many at once get their own answers.
func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", func(c net.Conn, request string, _ int) bool {
		return says(answering("200 OK", "text/plain", target(request)))(c, "", 0)
	})
	m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\nparams: {n: {type: integer}}\nhttp: {url: \"http://HOST/{n}\"}")
	t.Run("all", func(t *testing.T) {
		for i := range 50 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				for range 5 {
					if _, text := called(t, m, fmt.Sprintf(`{"n": %d}`, i)); text != fmt.Sprintf("/%d", i) {
						t.Errorf("%d: %s", i, text)
					}
				}
			})
		}
	})
}
