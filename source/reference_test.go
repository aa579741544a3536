package source

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// C10: what a reference gives, or why the method is off; whatever is wrong, the value itself is told to nobody.
func TestReferences(t *testing.T) {
	t.Parallel()
	h := machine(t, map[string]string{"SET": "canary", "EMPTY": "", "NUL": "canary\x00", "NUMBER": "42"})
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(h.dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
	}
	write("secret", "canary\n", 0o600)
	write("windows", "canary\r\n", 0o600)
	write("two", "canary\n\n", 0o600)
	write("open", "canary", 0o644)
	write("group", "canary", 0o640)
	write("empty", "\n", 0o600)
	write("large", strings.Repeat("x", maxSecret+1), 0o600)
	write("nul", "canary\x00", 0o600)
	for _, test := range []struct {
		ref  string
		want string
		off  string
		warn string
	}{
		{ref: "env:SET", want: "canary"},
		{ref: "env:UNSET", off: "the environment variable UNSET is not set"},
		{ref: "env:EMPTY", off: "the environment variable EMPTY is empty"},
		{ref: "env:NUL", off: "env:NUL holds a NUL byte"},
		{ref: "file:secret", want: "canary"},
		{ref: "file:" + filepath.Join(h.dir, "secret"), want: "canary"},
		{ref: "file:windows", want: "canary"},
		{ref: "file:two", want: "canary\n"},
		{ref: "file:group", want: "canary"},
		{ref: "file:open", want: "canary", warn: "every user of this machine can read open"},
		{ref: "file:none", off: "the file none can't be read: no such file or directory"},
		{ref: "file:empty", off: "the file empty is empty"},
		{ref: "file:large", off: "the file large can't be read: it holds more than 65536 bytes"},
		{ref: "file:nul", off: "file:nul holds a NUL byte"},
		{ref: "file:.", off: ". is not a regular file"},
	} {
		for where, use := range map[string]func(*config.Method){
			"env": func(m *config.Method) {
				m.Command.Env = []config.EnvVar{{Name: "X", Value: test.ref, Pos: config.Pos{Line: 7, Col: 3}}}
			},
			"param": func(m *config.Method) {
				m.Params = []registry.Param{{Name: "x", Type: registry.String, From: test.ref}}
				m.Pos = config.Pos{Line: 7, Col: 3}
			},
		} {
			t.Run(where+" "+strings.TrimPrefix(test.ref, h.dir), func(t *testing.T) {
				t.Parallel()
				configured := config.Method{Method: registry.Method{Name: "m"}, Command: childCommand(t, "env")}
				use(&configured)
				m, warnings := built(t, h, configured)
				if m.Off != test.off {
					t.Fatalf("off: got %q, want %q", m.Off, test.off)
				}
				checkWarnings(t, warnings, test.off, test.warn)
				if test.off != "" {
					_, err := m.Run(t.Context(), nil)
					if err == nil || err.Error() != test.off || stateOf(t, registry.Write, err) != registry.NotRun {
						t.Errorf("a run of it: %v; want %q and not run", err, test.off)
					}
					return
				}
				if got := value(t, m); got != test.want {
					t.Errorf("got %q, want %q", got, test.want)
				}
			})
		}
	}
}

// checkWarnings looks for the one warning that a method that is off, or a doubtful reference, gives.
func checkWarnings(t *testing.T, warnings []config.Problem, off, warn string) {
	t.Helper()
	if off == "" && warn == "" {
		if len(warnings) > 0 {
			t.Errorf("warnings: %v", warnings)
		}
		return
	}
	want := warn
	if off != "" {
		want = off + "; the method is off"
	}
	if len(warnings) != 1 || warnings[0].Message != want || warnings[0].Fix == "" || warnings[0].Pos != (config.Pos{Line: 7, Col: 3}) {
		t.Errorf("warnings: %+v, want one with %q, its place and a fix", warnings, want)
	}
}

// value is what reached the variable X or the parameter x.
func value(t *testing.T, m registry.Method) any {
	t.Helper()
	if len(m.Params) > 0 {
		v, err := m.Params[0].Fill(t.Context(), registry.Caller{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	out, err := m.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	if err := json.Unmarshal([]byte(out.(string)), &env); err != nil || len(env) != 1 {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimPrefix(env[0], "X=")
}

// A hidden value has the type of its parameter. What can't be read as that type turns the method off.
func TestHiddenValues(t *testing.T) {
	t.Parallel()
	h := machine(t, map[string]string{"TEXT": "canary", "NUMBER": "42", "TRUE": "true", "LIST": `["a"]`, "OBJECT": `{"a":1}`})
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, test := range []struct {
		param registry.Param
		want  any
		off   string
	}{
		{param: registry.Param{From: "env:NUMBER"}, want: "42"},
		{param: registry.Param{From: "env:NUMBER", Type: registry.String}, want: "42"},
		{param: registry.Param{From: "env:NUMBER", Type: registry.Integer}, want: json.Number("42")},
		{param: registry.Param{From: "env:NUMBER", Type: registry.Number}, want: json.Number("42")},
		{param: registry.Param{From: "env:TRUE", Type: registry.Boolean}, want: true},
		{param: registry.Param{From: "env:LIST", Type: registry.Array}, want: []any{"a"}},
		{param: registry.Param{From: "env:OBJECT", Type: registry.Object}, want: map[string]any{"a": json.Number("1")}},
		{param: registry.Param{From: "env:TEXT", Type: registry.Integer}, off: "env:TEXT does not hold a value of type integer"},
		{param: registry.Param{From: "env:NUMBER", Type: registry.Boolean}, off: "env:NUMBER does not hold a value of type boolean"},
		{param: registry.Param{From: "env:NONE", Type: registry.Integer, Default: raw("7")}, want: nil},
		{param: registry.Param{From: "env:NONE", Type: registry.String, Optional: true}, want: nil},
		{param: registry.Param{From: "env:NONE", Type: registry.String}, off: "the environment variable NONE is not set"},
	} {
		test.param.Name = "x"
		m, _ := built(t, h, config.Method{Method: registry.Method{Params: []registry.Param{test.param}}, Command: childCommand(t, "env")})
		if m.Off != test.off {
			t.Errorf("%+v: off: got %q, want %q", test.param, m.Off, test.off)
			continue
		}
		if test.off != "" {
			continue
		}
		got, err := m.Params[0].Fill(t.Context(), registry.Caller{})
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v: got %#v, %v; want %#v", test.param, got, err, test.want)
		}
	}
}

// The registry's own sources are left to it, and what was configured is not changed.
func TestOwnSources(t *testing.T) {
	t.Parallel()
	configured := config.Method{
		Method:  registry.Method{Name: "m", Params: []registry.Param{{Name: "who", From: "caller.id"}, {Name: "x", From: "env:X"}}},
		Command: childCommand(t, "env"),
	}
	m, _ := built(t, machine(t, map[string]string{"X": "y"}), configured)
	if m.Params[0].Fill != nil || m.Params[1].Fill == nil {
		t.Errorf("fills: %v", m.Params)
	}
	if configured.Params[1].Fill != nil {
		t.Error("the configured method was changed")
	}
}
