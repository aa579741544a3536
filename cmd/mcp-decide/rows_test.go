package main

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/server/guard"
)

// What others got wrong, tried on the command as it serves. The parts have tests of their own; here they are together, and every
// route is the one that serve --http has.

// mounted are the routes, of the guard that serveHTTP makes of the file.
func mounted(t *testing.T, yaml string) []string {
	t.Helper()
	s := newSandbox(t)
	s.write("c.yaml", yaml)
	env := map[string]string{"HOME": s.dir, "XDG_STATE_HOME": s.path("state")}
	a := &app{in: strings.NewReader(""), out: &output{w: io.Discard}, err: io.Discard, env: func(name string) string { return env[name] }, config: s.path("c.yaml")}
	set, srv, _, err := a.ready(t.Context(), self(), "")
	s.must(err)
	defer set.close()
	numbers := newMetrics()
	g, err := guard.New(guardOptions(set, &listening{}, []guard.Token{{Name: "desk", Secret: deskToken}}, numbers))
	s.must(err)
	routes(g, srv, new(atomic.Bool), numbers.page(set.log))
	return g.Routes()
}

// natural is a request that a route answers with 200, to one who may ask.
func natural(route string) ask {
	if route == endpoint {
		return message(1, "tools/list", nil)
	}
	return ask{method: http.MethodGet, path: route, header: map[string]string{}}
}

// Every combination of host, origin and fetch metadata, on every route that is served. What passes says the table alone.
func TestEveryRouteIsGuarded(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	here := strings.TrimPrefix(r.url, "http://")
	_, port, _ := net.SplitHostPort(here)
	hosts := map[string]bool{ // allowed
		here: true, "localhost:" + port: true, "desk.example": true, "evil.example": false, "127.0.0.1.evil.example": false,
	}
	origins := []struct {
		value        string // {own} is the host's own
		ours, theirs bool   // passes where the browser says that the page is ours, and where it says that it is not
	}{
		{"", true, false}, {"http://{own}", true, false}, {"https://pages.example", true, true},
		{"https://evil.example", false, false}, {"null", false, false}, {"http://localhost:1", false, false},
	}
	sites := map[string]bool{"": true, "same-origin": true, "none": true, "same-site": false, "cross-site": false} // ours
	open := map[string]bool{"/healthz": true, "/readyz": true}
	paths := mounted(t, deskYAML)
	for _, path := range paths {
		open[path] = open[path] || strings.HasPrefix(path, "/.well-known/")
	}
	for _, path := range append(slices.Clone(paths), "/nowhere") {
		t.Run("S1 S2 S4 K3 CVE 1 4 7 8 9 10 11 "+path, func(t *testing.T) {
			t.Parallel()
			passed, refused := 0, 0
			for host, known := range hosts {
				for _, origin := range origins {
					for site, ours := range sites {
						for _, token := range []string{deskToken, ""} {
							a := natural(path)
							a.token = token
							a.header["Host"] = host
							if origin.value != "" {
								a.header["Origin"] = strings.ReplaceAll(origin.value, "{own}", host)
							}
							if site != "" {
								a.header["Sec-Fetch-Site"] = site
							}
							want := http.StatusOK
							switch pass := known && (ours && origin.ours || !ours && origin.theirs); {
							case !pass:
								want = http.StatusForbidden
								refused++
							case token == "" && !open[path]:
								want = http.StatusUnauthorized
							case path == "/nowhere":
								want = http.StatusNotFound
							default:
								passed++
							}
							if got := r.ask(t, a); got.status != want {
								t.Errorf("host %s, origin %q, site %q, token %v: %d, want %d", host, a.header["Origin"], site, token != "", got.status, want)
							}
						}
					}
				}
			}
			if refused < 40 || passed < 20 && path != "/nowhere" {
				t.Errorf("%d combinations were refused, and %d answered", refused, passed)
			}
		})
	}
	t.Cleanup(func() { // when all have been asked
		served := map[string]bool{}
		for _, m := range regexp.MustCompile(`_requests_total\{[^}]*route="([^"]*)"`).FindAllStringSubmatch(r.ask(t, ask{method: "GET", path: "/metrics", token: deskToken}).body, -1) {
			served[m[1]] = true
		}
		if diff := cmp.Diff(slices.Sorted(slices.Values(append(paths, "none"))), slices.Sorted(maps.Keys(served))); diff != "" {
			t.Errorf("routes (-mounted +served):\n%s", diff)
		}
	})
}

