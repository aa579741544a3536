package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"
	"github.com/mcp-decide/mcp-decide/config"
)

// One method a file, and everything that is made of it side by side: what show prints. A drift between two views
// is one diff.
func TestViews(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join("testdata", "views", "*.txtar"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d views: %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Comment) == 0 || len(archive.Files) == 0 || archive.Files[0].Name != "method.yaml" {
				t.Fatal("a view starts with a comment that says what it guards, then method.yaml")
			}
			got := &txtar.Archive{Comment: archive.Comment}
			for _, v := range viewsOfText(t, archive.Files[0].Data) {
				got.Files = append(got.Files, txtar.File{Name: v.name, Data: []byte(v.text)})
			}
			showPrints(t, got)
			if *update {
				if err := os.WriteFile(path, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("views differ (-want +got):\n%s", diff)
			}
		})
	}
}

func viewsOfText(t *testing.T, data []byte) []view {
	t.Helper()
	f, err := config.Parse("method.yaml", t.TempDir(), data)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Methods) != 1 {
		t.Fatal(fmt.Errorf("%d methods in a view of one", len(f.Methods)))
	}
	s, err := build(&found{file: f, data: data}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	m, ok := s.engine.View().Methods.Find(f.Methods[0].Name)
	if !ok {
		t.Fatal("the method is gone")
	}
	views, err := viewsOf(s, m)
	if err != nil {
		t.Fatal(err)
	}
	return views
}

// showPrints runs show as a user does, and compares what it prints with the views.
func showPrints(t *testing.T, want *txtar.Archive) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "method.yaml")
	if err := os.WriteFile(path, want.Files[0].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(string(want.Files[0].Data), "methods:\n")), ":")
	texts := map[string]string{}
	for _, f := range want.Files {
		texts[f.Name] = string(f.Data)
	}
	if diff := cmp.Diff(safe(string(txtar.Format(&txtar.Archive{Files: want.Files}))), shownBy(t, name, path)); diff != "" {
		t.Errorf("show prints something else (-views +show):\n%s", diff)
	}
	var object map[string]string
	line := shownBy(t, name, path, "--format", "json")
	if err := json.Unmarshal([]byte(line), &object); err != nil || strings.Count(line, "\n") != 1 {
		t.Fatalf("not one line of JSON: %v in %s", err, line)
	}
	if diff := cmp.Diff(texts, object); diff != "" {
		t.Errorf("show --format json prints something else (-views +show):\n%s", diff)
	}
}

func shownBy(t *testing.T, name, path string, more ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{out: &output{w: &out}, err: &errs, env: func(string) string { return "" }}
	code := a.run(t.Context(), append([]string{"show", name, "--config", path}, more...))
	if code != exitDone || errs.Len() > 0 {
		t.Fatalf("show %s: exit code %d: %s", name, code, &errs)
	}
	return out.String()
}
