package menu

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/mcp-decide/mcp-decide/registry"
)

var update = flag.Bool("update", false, "rewrite the expected texts in testdata")

// TestStyles renders the options of each testdata/*.txtar in all three styles. The comment on
// top of a file says what it guards.
func TestStyles(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			options := describedOptions(t, archive.Files[0].Data)
			fresh := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
			for _, style := range []Style{Full, Compact, Classic} {
				text := Render(style, options)
				fresh.Files = append(fresh.Files, txtar.File{Name: string(style), Data: []byte(text)})
				if d := cmp.Diff(text, Render(style, options)); d != "" {
					t.Errorf("%s, -first +then:\n%s", style, d)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(fresh), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(fresh))); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// describedOptions reads a list of options, their parameters in the schema language.
func describedOptions(t testing.TB, data []byte) []registry.Option {
	t.Helper()
	var list []struct {
		Name, Summary, Description string
		Effect                     registry.Effect
		Kind                       registry.Kind
		Params, Value              json.RawMessage
		Approval                   *registry.Approval
		Again                      bool
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	var options []registry.Option
	for _, d := range list {
		m := registry.Method{Name: d.Name, Summary: d.Summary, Effect: d.Effect, Kind: d.Kind, Constant: d.Value, Approval: d.Approval, Offer: registry.OfferMenu, Run: nothing}
		if d.Params != nil {
			params, err := registry.ParseParams(d.Params)
			if err != nil {
				t.Fatal(err)
			}
			m.Params = params
		}
		options = append(options, registry.Option{Name: d.Name, Description: d.Description, Method: prepared(t, m), Again: d.Again})
	}
	return options
}
