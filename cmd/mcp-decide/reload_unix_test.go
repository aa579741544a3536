//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// piped is the command as it serves on standard input and output, in a state folder of its own.
type piped struct {
	*sandbox
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     chan piece  // what it writes
	said    chan string // what it says on standard error, by line
	heard   []string    // what it has said so far, and somebody waited past
	changed int         // how often it told that tools have changed
	id      int
}

// piece is one message of the server.
type piece struct {
	ID     int
	Method string
	Result json.RawMessage
	Error  json.RawMessage
}

// environment keeps the commands of a test apart from what this user has.
func (s *sandbox) environment() []string {
	return append(os.Environ(), atHome(s.dir)...)
}

// pipe starts the command and greets it.
func pipe(s *sandbox, flags ...string) *piped {
	s.Helper()
	return greet(launch(s, flags...))
}

func greet(p *piped) *piped {
	p.Helper()
	p.ask("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	_, err := io.WriteString(p.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	p.must(err)
	return p
}

func launch(s *sandbox, flags ...string) *piped {
	s.Helper()
	cmd := exec.Command("mcp-decide", append([]string{"serve", "--log-format", "json", "--config", s.path("c.yaml")}, flags...)...)
	cmd.Env = s.environment()
	return launched(s, cmd)
}

// launched starts a command that serves on standard input and output.
func launched(s *sandbox, cmd *exec.Cmd) *piped {
	s.Helper()
	p := &piped{sandbox: s, cmd: cmd, out: make(chan piece, 10_000), said: make(chan string, 10_000)}
	in, err := p.cmd.StdinPipe()
	s.must(err)
	out, err := p.cmd.StdoutPipe()
	s.must(err)
	said, err := p.cmd.StderrPipe()
	s.must(err)
	p.in = in
	s.must(p.cmd.Start())
	var read [2]chan struct{}
	for i, f := range []func(){
		func() {
			for scan := bufio.NewScanner(out); scan.Scan(); {
				var m piece
				if err := json.Unmarshal(scan.Bytes(), &m); err != nil {
					s.Errorf("%v: %q", err, scan.Text())
				}
				p.out <- m
			}
			close(p.out)
		},
		func() {
			for scan := bufio.NewScanner(said); scan.Scan(); {
				p.said <- scan.Text()
			}
			close(p.said)
		},
	} {
		read[i] = make(chan struct{})
		go func() { defer close(read[i]); f() }()
	}
	s.Cleanup(func() {
		_ = p.cmd.Process.Kill() // it may have ended by now
		<-read[0]
		<-read[1]
		_ = p.cmd.Wait()
	})
	return p
}

// next is the next message of the server.
func (p *piped) next() piece {
	p.Helper()
	select {
	case m, open := <-p.out:
		if !open {
			p.Fatalf("the server has ended: %q", p.heard)
		}
		if m.Method == "notifications/tools/list_changed" {
			p.changed++
		}
		return m
	case <-time.After(long):
		p.Fatalf("nothing comes; it has said %q", p.heard)
	}
	return piece{}
}

// ask is one request, answered.
func (p *piped) ask(method, params string) piece {
	p.Helper()
	p.id++
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", p.id, method, params)
	p.must(err)
	for {
		if m := p.next(); m.ID == p.id {
			return m
		}
	}
}

// tools are the descriptions of the tools, by name.
func (p *piped) tools() map[string]string {
	p.Helper()
	var list struct {
		Tools []struct{ Name, Description string }
	}
	p.must(json.Unmarshal(p.ask("tools/list", `{}`).Result, &list))
	all := map[string]string{}
	for _, t := range list.Tools {
		all[t.Name] = t.Description
	}
	return all
}

func (p *piped) shows(want map[string]string) {
	p.Helper()
	if diff := cmp.Diff(want, p.tools()); diff != "" {
		p.Errorf("tools (-want +got):\n%s", diff)
	}
}

// until waits for a line on standard error, and gives it.
func (p *piped) until(pattern string) string {
	p.Helper()
	re := regexp.MustCompile(pattern)
	for {
		select {
		case line, open := <-p.said:
			if !open {
				p.Fatalf("the server has ended without saying %s: %q", pattern, p.heard)
			}
			p.heard = append(p.heard, line)
			if re.MatchString(line) {
				return line
			}
		case <-time.After(long):
			p.Fatalf("it does not say %s, but %q", pattern, p.heard)
		}
	}
}

// untilChanged waits until the server has told once more that tools have changed.
func (p *piped) untilChanged() {
	p.Helper()
	for before := p.changed; p.changed == before; {
		p.next()
	}
}

// end closes the input, and waits for an orderly end.
func (p *piped) end() {
	p.Helper()
	p.must(p.in.Close())
	for m := range p.out {
		if m.Method == "" {
			p.Errorf("an answer that nothing has asked for: %+v", m)
		}
	}
	for line := range p.said {
		p.heard = append(p.heard, line)
	}
	if err := p.cmd.Wait(); err != nil {
		p.Errorf("%v: %q", err, p.heard)
	}
}

// oneMethod is a configuration whose only method says and is described by a word.
func oneMethod(word string) string {
	return fmt.Sprintf("methods:\n  one: {summary: %q, effect: read, value: %q}\n", word, word)
}

func said(word string) map[string]string { return map[string]string{"one": word} }

// A client sees each change of a file that is watched, and is told of it once. A file that can't be served, or is not there, changes nothing.
func TestAChangedFile(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", oneMethod("first"))
	p := pipe(s, "--watch")
	p.shows(said("first"))

	s.write("c.yaml", oneMethod("second"))
	p.untilChanged()
	p.shows(said("second"))
	if text := string(p.ask("tools/call", `{"name":"one"}`).Result); !strings.Contains(text, `"text":"second"`) {
		t.Errorf("it returns %s", text)
	}

	s.write("c.yaml", oneMethod("second")+"  two: {summary: Say two., value: 2, valu: 2}\n")
	if line := p.until(`"msg":"wrong in the configuration"`); !strings.Contains(line, `c.yaml:3:38","key":"methods.two.valu"`) {
		t.Errorf("the log does not say where: %s", line)
	}
	p.until(`the one before goes on`)
	p.shows(said("second"))

	s.remove("c.yaml")
	p.until(`the one before goes on.*it is not there any more`)
	p.shows(said("second"))

	s.write("c.yaml", oneMethod("third"))
	p.untilChanged()
	p.shows(said("third"))

	s.write("d.yaml", oneMethod("fourth"))
	s.link("d.yaml", "c.yaml")
	p.untilChanged()
	p.shows(said("fourth"))

	// What clients see of it is the same, so they are told nothing.
	s.write("e.yaml", "server: {name: other}\n"+oneMethod("fourth")+"trace: {keep: 1h}\n")
	s.link("e.yaml", "c.yaml")
	p.until(`"msg":"these settings hold from the next start on".*"keys":\["server.name","trace"\]`)
	p.until(`"msg":"configuration reloaded"`)
	p.shows(said("fourth"))

	s.must(os.Chmod(s.path("e.yaml"), 0o666))
	p.until(`everybody on this machine may write to the file`)
	s.must(os.Chmod(s.path("e.yaml"), 0o600))
	p.until(`"msg":"configuration reloaded"`)
	p.end()
	if p.changed != 3 {
		t.Errorf("told of changed tools %d times, want 3", p.changed)
	}
}

// A signal has the file read again, as often as it takes and no more often; the last one is not lost.
func TestSIGHUPReloads(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", oneMethod("first"))
	p := pipe(s)
	p.shows(said("first"))
	files, threads := p.resources()
	for i := range 1000 {
		if i%10 == 0 {
			s.write("c.yaml~", oneMethod(fmt.Sprint("word ", i)))
			s.rename("c.yaml~", "c.yaml")
		}
		s.must(p.cmd.Process.Signal(syscall.SIGHUP))
	}
	s.write("c.yaml~", oneMethod("last"))
	s.rename("c.yaml~", "c.yaml")
	s.must(p.cmd.Process.Signal(syscall.SIGHUP))
	for p.tools()["one"] != "last" {
		p.untilChanged()
	}
	p.shows(said("last"))
	if nowFiles, nowThreads := p.resources(); nowFiles > files+1 || nowThreads > threads+5 {
		t.Errorf("%d open files and %d threads, and before there were %d and %d", nowFiles, nowThreads, files, threads)
	}
	p.end()
	reloads := strings.Count(strings.Join(p.heard, "\n"), `"msg":"configuration reloaded"`)
	if reloads == 0 || reloads > 200 {
		t.Errorf("%d reloads for 1,001 signals", reloads)
	}
}

// resources are the open files and the threads of the server, where the system tells.
func (p *piped) resources() (files, threads int) {
	p.Helper()
	if runtime.GOOS != "linux" {
		return 0, 0
	}
	for i, what := range []string{"fd", "task"} {
		list, err := os.ReadDir(filepath.Join("/proc", fmt.Sprint(p.cmd.Process.Pid), what))
		p.must(err)
		*[]*int{&files, &threads}[i] = len(list)
	}
	return files, threads
}

// What is wider than what was accepted is off until somebody accepts it, which the server notices; what was there before runs meanwhile.
func TestAWiderFileWaits(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", oneMethod("first"))
	p := pipe(s, "--watch")
	p.until(`this is the first start with this file`)

	s.write("c.yaml", oneMethod("second")+"  two: {summary: Say two., effect: read, run: [echo, two]}\n")
	p.until(`"msg":"held back until it is accepted","key":"methods.two","what":"it is new"`)
	p.until(`"msg":"configuration reloaded".*"held_back":1`)
	p.shows(said("second"))

	accept := exec.Command("mcp-decide", "validate", "--accept", s.path("c.yaml"))
	accept.Env = s.environment()
	text, err := accept.CombinedOutput()
	if want := s.path("c.yaml") + ":3:3: accepted: methods.two: it is new\n"; err != nil || string(text) != want {
		t.Errorf("%v: got %q, want %q", err, text, want)
	}
	for len(p.tools()) != 2 {
		p.untilChanged()
	}
	if text := string(p.ask("tools/call", `{"name":"two"}`).Result); !strings.Contains(text, `"text":"two"`) {
		t.Errorf("it returns %s", text)
	}

	// Without its record nothing is accepted that was not before.
	records, err := filepath.Glob(s.path("state/mcp-decide/accepted/*.json"))
	s.must(err)
	for _, r := range records {
		s.must(os.Remove(r))
	}
	s.write("c.yaml", oneMethod("third")+"  two: {summary: Say two., effect: read, run: [echo, three]}\n")
	p.until(`"what":"what it runs, or with which parameters, has changed"`)

	// A record that says nothing accepts nothing either.
	for _, r := range records {
		s.must(os.WriteFile(r, []byte("{"), 0o600))
	}
	p.until(`the one before goes on.*which holds what was accepted`)
	p.end()
}

// A signal that comes while the server starts ends nothing, and is not lost.
func TestSIGHUPAtTheStart(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", "methods:\n  one: {summary: Say one., run: [echo, one]}\n")
	s.write("state/mcp-decide/accepted/lock", "")
	lock, err := os.Open(s.path("state/mcp-decide/accepted/lock"))
	s.must(err)
	s.must(syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	p := launch(s)
	p.until(`effect is missing`) // and now it waits for the lock
	s.must(p.cmd.Process.Signal(syscall.SIGHUP))
	s.must(lock.Close())
	p.until(`this is the first start with this file`)
	p.until(`"msg":"configuration reloaded"`)
	p.end()
}
