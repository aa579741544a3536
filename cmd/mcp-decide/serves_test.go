package main

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var (
	logLine   = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d [A-Z]{3} .*\n`)
	logURL    = regexp.MustCompile(` INF serving over HTTP url=(http://(\S+))/mcp `)
	madeToken = regexp.MustCompile(`Bearer [A-Z2-7]{26}`)
)

// serves mcp-decide serve ARG... --http 127.0.0.1:PORT starts a server, on another port that is free, asks it whether it is ready,
// and ends it with a signal, which has to be a good end. It makes a file "shown" of what it said beside its log, with the port as
// it was given and a fixed token.
func serves(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || args[len(args)-2] != "--http" {
		ts.Fatalf("usage: serves mcp-decide serve ARG... --http 127.0.0.1:PORT")
	}
	wanted := args[len(args)-1]
	cmd := exec.Command(args[0], append(args[1:len(args)-1:len(args)-1], "127.0.0.1:0")...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData", "LocalAppData", "TMPDIR", "SYSTEMROOT"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer func() { _ = cmd.Process.Kill() }()
	said, ready := "", false
	for scan := bufio.NewScanner(pipe); scan.Scan(); {
		line := scan.Text() + "\n"
		said += line
		found := logURL.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		res, err := http.Get(found[1] + "/readyz")
		ts.Check(err)
		res.Body.Close()
		ready = res.StatusCode == http.StatusOK
		said = strings.ReplaceAll(said, found[2], wanted)
		if runtime.GOOS == "windows" {
			ts.Check(cmd.Process.Kill())
			break
		}
		ts.Check(cmd.Process.Signal(os.Interrupt))
	}
	if err := cmd.Wait(); !ready || err != nil && runtime.GOOS != "windows" {
		ts.Fatalf("ready: %v; it ended with %v:\n%s", ready, err, said)
	}
	said = madeToken.ReplaceAllString(logLine.ReplaceAllString(said, ""), "Bearer K7M2Q4XH5RTZB3WNCD6FGJPLSY")
	ts.Check(os.WriteFile(ts.MkAbs("shown"), []byte(said), 0o600))
}