// CVE 3, and 4 for the rest of the transport: whatever is sent to whatever path in whatever way, even by who has a token, the server has the
// methods that its file says, and no file anywhere near it has changed but the store.
func TestNothingOverHTTPChangesWhatRuns(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", deskYAML)
	r := overHTTP(t, "", append([]string{"HOME=" + s.dir, "XDG_STATE_HOME=" + s.path("state"), "XDG_CONFIG_HOME=" + s.path("config")}, deskEnv...), "--config", s.path("c.yaml"), "--watch")
	everything := func() map[string]string {
		all := map[string]string{}
		s.must(filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasPrefix(path, s.path("state/mcp-decide/store.db")) {
				return err // that a call was made is written down
			}
			text, err := os.ReadFile(path)
			all[path] = string(text)
			return err
		}))
		for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
			a := message(1, method, nil)
			a.token = deskToken
			got := r.ask(t, a)
			if got.status != http.StatusOK {
				t.Fatalf("%s: %d: %s", method, got.status, got.body)
			}
			all[method] = got.body
		}
		return all
	}
	before := everything()

	evil := fmt.Sprintf(`methods: {evil: {summary: Do it., effect: read, run: [touch, %q]}}`, s.path("made"))
	evilJSON := fmt.Sprintf(`{"methods":{"evil":{"summary":"Do it.","effect":"read","run":["touch",%q]}},"command":"touch","args":[%[1]q],"mcpServers":{"evil":{"command":"touch","args":[%[1]q]}}}`, s.path("made"))
	paths := append(mounted(t, deskYAML), "/", "/config", "/api/config", "/api/mcp/connect", "/servers", "/mcp/config", "/reload", "/-/reload", "/-/quit", "/admin", "/accept", "/debug/pprof/cmdline", "/sse", "/message")
	for _, path := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "RELOAD"} {
			for kind, body := range map[string]string{"application/json": evilJSON, "application/yaml": evil} {
				got := r.ask(t, ask{method: method, path: path, token: deskToken, body: body, header: map[string]string{
					"Content-Type": kind, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "X-HTTP-Method-Override": "PUT", "X-Original-URL": "/config",
				}})
				reads := (method == "GET" || method == "HEAD") && path != endpoint && slices.Contains(paths[:len(paths)-14], path)
				if (got.status < 300) != reads {
					t.Errorf("CVE 3 %s %s with %s: %d: %.200s", method, path, kind, got.status, got.body)
				}
			}
		}
	}
	for _, method := range []string{"servers/add", "config/set", "tools/add", "tools/register", "methods/add", "methods/accept", "reload", "roots/set", "exec", "evil"} {
		for _, a := range []ask{message(2, method, map[string]any{"name": "evil", "run": []string{"touch", s.path("made")}, "config": evil}), toolCall(3, deskToken, method, map[string]any{"config": evil})} {
			a.token = deskToken
			if got := r.ask(t, a); got.status < 400 {
				t.Errorf("CVE 3 %s: %d: %s", method, got.status, got.body)
			}
		}
	}
	more := map[string]any{"run": []string{"touch", s.path("made")}, "argv": []string{"touch", s.path("made")}, "program": "touch", "command": "touch", "env": map[string]any{"PATH": s.dir}}
	r.ask(t, toolCall(4, deskToken, "who", more))
	if diff := cmp.Diff(before, everything()); diff != "" {
		t.Errorf("CVE 3: something has changed (-before +after):\n%s", diff)
	}
}

