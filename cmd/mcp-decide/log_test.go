package main

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
)

// Logs are coloured for a person at a terminal who did not say no, and for nobody else.
func TestColour(t *testing.T) {
	t.Parallel()
	type variables map[string]string
	for name, tc := range map[string]struct {
		terminal bool
		env      variables
		want     bool
	}{
		"terminal":                      {true, variables{"TERM": "xterm-256color"}, true},
		"terminal of no known kind":     {true, nil, true},
		"no terminal":                   {false, variables{"TERM": "xterm-256color"}, false},
		"NO_COLOR":                      {true, variables{"NO_COLOR": "1"}, false},
		"NO_COLOR, whatever it says":    {true, variables{"NO_COLOR": "0"}, false},
		"NO_COLOR, empty: as not given": {true, variables{"NO_COLOR": ""}, true},
		"a terminal that shows none":    {true, variables{"TERM": "dumb"}, false},
		"JSON":                          {true, variables{"MCP_DECIDE_LOG_FORMAT": "json"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var errs bytes.Buffer
			a := &app{err: &errs, errIsTTY: tc.terminal, env: func(name string) string { return tc.env[name] }}
			log, err := a.logger()
			if err != nil {
				t.Fatal(err)
			}
			log.Warn("something", "from", "outside\x1b[31m")
			want := tc.want && runtime.GOOS != "windows"
			if got := strings.Contains(errs.String(), "\x1b["); got != want {
				t.Errorf("coloured: %v, want %v: %q", got, want, &errs)
			}
			if strings.Contains(errs.String(), "\x1b[31m") {
				t.Errorf("a colour from outside reached the terminal: %q", &errs)
			}
		})
	}
}
