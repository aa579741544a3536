package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/config"
)

const watchedText = "methods:\n  one: {summary: Say one., value: 1}\n"

// sandbox is a folder in which a test changes things by short paths.
type sandbox struct {
	*testing.T
	dir string
}

func newSandbox(t *testing.T) *sandbox {
	dir, err := filepath.EvalSymlinks(t.TempDir()) // else every path would lead over the same links
	if err != nil {
		t.Fatal(err)
	}
	return &sandbox{t, dir}
}

func (s *sandbox) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *sandbox) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *sandbox) write(name, text string) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	s.must(os.WriteFile(s.path(name), []byte(text), 0o600))
}

func (s *sandbox) rename(from, to string) {
	s.Helper()
	s.must(os.Rename(s.path(from), s.path(to)))
}

func (s *sandbox) remove(name string) { s.Helper(); s.must(os.RemoveAll(s.path(name))) }

// link makes name lead to target, in the place of what was there.
func (s *sandbox) link(target, name string) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(name)), 0o700))
	s.must(os.Symlink(target, s.path(name)+".new"))
	s.rename(name+".new", name)
}

// Every change of what the path leads to is told; what else happens around it is not.
func TestWatch(t *testing.T) {
	t.Parallel()
	const other = "methods:\n  one: {summary: Say two., value: 2}\n"
	for _, tc := range []struct {
		name string
		file string // what is watched
		make func(*sandbox)
		then []func(*sandbox) // each is told before the next
	}{
		{"written in place", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.write("c.yaml", other) },
			func(s *sandbox) { s.write("c.yaml", watchedText) },
		}},
		{"written in several steps", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) {
				for i := range len(other) {
					s.write("c.yaml", other[:i+1])
				}
			},
		}},
		{"renamed over", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.write("c.yaml~", other); s.rename("c.yaml~", "c.yaml") },
			func(s *sandbox) { s.write("c.yaml~", watchedText); s.rename("c.yaml~", "c.yaml") },
		}},
		{"deleted and there again", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.remove("c.yaml") },
			func(s *sandbox) { s.write("c.yaml", watchedText) },
			func(s *sandbox) { s.remove("c.yaml"); s.write("c.yaml", other) },
		}},
		{"other files", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) {
				s.write("d.yaml", other)
				s.write("c.yaml.bak", other)
				s.write("c.yaml", watchedText)
				s.remove("d.yaml")
				s.write("below/c.yaml", other)
				s.write("c.yaml", other)
			},
		}},
		{"a folder of links", "conf/c.yaml", func(s *sandbox) { // as a cluster mounts a configuration
			s.write("conf/..1/c.yaml", watchedText)
			s.link("..1", "conf/..data")
			s.link(filepath.Join("..data", "c.yaml"), "conf/c.yaml")
		}, []func(*sandbox){
			func(s *sandbox) {
				s.write("conf/..2/c.yaml", other)
				s.link("..2", "conf/..data")
				s.remove("conf/..1")
			},
			func(s *sandbox) { s.write("conf/..2/c.yaml", watchedText) },
		}},
		{"a link into another folder", "c.yaml", func(s *sandbox) {
			s.write("far/one.yaml", watchedText)
			s.write("far/two.yaml", other)
			s.link(filepath.Join("far", "c.yaml"), "c.yaml")
			s.link(s.path("far/one.yaml"), "far/c.yaml")
		}, []func(*sandbox){
			func(s *sandbox) { s.link("two.yaml", "far/c.yaml") },
			func(s *sandbox) { s.write("far/two.yaml", watchedText) },
			func(s *sandbox) { s.link(filepath.Join("nowhere", "c.yaml"), "c.yaml") },
			func(s *sandbox) { s.write("nowhere/c.yaml", other) },
		}},
		{"a link on the way", "app/current/conf/c.yaml", func(s *sandbox) {
			s.write("app/releases/1/conf/c.yaml", watchedText)
			s.write("app/releases/2/conf/c.yaml", other)
			s.link(filepath.Join("releases", "1"), "app/current")
		}, []func(*sandbox){
			func(s *sandbox) { s.link(filepath.Join("releases", "2"), "app/current") },
			func(s *sandbox) { s.write("app/releases/2/conf/c.yaml", watchedText) },
		}},
		{"a folder that goes and comes", "conf/c.yaml", func(s *sandbox) { s.write("conf/c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.remove("conf") },
			func(s *sandbox) { s.write("conf/c.yaml", other) },
			func(s *sandbox) { s.write("conf/c.yaml", watchedText) },
			func(s *sandbox) { s.remove("conf"); s.write("conf/c.yaml", other) },
			func(s *sandbox) { s.write("conf/c.yaml", watchedText) },
		}},
		{"a folder in the place of another", "conf/c.yaml", func(s *sandbox) { s.write("conf/c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.write("next/c.yaml", other); s.rename("conf", "before"); s.rename("next", "conf") },
			func(s *sandbox) { s.write("before/c.yaml", other); s.write("conf/c.yaml", watchedText) },
		}},
		{"permissions", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.must(os.Chmod(s.path("c.yaml"), 0o640)) },
		}},
		{"the record", "c.yaml", func(s *sandbox) { s.write("c.yaml", watchedText) }, []func(*sandbox){
			func(s *sandbox) { s.write("state/record", "1") },
			func(s *sandbox) {
				s.write("state/new", "2")
				s.write("state/lock", "")
				s.rename("state/new", "state/record")
			},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			tc.make(s)
			s.must(os.MkdirAll(s.path("state"), 0o700))
			f, err := config.Load(s.path(tc.file))
			s.must(err)
			probe := &watcher{path: s.path(tc.file), record: s.path("state/record")}
			told := make(chan look, 100)
			w, err := watchFile(f, probe.record, func(l look) { told <- l }, slog.New(slog.DiscardHandler))
			s.must(err)
			defer w.close()
			before := probe.look()
			for i, change := range tc.then {
				change(s)
				want := probe.look()
				for before != want { // what is seen half way, on a slow machine, is a change too
					now := <-told
					if now == before {
						t.Errorf("change %d: nothing had changed when it was told", i)
					}
					before = now
				}
			}
			w.close()
			if left := w.notify.WatchList(); len(told) > 0 || len(left) > 0 {
				t.Errorf("told %d times too often; after the end %q are watched", len(told), left)
			}
		})
	}
}

