package main

import (
	"bytes"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What a person is told at the start: a token that was made always, the rest at a terminal alone.
func TestConnectHint(t *testing.T) {
	t.Parallel()
	const url = "http://127.0.0.1:8787/mcp"
	for name, tc := range map[string]struct {
		terminal        bool
		token           string
		unauthenticated bool
		want            string // the line to paste; "" = nothing is said
	}{
		"a token that was made":              {false, "made", false, "  claude mcp add --transport http decide " + url + ` --header "Authorization: Bearer made"`},
		"a token that was made, at a prompt": {true, "made", false, "  claude mcp add --transport http decide " + url + ` --header "Authorization: Bearer made"`},
		"tokens of the file":                 {true, "", false, "  claude mcp add --transport http decide " + url + ` --header "Authorization: Bearer TOKEN"`},
		"tokens of the file, as a service":   {false, "", false, ""},
		"everybody":                          {true, "", true, "  claude mcp add --transport http decide " + url},
		"everybody, as a service":            {false, "", true, ""},
	} {
		got := (&app{errIsTTY: tc.terminal}).connectHint(url, tc.token, tc.unauthenticated)
		if (got == "") != (tc.want == "") || !strings.HasSuffix(got, tc.want+"\n") && got != "" {
			t.Errorf("%s: %q, want the last line %q", name, got, tc.want)
		}
	}
}

// What is allowed and probably not meant is said in the log.
func TestDoubts(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key.pem")
	for name, tc := range map[string]struct {
		ip   net.IP
		cert string
		mode os.FileMode
		want []string
	}{
		"this machine":                   {net.IPv4(127, 0, 0, 1), "", 0o600, nil},
		"other machines":                 {net.IPv4zero, "", 0o600, []string{"unencrypted"}},
		"other machines by TLS":          {net.IPv4zero, "cert.pem", 0o600, nil},
		"a key that everybody may read":  {net.IPv4(127, 0, 0, 1), "cert.pem", 0o644, []string{"can read the key"}},
		"other machines, everybody, TLS": {net.IPv4zero, "cert.pem", 0o604, []string{"can read the key"}},
	} {
		if runtime.GOOS == "windows" && tc.mode != 0o600 {
			continue
		}
		if err := os.WriteFile(key, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(key, tc.mode); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		l := &listening{addr: &net.TCPAddr{IP: tc.ip}, cert: tc.cert, key: key}
		l.doubts(t.Context(), slog.New(slog.NewTextHandler(&log, nil)))
		if strings.Count(log.String(), "\n") != len(tc.want) {
			t.Errorf("%s: %s", name, &log)
		}
		for _, want := range tc.want {
			if !strings.Contains(log.String(), want) {
				t.Errorf("%s: %q is missing in %s", name, want, &log)
			}
		}
	}
}
