//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// The canaries: a secret for each way in which one comes to the server.
const (
	canaryToken  = "canary-token-8f1c0a77d2e94b5e"  // of who may come in
	canaryBearer = "canary-bearer-1d9e6b0c4f2a8753" // for an endpoint
	canaryHidden = "canary-hidden-77aa51c3e8094bd2" // a value that the server fills in
	canaryPin    = "canary-pin-5b7e9d1f3a"          // an argument that is marked secret
	canaryFile   = "canary-file-c0ffee1234567890"   // in a file that a reference names
	canaryStore  = "canary-store-0123456789abcdef"  // a password in the name of a store
)

var canaries = []string{canaryToken, canaryBearer, canaryHidden, canaryPin, canaryFile, canaryStore}

// canaryYAML has methods that do with their secrets what they should not: print them, fail with them, send them where they come back.
const canaryYAML = `server: {name: birds}
methods:
  pay:
    summary: Pay.
    effect: write
    params:
      to: {type: string, description: To whom., pattern: "^[a-z]+$"}
      pin: {type: string, description: The pin., secret: true, pattern: "^canary-pin-"}
      key: {type: string, from: "env:CANARY_HIDDEN"}
    run: {argv: [sh, -c, 'echo "wrong pin $1 with $2" >&2; exit 3', sh, "{pin}", "{key}"], i_accept_shell: true}
  check:
    summary: Check.
    effect: read
    params:
      pin: {type: string, description: The pin., secret: true}
      key: {type: string, from: "env:CANARY_HIDDEN"}
    run: {argv: [sh, -c, 'echo "$1 $2"; kill -9 $$', sh, "{pin}", "{key}"], i_accept_shell: true}
  fetch:
    summary: Fetch.
    effect: read
    params: {pin: {type: string, description: The pin., secret: true}}
    http: {url: "ENDPOINT/{pin}", headers: {X-File: "file:FILE"}, auth: {bearer: "env:CANARY_BEARER"}}
  cut:
    summary: Be cut off.
    effect: write
    params: {pin: {type: string, description: The pin., secret: true}}
    run: {argv: [sh, -c, 'echo "$1" >&2; kill -9 $$', sh, "{pin}"], i_accept_shell: true}
decisions:
  settle:
    summary: Settle it.
    prompt: Settle it.
    max_retries: 2
    options: {pay: pay, check: check, fetch: fetch, cut: cut, close: {description: Nothing., value: {status: closed}}}
access:
  bird: {token: "env:CANARY_TOKEN"}
trace: {content: CONTENT}
`

// aviary is a server with secrets, and all that it says.
type aviary struct {
	t *testing.T
	*running
	env     []string
	config  string
	ids     int
	mu      sync.Mutex
	outputs map[string][]byte
}

func (a *aviary) heard(where string, what []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outputs[where] = append(a.outputs[where], what...)
}

// newAviary starts the server, an endpoint that sends back whatever it is sent, and a collector of spans.
func newAviary(t *testing.T, content string) *aviary {
	t.Helper()
	a := &aviary{t: t, outputs: map[string][]byte{}}
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway - 2)
		fmt.Fprintf(w, "no: %s, %v", r.URL.Path, r.Header)
	}))
	t.Cleanup(echo.Close)
	spans := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		a.heard("spans", body)
	}))
	t.Cleanup(spans.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "secret")
	if err := os.WriteFile(file, []byte(canaryFile), 0o600); err != nil {
		t.Fatal(err)
	}
	a.config = filepath.Join(dir, "c.yaml")
	yaml := strings.NewReplacer("ENDPOINT", echo.URL, "FILE", file, "CONTENT", content).Replace(canaryYAML)
	if err := os.WriteFile(a.config, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	a.env = []string{
		"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_STATE_HOME=" + dir, "MCP_DECIDE_CONFIG=", "MCP_DECIDE_STORE=sqlite:" + filepath.Join(dir, "store.db"),
		"CANARY_TOKEN=" + canaryToken, "CANARY_BEARER=" + canaryBearer, "CANARY_HIDDEN=" + canaryHidden,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + spans.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=" + canaryStore,
	}
	cmd := exec.Command("mcp-decide", "serve", "--http", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug", "--config", a.config)
	cmd.Env = append(cmd.Environ(), a.env...)
	a.running = started(t, cmd)
	return a
}

// call calls a tool, and keeps what the server answers.
func (a *aviary) call(name string, args map[string]any) string {
	a.ids++
	r := a.ask(a.t, toolCall(a.ids, canaryToken, name, args))
	a.heard("answers", append([]byte(r.body), '\n'))
	return r.body
}

// message sends any other request.
func (a *aviary) message(method string, params map[string]any) string {
	a.ids++
	m := message(a.ids, method, params)
	m.token = canaryToken
	r := a.ask(a.t, m)
	a.heard("answers", append([]byte(r.body), '\n'))
	return r.body
}

// command runs another command on the same configuration and store, and keeps all that it prints.
func (a *aviary) command(args ...string) string {
	cmd := exec.Command("mcp-decide", append(args, "--config", a.config)...)
	cmd.Env = append(cmd.Environ(), a.env...)
	out, _ := cmd.CombinedOutput() // some are to fail
	a.heard("commands", append([]byte(args[0]+"\n"), out...))
	return string(out)
}

var canaryTurn = regexp.MustCompile(`"mcp-decide/turn":"([^"]+)"`)

// open opens a turn.
func (a *aviary) open() string {
	m := canaryTurn.FindStringSubmatch(a.call("settle", nil))
	if m == nil {
		a.t.Fatal("no turn was opened")
	}
	return m[1]
}

// TestNoSecretIsTold puts secrets wherever there can be some, lets all go wrong that can, and looks for them in everything that the server and the
// commands say.
func TestNoSecretIsTold(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"full", "hash", "none"} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			a := newAviary(t, content)
			a.provoke()
			a.look()
			a.end()
			a.search(canaries)
		})
	}
}

