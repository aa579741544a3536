package config

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestBad: each file in testdata/bad is a configuration and what is said about it.
func TestBad(t *testing.T) {
	t.Parallel()
	cases := glob(t, "testdata/bad/*.txtar")
	if len(cases) < 60 {
		t.Errorf("only %d cases; most of what is said about a file is guarded here alone", len(cases))
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Comment) == 0 || len(a.Files) == 0 {
				t.Fatal("a case has a comment that says what it guards, and a file")
			}
			in := string(a.Files[0].Data)
			f, err := Parse("mcp-decide.yaml", "", a.Files[0].Data)
			got := said(f, err)
			if !strings.Contains(got, "warning: ") && err == nil {
				t.Fatal("nothing is said about it")
			}
			for _, p := range problemsOf(f, err) {
				inside(t, in, p.Pos)
				worded(t, p)
			}
			if *update {
				a.Files = append(a.Files[:1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 {
				t.Fatal("no wanted text; run with -update and read it")
			}
			if diff := cmp.Diff(string(a.Files[1].Data), got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// worded checks that a fix reads as a sentence behind its message.
func worded(t *testing.T, p Problem) {
	t.Helper()
	first, _ := utf8.DecodeRuneInString(p.Fix)
	if p.Fix != "" && !unicode.IsUpper(first) && first != '"' && first != '`' {
		t.Errorf("%s: the fix %q does not start as a sentence", p.Key, p.Fix)
	}
	if p.Message == "" || strings.HasSuffix(p.Message, ".") {
		t.Errorf("%q: no message, or one with a full stop", p)
	}
}

// said is everything that is said about a file, errors first.
func said(f *File, err error) string {
	var b strings.Builder
	if err != nil {
		b.WriteString(err.Error() + "\n")
	}
	if f != nil {
		for _, w := range f.Warnings {
			b.WriteString("warning: " + w.String() + "\n")
		}
	}
	return b.String()
}

func problemsOf(f *File, err error) []Problem {
	var all Errors
	errors.As(err, &all)
	if f != nil {
		return append(all[:len(all):len(all)], f.Warnings...)
	}
	return all
}

// TestGood: the files in testdata/good are read without an error.
func TestGood(t *testing.T) {
	t.Parallel()
	for name, data := range goodFiles(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			if _, err := Parse(filepath.Base(name), "", data); err != nil {
				t.Error(err)
			}
		})
	}
}

func goodFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range glob(t, "testdata/good/*.yaml") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	return files
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no files %s (%v)", pattern, err)
	}
	return names
}
