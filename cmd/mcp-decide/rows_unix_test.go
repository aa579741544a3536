//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Row F6: a storm of SIGHUP while calls are in flight ends none of them, and leads to a few reloads.
func TestAStormOfSignalsEndsNoCall(t *testing.T) {
	t.Parallel()
	const calls, storm = 50, 300
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
	for range storm {
		if err := r.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	r.until(t, `"msg":"configuration reloaded"`, 1)
	if got := r.ask(t, ask{method: "GET", path: "/readyz"}); got.status != http.StatusOK {
		t.Errorf("F6 SIGHUP: it says %d", got.status)
	}
	release(calls)
	all.Wait()
	for i, text := range answers {
		if !strings.Contains(text, fmt.Sprintf(`"id":%d,`, i)) || !strings.Contains(text, `"result"`) || strings.Contains(text, `"isError":true`) {
			t.Errorf("F6 SIGHUP: call %d was answered with %q", i, text)
		}
	}
	if n := strings.Count(r.said.String(), `"msg":"configuration reloaded"`); n > storm/2 {
		t.Errorf("F6 SIGHUP: %d reloads for %d signals", n, storm)
	}
}

// Row F6: a client that reads no further, or is gone, ends the server on stdio quietly, whatever still runs.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]bool{"F6 SIGPIPE, the first answer": false, "F6 SIGPIPE, after an answer": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			cmd := exec.Command("mcp-decide", "serve")
			cmd.Env = append(s.environment(), "MCP_DECIDE_CONFIG=")
			in, err := cmd.StdinPipe()
			s.must(err)
			reader, writer, err := os.Pipe()
			s.must(err)
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = writer, &said
			s.must(cmd.Start())
			s.must(writer.Close())
			const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
			if wait {
				_, err = io.WriteString(in, ping)
				s.must(err)
				_, err = bufio.NewReader(reader).ReadString('\n')
				s.must(err)
			}
			s.must(reader.Close())
			for err == nil { // until it is gone: its input stays open
				_, err = io.WriteString(in, ping)
			}
			if err := cmd.Wait(); err != nil || strings.Contains(said.String(), "pipe") || strings.Contains(said.String(), "mcp-decide:") {
				t.Errorf("it ended with %v: %s", err, said.String())
			}
		})
	}
}

// Row F7: everything is scarce at once: 64 files, one processor, a disk that only reads, no home, no more than 256 MiB of memory. It serves
// large messages of several clients, or says what it lacks.
func TestEverythingIsScarce(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", deskYAML)
	limits := fmt.Sprintf("mount --make-rprivate / && mount -o remount,bind,ro / && ! touch %q 2>/dev/null && ulimit -n 64", s.path("made"))
	if err := exec.Command("unshare", "-m", "sh", "-c", limits).Run(); err != nil {
		t.Skip("nobody here may take the disk away from a process: ", err)
	}
	config := " --config " + s.path("c.yaml")
	s.must(os.Mkdir(s.path("state"), 0o700))
	own := fmt.Sprintf(" && mount -t tmpfs -o size=16m none %q", s.path("state"))
	for name, tc := range map[string]struct {
		flags  string
		env    []string
		said   string
		serves bool
		disk   string // a disk that can be written, where the store is
	}{
		"F7 the demo, no home":               {"", nil, "the built-in demo runs", true, ""},
		"F7 the demo, home can't be written": {"", []string{"HOME=" + s.dir}, "(?s)kept in memory.*read-only file system.*the built-in demo runs", true, ""},
		"F7 a file, home can't be written":   {config, append([]string{"HOME=" + s.dir}, deskEnv...), "remembered only while this runs.*read-only file system", true, ""},
		"F7 a file, no home":                 {config, deskEnv, "(?s)kept in memory.*HOME names a folder.*remembered only while this runs.*HOME names a folder", true, ""},
		"F7 a file, its token not at hand":   {config, nil, "DESK_TOKEN is not set", false, ""},
		"F7 a file, a disk for its state":    {config, append([]string{"XDG_STATE_HOME=" + s.path("state")}, deskEnv...), "are kept from now on", true, own},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("unshare", "-m", "sh", "-c", limits+tc.disk+" && exec mcp-decide serve --http 127.0.0.1:0 --log-format json"+tc.flags)
			cmd.Dir = "/"
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "GOMAXPROCS=1"}, tc.env...)
			if !tc.serves {
				out, err := cmd.CombinedOutput()
				if code := cmd.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(string(out), tc.said) {
					t.Errorf("it ended with %v: %s", err, out)
				}
				return
			}
			r := started(t, cmd)
			if !regexp.MustCompile(tc.said).MatchString(r.said.String()) {
				t.Errorf("it does not say %q: %s", tc.said, r.said)
			}
			token, tool, want := r.token, "count_words", `700000`
			if tc.flags != "" {
				token, tool, want = deskToken, "who", "token:desk"
			}
			var crowd sync.WaitGroup
			for i := range 4 {
				crowd.Go(func() {
					text := strings.Repeat("word ", 700_000) // 3.5 MB
					res, err := http.DefaultClient.Do(r.request(t, toolCall(i, token, tool, map[string]any{"text": text})))
					if err != nil {
						t.Error(err)
						return
					}
					defer res.Body.Close()
					if body, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
						t.Errorf("call %d: %d, %v: %.300s", i, res.StatusCode, err, body)
					}
				})
			}
			crowd.Wait()
			if got := r.ask(t, ask{method: "GET", path: "/readyz"}); got.status != http.StatusOK {
				t.Errorf("afterwards it says %d", got.status)
			}
			process := fmt.Sprintf("/proc/%d/", cmd.Process.Pid)
			if _, err := os.Stat(process + "root" + s.path(userStore)); (err == nil) != (tc.disk != "") {
				t.Errorf("a store: %v", err)
			}
			status, err := os.ReadFile(process + "status")
			s.must(err)
			_, rest, _ := strings.Cut(string(status), "VmHWM:")
			var peak int // KiB of memory that it ever had
			if _, err := fmt.Sscan(rest, &peak); err != nil || peak > 256<<10 && !raceDetector {
				t.Errorf("it took %d KiB of memory, %v", peak, err)
			}
		})
	}
}

// raceDetector says whether the race detector is built in, which takes several times the memory.
var raceDetector = func() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// Row K1: a client that has asked and says that no more comes is answered, and then closed. A call that reads ends with it: to the server
// its caller has left. The next client is served.
func TestHalfClosed(t *testing.T) {
	t.Parallel()
	r := overHTTP(t, deskYAML, deskEnv)
	call := toolCall(1, deskToken, "who", nil)
	for name, tc := range map[string]struct {
		ask  ask
		want string
	}{
		"K1 half-close after a call":  {call, `"id":1,`}, // its result, or that its caller has left
		"K1 half-close after a list":  {message(1, "tools/list", nil), `"name":"who"`},
		"K1 half-close after a probe": {ask{method: "GET", path: "/healthz"}, "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			tc.ask.token = deskToken
			if err := r.request(t, tc.ask).Write(c); err != nil {
				t.Fatal(err)
			}
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			in := bufio.NewReader(c)
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || res.StatusCode >= 500 && !strings.Contains(string(body), "caller") || !strings.Contains(string(body), tc.want) {
				t.Errorf("%d, %v: %s", res.StatusCode, err, body)
			}
			if _, err := in.ReadByte(); err != io.EOF {
				t.Errorf("the connection stays: %v", err)
			}
		})
	}
	if got := strings.TrimSpace(resultText(t, r.ask(t, call))); got != "token:desk" {
		t.Errorf("K1: the next call: %q", got)
	}
}
