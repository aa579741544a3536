package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The option with the higher place holds, by what the command then does: flag, environment, file, default.
func TestPrecedence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, lines ...string) string {
		path := filepath.Join(dir, name+".yaml")
		text := strings.Join(append(lines, "methods: {of_"+name+": {summary: Say it., value: 1}}"), "\n")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	flag, env, kept := file("flag"), file("env"), file("kept", `store: "memory:"`)
	places := map[string]int{}
	all := slices.Concat(options, serveOptions)
	const demo = "\\A.*no configuration found"
	for _, tc := range []struct {
		option         *option
		winner         string
		command        string // "" = list
		args           []string
		variables      []string
		code           int
		output, errors string // patterns
	}{
		{option: &configOption, winner: "flag", args: []string{"--config", flag}, variables: []string{"MCP_DECIDE_CONFIG=" + env}, output: "of_flag"},
		{option: &configOption, winner: "environment", variables: []string{"MCP_DECIDE_CONFIG=" + env}, output: "of_env"},
		{option: &configOption, winner: "default", output: "tidy_folder", errors: demo},

		{option: &storeOption, winner: "flag", args: []string{"--store", "env:OF_FLAG"}, variables: []string{"MCP_DECIDE_STORE=memory:"}, code: 2, errors: `OF_FLAG`},
		{option: &storeOption, winner: "flag", args: []string{"--store", "memory:"}, variables: []string{"MCP_DECIDE_STORE=env:OF_ENV"}, output: "tidy_folder"},
		{option: &storeOption, winner: "environment", args: []string{"--config", kept}, variables: []string{"MCP_DECIDE_STORE=env:OF_ENV"}, code: 2, errors: `OF_ENV`},
		{option: &storeOption, winner: "file", args: []string{"--config", kept}, output: "of_kept"},
		{option: &storeOption, winner: "default", args: []string{"--config", flag}, output: "of_flag"},

		{option: &logFormatOption, winner: "flag", args: []string{"--log-format", "json"}, variables: []string{"MCP_DECIDE_LOG_FORMAT=text"}, errors: `\A{"time"`},
		{option: &logFormatOption, winner: "environment", variables: []string{"MCP_DECIDE_LOG_FORMAT=json"}, errors: `\A{"time"`},
		{option: &logFormatOption, winner: "default", errors: `\A[0-9:]+ INF `},

		{option: &logLevelOption, winner: "flag", args: []string{"--log-level", "info"}, variables: []string{"MCP_DECIDE_LOG_LEVEL=error"}, errors: demo},
		{option: &logLevelOption, winner: "environment", variables: []string{"MCP_DECIDE_LOG_LEVEL=error"}, errors: `\A\z`},
		{option: &logLevelOption, winner: "default", errors: demo},

		// An address that can't be read is refused by name; without one, the end of the input ends the command well.
		{option: &httpOption, winner: "flag", command: "serve", args: []string{"--http", "of-flag"}, variables: []string{"MCP_DECIDE_HTTP=of-env"}, code: 2, errors: `"of-flag"`},
		{option: &httpOption, winner: "environment", command: "serve", variables: []string{"MCP_DECIDE_HTTP=of-env"}, code: 2, errors: `"of-env"`},
		{option: &httpOption, winner: "default", command: "serve", errors: demo},

		{option: &tlsCertOption, winner: "flag", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-key", "k", "--tls-cert", "of-flag"}, variables: []string{"MCP_DECIDE_TLS_CERT=of-env"}, code: 2, errors: "of-flag"},
		{option: &tlsCertOption, winner: "environment", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-key", "k"}, variables: []string{"MCP_DECIDE_TLS_CERT=of-env"}, code: 2, errors: "of-env"},
		{option: &tlsCertOption, winner: "default", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-key", "k"}, code: 2, errors: "add --tls-cert"},

		{option: &tlsKeyOption, winner: "flag", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-cert", "c", "--tls-key", "of-flag"}, variables: []string{"MCP_DECIDE_TLS_KEY=of-env"}, code: 2, errors: "of-flag"},
		{option: &tlsKeyOption, winner: "environment", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-cert", "c"}, variables: []string{"MCP_DECIDE_TLS_KEY=of-env"}, code: 2, errors: "of-env"},
		{option: &tlsKeyOption, winner: "default", command: "serve", args: []string{"--http", "127.0.0.1:0", "--tls-cert", "c"}, code: 2, errors: "add --tls-key"},
	} {
		places[tc.option.flag]++
		t.Run(tc.option.flag+"/"+tc.winner, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			cmd := exec.Command("mcp-decide", append([]string{cmp.Or(tc.command, "list")}, tc.args...)...)
			cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
			for _, o := range all {
				cmd.Env = append(cmd.Env, o.env+"=")
			}
			cmd.Env = append(cmd.Env, tc.variables...)
			cmd.Stdout, cmd.Stderr = &out, &errs
			var failed *exec.ExitError
			if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
				t.Fatal(err)
			}
			code := cmd.ProcessState.ExitCode()
			if code != tc.code || !regexp.MustCompile(tc.output).MatchString(out.String()) || !regexp.MustCompile(tc.errors).MatchString(errs.String()) {
				t.Errorf("exit code %d, want %d; output, want %q:\n%s\nerrors, want %q:\n%s", code, tc.code, tc.output, &out, tc.errors, &errs)
			}
		})
	}
	for _, o := range all {
		if places[o.flag] < 3 {
			t.Errorf("--%s: %d rows", o.flag, places[o.flag])
		}
	}
}
