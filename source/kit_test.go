package source

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// self is the test binary, which is every child.
func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func templateOf(t testing.TB, s string) registry.Template {
	t.Helper()
	parsed, err := registry.ParseTemplate(s)
	if err != nil {
		t.Fatalf("template %q: %v", s, err)
	}
	return parsed
}

// argvOf reads argv as the file would: a string is an element, a list a group.
func argvOf(t testing.TB, elements ...any) []config.Arg {
	t.Helper()
	var argv []config.Arg
	for _, e := range elements {
		switch e := e.(type) {
		case string:
			argv = append(argv, config.Arg{Template: templateOf(t, e)})
		case []string:
			group := []registry.Template{}
			for _, s := range e {
				group = append(group, templateOf(t, s))
			}
			argv = append(argv, config.Arg{Group: group})
		}
	}
	return argv
}

// childCommand is a command that runs a child of the tests.
func childCommand(t testing.TB, name string, elements ...any) *config.Command {
	t.Helper()
	return &config.Command{Argv: argvOf(t, append([]any{literal(self(t)), "child:" + name}, elements...)...)}
}

// literal is a text as a template stands for it.
func literal(s string) string { return strings.NewReplacer("{", "{{", "}", "}}").Replace(s) }

// text makes text parameters.
func text(names ...string) []registry.Param {
	var params []registry.Param
	for _, name := range names {
		params = append(params, registry.Param{Name: name, Type: registry.String})
	}
	return params
}

// machine is a host with the environment that a test names and nothing else.
func machine(t testing.TB, env map[string]string) host {
	t.Helper()
	return host{dir: t.TempDir(), euid: 1000, places: newPlaces(), lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
}

// built makes the one method of a file.
func built(t testing.TB, h host, m config.Method) (registry.Method, []config.Problem) {
	t.Helper()
	if m.Name == "" {
		m.Name = "m"
	}
	file := &config.File{Path: filepath.Join(h.dir, "mcp-decide.yaml"), Methods: []config.Method{m}}
	methods, warnings, err := build(file, h)
	if err != nil {
		t.Fatal(err)
	}
	worded(t, warnings)
	return methods[0], warnings
}

// worded checks that what a warning proposes reads as a sentence behind its message.
func worded(t testing.TB, warnings []config.Problem) {
	t.Helper()
	for _, w := range warnings {
		if first, _ := utf8.DecodeRuneInString(w.Fix); !unicode.IsUpper(first) || strings.HasSuffix(w.Message, ".") || strings.HasSuffix(w.Fix, ".") {
			t.Errorf("%s: the message ends without a full stop, and the fix starts with a capital letter and does so too", w)
		}
	}
}

// runnable makes a method of a command and fails when it is off.
func runnable(t testing.TB, c *config.Command, params ...registry.Param) registry.Method {
	t.Helper()
	m, _ := built(t, machine(t, nil), config.Method{Method: registry.Method{Params: params}, Command: c})
	if m.Off != "" {
		t.Fatalf("the method is off: %s", m.Off)
	}
	return m
}

// stateOf is how a call of a method of the effect ends when its Run returns err: what the door makes of it.
func stateOf(t testing.TB, effect registry.Effect, err error) registry.State {
	t.Helper()
	m, prepared := registry.Prepare(registry.Method{Name: "m", Summary: "Tests.", Effect: effect,
		Run: func(context.Context, registry.Args) (any, error) { return nil, err }})
	if prepared != nil {
		t.Fatal(prepared)
	}
	result, called := registry.Call(t.Context(), registry.Request{Method: m,
		Intent: func(context.Context, registry.Bound) error { return nil }})
	if called != nil {
		t.Fatal(called)
	}
	return result.State
}
