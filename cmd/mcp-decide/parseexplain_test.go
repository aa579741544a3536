package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/menu"
)

// An explanation is coloured for a person at a terminal who did not say no, and for nobody else. Whatever the reply
// holds, no other byte of it commands a terminal.
func TestExplainColour(t *testing.T) {
	t.Parallel()
	reply := "\x1b[31m\x9b2J\u202e\u009b\n{\"call\": \"refund\"}\a\r\n" + "\u200b<think>\x1b]0;x\a</think>"
	for name, tc := range map[string]struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		"terminal":            {true, nil, true},
		"no terminal":         {false, nil, false},
		"a person's NO_COLOR": {true, map[string]string{"NO_COLOR": "1"}, false},
		"a dumb terminal":     {true, map[string]string{"TERM": "dumb"}, false},
	} {
		var out bytes.Buffer
		a := &app{out: &output{w: &out}, outIsTTY: tc.terminal, env: func(name string) string { return tc.env[name] }}
		if err := a.printExplained(reply, explainReply(nil, reply, nil, menu.Reading{})); err != nil {
			t.Fatal(err)
		}
		if coloured := strings.Contains(out.String(), "\x1b[32m"); coloured != (tc.want && runtime.GOOS != "windows") {
			t.Errorf("%s: coloured %v, want %v\n%q", name, coloured, tc.want, &out)
		}
		plain := out.String()
		for _, colour := range colours {
			plain = strings.ReplaceAll(plain, "\x1b["+colour+"m", "")
		}
		plain = strings.ReplaceAll(plain, "\x1b[0m", "")
		if strings.ContainsFunc(plain, hostile) || strings.Contains(plain, "\ufffd[") {
			t.Errorf("%s: the listing holds what a terminal may obey: %q", name, plain)
		}
	}
}

// FuzzExplainLine: every line gives one line of JSON, which says what parse says and how it came to it.
func FuzzExplainLine(f *testing.F) {
	option, err := menuOption{Name: "done", Kind: "value"}.option()
	if err != nil {
		f.Fatal(err)
	}
	menus := menuSet{"m": {option}}
	f.Add([]byte(`{"id": 1, "menu": "m", "reply": "<think>x</think>{\"call\": \"done\"}", "cut": true}`))
	f.Add([]byte(`{"id": "\ud800", "menu": "m", "parts": [["\"{\\\"call\\\": \\\"done\\\"}\"", 1]], "mode": "lenient"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		short, long := menus.parse(line, parseReply), menus.parse(line, explainReply)
		how := long.explained
		long.explained = nil
		a, errA := encode(short)
		b, errB := encode(long)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Fatalf("parse says %s %v\nwith --explain %s %v", a, errA, b, errB)
		}
		if how != nil && (len(how.Steps) == 0 || how.Steps[len(how.Steps)-1].Why != how.Why) {
			t.Fatalf("the steps %+v do not end in %q", how.Steps, how.Why)
		}
		if !json.Valid(escaped(a)) {
			t.Fatalf("no JSON: %s", a)
		}
	})
}
