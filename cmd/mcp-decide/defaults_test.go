package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The defaults that keep it closed, one by one: what holds when nobody has said anything.
func TestSecureDefaults(t *testing.T) {
	t.Parallel()
	t.Run("HTTP is off unless asked for", func(t *testing.T) {
		t.Parallel()
		if runtime.GOOS != "linux" {
			t.Skip("looks at a process's files in /proc")
		}
		cmd := exec.Command("mcp-decide", "serve", "--log-format", "json")
		cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Wait() }()
		defer in.Close()
		if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil { // it serves by now
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "fd", "*"))
		if err != nil || len(files) < 3 {
			t.Fatalf("%v: %v", files, err)
		}
		for _, f := range files {
			if target, _ := os.Readlink(f); strings.HasPrefix(target, "socket:") {
				t.Errorf("it has a socket open: %s", f)
			}
		}
	})
	t.Run("other machines are let in by name alone", func(t *testing.T) {
		t.Parallel()
		for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
			if code, said := ended(t, "serve", "--http", addr); code != exitUsage || !strings.Contains(said, "allowed_hosts") {
				t.Errorf("%s: exit code %d: %s", addr, code, said)
			}
		}
	})
	t.Run("a token is needed unless a flag says otherwise", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, "", nil)
		if got := r.ask(t, message(1, "tools/list", nil)); got.status != 401 || r.token == "" {
			t.Errorf("without a token: %d; %s", got.status, r.said)
		}
	})
	t.Run("no variable of the environment lets everybody in", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, "", []string{"MCP_DECIDE_ALLOW_UNAUTHENTICATED=true", "MCP_DECIDE_UNAUTHENTICATED=1"})
		if got := r.ask(t, message(1, "tools/list", nil)); got.status != 401 {
			t.Errorf("without a token: %d", got.status)
		}
	})
	t.Run("an empty list of who may connect means nobody", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte("methods: {now: {summary: The time., value: 1}}\naccess: {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, said := ended(t, "serve", "--http", "127.0.0.1:0", "--config", file); code != exitUsage || strings.Contains(said, "Bearer") {
			t.Errorf("exit code %d: %s", code, said)
		}
	})
	t.Run("an empty list of hosts or origins means none", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, "methods: {now: {summary: The time., value: 1}}\nhttp: {allowed_hosts: [], allowed_origins: []}\n", nil)
		for header, value := range map[string]string{"Host": "desk.example", "Origin": "https://desk.example"} {
			a := message(1, "tools/list", nil)
			a.token, a.header[header] = r.token, value
			if got := r.ask(t, a); got.status != 403 {
				t.Errorf("%s %s: %d", header, value, got.status)
			}
		}
	})
	t.Run("a missing effect counts as destructive", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, "methods: {act: {summary: Do it., run: [date]}}\n", nil)
		a := message(1, "tools/list", nil)
		a.token = r.token
		if got := r.ask(t, a); !strings.Contains(got.body, `"destructiveHint":true`) || !strings.Contains(got.body, `"readOnlyHint":false`) {
			t.Errorf("tools: %s", got.body)
		}
	})
	t.Run("there is no older transport", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, "", nil)
		for _, path := range []string{"/sse", "/message", "/messages", "/mcp/sse", "/mcp/message"} {
			if got := r.ask(t, ask{method: "GET", path: path, token: r.token}); got.status != 404 {
				t.Errorf("%s: %d", path, got.status)
			}
		}
	})
	t.Run("a token stands in nothing that is said, logged or answered", func(t *testing.T) {
		t.Parallel()
		r := overHTTP(t, deskYAML, deskEnv)
		var told []string
		for _, a := range []ask{
			toolCall(1, deskToken, "who", nil), toolCall(2, deskToken, "choose", nil), message(3, "tools/list", nil),
			{method: "POST", path: endpoint, token: deskToken, body: "{"},
			{method: "POST", path: endpoint, token: deskToken + "x", body: "{}"},
			{method: "GET", path: "/nothing?token=" + deskToken, token: deskToken},
			{method: "GET", path: "/metrics", token: leadToken},
		} {
			told = append(told, r.ask(t, a).body)
		}
		if text := strings.Join(told, "\n") + r.said.String(); strings.Contains(text, "canary") {
			t.Errorf("a token is told: %s", text)
		}
	})
	t.Run("SECURITY.md names every way to open it further", func(t *testing.T) {
		t.Parallel()
		page, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"`--allow-unauthenticated`", "`allowed_hosts`", "`allowed_origins`", "`allow_dash`", "`i_accept_shell`", "`allow_private`"} {
			if !strings.Contains(string(page), word) {
				t.Errorf("%s is missing", word)
			}
		}
	})
}