// What has changed since the file was loaded, and before it was watched, is told at once.
func TestWatchFromTheStart(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("c.yaml", watchedText)
	f, err := config.Load(s.path("c.yaml"))
	s.must(err)
	for _, text := range []string{watchedText, watchedText + "# more\n"} {
		s.write("c.yaml", text)
		told := 0
		w, err := watchFile(f, "", func(look) { told++ }, slog.New(slog.DiscardHandler))
		s.must(err)
		w.close()
		if want := min(1, len(text)-len(watchedText)); told != want {
			t.Errorf("told %d times of %q, want %d", told, text, want)
		}
	}
}

func TestFoldersOf(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("real/deep/c.yaml", watchedText)
	s.link(filepath.Join("real", "deep"), "short")
	s.link(filepath.Join("..", "short", "c.yaml"), "links/c.yaml")
	s.link(s.path("links/c.yaml"), "far.yaml")
	s.link("loop.yaml", "loop.yaml")
	s.link(filepath.Join("real", "gone", "c.yaml"), "gone.yaml")
	for path, want := range map[string][]string{
		"real/deep/c.yaml":    {"real/deep"},
		"short/c.yaml":        {".", "real/deep"},
		"links/c.yaml":        {"links", ".", "real/deep"},
		"far.yaml":            {".", "links", "real/deep"},
		"loop.yaml":           {"."},
		"gone.yaml":           {".", "real"},
		"nowhere/deep/c.yaml": {"."},
		"real/deep/d.yaml":    {"real/deep"},
		"real/../links/x":     {"links"},
	} {
		var got []string
		for _, dir := range foldersOf(s.path(path)) {
			rel, err := filepath.Rel(s.dir, dir)
			s.must(err)
			got = append(got, filepath.ToSlash(rel))
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
