package accept

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func store(t *testing.T) *Store {
	return &Store{Dir: filepath.Join(t.TempDir(), "state", "accepted"), Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
}

const desk = "/etc/desk/mcp-decide.yaml"

// What is accepted once is what every later start is held to, until somebody accepts more.
func TestStore(t *testing.T) {
	t.Parallel()
	s := store(t)
	if _, err := s.Load(desk); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("before anything was accepted: %v", err)
	}
	old, wide := surface(map[string][]string{"refund": {"ticket"}}, refund()), people("desk", "agent")
	for i, wantFirst := range []bool{true, false} {
		now := []Surface{old, wide}[i]
		got, first, err := s.First(desk, now)
		if err != nil || first != wantFirst {
			t.Fatalf("start %d: first %v, %v", i, first, err)
		}
		if diff := cmp.Diff(old.Methods, got.Methods); diff != "" {
			t.Errorf("start %d is held to (-want +got):\n%s", i, diff)
		}
	}
	before, err := s.Accept(desk, wide)
	if diff := cmp.Diff(old.Methods, before.Methods); err != nil || diff != "" {
		t.Errorf("accepted: %v, before (-want +got):\n%s", err, diff)
	}
	got, err := s.Load(desk)
	if diff := cmp.Diff(wide, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := s.Load("/etc/desk/other.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another file: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// Of many starts at once one is the first, and all are held to what that one was given.
func TestOneIsFirst(t *testing.T) {
	t.Parallel()
	s := store(t)
	var firsts atomic.Int32
	results := make([]string, 16)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			got, first, err := s.First(desk, people(fmt.Sprint("p", i), ""))
			if err != nil {
				t.Error(err)
			}
			if first {
				firsts.Add(1)
			}
			results[i] = fmt.Sprint(got.Access)
		})
	}
	all.Wait()
	for _, r := range results {
		if r != results[0] {
			t.Errorf("one is held to %s, another to %s", results[0], r)
		}
	}
	if firsts.Load() != 1 {
		t.Errorf("%d were the first", firsts.Load())
	}
}

// A record that says nothing is never "nothing was accepted yet".
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	other := store(t)
	if _, _, err := other.First("/etc/other.yaml", people()); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.ReadFile(other.Path("/etc/other.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		text   string
		newer  bool
		writer bool // everybody may write to it
	}{
		"empty":              {text: ""},
		"half":               {text: `{"version": 1, "file": "` + desk + `", "met`},
		"nothing in it":      {text: `{}`},
		"null":               {text: `null`},
		"no methods":         {text: `{"version": 1, "file": "` + desk + `"}`},
		"of another file":    {text: string(foreign)},
		"two":                {text: strings.Repeat(`{"version": 1, "file": "`+desk+`", "methods": {}}`, 2)},
		"of another shape":   {text: `{"version": 1, "file": "` + desk + `", "methods": []}`},
		"an older form":      {text: `{"version": 0, "file": "` + desk + `", "methods": {}}`},
		"a newer form":       {text: `{"version": 2, "file": "` + desk + `", "methods": {}}`, newer: true},
		"others write to it": {text: `{"version": 1, "file": "` + desk + `", "methods": {}}`, writer: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.writer && runtime.GOOS == "windows" {
				t.Skip("permissions as POSIX has them")
			}
			s := store(t)
			mode := fs.FileMode(0o600)
			if tc.writer {
				mode = 0o606
			}
			if err := errors.Join(os.MkdirAll(s.Dir, 0o700), os.WriteFile(s.Path(desk), []byte(tc.text), 0o600), os.Chmod(s.Path(desk), mode)); err != nil {
				t.Fatal(err)
			}
			now := people("desk", "agent")
			var damaged *DamagedError
			_, first, err := s.First(desk, now)
			if first || err == nil || errors.As(err, &damaged) == tc.newer {
				t.Errorf("first %v, %v", first, err)
			}
			if text, err := os.ReadFile(s.Path(desk)); err != nil || string(text) != tc.text {
				t.Errorf("the record is %q, %v", text, err)
			}
			before, err := s.Accept(desk, now)
			if tc.newer {
				if err == nil {
					t.Error("what a newer version wrote was written over")
				}
				return
			}
			if err != nil || len(before.Methods)+len(before.Access) > 0 {
				t.Errorf("before was %v, %v", before, err)
			}
			if got, err := s.Load(desk); err != nil || cmp.Diff(now, got) != "" {
				t.Errorf("after it was accepted: %v, %v", got, err)
			}
		})
	}
}

// Where nothing can be written, that is what the error says, and nothing was accepted before.
func TestNoFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Store{Dir: filepath.Join(file, "accepted")}
	var write *WriteError
	if _, _, err := s.First(desk, people()); !errors.As(err, &write) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Accept(desk, people()); !errors.As(err, &write) {
		t.Errorf("got %v", err)
	}
}

// The folder and what is in it are the user's alone.
func TestPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions as POSIX has them")
	}
	s := store(t)
	if _, _, err := s.First(desk, people()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]fs.FileMode{s.Dir: 0o700, s.Path(desk): 0o600, filepath.Join(s.Dir, "lock"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}
