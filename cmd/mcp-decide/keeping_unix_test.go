//go:build unix

package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

const keptYAML = `server: {name: kept}
methods:
  note: {summary: Note it., effect: write, params: {text: {type: string, description: The text.}}, run: [printf, "noted %s", "{text}"]}
  look: {summary: Look., effect: read, run: [printf, seen]}
decisions:
  settle: {summary: Settle it., prompt: Settle it., options: {note: note, close: {description: Nothing., value: {status: closed}}}}
`

// userStore is where the store of a user is below the state folder of a test.
const userStore = "state/mcp-decide/store.db"

// noteAndLook are the messages of a client that writes, and then reads.
const noteAndLook = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"note","arguments":{"text":"it"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":{}}}
`

// fault is a machine on which the store of the user is not to be had.
type fault struct {
	make   func(*sandbox) // what is there before
	mounts string         // shell, in which %s stands for the folder of the test: what the command finds its disks like
	weak   bool           // the command has no right to go past permissions, as root would
	env    []string
	closed bool   // what was accepted can't be read either, so serve does not start
	slow   bool   // it takes long, so that one command is enough
	there  bool   // there is a store, or something in its place; else there is none and can be none
	said   string // pattern: what is said about it
}

// Rows F2, F3, F7 and F8 as whoever types commands sees them. Where there is no store and none can be made, a command does its work and warns once that nothing
// is kept. Where there is one, or something in its place, that can't be used, nothing runs and it stays as it is.
var faults = map[string]fault{
	"F7 no home":                              {env: []string{"HOME=", "XDG_STATE_HOME="}, said: `neither \$XDG_STATE_HOME nor \$HOME names a folder`},
	"F7 a home that is no folder":             {env: []string{"HOME=/dev/null", "XDG_STATE_HOME="}, said: `/dev/null.*not a directory`},
	"F7 a state folder with too long a name":  {env: []string{"XDG_STATE_HOME=/" + strings.Repeat("x", 300)}, closed: true, said: "file name too long"},
	"F7 a file in the place of the folder":    {make: func(s *sandbox) { s.write("state", "") }, said: "not a directory"},
	"F7 a disk that only reads":               {mounts: "mount -o bind,ro %[1]q %[1]q && mount -o remount,bind,ro %[1]q", said: "read-only file system"},
	"F7 a home that this user can't write in": {make: func(s *sandbox) { s.must(os.Chmod(s.dir, 0o500)) }, weak: true, said: "permission denied"},
	"F7 a state folder of somebody else": {make: func(s *sandbox) {
		s.must(os.MkdirAll(s.path("state/mcp-decide"), 0o700))
		s.must(os.Chmod(s.path("state"), 0o000))
	}, weak: true, closed: true, said: "permission denied"},
	"F2 a full disk": {mounts: "mkdir -p %[1]q/state && mount -t tmpfs -o size=64k none %[1]q/state", said: "no space left"},

	"F2 a store that can only be read": {make: func(s *sandbox) { used(s); s.must(os.Chmod(s.path(userStore), 0o400)) }, weak: true, there: true, said: "permission denied"},
	"F2 a store on a disk that only reads": {
		make: used, mounts: "mount -o bind,ro %[1]q %[1]q && mount -o remount,bind,ro %[1]q", there: true, said: "read-only file system",
	},
	"F3 a text in its place":          {make: func(s *sandbox) { s.write(userStore, strings.Repeat("Dear diary. ", 500)) }, there: true, said: "no SQLite database"},
	"F3 a folder in its place":        {make: func(s *sandbox) { s.must(os.MkdirAll(s.path(userStore), 0o700)) }, there: true, said: "is a directory"},
	"F3 a link that leads nowhere":    {make: func(s *sandbox) { s.link(s.path("disk/gone.db"), userStore) }, there: true, said: "no such file"},
	"F3 damaged":                      {make: func(s *sandbox) { used(s); halve(s) }, there: true, said: "the file is damaged: keep a copy of it"},
	"F3 moved away, and its log left": {make: func(s *sandbox) { s.write(userStore+"-wal", "x") }, there: true, said: "end the programs that still use it and put the file back"},
	"F3 held by another process":      {make: func(s *sandbox) { used(s); hold(s) }, slow: true, there: true, said: "held by another process"},
	"F8 made by a newer version": {make: func(s *sandbox) {
		used(s)
		s.sql("INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	}, there: true, said: "newer version"},
}

func TestStoreThatCannotBeHad(t *testing.T) {
	t.Parallel()
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			t.Cleanup(func() { _ = filepath.WalkDir(s.dir, openUp) })
			s.write("c.yaml", keptYAML)
			if f.make != nil {
				f.make(s)
			}
			before := s.held()
			runs, code := 1, exitDone
			if f.there {
				runs, code = 0, exitNotAvailable
			}
			serves := code
			if f.closed {
				serves = exitUsage
			}
			for _, c := range []struct {
				args, stdin string
				code        int
				out         string // pattern, where a command does its work all the same
				warns       bool
				quiet       bool
			}{
				{args: "list", out: "^NAME", quiet: !f.closed},
				{args: "call note text=it", code: code, out: "^noted it\n$", warns: true},
				{args: "decide settle --answer - --format json", stdin: `{"call": "note", "args": {"text": "it"}}`, code: code, out: "noted it", warns: true},
				{args: "serve", stdin: noteAndLook, code: serves, out: "(?s)noted it.*seen|seen.*noted it", warns: true},
				{args: "decide settle --turn k7m2-1 --answer -", stdin: `{"call": "close"}`, code: exitNotAvailable},
				{args: "trace ls", code: exitNotAvailable},
			} {
				if f.slow && c.args != "serve" {
					continue
				}
				out, errs, got := f.run(s, c.args, c.stdin)
				works := c.code == exitDone
				if works != regexp.MustCompile(c.out).MatchString(out) && c.out != "" || got != c.code {
					t.Errorf("%s: exit code %d, want %d; it printed %q and %q", c.args, got, c.code, out, errs)
				}
				said := f.said
				if c.args == "trace ls" {
					said += "|there is no store at" // it makes none
				}
				warnings := strings.Count(errs, "kept in memory and end with this process")
				if c.warns && warnings != runs || !c.warns && warnings > 0 || c.quiet != (errs == "") || c.args != "list" && !regexp.MustCompile(said).MatchString(errs) {
					t.Errorf("%s: it says\n%s", c.args, errs)
				}
			}
			if after := s.held(); f.there && after != before {
				t.Errorf("what is there was changed:\n%s\nbefore:\n%s", after, before)
			}
		})
	}
}

// command is a command line as the machine of the fault runs it.
func (f fault) command(s *sandbox, args string) *exec.Cmd {
	s.Helper()
	words := []string{"sh", "-c", `exec "$@"`, "sh"}
	if f.mounts != "" {
		mounts := "mount --make-rprivate / && " + fmt.Sprintf(f.mounts, s.dir)
		if out, err := exec.Command("unshare", "-m", "sh", "-c", mounts).CombinedOutput(); err != nil {
			s.Skipf("nobody here may give a process other disks: %v: %s", err, out)
		}
		words = []string{"unshare", "-m", "sh", "-c", mounts + ` && exec "$@"`, "sh"}
	}
	if f.weak && os.Getuid() == 0 {
		if err := exec.Command("setpriv", "--bounding-set=-all", "--inh-caps=-all", "true").Run(); err != nil {
			s.Skip("root goes past permissions, and can't be kept from it here: ", err)
		}
		words = append(words, "setpriv", "--bounding-set=-all", "--inh-caps=-all")
	}
	words = append(append(words, "mcp-decide"), strings.Fields(args)...)
	words = append(words, "--config", s.path("c.yaml"), "--log-format", "json")
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(s.environment(), f.env...)
	cmd.Dir = "/"
	return cmd
}

// run runs a command line to its end.
func (f fault) run(s *sandbox, args, stdin string) (out, errs string, code int) {
	s.Helper()
	cmd := f.command(s, args)
	var o, e bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &o, &e
	_ = cmd.Run() // its exit code is looked at
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// used makes a store and keeps something in it.
func used(s *sandbox) {
	s.Helper()
	if _, errs, code := (fault{}).run(s, "call note text=before", ""); code != exitDone {
		s.Fatal(errs)
	}
}

// halve damages the second half of the store.
func halve(s *sandbox) {
	s.Helper()
	text, err := os.ReadFile(s.path(userStore))
	s.must(err)
	copy(text[4096:], bytes.Repeat([]byte{0xff}, len(text)))
	s.write(userStore, string(text))
}

// hold holds the store's lock until the test ends.
func hold(s *sandbox) {
	s.Helper()
	f, err := os.Open(s.path(userStore + ".lock"))
	s.must(err)
	s.must(syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
	s.Cleanup(func() { f.Close() })
}

// sql changes the store by hand.
func (s *sandbox) sql(statement string) {
	s.Helper()
	db, err := sql.Open("sqlite", s.path(userStore))
	s.must(err)
	_, err = db.Exec(statement)
	s.must(err)
	s.must(db.Close())
}

// held is what is in the place of the store.
func (s *sandbox) held() string {
	info, err := os.Lstat(s.path(userStore))
	if err != nil {
		return err.Error()
	}
	text, _ := os.ReadFile(s.path(userStore))
	return fmt.Sprintf("%v, %d bytes, %x", info.Mode(), info.Size(), text)
}

// openUp gives back the permissions that a test took, else its folder can't be removed.
func openUp(path string, d fs.DirEntry, _ error) error {
	if d != nil && d.IsDir() {
		return os.Chmod(path, 0o700)
	}
	return nil
}

// Rows F2 and F3: what happens to the store while a server has it open. Writes are refused with the reason while it can't be written, reads go on, and when it is
// as it was, so is the server.
func TestStoreThatIsLost(t *testing.T) {
	t.Parallel()
	away := func(s *sandbox, _ string) { s.rename(userStore, "elsewhere.db") }
	back := func(s *sandbox, _ string) { s.rename("elsewhere.db", userStore) }
	for name, c := range map[string]struct {
		mounts string // as in fault
		lose   func(s *sandbox, root string)
		back   func(s *sandbox, root string)
		said   string
		other  string // pattern: what another command says meanwhile
	}{
		"F3 moved away":                          {lose: away, back: back, said: "removed or replaced", other: "is gone, and its log"},
		"F3 another in its place":                {lose: func(s *sandbox, _ string) { away(s, ""); s.write(userStore, "") }, back: back, said: "removed or replaced"},
		"F3 removed with all that belongs to it": {lose: func(s *sandbox, _ string) { s.remove("state/mcp-decide") }, said: "removed or replaced"},
		"F3 a folder in its place": {
			lose: func(s *sandbox, _ string) { away(s, ""); s.must(os.Mkdir(s.path(userStore), 0o700)) },
			back: func(s *sandbox, _ string) { s.remove(userStore); back(s, "") },
			said: "removed or replaced", other: "is a directory",
		},
		"F2 the disk is full": {
			mounts: "mkdir -p %[1]q/state && mount -t tmpfs -o size=2m none %[1]q/state",
			lose:   func(s *sandbox, root string) { fill(s, root+s.path("state/filler")) },
			back:   func(s *sandbox, root string) { s.must(os.Remove(root + s.path("state/filler"))) },
			said:   "disk is full",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.write("c.yaml", keptYAML)
			p := greet(launched(s, fault{mounts: c.mounts}.command(s, "serve")))
			root := fmt.Sprintf("/proc/%d/root", p.cmd.Process.Pid) // with the disks as the server sees them
			note := func() string { return string(p.ask("tools/call", `{"name":"note","arguments":{"text":"it"}}`).Result) }
			look := func() string { return string(p.ask("tools/call", `{"name":"look","arguments":{}}`).Result) }
			if got := note(); !strings.Contains(got, "noted it") {
				t.Fatal(got)
			}
			c.lose(s, root)
			for range 3 {
				if got := note(); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, c.said) || strings.Contains(got, "noted") || strings.Contains(got, s.dir) {
					t.Errorf("a write: %s", got)
				}
				if got := look(); !strings.Contains(got, "seen") {
					t.Errorf("a read: %s", got)
				}
			}
			if c.other != "" {
				if out, errs, code := (fault{}).run(s, "call note text=other", ""); code != exitNotAvailable || out != "" || !regexp.MustCompile(c.other).MatchString(errs) {
					t.Errorf("another command: exit code %d, %q, %s", code, out, errs)
				}
			}
			if c.back != nil {
				c.back(s, root)
				if got := note(); !strings.Contains(got, "noted it") {
					t.Errorf("a write when it is back: %s", got)
				}
			}
		})
	}
}

// fill fills a disk by a file.
func fill(s *sandbox, path string) {
	s.Helper()
	f, err := os.Create(path)
	s.must(err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// Row F3: a store that is gone, with no process that has it open, is made anew, and that is said.
func TestStoreThatIsGone(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", keptYAML)
	used(s)
	s.remove(userStore)
	for i, warns := range []bool{true, false} {
		out, errs, code := (fault{}).run(s, "call look", "")
		if code != exitDone || out != "seen\n" || strings.Contains(errs, "not there any more, so a new one was made") != warns {
			t.Errorf("start %d: exit code %d: %s%s", i+1, code, out, errs)
		}
	}
}
