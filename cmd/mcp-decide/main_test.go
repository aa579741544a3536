package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestMain(m *testing.M) {
	testscript.Main(apart{m}, map[string]func(){"mcp-decide": main})
}

// apart runs tests away from what the user of this machine has: what a server remembers must not come among that. A test whose commands keep something gives them
// a home of their own, so that no two tests share a store.
type apart struct{ m *testing.M }

func (a apart) Run() int {
	dir, err := os.MkdirTemp("", "mcp-decide-state-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"XDG_STATE_HOME", "LocalAppData"} {
		if err := os.Setenv(name, dir); err != nil {
			panic(err)
		}
	}
	for _, o := range slices.Concat(options, serveOptions) {
		if err := os.Unsetenv(o.env); err != nil {
			panic(err)
		}
	}
	code := a.m.Run()
	if _, err := os.Stat(filepath.Join(dir, "mcp-decide", "store.db")); err == nil {
		fmt.Fprintln(os.Stderr, "FAIL: a test has used the store that is shared by all of them; give its commands a home of their own")
		return 1
	}
	return code
}

// The command as users type it.
func TestScripts(t *testing.T) {
	t.Parallel()
	orders := ordersDesk(t)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"damage": damage, "exits": exits, "serves": serves, "shown": shown},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("ORDERS", orders)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(home, ".state"))
			env.Setenv("LocalAppData", filepath.Join(home, ".state"))
			return os.MkdirAll(home, 0o700)
		},
	})
}

// turnIDs are random; what is shown to people has always the same one.
var turnIDs = regexp.MustCompile(`\bturn [0-9a-z]{4}-`)

// shown stdout|stderr makes a file "shown" of the last output, with a fixed id in place of a turn's own.
func shown(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shown stdout|stderr")
	}
	text := turnIDs.ReplaceAllString(ts.ReadFile(args[0]), "turn k7m2-")
	ts.Check(os.WriteFile(ts.MkAbs("shown"), []byte(text), 0o600))
}

// exits CODE PROGRAM ARG... runs a program that has to end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	code := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		code = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// runsCommand is a line of a script that runs the command.
var runsCommand = regexp.MustCompile(`^(?:! )?(?:exec|serves) (mcp-decide .*)$`)

// damage FOLDER leaves half of each record in it.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FOLDER")
	}
	records, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.json"))
	ts.Check(err)
	if len(records) == 0 {
		ts.Fatalf("there is no record in %s", args[0])
	}
	for _, r := range records {
		info, err := os.Stat(r)
		ts.Check(err)
		ts.Check(os.Truncate(r, info.Size()/2))
	}
}

// The tour in the README is the script tour.txtar: the same commands with the same output.
func TestTour(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "script", "tour.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	steps := 0
	var command string
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		if m := runsCommand.FindStringSubmatch(line); m != nil {
			command = "$ " + m[1] + "\n"
			continue
		}
		want, ok := strings.CutPrefix(line, "cmp shown ")
		if !ok {
			continue
		}
		steps++
		output := files[want]
		at := strings.Index(readme, "```console\n"+command)
		if at < 0 {
			t.Errorf("README.md does not show the step\n%s", command)
			continue
		}
		start := at + len("```console\n"+command)
		end := start + strings.Index(readme[start:], "```\n")
		if got := readme[start:end]; got != output {
			if !*update {
				t.Errorf("README.md shows after %s%s\nbut it prints\n%s", command, got, output)
			}
			readme = readme[:start] + output + readme[end:]
		}
	}
	if steps < 8 {
		t.Errorf("the tour has %d steps with output; did the script change its form?", steps)
	}
	if shown := strings.Count(readme, "```console\n$ mcp-decide "); shown != steps {
		t.Errorf("README.md shows %d commands and the tour checks %d", shown, steps)
	}
	if *update {
		if err := os.WriteFile(path, []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