// CVE 14: a turn's id over HTTP is 128 random bits. None comes twice, in one process or the next; none tells the one before or after it.
func TestTurnIDsOverHTTP(t *testing.T) {
	t.Parallel()
	const each = 40
	written := regexp.MustCompile(`turn "?([0-9a-hjkmnp-tv-z]{26})-1\b`)
	var ids []string
	for range 2 {
		r := overHTTP(t, deskYAML, deskEnv)
		for i := range each {
			for _, token := range []string{deskToken, leadToken} {
				opened := resultText(t, r.ask(t, toolCall(i, token, "choose", nil)))
				m := written.FindStringSubmatch(opened)
				if m == nil {
					t.Fatalf("CVE 14: no id of 26 characters, of 5 bits each: %q", opened)
				}
				ids = append(ids, m[1])
			}
		}
	}
	ups, begins := 0, map[string]bool{}
	for i, id := range ids {
		if i > 0 && ids[i-1] < id {
			ups++
		}
		begins[id[:7]] = true // 35 bits
	}
	if len(begins) != len(ids) {
		t.Errorf("CVE 14: collision: of %d ids only %d begin differently", len(ids), len(begins))
	}
	if ups < len(ids)/4 || ups > 3*len(ids)/4 {
		t.Errorf("CVE 14: order: of %d ids %d are greater than the one before", len(ids), ups)
	}
	for at := range 25 { // the last character has 3 bits
		seen := map[byte]bool{}
		for _, id := range ids {
			seen[id[at]] = true
		}
		if len(seen) < 24 {
			t.Errorf("CVE 14: only %d of 32 characters ever stand at place %d", len(seen), at)
		}
	}
}

// upstream is an endpoint that keeps what it was asked for.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newUpstream(t *testing.T, answer http.HandlerFunc) *upstream {
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.mu.Lock()
		u.seen = append(u.seen, fmt.Sprint(r.Method, " ", r.Host, " ", r.RequestURI, " ", r.Header))
		u.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) requests() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.seen)
}

// CVE 22, and 20 and 21 for headers: a client's request says nothing about where a method's own request goes, or what stands in it beside
// the arguments: neither by a header nor by an argument that the method does not have.
func TestNoHeaderSetsATarget(t *testing.T) {
	t.Parallel()
	fine := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "fine") }
	u, evil := newUpstream(t, fine), newUpstream(t, fine)
	r := overHTTP(t, fmt.Sprintf("methods: {ask: {summary: Ask., effect: read, rate: unlimited, params: {q: string}, http: {url: \"%s/x\", query: {q: \"{q}\"}}}}\naccess: {desk: {token: env:DESK_TOKEN}}\n", u.URL), deskEnv)
	call := func(headers map[string]string, args map[string]any) {
		t.Helper()
		a := toolCall(1, deskToken, "ask", args)
		maps.Copy(a.header, headers)
		if got := strings.TrimSpace(resultText(t, r.ask(t, a))); !strings.Contains(got, "fine") {
			t.Errorf("CVE 22 %v %v: %s", headers, args, got)
		}
	}
	call(nil, map[string]any{"q": "a"})
	address := strings.TrimPrefix(evil.URL, "http://")
	for _, header := range []string{
		"X-Forwarded-Host", "X-Forwarded-Server", "X-Forwarded-For", "Forwarded", "X-Original-Host", "X-Original-URL", "X-Rewrite-URL", "X-Host", "X-Base-Url", "X-Target", "X-Target-Url", "X-Upstream",
		"X-Atlassian-Jira-Url", "X-Atlassian-Confluence-Url", "X-Api-Url", "Base-Url", "Location", "Referer", "Proxy", "Http-Proxy", "X-Http-Proxy", "Destination", "Cookie", "X-Api-Key", "Idempotency-Key", "Traceparent",
	} {
		call(map[string]string{header: "http://" + address + "/"}, map[string]any{"q": "a"})
	}
	for _, name := range []string{"url", "base_url", "endpoint", "server", "proxy", "headers", "authorization"} {
		call(nil, map[string]any{"q": "a", name: "http://" + address + "/"})
	}
	if seen := evil.requests(); len(seen) > 0 {
		t.Errorf("CVE 22: another one was asked: %q", seen)
	}
	seen := u.requests()
	if len(seen) != 1+26+7 || len(slices.Compact(slices.Clone(seen))) != 1 || strings.Contains(seen[0], "canary") {
		t.Errorf("CVE 22: %d requests, which are not all the same: %q", len(seen), slices.Compact(seen))
	}
}

