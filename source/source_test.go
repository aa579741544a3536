package source

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// Methods that run nothing pass through as they are; what is missing turns one method off and no other.
func TestBuild(t *testing.T) {
	t.Parallel()
	file := &config.File{Path: "some/mcp-decide.yaml", Methods: []config.Method{
		{Method: registry.Method{Name: "close", Kind: registry.Value, Constant: json.RawMessage(`{"status":"closed"}`)}},
		{Method: registry.Method{Name: "plan", Kind: registry.Form, Params: text("note")}},
		{Method: registry.Method{Name: "missing"}, Command: &config.Command{Argv: argvOf(t, "no-such-program-7f3a"),
			Env: []config.EnvVar{{Name: "A", Value: "env:NONE_A"}, {Name: "B", Value: "file:none"}}}},
		{Method: registry.Method{Name: "off", Off: "not today"}, Command: &config.Command{Argv: argvOf(t, "no-such-program-7f3a")}},
		{Method: registry.Method{Name: "here"}, Command: childCommand(t, "print", `"here"`)},
	}}
	methods, warnings, err := build(file, machine(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range methods {
		got = append(got, m.Name+": "+m.Off)
	}
	want := []string{
		"close: ", "plan: ",
		"missing: the program no-such-program-7f3a was not found; the environment variable NONE_A is not set; the file none can't be read: no such file or directory",
		"off: not today; the program no-such-program-7f3a was not found",
		"here: ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if methods[0].Run != nil || string(methods[0].Constant) != `{"status":"closed"}` || methods[1].Run != nil {
		t.Error("a value or a form has changed")
	}
	if len(warnings) != 4 {
		t.Errorf("warnings: %+v", warnings)
	}
	worded(t, warnings)
	if out, err := methods[4].Run(t.Context(), nil); err != nil || out != "here" {
		t.Errorf("got %v, %v", out, err)
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		argv []config.Arg
		want string
	}{
		{nil, `method "m": run names no program`},
		{argvOf(t, []string{"ls"}), `method "m": run names no program`},
		{argvOf(t, "{a}"), `method "m": run: the program's name must not hold a value`},
		{argvOf(t, ""), `method "m": run: the program's name must not hold a value`},
	} {
		file := &config.File{Methods: []config.Method{{Method: registry.Method{Name: "m"}, Command: &config.Command{Argv: test.argv}}}}
		if _, _, err := Build(file); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	stdin := templateOf(t, "{note}")
	for _, test := range []struct {
		command config.Command
		want    string
	}{
		{config.Command{Argv: argvOf(t, "wc", "-w")}, "run: wc -w"},
		{config.Command{Argv: argvOf(t, "refund-cli", "--order", "{order_id}", []string{"--reason", "{reason}"})}, "run: refund-cli --order {order_id} [--reason {reason}]"},
		{config.Command{Argv: argvOf(t, "x", "", "two words", "a\nb", "{{}}", `"`)}, `run: x "" "two words" "a\nb" {{}} "\""`},
		{config.Command{Argv: argvOf(t, "wc"), Stdin: &stdin, Cwd: "/srv", Env: []config.EnvVar{{Name: "A", Value: "canary"}, {Name: "B", Value: "env:B"}}},
			"run: wc < {note}, in /srv, with A B"},
	} {
		if got := describe(&test.command); got != test.want {
			t.Errorf("got %s\nwant %s", got, test.want)
		}
	}
}

// What stands in argv is seen by every user of the machine, and some variables load code.
func TestCommandWarnings(t *testing.T) {
	t.Parallel()
	c := childCommand(t, "print", `"{token}"`, []string{"--pin", "{pin}"}, "{free}")
	c.Env = []config.EnvVar{{Name: "LD_PRELOAD", Value: "/x.so"}, {Name: "HTTP_PROXY", Value: "http://proxy"}}
	params := []registry.Param{
		{Name: "token", Type: registry.String, From: "env:T"}, {Name: "pin", Type: registry.String, Secret: true}, {Name: "free", Type: registry.String},
	}
	_, warnings := built(t, machine(t, map[string]string{"T": "canary"}), config.Method{Method: registry.Method{Params: params}, Command: c})
	var got []string
	for _, w := range warnings {
		got = append(got, w.Key+": "+w.Message)
	}
	want := []string{
		"methods.m.run.env.LD_PRELOAD: LD_PRELOAD loads foreign code into the program",
		"methods.m.run.argv: {token} stands in the list of processes, which other users can read",
		"methods.m.run.argv: {pin} stands in the list of processes, which other users can read",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What a caller can mend is found before anything runs, with its place, so that a turn stays open.
func TestUnfitArgumentsAreRefusedBeforeTheRun(t *testing.T) {
	t.Parallel()
	f, err := config.Parse("c.yaml", t.TempDir(), []byte(`
methods:
  say:
    summary: Say it.
    effect: write
    params: {a: {type: string}, b?: {type: string}, c?: {type: string}, who: {type: string, from: caller.id}}
    run: [echo, "{a}", [--b, "{b}"], "x{who}", ["--c={c}"]]
`))
	if err != nil {
		t.Fatal(err)
	}
	methods, _, err := Build(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := registry.Prepare(methods[0])
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Check(json.RawMessage(`{"a": "-rf", "b": "nul\u0000", "c": "-fine"}`))
	var invalid *validate.Error
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v, want two problems", err)
	}
	want := `- args.a: expected another value, got one that starts with "-", which the program could take for an option. Write it another way, such as ./-name for a file.
- args.b: expected another value, got one that holds a NUL character, which can't be handed to a program.`
	if got := strings.TrimSpace(invalid.Fix()); got != want || invalid.Kind != validate.TypeMismatch {
		t.Errorf("%s:\n%s\nwant\n%s", invalid.Kind, got, want)
	}
	if _, err := m.Check(json.RawMessage(`{"a": "./-rf", "b": "1"}`)); err != nil {
		t.Error(err)
	}
}

// The digest changes with whatever decides what runs, and with no wording.
func TestDigestHoldsWhatRuns(t *testing.T) {
	t.Parallel()
	digest := func(run string) string {
		t.Helper()
		f, err := config.Parse("c.yaml", "", []byte("methods:\n  say:\n    summary: Say it.\n    effect: read\n    run: "+run+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		methods, _, err := Build(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := registry.Prepare(methods[0])
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest()
	}
	seen := map[string]string{}
	for _, run := range []string{
		"[echo, a]", "[echo, b]", "{argv: [echo, a], env: {A: b}}", "{argv: [echo, a], env: {A: c}}", "{argv: [echo, a], ok_exit: [0, 1]}",
		"{argv: [echo, a], output: json}", "{argv: [echo, a], allow_dash: true}", "{argv: [echo, a], cwd: /}", "[/bin/echo, a]",
	} {
		d := digest(run)
		if d != digest(run) {
			t.Errorf("%s: two digests", run)
		}
		if other, taken := seen[d]; taken {
			t.Errorf("%s and %s have one digest", run, other)
		}
		seen[d] = run
	}
}
