package validate

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// In testdata/fix a schema stands for the values behind it, each with its Fix.
func TestFix(t *testing.T) {
	t.Parallel()
	var s *Schema
	golden(t, "testdata/fix", func(t *testing.T, kind string, text []byte) (string, bool) {
		if kind == "schema" {
			s = mustCompile(t, string(text))
			return "", false
		}
		problems := s.Check("args", mustDecode(t, string(text)))
		if problems == nil {
			t.Fatalf("nothing is wrong with %s", text)
		}
		e := NewError("method", problems...)
		return string(e.Kind) + "\n" + e.Fix() + "\n", true
	})
}

// In testdata/refuse each text, or schema, stands before its error.
func TestRefuse(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/refuse", func(t *testing.T, kind string, text []byte) (string, bool) {
		var err error
		if kind == "schema" {
			_, err = Compile(text)
		} else {
			_, err = Decode(json.RawMessage(bytes.TrimSuffix(text, []byte("\n"))))
		}
		if err == nil {
			t.Fatalf("%s is taken", text)
		}
		return strings.ReplaceAll(err.Error(), "; at ", "\nat ") + "\n", true
	})
}

// golden runs the archives of a folder: "kind: title" and, if run gives an answer, the wanted one behind it.
func golden(t *testing.T, dir string, run func(t *testing.T, kind string, text []byte) (string, bool)) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) { // one after the other: a schema counts for what follows
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(a.Files); i++ {
				kind, title, _ := strings.Cut(a.Files[i].Name, ": ")
				if title == "" && kind != "schema" {
					continue // the answer to an entry that gave none
				}
				got, answered := "", false
				t.Run(title, func(t *testing.T) { got, answered = run(t, kind, a.Files[i].Data) })
				if !answered {
					continue
				}
				if i++; i == len(a.Files) {
					t.Fatalf("%s: no answer stands behind the last entry", name)
				}
				if *update {
					a.Files[i].Data = []byte(got)
				} else if diff := cmp.Diff(string(a.Files[i].Data), got); diff != "" {
					t.Errorf("%s: -want +got\n%s", title, diff)
				}
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
