//go:build unix

package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// X2: a program that is not there, or can't be run, turns its method off before anything is called.
func TestPrograms(t *testing.T) {
	t.Parallel()
	h := machine(t, nil)
	for name, mode := range map[string]os.FileMode{"tool": 0o755, "plain": 0o644, "bin/inner": 0o755} {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$0 ran\"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ program, off, out string }{
		{program: "./tool", out: filepath.Join(h.dir, "tool") + " ran"},
		{program: "bin/inner", out: filepath.Join(h.dir, "bin/inner") + " ran"},
		{program: filepath.Join(h.dir, "tool"), out: filepath.Join(h.dir, "tool") + " ran"},
		{program: "tool", off: "the program tool was not found"}, // the file's folder is not on PATH
		{program: "no-such-program-7f3a", off: "the program no-such-program-7f3a was not found"},
		{program: "./none", off: "the program ./none can't be run: no such file or directory"},
		{program: "./plain", off: "the program ./plain is not executable"},
		{program: "./bin", off: "the program ./bin"},
	} {
		m, warnings := built(t, h, config.Method{Command: &config.Command{Argv: argvOf(t, test.program)}})
		if !strings.HasPrefix(m.Off, test.off) || (m.Off == "") != (test.off == "") {
			t.Errorf("%s: off: got %q, want %q", test.program, m.Off, test.off)
			continue
		}
		out, err := m.Run(t.Context(), nil)
		if test.off == "" {
			if err != nil || out != test.out {
				t.Errorf("%s: got %q, %v; want %q", test.program, out, err, test.out)
			}
			continue
		}
		if err == nil || stateOf(t, registry.Destructive, err) != registry.NotRun {
			t.Errorf("%s: a run of it: %v, %v", test.program, out, err)
		}
		if len(warnings) != 1 || warnings[0].Key != "methods.m.run.argv[0]" || warnings[0].Fix == "" {
			t.Errorf("%s: warnings: %+v", test.program, warnings)
		}
	}
}

// A program is chosen once: what happens to PATH or the folder later does not matter, and one that is gone was not run.
func TestProgramIsChosenAtLoad(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for _, d := range []string{dir, other} {
		if err := os.WriteFile(filepath.Join(d, "chosen-7f3a"), []byte("#!/bin/sh\necho "+d+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir) // so it can't be parallel
	m := runnable(t, &config.Command{Argv: argvOf(t, "chosen-7f3a")})
	t.Setenv("PATH", other)
	if out, err := m.Run(t.Context(), nil); err != nil || out != dir {
		t.Errorf("got %q, %v; want %q", out, err, dir)
	}
	if err := os.Remove(filepath.Join(dir, "chosen-7f3a")); err != nil {
		t.Fatal(err)
	}
	_, err := m.Run(t.Context(), nil)
	if want := "starting chosen-7f3a: no such file or directory"; err == nil || err.Error() != want || stateOf(t, registry.Write, err) != registry.NotRun {
		t.Errorf("got %v, want %q and not run", err, want)
	}
}

// A file that the system can't start was not run.
func TestNoProgramAtAll(t *testing.T) {
	t.Parallel()
	h := machine(t, nil)
	if err := os.WriteFile(filepath.Join(h.dir, "junk"), []byte("junk\x00\x01"), 0o755); err != nil {
		t.Fatal(err)
	}
	m, _ := built(t, h, config.Method{Command: &config.Command{Argv: argvOf(t, "./junk")}})
	_, err := m.Run(t.Context(), nil)
	if err == nil || !strings.Contains(err.Error(), "exec format error") || stateOf(t, registry.Write, err) != registry.NotRun {
		t.Errorf("got %v", err)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	h := machine(t, nil)
	if err := os.WriteFile(filepath.Join(h.dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for cwd, want := range map[string]string{
		"none": "the folder " + filepath.Join(h.dir, "none") + " can't be used: no such file or directory",
		"file": filepath.Join(h.dir, "file") + " is not a folder",
	} {
		c := childCommand(t, "dir")
		c.Cwd = cwd
		if m, _ := built(t, h, config.Method{Command: c}); m.Off != want {
			t.Errorf("%s: off: got %q, want %q", cwd, m.Off, want)
		}
	}
}

// setuidFile is a file as the system describes one.
type setuidFile struct {
	mode fs.FileMode
	uid  uint32
}

func (f setuidFile) Name() string       { return "tool" }
func (f setuidFile) Size() int64        { return 1 }
func (f setuidFile) Mode() fs.FileMode  { return f.mode }
func (f setuidFile) ModTime() time.Time { return time.Time{} }
func (f setuidFile) IsDir() bool        { return false }
func (f setuidFile) Sys() any           { return &syscall.Stat_t{Uid: f.uid} }

// X2: a program that would run as somebody else can't be stopped, so it is not started.
func TestSetuid(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		file    setuidFile
		euid    int
		refused bool
	}{
		{"a user runs root's", setuidFile{0o755 | fs.ModeSetuid, 0}, 1000, true},
		{"a user runs another's", setuidFile{0o755 | fs.ModeSetuid, 1001}, 1000, true},
		{"a user runs his own", setuidFile{0o755 | fs.ModeSetuid, 1000}, 1000, false},
		{"root can stop anything", setuidFile{0o755 | fs.ModeSetuid, 1000}, 0, false},
		{"no such bit", setuidFile{0o755, 0}, 1000, false},
	} {
		trouble, fix := privileged("tool", test.file, test.euid)
		if (trouble != "") != test.refused || (fix != "") != test.refused {
			t.Errorf("%s: got %q, %q", test.name, trouble, fix)
		}
		if test.refused {
			worded(t, []config.Problem{{Message: trouble, Fix: fix}})
		}
	}
}
