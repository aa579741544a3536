package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// running is the command as it serves over HTTP.
type running struct {
	url   string // without a path
	token string // the printed one; "" = none was
	cmd   *exec.Cmd
	said  *lines
}

// lines is what the command says on standard error so far.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) add(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(s + "\n")
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var (
	urlLine   = regexp.MustCompile(`"msg":"serving over HTTP","url":"(https?://[^"]*)/mcp"`)
	tokenLine = regexp.MustCompile(`^  Authorization: Bearer (\S+)$`)
)

// overHTTP starts the command on a free port with a configuration, "" = the demo, and ends it with the test.
func overHTTP(t *testing.T, yaml string, env []string, flags ...string) *running {
	t.Helper()
	dir := t.TempDir()
	args := append([]string{"serve", "--http", "127.0.0.1:0", "--log-format", "json", "--log-level", "debug"}, flags...)
	if yaml != "" {
		path := filepath.Join(dir, "c.yaml")
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	cmd := exec.Command("mcp-decide", args...)
	cmd.Env = append(cmd.Environ(), append(atHome(dir), env...)...)
	return started(t, cmd)
}

// started starts a command that serves over HTTP, and waits until it does.
func started(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, said: &lines{}}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found, read := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(read)
		for scan := bufio.NewScanner(pipe); scan.Scan(); {
			line := scan.Text()
			r.said.add(line)
			if m := urlLine.FindStringSubmatch(line); m != nil {
				r.url = m[1]
				close(found) // the token, if there is one, was printed before
			}
			if m := tokenLine.FindStringSubmatch(line); m != nil {
				r.token = m[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by now
		<-read
		_ = cmd.Wait()
	})
	select {
	case <-found:
	case <-read:
		t.Fatalf("it does not serve: %s", r.said)
	}
	return r
}

// atHome are variables that keep a command apart from what this user has, and from all other tests: its settings are in a folder, and what it remembers
// is in "state" below it.
func atHome(dir string) []string {
	state := filepath.Join(dir, "state")
	return []string{"HOME=" + dir, "USERPROFILE=" + dir, "XDG_CONFIG_HOME=" + dir, "AppData=" + dir, "XDG_STATE_HOME=" + state, "LocalAppData=" + state, "MCP_DECIDE_CONFIG="}
}

// ended runs the command to its end.
func ended(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	cmd := exec.Command("mcp-decide", args...)
	cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// ask is one request to a running server.
type ask struct {
	method, path string
	token        string            // for Authorization; "" = none
	header       map[string]string // more of them; Host is one
	body         string
}

// replied is what came back.
type replied struct {
	status int
	header http.Header
	body   string
}

// request is what an ask sends. Tests call it from goroutines of their own too, so it does not end them.
func (r *running) request(t *testing.T, a ask) *http.Request {
	t.Helper()
	req, err := http.NewRequest(a.method, r.url+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Error(err)
		return &http.Request{}
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	for name, value := range a.header {
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header.Set(name, value)
	}
	return req
}

func (r *running) ask(t *testing.T, a ask) replied {
	t.Helper()
	res, err := http.DefaultClient.Do(r.request(t, a))
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", a.method, a.path, err, r.said)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return replied{res.StatusCode, res.Header, string(body)}
}

// message is a request of the newer era, with the headers that have to go with it.
func message(id int, method string, params map[string]any) ask {
	if params == nil {
		params = map[string]any{}
	}
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	header := map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	}
	if name, ok := params["name"].(string); ok {
		header["Mcp-Name"] = name
	}
	return ask{method: "POST", path: endpoint, header: header, body: string(body)}
}

// toolCall is a call of a tool, as who has the token.
func toolCall(id int, token, name string, args map[string]any) ask {
	a := message(id, "tools/call", map[string]any{"name": name, "arguments": args})
	a.token = token
	return a
}

// answerOf is the JSON of an answer, whether it came alone or as the last event of a stream.
func answerOf(t *testing.T, r replied) json.RawMessage {
	t.Helper()
	text := strings.TrimSpace(r.body)
	if strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream") {
		text = text[strings.LastIndex(text, "data: ")+len("data: "):]
	}
	if !json.Valid([]byte(text)) {
		t.Fatalf("status %d, no JSON: %s", r.status, r.body)
	}
	return json.RawMessage(text)
}

// resultText is the text of a tool's result.
func resultText(t *testing.T, r replied) string {
	t.Helper()
	var a struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
		Error any
	}
	raw := answerOf(t, r)
	if err := json.Unmarshal(raw, &a); err != nil || a.Error != nil || len(a.Result.Content) == 0 {
		t.Fatalf("no result of a tool: %s", raw)
	}
	var all []string
	for _, c := range a.Result.Content {
		all = append(all, c.Text)
	}
	return strings.Join(all, "\n")
}

// number is a value on the page of numbers; 0 when it is not there.
func (r *running) number(t *testing.T, token, series string) float64 {
	t.Helper()
	page := r.ask(t, ask{method: "GET", path: "/metrics", token: token})
	if page.status != http.StatusOK {
		t.Fatalf("/metrics: %d: %s", page.status, page.body)
	}
	for line := range strings.Lines(page.body) {
		if rest, ok := strings.CutPrefix(line, series+" "); ok {
			var value float64
			if _, err := fmt.Sscan(rest, &value); err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	return 0
}
