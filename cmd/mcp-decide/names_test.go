package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// What validate lets through, the guard takes: no file that is said to be sound fails to be served.
func TestSoundNamesAreServed(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "config", "testdata", "good", "serving.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := config.Parse("serving.yaml", "", data)
	if err != nil {
		t.Fatal(err)
	}
	if err := taken(f); err != nil {
		t.Error(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(
			rapid.StringMatching(`([a-zA-Z0-9_-]{0,3}\.){0,3}[a-zA-Z0-9_-]{0,64}(:[0-9]{0,6})?`),
			rapid.StringMatching(`\[?[0-9a-f:]{0,12}(%[a-z]{1,3})?\]?(:[0-9]{0,5})?`),
			rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){0,4}(:[0-9]{1,5})?`),
		).Draw(t, "name")
		scheme := rapid.SampledFrom([]string{"http", "https", "HTTPS", "vscode-webview", "a+b.c", "1a", ""}).Draw(t, "scheme")
		for key, value := range map[string]any{
			"allowed_hosts": []string{name}, "allowed_origins": []string{scheme + "://" + name}, "resource": scheme + "://" + name + "/mcp",
		} {
			http := map[string]any{key: value}
			if key == "resource" {
				http["issuers"] = []any{value}
			}
			text, _ := json.Marshal(map[string]any{"methods": map[string]any{"now": map[string]any{"summary": "The time.", "value": 1}}, "http": http})
			f, err := config.Parse("c.yaml", "", text)
			if err != nil {
				continue
			}
			if err := taken(f); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

// taken is what the guard says of a file.
func taken(f *config.File) error {
	_, err := guard.New(guardOptions(&setup{found: &found{file: f}}, &listening{unauthenticated: true}, nil, newMetrics()))
	if err != nil {
		return fmt.Errorf("the guard does not take it: %w", err)
	}
	return nil
}