// provoke makes calls and answers that fail with secrets in them.
func (a *aviary) provoke() {
	pin := map[string]any{"pin": canaryPin}
	pay := map[string]any{"to": "bob", "pin": canaryPin}
	for _, bad := range []map[string]any{
		pay, {"to": "bob", "pin": canaryPin + "\x00"}, {"to": 7, "pin": canaryPin}, {"to": "bob", "pin": []string{canaryPin}}, {"to": "bob", "pin": map[string]any{"x": canaryPin}},
		{"to": "bob", "pin": "not " + canaryPin}, {"to": "bob", "pin": canaryPin, "key": "mine"}, {"pin": canaryPin}, {"to": "bob", "Pin": canaryPin}, {"to": "bob", "pni": canaryPin},
	} {
		a.call("pay", bad)
		turn := a.open()
		a.call("pick_write", map[string]any{"turn": turn, "call": "pay", "args": bad})
	}
	for _, name := range []string{"check", "fetch", "cut"} {
		a.call(name, pin)
		tool := "pick_read"
		if name == "cut" {
			tool = "pick_write"
		}
		a.call(tool, map[string]any{"turn": a.open(), "call": name, "args": pin})
	}
	turn := a.open()
	for _, text := range []string{
		"The pin is " + canaryPin, `{"call": "pay", "args": {"to": "BOB", "pin": "` + canaryPin + `"}}`, `{'call': 'pay', 'args': {'to': 'bob', 'pin': '` + canaryPin + `',}}`,
	} {
		if m := canaryTurn.FindStringSubmatch(a.call("pick_write", map[string]any{"turn": turn, "text": text, "reason": "because of it"})); m != nil {
			turn = m[1]
		}
	}
	a.ask(a.t, ask{method: "GET", path: "/mcp?access_token=" + canaryToken})
	a.ask(a.t, toolCall(1, canaryToken+"x", "pay", pay))
}

// look reads all that can be read.
func (a *aviary) look() {
	a.message("tools/list", nil)
	a.message("prompts/list", nil)
	a.message("resources/list", nil)
	a.message("resources/templates/list", nil)
	for _, uri := range []string{"decide://stats", "decide://methods/pay", "decide://decisions/settle/menu"} {
		a.message("resources/read", map[string]any{"uri": uri})
	}
	for _, path := range []string{"/metrics", "/healthz", "/readyz", "/"} {
		page := a.ask(a.t, ask{method: "GET", path: path, token: canaryToken})
		a.heard("pages", []byte(page.body))
	}
	var records []struct {
		ID, Turn string
	}
	list := a.command("trace", "ls", "--limit", "1000", "--format", "json")
	if err := json.Unmarshal([]byte(list), &records); err != nil || len(records) < 30 {
		a.t.Errorf("%d records, %v", len(records), err)
	}
	for i, r := range records {
		if i%4 == 0 {
			a.command("trace", "show", r.ID)
			a.command("trace", "show", r.ID, "--format", "json")
			a.message("resources/read", map[string]any{"uri": "decide://traces/" + r.ID})
		}
	}
	a.command("trace", "ls")
	a.command("trace", "export", "--format", "jsonl")
	a.command("trace", "export", "--format", "otlp")
	var calls []struct{ ID string }
	if err := json.Unmarshal([]byte(a.command("calls", "ls", "--format", "json")), &calls); err != nil || len(calls) < 2 {
		a.t.Errorf("%d calls, %v", len(calls), err)
	}
	for _, c := range calls {
		a.command("calls", "show", c.ID)
		a.command("calls", "settle", c.ID, "--as", "failed", "--why", "looked")
	}
	for _, args := range [][]string{
		{"list"}, {"list", "--format", "json"}, {"show", "pay"}, {"show", "fetch"}, {"menu", "settle"}, {"validate"}, {"schema"},
		{"call", "pay", "to=bob", "pin=" + canaryPin}, {"call", "check", "pin=" + canaryPin}, {"call", "fetch", "pin=" + canaryPin}, {"call", "cut", "pin=" + canaryPin},
		{"list", "--store", "postgres://me:" + canaryStore + "@127.0.0.1:1/db"}, {"calls", "ls", "--store", "postgres://me:" + canaryStore + "@127.0.0.1:1/db?connect_timeout=1"},
		{"calls", "ls", "--store", "postgres://me:" + canaryStore + "@[/db"},
	} {
		a.command(args...)
	}
}

// end ends the server, so that all is written that waits.
func (a *aviary) end() {
	if err := a.cmd.Process.Signal(os.Interrupt); err != nil {
		a.t.Error(err)
	}
	_, _ = a.cmd.Process.Wait()
	a.heard("log", []byte(a.said.String()))
}

// search looks for secrets in all spellings in all that was heard.
func (a *aviary) search(secrets []string) {
	for _, where := range []string{"answers", "commands", "log", "pages", "spans"} {
		if len(a.outputs[where]) == 0 {
			a.t.Errorf("nothing was heard from the %s", where)
		}
	}
	for where, said := range a.outputs {
		for _, secret := range secrets {
			for _, spelled := range []string{secret, url.QueryEscape(secret), base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)], strings.ToUpper(secret), secret[:len(secret)-4]} {
				if i := bytes.Index(said, []byte(spelled)); i >= 0 {
					from := max(0, i-300)
					a.t.Errorf("%s in the %s: …%s…", spelled, where, said[from:min(len(said), i+100)])
					break
				}
			}
		}
	}
}
