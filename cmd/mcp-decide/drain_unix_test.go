//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// holding is a configuration with methods that run until they read one byte from a pipe, which the returned func writes.
func holding(t *testing.T) (yaml string, release func(n int)) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that no reader waits for a writer to come, or sees the end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	yaml = fmt.Sprintf("methods:\n  hold: {summary: Wait., effect: write, rate: unlimited, run: [dd, bs=1, count=1, %q]}\naccess: {desk: {token: env:DESK_TOKEN}}\n", "if="+pipe)
	return yaml, func(n int) {
		if _, err := f.Write(bytes.Repeat([]byte("x"), n)); err != nil {
			t.Error(err)
		}
	}
}

// Row F6: at a signal with 200 calls in flight each of them gets an answer, nobody new is let in, and the end is a good one.
func TestEveryCallIsAnsweredAtTheEnd(t *testing.T) {
	t.Parallel()
	const calls = 200
	yaml, release := holding(t)
	r := overHTTP(t, yaml, deskEnv)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: calls}}
	defer client.CloseIdleConnections()
	answers := make([]string, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() { answers[i] = held(t, client, r, i) })
	}
	for r.number(t, deskToken, "mcp_decide_http_requests_in_flight") < calls+1 {
		// All have come in when the server says so.
	}
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	untilRefused(t, r)
	release(calls)
	all.Wait()
	ran := 0
	for i, text := range answers {
		var a struct {
			ID     int
			Result *struct{ IsError bool }
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil || a.ID != i || (a.Result == nil) == (a.Error == nil) {
			t.Errorf("call %d: no answer of its own: %q", i, text)
			continue
		}
		if a.Result != nil && !a.Result.IsError {
			ran++
		}
	}
	if ran == 0 {
		t.Error("no call was let go on to its end")
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, r.said)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://")); err == nil {
		t.Error("something still listens")
	}
}

// held makes one call and returns its answer.
func held(t *testing.T, client *http.Client, r *running, id int) string {
	res, err := client.Do(r.request(t, toolCall(id, deskToken, "hold", nil)))
	if err != nil {
		t.Errorf("call %d: %v", id, err)
		return ""
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("call %d: %v", id, err)
	}
	text := strings.TrimSpace(string(body))
	if at := strings.LastIndex(text, "data: "); at >= 0 {
		text = text[at+len("data: "):]
	}
	return text
}

// untilRefused waits until the server takes no more connections.
func untilRefused(t *testing.T, r *running) {
	t.Helper()
	for {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			return
		}
		c.Close()
	}
}

// While it drains, it says that it is not ready to whoever still reaches it, and that it is alive.
func TestNotReadyWhileItDrains(t *testing.T) {
	t.Parallel()
	yaml, release := holding(t)
	r := overHTTP(t, yaml, deskEnv)
	answer := make(chan string, 1)
	go func() { answer <- held(t, http.DefaultClient, r, 1) }()
	for r.number(t, deskToken, "mcp_decide_http_requests_in_flight") < 2 {
		// Until it has come in.
	}
	before := map[string]net.Conn{}
	for path := range map[string]int{"/readyz": 503, "/healthz": 200} {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		before[path] = c
	}
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	untilRefused(t, r)
	for path, want := range map[string]int{"/readyz": 503, "/healthz": 200} {
		fmt.Fprintf(before[path], "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
		res, err := http.ReadResponse(bufio.NewReader(before[path]), nil)
		if err != nil {
			t.Logf("%s: the connection was closed as one that has not asked for long: %v", path, err)
			continue
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
	release(1)
	if text := <-answer; !strings.Contains(text, `"result"`) {
		t.Errorf("the call that was let go on was answered with %q", text)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, r.said)
	}
}

// A stream that waits for news ends in order when the server does, and keeps nobody waiting.
func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, "", nil)
	streams := map[string]*http.Response{}
	for name, a := range map[string]ask{
		"of the older era": {method: "GET", path: endpoint, header: map[string]string{"Accept": "text/event-stream", "MCP-Protocol-Version": "2025-11-25"}},
		"of the newer era": message(1, "subscriptions/listen", map[string]any{"notifications": map[string]any{"toolsListChanged": true}}),
	} {
		a.token = r.token
		res, err := http.DefaultClient.Do(r.request(t, a))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if kind := res.Header.Get("Content-Type"); res.StatusCode != 200 || kind != "text/event-stream" {
			t.Fatalf("%s: status %d, %s", name, res.StatusCode, kind)
		}
		streams[name] = res
	}
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	for name, res := range streams {
		if _, err := io.ReadAll(res.Body); err != nil {
			t.Errorf("the stream %s was cut off: %v", name, err)
		}
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, r.said)
	}
}

// Row F6: a second signal does not wait, and what ran is told to be unknown.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	yaml, _ := holding(t)
	r := overHTTP(t, yaml, deskEnv)
	answer := make(chan string, 1)
	go func() { answer <- held(t, http.DefaultClient, r, 1) }()
	for r.number(t, deskToken, "mcp_decide_http_requests_in_flight") < 2 {
		// Until it has come in.
	}
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	untilRefused(t, r) // so the first one has been seen, and two are not one
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	if text := <-answer; !strings.Contains(text, "not known") && !strings.Contains(text, "stopped") && !strings.Contains(text, "stopping") {
		t.Errorf("the call was answered with %q: %s", text, r.said)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v: %s", err, r.said)
	}
}

// Row F7: 64 open files, no home, a folder where nothing can be written: it serves, and survives more connections than it has
// files for.
func TestPoorSurroundings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -n 64 && exec mcp-decide serve --http 127.0.0.1:0 --log-format json`)
	cmd.Dir = dir
	if _, err := os.Stat("/proc/self"); err == nil {
		cmd.Dir = "/proc" // where not even root writes
	}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	r := started(t, cmd)
	var open []net.Conn
	for range 100 {
		c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err != nil {
			break
		}
		open = append(open, c)
	}
	for _, c := range open {
		c.Close()
	}
	if got := r.ask(t, ask{method: "GET", path: "/readyz"}); got.status != 200 {
		t.Errorf("afterwards it says %d: %s", got.status, got.body)
	}
	if got := r.ask(t, toolCall(1, r.token, "count_words", map[string]any{"text": "a b"})); strings.TrimSpace(resultText(t, got)) != "2" {
		t.Errorf("a call: %s", got.body)
	}
}

// Row F7: without a network, where nothing but a loopback address is there and no name is to be looked up, it starts too.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	if err := exec.Command("unshare", "-n", "true").Run(); err != nil {
		t.Skip("nobody here may take the network away from a process: ", err)
	}
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		cmd := exec.Command("unshare", "-n", "mcp-decide", "serve", "--http", addr, "--log-format", "json")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
		started(t, cmd)
	}
}
