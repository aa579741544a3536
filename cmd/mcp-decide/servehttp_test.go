package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const deskYAML = `
server: {name: desk}
methods:
  who: {summary: Say who calls., effect: read, params: {id: {type: string, from: caller.id}}, run: [echo, "{id}"]}
decisions:
  choose: {summary: Choose., prompt: Pick., options: {who: who, done: {value: done}}}
access:
  desk: {token: env:DESK_TOKEN, roles: [agent]}
  lead: {token: env:LEAD_TOKEN}
http:
  allowed_hosts: [desk.example, "named.example:8443"]
  allowed_origins: ["https://pages.example"]
  resource: https://desk.example/mcp
  issuers: ["https://id.example"]
`

const (
	deskToken = "desk-canary-0123456789abcdef"
	leadToken = "lead-canary-0123456789abcdef"
)

var deskEnv = []string{"DESK_TOKEN=" + deskToken, "LEAD_TOKEN=" + leadToken}

// Rows K3, S1, S2, S4 and the flaws of their kind: who may ask for what, by token, host, origin and path.
func TestWhoMayAsk(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	other := overHTTP(t, "", nil) // another instance, with a token of its own
	list := message(1, "tools/list", nil)
	with := func(a ask, token string, header ...string) ask {
		more := map[string]string{}
		for k, v := range a.header {
			more[k] = v
		}
		for i := 0; i < len(header); i += 2 {
			more[header[i]] = header[i+1]
		}
		a.token, a.header = token, more
		return a
	}
	path := func(a ask, path string) ask {
		a.path = path
		return a
	}
	get := func(path string) ask { return ask{method: "GET", path: path} }
	for name, tc := range map[string]struct {
		ask  ask
		want int
	}{
		"a token":                               {with(list, deskToken), 200},
		"another's token":                       {with(list, leadToken), 200},
		"no token":                              {list, 401},
		"a wrong token":                         {with(list, "nonsense-nonsense-nonsense"), 401},
		"the token of another instance":         {with(list, other.token), 401},
		"the name for the token":                {with(list, "desk"), 401},
		"the reference for the token":           {with(list, "env:DESK_TOKEN"), 401},
		"the token in the query":                {path(list, endpoint+"?access_token="+deskToken), 401},
		"the token in the query, as token":      {path(list, endpoint+"?token="+deskToken), 401},
		"the token by Basic":                    {with(list, "", "Authorization", "Basic "+deskToken), 401},
		"the token bare":                        {with(list, "", "Authorization", deskToken), 401},
		"the token in a cookie":                 {with(list, "", "Cookie", "token="+deskToken), 401},
		"a host that is allowed":                {with(list, deskToken, "Host", "desk.example"), 200},
		"a host that is allowed, with a port":   {with(list, deskToken, "Host", "named.example:8443"), 200},
		"a host with another port":              {with(list, deskToken, "Host", "named.example:8444"), 403},
		"localhost":                             {with(list, deskToken, "Host", "localhost"), 200},
		"a foreign host":                        {with(list, deskToken, "Host", "evil.example"), 403},
		"a foreign host that starts like ours":  {with(list, deskToken, "Host", "desk.example.evil.example"), 403},
		"an origin that is allowed":             {with(list, deskToken, "Origin", "https://pages.example"), 200},
		"a foreign origin":                      {with(list, deskToken, "Origin", "https://evil.example"), 403},
		"the origin null":                       {with(list, deskToken, "Origin", "null"), 403},
		"an allowed host as origin":             {with(list, deskToken, "Origin", "http://desk.example"), 403},
		"a page of another site":                {with(list, deskToken, "Sec-Fetch-Site", "cross-site"), 403},
		"a page of a neighbour":                 {with(list, deskToken, "Sec-Fetch-Site", "same-site"), 403},
		"health":                                {get("/healthz"), 200},
		"health under a foreign host":           {with(get("/healthz"), "", "Host", "evil.example"), 403},
		"health from a foreign page":            {with(get("/healthz"), "", "Origin", "https://evil.example"), 403},
		"readiness":                             {get("/readyz"), 200},
		"metadata":                              {get("/.well-known/oauth-protected-resource/mcp"), 200},
		"numbers without a token":               {get("/metrics"), 401},
		"numbers":                               {with(get("/metrics"), leadToken), 200},
		"a change to health":                    {ask{method: "POST", path: "/healthz"}, 405},
		"a change to the numbers":               {with(ask{method: "DELETE", path: "/metrics"}, deskToken), 405},
		"the older transport":                   {with(get("/sse"), deskToken), 404},
		"the older transport, posting":          {with(path(list, "/message"), deskToken), 404},
		"the older transport without a token":   {get("/sse"), 401},
		"profiles":                              {with(get("/debug/pprof/"), deskToken), 404},
		"the root":                              {with(get("/"), deskToken), 404},
		"an unknown path without a token":       {get("/nothing"), 401},
		"an unknown path under a foreign host":  {with(get("/nothing"), deskToken, "Host", "evil.example"), 403},
		"the way around, by a longer path":      {path(list, "/healthz/../mcp"), 401},
		"the way around, by two slashes":        {path(list, "//mcp"), 401},
		"the way around, by an escaped slash":   {path(list, "/healthz%2f..%2fmcp"), 401},
		"a body that is no JSON, with no token": {ask{method: "POST", path: endpoint, body: "{"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := r.ask(t, tc.ask)
			if got.status != tc.want {
				t.Errorf("status %d, want %d: %s", got.status, tc.want, got.body)
			}
			if challenge := got.header.Get("WWW-Authenticate"); (challenge != "") != (tc.want == 401) {
				t.Errorf("WWW-Authenticate is %q", challenge)
			}
			if strings.Contains(got.body, "canary") {
				t.Errorf("a token is told: %s", got.body)
			}
		})
	}
}