// Row S9: a method whose schema does not compile never runs: with it nothing starts, and a reload keeps what there was.
func TestASchemaThatDoesNotCompile(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]string{
		"S9 an unknown type":             `{a: {schema: {type: strong}}}`,
		"S9 a broken pattern":            `{a: {type: string, pattern: "("}}`,
		"S9 a file":                      `{a: {schema: {$ref: "file:///etc/passwd"}}}`,
		"S9 the network":                 `{a: {schema: {$ref: "https://evil.example/schema"}}}`,
		"S9 a bound of no kind":          `{a: {schema: {type: integer, minimum: many}}}`,
		"S9 a default that fits nothing": `{a: {type: integer, default: many}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := filepath.Join(t.TempDir(), "made")
			file := filepath.Join(t.TempDir(), "c.yaml")
			text := fmt.Sprintf("methods:\n  bad: {summary: Bad., effect: write, params: %s, run: [touch, %q]}\n", params, made)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"serve", "--http", "127.0.0.1:0", "--config", file}, {"serve", "--config", file}, {"call", "bad", "a=1", "--config", file}, {"call", "bad", "--config", file},
			} {
				if code, said := ended(t, args...); code != exitUsage || !strings.Contains(said, file+":2:") || !strings.Contains(said, "methods.bad.params") || strings.Contains(said, "root:") {
					t.Errorf("%s: exit code %d: %s", args[0], code, said)
				}
			}
			if _, err := os.Stat(made); err == nil {
				t.Error("it has run")
			}
		})
	}
}

// The defaults of what is done when it is not known what to do.
func TestDefaultsOfDoubt(t *testing.T) {
	t.Parallel()
	t.Run("default 2: without on_failure nothing is done, and that is said", func(t *testing.T) {
		t.Parallel()
		made := filepath.Join(t.TempDir(), "made")
		r := overHTTP(t, fmt.Sprintf("methods: {make: {summary: Make it., effect: write, run: [touch, %q]}}\ndecisions: {choose: {summary: Choose., prompt: Pick., options: {make: make}}}\naccess: {desk: {token: env:DESK_TOKEN}}\n", made), deskEnv)
		handle := regexp.MustCompile(`with turn "([0-9a-z]{26}-[0-9]+)"`)
		text := resultText(t, r.ask(t, toolCall(1, deskToken, "choose", nil)))
		for n := 2; n < 10; n++ {
			m := handle.FindStringSubmatch(text)
			if m == nil {
				break
			}
			text = resultText(t, r.ask(t, toolCall(n, deskToken, "pick_write", map[string]any{"turn": m[1], "text": fmt.Sprintf("Make it, or do not. (%d)", n)})))
		}
		if _, err := os.Stat(made); err == nil {
			t.Error("it was made")
		}
		if !regexp.MustCompile(`(?i)(nothing|not) (was |has been )?(run|done|called)`).MatchString(text) || handle.MatchString(text) {
			t.Errorf("in the end it says %q", text)
		}
	})
	t.Run("default 6: an unknown outcome is a state of its own, and is not tried again", func(t *testing.T) {
		t.Parallel()
		u := newUpstream(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		r := overHTTP(t, fmt.Sprintf("methods: {pay: {summary: Pay., effect: destructive, http: {method: POST, url: \"%s/pay\"}}}\naccess: {desk: {token: env:DESK_TOKEN}}\n", u.URL), deskEnv)
		got := r.ask(t, toolCall(1, deskToken, "pay", nil))
		if text := resultText(t, got); !strings.Contains(text, "not known whether") || !strings.Contains(got.body, `"isError":true`) || !strings.Contains(got.body, `"unknown"`) {
			t.Errorf("it says %s", got.body)
		}
		if seen := u.requests(); len(seen) != 1 {
			t.Errorf("it was sent %d times", len(seen))
		}
		if n := r.number(t, deskToken, `mcp_decide_calls_total{path="native",state="unknown"}`); n != 1 {
			t.Errorf("%v outcomes are counted as unknown", n)
		}
	})
}
