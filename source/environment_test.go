package source

import (
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// X4: a program sees a few harmless variables of the server's environment and the listed ones, nothing else.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the few variables are others there")
	}
	server := map[string]string{
		"PATH": "/usr/bin:/bin", "HOME": "/home/ada", "TMPDIR": "/tmp/x", "LANG": "C.UTF-8", "LC_ALL": "C",
		"LD_PRELOAD": "/tmp/evil.so", "LD_LIBRARY_PATH": "/tmp", "LD_AUDIT": "x", "DYLD_INSERT_LIBRARIES": "x", "GCONV_PATH": "x",
		"HTTP_PROXY": "http://evil", "https_proxy": "http://evil", "ALL_PROXY": "x", "NO_PROXY": "x",
		"API_TOKEN": "canary", "AWS_SECRET_ACCESS_KEY": "canary", "BASH_ENV": "x", "ENV": "x", "IFS": "x", "PYTHONPATH": "x", "NODE_OPTIONS": "x", "PERL5OPT": "x",
		"LISTED": "by reference",
	}
	base := []string{"HOME=/home/ada", "LANG=C.UTF-8", "LC_ALL=C", "PATH=/usr/bin:/bin", "TMPDIR=/tmp/x"}
	for _, test := range []struct {
		name   string
		listed []config.EnvVar
		want   []string
	}{
		{"nothing listed", nil, base},
		{"a literal and a reference", []config.EnvVar{{Name: "A", Value: "one {two} $HOME"}, {Name: "Z", Value: "env:LISTED"}},
			append([]string{"A=one {two} $HOME"}, append(base[:len(base):len(base)], "Z=by reference")...)},
		{"one of the few is listed", []config.EnvVar{{Name: "PATH", Value: "/opt/bin"}},
			[]string{"HOME=/home/ada", "LANG=C.UTF-8", "LC_ALL=C", "PATH=/opt/bin", "TMPDIR=/tmp/x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := childCommand(t, "env")
			c.Env = test.listed
			params := text("LD_PRELOAD", "PATH", "A", "env")
			m, _ := built(t, machine(t, server), config.Method{Method: registry.Method{Params: params}, Command: c})
			// Arguments that are named like variables change nothing.
			out, err := m.Run(t.Context(), registry.Args{"LD_PRELOAD": "evil", "PATH": "evil", "A": "evil", "env": "evil"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			if err := json.Unmarshal([]byte(out.(string)), &got); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Fatalf("got %q\nwant %q", got, test.want)
			}
		})
	}
}

// An empty environment stays empty: it is not the server's then.
func TestEmptyEnvironment(t *testing.T) {
	t.Setenv("API_TOKEN", "canary") // so it can't be parallel
	out, err := runnable(t, childCommand(t, "env")).Run(t.Context(), nil)
	if err != nil || strings.Contains(out.(string), "API_TOKEN") {
		t.Fatalf("got %v, %v", out, err)
	}
}