// A method's caller is who the token says, and each answer is of the one asked.
func TestTheCallerIsTheTokens(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	for token, want := range map[string]string{deskToken: "token:desk", leadToken: "token:lead"} {
		if got := strings.TrimSpace(resultText(t, r.ask(t, toolCall(1, token, "who", nil)))); got != want {
			t.Errorf("the caller is %q, want %q", got, want)
		}
	}

	// A turn is its opener's alone, under an id that nobody guesses.
	opened := resultText(t, r.ask(t, toolCall(2, deskToken, "choose", nil)))
	turn := regexp.MustCompile(`turn "?([0-9a-z]{26}-1)\b`).FindStringSubmatch(opened)
	if turn == nil {
		t.Fatalf("no id of 128 bits in %q", opened)
	}
	pick := map[string]any{"turn": turn[1], "call": "done"}
	foreign := resultText(t, r.ask(t, toolCall(3, leadToken, "pick_read", pick)))
	unknown := resultText(t, r.ask(t, toolCall(4, leadToken, "pick_read", map[string]any{"turn": strings.Repeat("z", 26) + "-1", "call": "done"})))
	if foreign != unknown {
		t.Errorf("another's turn: %q, one that never was: %q", foreign, unknown)
	}
	if got := resultText(t, r.ask(t, toolCall(5, deskToken, "pick_read", pick))); !strings.Contains(got, "done") {
		t.Errorf("its own turn: %q", got)
	}
}

// Everybody is one caller where everybody is let in; that is said at the start.
func TestEverybodyIsAnonymous(t *testing.T) {
	t.Parallel()
	yaml, _, _ := strings.Cut(deskYAML, "access:")
	r := overHTTP(t, yaml, nil, "--allow-unauthenticated")
	if got := strings.TrimSpace(resultText(t, r.ask(t, toolCall(1, "", "who", nil)))); got != "anonymous" {
		t.Errorf("the caller is %q", got)
	}
	if !strings.Contains(r.said.String(), `"level":"WARN","msg":"everybody on this machine may call every method`) || r.token != "" {
		t.Errorf("it says %s", r.said)
	}
	if got := r.ask(t, ask{method: "POST", path: endpoint, header: map[string]string{"Origin": "https://evil.example"}}); got.status != 403 {
		t.Errorf("a foreign page gets %d", got.status)
	}
}

// What is said about pages where everybody is let in is what becomes of them.
func TestEverybodyAndPages(t *testing.T) {
	t.Parallel()
	yaml, _, _ := strings.Cut(deskYAML, "access:")
	const page = "https://wiki.example"
	for hosts, allowed := range map[string]bool{"": false, "http: {allowed_origins: [\"" + page + "\"]}\n": true} {
		r := overHTTP(t, yaml+hosts, nil, "--allow-unauthenticated")
		call := toolCall(1, "", "who", nil)
		call.header = maps.Clone(call.header)
		call.header["Origin"] = page
		if got := r.ask(t, call).status == http.StatusOK; got != allowed {
			t.Errorf("a page gets in: %v, want %v", got, allowed)
		}
		if got := strings.Contains(r.said.String(), "pages in a browser excepted"); got == allowed {
			t.Errorf("pages are said to be excepted: %v: %s", got, r.said)
		}
		if got := strings.Contains(r.said.String(), `"pages":["`+page+`"]`); got != allowed {
			t.Errorf("the page is named: %v: %s", got, r.said)
		}
	}
}

