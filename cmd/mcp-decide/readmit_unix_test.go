//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// until waits until the command has said something so many times.
func (r *running) until(t *testing.T, what string, times int) {
	t.Helper()
	for end := time.Now().Add(long); strings.Count(r.said.String(), what) < times; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it has not said %q %d times: %s", what, times, r.said)
		}
	}
}

// Who may connect follows the file: a token is replaced, who is no longer named stays out, and who is new or may do more waits to be accepted.
func TestWhoMayConnectFollowsTheFile(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	token := func(name string) string { return strings.Repeat(name, 8) }
	people := func(entries ...string) string {
		text := oneMethod("word") + "access:\n"
		for _, e := range entries {
			name, roles, _ := strings.Cut(e, " ")
			text += fmt.Sprintf("  %s: {token: \"file:%s.token\", roles: [%s]}\n", name, name, roles)
		}
		return text
	}
	for _, name := range []string{"desk", "lead", "boss"} {
		s.write(name+".token", token(name))
	}
	s.write("c.yaml", people("desk agent", "lead agent"))
	r := overHTTP(t, "", []string{"XDG_STATE_HOME=" + s.path("state")}, "--config", s.path("c.yaml"))
	reloads, refusals := 0, 0
	reload := func() {
		t.Helper()
		reloads++
		s.must(r.cmd.Process.Signal(syscall.SIGHUP))
		r.until(t, `"msg":"configuration reloaded"`, reloads)
	}
	lets := func(want map[string]bool) {
		t.Helper()
		got := map[string]bool{}
		for token := range want {
			got[token] = r.ask(t, toolCall(1, token, "one", nil)).status == http.StatusOK
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("who gets in (-want +got):\n%s", diff)
		}
	}
	lets(map[string]bool{token("desk"): true, token("lead"): true, token("boss"): false})

	// A new secret of somebody who is known is nobody's to accept.
	s.write("desk.token", token("DESK"))
	reload()
	lets(map[string]bool{token("desk"): false, token("DESK"): true, token("lead"): true})

	// Who is new, or may do more, is not let in. Who is not named any more is not either.
	s.write("c.yaml", people("desk agent,approver", "lead agent", "boss agent"))
	reload()
	r.until(t, `"held_back":2`, 1)
	lets(map[string]bool{token("DESK"): false, token("lead"): true, token("boss"): false})

	// A file that lets nobody in changes nothing.
	refuse := func(why string) {
		t.Helper()
		refusals++
		s.must(r.cmd.Process.Signal(syscall.SIGHUP))
		r.until(t, "the one before goes on", refusals)
		if !strings.Contains(r.said.String(), why) {
			t.Errorf("it does not say %q: %s", why, r.said)
		}
		lets(map[string]bool{token("lead"): true, token("boss"): false})
	}
	s.write("c.yaml", people("boss agent"))
	refuse("nobody under access: is accepted yet")
	s.write("c.yaml", oneMethod("word"))
	refuse("names nobody any more")
	s.write("c.yaml", people("lead agent"))
	s.rename("lead.token", "gone.token")
	refuse("lead.token can't be read")

	s.write("c.yaml", people("desk agent,approver", "boss agent"))
	code, text := endedIn(s, "validate", "--accept", s.path("c.yaml"))
	if code != exitDone || !strings.Contains(text, `access.boss: it is new`) || !strings.Contains(text, `access.desk: it has the role "approver", and had not`) {
		t.Errorf("exit code %d: %s", code, text)
	}
	reload()
	lets(map[string]bool{token("DESK"): true, token("lead"): false, token("boss"): true})

	// Starting again is no way around it.
	s.write("c.yaml", people("lead agent,approver"))
	code, said := endedIn(s, "serve", "--http", "127.0.0.1:0", "--config", s.path("c.yaml"))
	if code != exitUsage || !strings.Contains(said, "nobody under access: is accepted yet") {
		t.Errorf("exit code %d: %s", code, said)
	}
}

// A token that was printed ends when the file names somebody, who has been accepted; till then nothing changes.
func TestThePrintedTokenGivesWay(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("desk.token", strings.Repeat("desk", 8))
	s.write("c.yaml", oneMethod("first"))
	r := overHTTP(t, "", []string{"XDG_STATE_HOME=" + s.path("state")}, "--config", s.path("c.yaml"))
	status := func(token string) int { return r.ask(t, toolCall(1, token, "one", nil)).status }
	hangup := func() { s.must(r.cmd.Process.Signal(syscall.SIGHUP)) }

	s.write("c.yaml", oneMethod("second"))
	hangup()
	r.until(t, `"msg":"configuration reloaded"`, 1)
	if got := status(r.token); got != http.StatusOK {
		t.Errorf("the printed token gets %d after a reload", got)
	}
	s.write("c.yaml", oneMethod("second")+"access: {desk: {token: \"file:desk.token\"}}\n")
	hangup()
	r.until(t, "nobody under access: is accepted yet", 1)
	if got := status(r.token); got != http.StatusOK {
		t.Errorf("the printed token gets %d while nobody else is accepted", got)
	}
	if code, text := endedIn(s, "validate", "--accept", s.path("c.yaml")); code != exitDone {
		t.Errorf("exit code %d: %s", code, text)
	}
	hangup()
	r.until(t, `"msg":"configuration reloaded"`, 2)
	if got := [2]int{status(r.token), status(strings.Repeat("desk", 8))}; got != [2]int{http.StatusUnauthorized, http.StatusOK} {
		t.Errorf("the printed token and the one of the file get %v", got)
	}

	// A file that names nobody any more is as wrong as after a start with names: it must not say reloaded and leave in who is gone from it.
	s.write("c.yaml", oneMethod("third"))
	hangup()
	r.until(t, "names nobody any more", 1)
	if got := strings.Count(r.said.String(), `"msg":"configuration reloaded"`); got != 2 {
		t.Errorf("reloaded %d times", got)
	}
	if got := [2]int{status(r.token), status(strings.Repeat("desk", 8))}; got != [2]int{http.StatusUnauthorized, http.StatusOK} {
		t.Errorf("then the printed token and the one of the file get %v", got)
	}
}

// endedIn runs the command in a sandbox, to its end.
func endedIn(s *sandbox, args ...string) (code int, said string) {
	cmd := exec.Command("mcp-decide", args...)
	cmd.Env = s.environment()
	out, _ := cmd.CombinedOutput()
	return cmd.ProcessState.ExitCode(), string(out)
}
