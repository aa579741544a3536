// Package layout holds the tests of the project's own shape: which package may import which, where third-party
// libraries may enter, and how large a file may grow.
package layout

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/mcp-decide/mcp-decide/"

// arrows are all imports between packages that are allowed. The leaves validate and trace may be imported by any.
var arrows = map[string][]string{
	"validate":        {},
	"trace":           {},
	"trace/otlp":      {"trace"},
	"registry":        {"validate"},
	"config":          {"registry"},
	"menu":            {"registry"},
	"source":          {"config", "registry"},
	"decide":          {"menu", "registry", "trace"},
	"store":           {"decide", "registry", "trace"},
	"server":          {"decide", "registry", "server/guard", "trace"},
	"server/guard":    {"registry"},
	"internal/accept": {"registry"},
	"cmd/mcp-decide":  {"config", "decide", "internal/accept", "menu", "registry", "server", "server/guard", "source", "store", "trace", "trace/otlp", "validate"},
}

// doors says which of our packages may import a third-party library.
var doors = map[string][]string{
	"github.com/santhosh-tekuri/jsonschema": {"validate"},
	"github.com/mark3labs/mcp-go":           {"server"},
	"go.yaml.in/yaml":                       {"config"},
	"github.com/lmittmann/tint":             {"cmd/mcp-decide"},
	"github.com/fsnotify/fsnotify":          {"cmd/mcp-decide"},
	"github.com/spf13/cobra":                {"cmd/mcp-decide"},
	"code.dny.dev/ssrf":                     {"source"},
	"modernc.org/sqlite":                    {"store"},
	"github.com/pressly/goose":              {"store"},
	"github.com/jackc/pgx":                  {"store"},
	"github.com/prometheus/client_golang":   {"cmd/mcp-decide"},
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportArrows(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		from := strings.TrimPrefix(p.ImportPath, module)
		allowed, ours := arrows[from]
		if !ours {
			// Internal packages and test suites help tests; they are not part of the picture.
			if strings.HasPrefix(from, "internal/") || strings.HasSuffix(from, "test") {
				continue
			}
			t.Errorf("package %s is in no arrow; add it to the picture or move it below internal", from)
			continue
		}
		for _, path := range p.Imports {
			if to, ok := strings.CutPrefix(path, module); ok && !slices.Contains(append([]string{"validate", "trace"}, allowed...), to) {
				t.Errorf("%s imports %s: no such arrow", from, to)
			}
			for library, where := range doors {
				if strings.HasPrefix(path, library) && !slices.Contains(where, from) {
					t.Errorf("%s imports %s, which enters only in %v", from, path, where)
				}
			}
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// A file is one idea; one that is longer than this holds two.
func TestFilesHoldOneIdea(t *testing.T) {
	t.Parallel()
	const most = 500
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "node_modules" || name == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if lines := strings.Count(string(data), "\n"); lines > most {
			t.Errorf("%s has %d lines; does it hold one idea?", path, lines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Every package says in its first lines what it is for.
func TestPackagesHaveDocs(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		dir := filepath.Join("..", "..", filepath.FromSlash(strings.TrimPrefix(p.ImportPath, module)))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		documented := false
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			before, _, _ := strings.Cut(string(data), "\npackage ")
			documented = documented || strings.Contains(before, "// Package ") || strings.Contains(before, "// Command ")
		}
		if !documented {
			t.Errorf("package %s has no package comment", p.ImportPath)
		}
	}
}