// Without access: there is one random token of 128 bits or more, printed once with what to do with it, and in no log.
func TestThePrintedToken(t *testing.T) {
	t.Parallel()
	a, b := overHTTP(t, "", nil), overHTTP(t, "", nil)
	if len(a.token) < 26 || a.token == b.token {
		t.Fatalf("tokens %q and %q", a.token, b.token)
	}
	if got := a.ask(t, toolCall(1, a.token, "count_words", map[string]any{"text": "one two"})); strings.TrimSpace(resultText(t, got)) != "2" {
		t.Errorf("a call: %s", got.body)
	}
	a.ask(t, ask{method: "POST", path: endpoint, token: a.token, body: "{"}) // which is logged
	a.ask(t, ask{method: "POST", path: endpoint, token: "X" + a.token})
	add := fmt.Sprintf("  claude mcp add --transport http decide %s/mcp --header \"Authorization: Bearer %s\"", a.url, a.token)
	if !strings.Contains(a.said.String(), add) {
		t.Errorf("no line to paste: %s", a.said)
	}
	if n := strings.Count(a.said.String(), a.token); n != 2 {
		t.Errorf("the token stands there %d times, want it as a header and in the line to paste: %s", n, a.said)
	}
	for line := range strings.Lines(a.said.String()) {
		if strings.HasPrefix(line, "{") && strings.Contains(line, a.token) {
			t.Errorf("the token is logged: %s", line)
		}
	}
}

// The numbers: all of them are there after a call, and no name of a client's makes one up.
func TestNumbers(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	want := map[string]float64{
		`mcp_decide_calls_total{path="native",state="done"}`:                      1,
		`mcp_decide_calls_total{path="menu",state="opened"}`:                      1,
		`mcp_decide_http_requests_in_flight`:                                      1, // the question itself
		`mcp_decide_http_request_duration_seconds_count{route="none"}`:            2,
		`mcp_decide_http_request_duration_seconds_count{route="/mcp"}`:            3,
		`mcp_decide_http_request_duration_seconds_bucket{route="/mcp",le="+Inf"}`: 3,
	}
	count := func(a ask, method, route string) {
		got := r.ask(t, a)
		want[fmt.Sprintf("mcp_decide_http_requests_total{code=%q,method=%q,route=%q}", fmt.Sprint(got.status/100)+"xx", method, route)]++
	}
	count(toolCall(1, deskToken, "who", nil), "POST", endpoint)
	count(toolCall(2, deskToken, "choose", nil), "POST", endpoint)
	count(toolCall(3, deskToken, "no_such_tool_canary", nil), "POST", endpoint)
	count(ask{method: "CANARY", path: "/canary"}, "other", "none")
	count(ask{method: "GET", path: "/canary?canary", token: deskToken}, "GET", "none")
	for series, want := range want {
		if got := r.number(t, deskToken, series); got != want {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	page := r.ask(t, ask{method: "GET", path: "/metrics", token: deskToken})
	for _, name := range []string{"mcp_decide_build_info{", "go_goroutines "} {
		if !strings.Contains(page.body, "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
	if strings.Contains(page.body, "canary") || strings.Contains(page.body, "desk") {
		t.Errorf("a name from outside: %s", page.body)
	}
	if kind := page.header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") {
		t.Errorf("the page is %s", kind)
	}
}

// The metadata say where tokens come from, and a client that has none is told where they are.
func TestMetadata(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	got := r.ask(t, ask{method: "GET", path: "/.well-known/oauth-protected-resource/mcp"})
	var doc struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.Unmarshal([]byte(got.body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Resource != "https://desk.example/mcp" || !cmp.Equal(doc.Servers, []string{"https://id.example"}) {
		t.Errorf("metadata: %s", got.body)
	}
	refused := r.ask(t, message(1, "tools/list", nil))
	if challenge := refused.header.Get("WWW-Authenticate"); !strings.Contains(challenge, "https://desk.example/.well-known/oauth-protected-resource/mcp") {
		t.Errorf("WWW-Authenticate is %q", challenge)
	}
	plain := overHTTP(t, "", nil)
	if got := plain.ask(t, ask{method: "GET", path: "/.well-known/oauth-protected-resource", token: plain.token}); got.status != 404 {
		t.Errorf("metadata that nobody configured: %d", got.status)
	}
}

// TLS by two files, and nothing without it on that port.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, pool := certificate(t)
	r := overHTTP(t, deskYAML, append([]string{"MCP_DECIDE_TLS_KEY=" + key}, deskEnv...), "--tls-cert", cert)
	if !strings.HasPrefix(r.url, "https://127.0.0.1:") {
		t.Fatalf("it serves at %s", r.url)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	res, err := client.Get(r.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("status %d", res.StatusCode)
	}
	plain, err := http.Get("http" + strings.TrimPrefix(r.url, "https") + "/readyz")
	if err == nil {
		plain.Body.Close()
		if plain.StatusCode < 400 {
			t.Errorf("without TLS: %d", plain.StatusCode)
		}
	}
}

// certificate makes one for 127.0.0.1, as files, and the pool that trusts it.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", private), pool
}

// A port that something else has is told as such, with exit code 1.
func TestAPortInUse(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, "", nil)
	_, port, _ := strings.Cut(strings.TrimPrefix(r.url, "http://"), ":")
	code, said := ended(t, "serve", "--http", "127.0.0.1:"+port)
	if code != exitRefused || !regexp.MustCompile(`listening on 127\.0\.0\.1:\d+: .*; end what listens there, or name another port`).MatchString(said) {
		t.Errorf("exit code %d: %s", code, said)
	}
}
