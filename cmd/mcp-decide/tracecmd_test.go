package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/trace"
)

// TestTrees: the records of a file, the id that is asked for, and the tree that is shown, as text and as JSON; -update writes both.
func TestTrees(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "trees", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no files")
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range a.Files {
				part[f.Name] = string(f.Data)
			}
			kept := trace.NewMemory(trace.Limits{})
			for line := range strings.Lines(part["records"]) {
				var r trace.Record
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				kept.Record(context.Background(), r)
			}
			tree, _, err := trace.Look{}.Find(t.Context(), kept, strings.TrimSpace(part["id"]))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := encode(tree)
			if err != nil {
				t.Fatal(err)
			}
			text, asJSON := treeText(tree, time.UTC), indent(escaped(raw))+"\n"
			if strings.ContainsFunc(text, hostile) {
				t.Errorf("the text can harm a terminal: %q", text)
			}
			if *update {
				out := txtar.Archive{Comment: a.Comment, Files: []txtar.File{
					{Name: "id", Data: []byte(part["id"])}, {Name: "records", Data: []byte(part["records"])}, {Name: "text", Data: []byte(text)}, {Name: "json", Data: []byte(asJSON)},
				}}
				if err := os.WriteFile(path, txtar.Format(&out), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(part["text"], text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(part["json"], asJSON); diff != "" {
				t.Errorf("JSON (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 1234: "1µs", 23_456_789: "23.5ms", 999_999: "1ms", 1_234_567_890: "1.23s", 59_994 * time.Millisecond: "59.99s",
		61_600 * time.Millisecond: "1m2s", 3*time.Hour + 29*time.Minute: "3h29m0s", -5 * time.Millisecond: "-5ms",
	} {
		if got := took(d); got != want {
			t.Errorf("%d ns is %s, want %s", d, got, want)
		}
	}
}

// TestTracesPage: docs/traces.md shows the tree that is really shown, names every field of a record, every filter, every variable and every number, and has an example of a file that can be read.
func TestTracesPage(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "traces.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	a, err := txtar.ParseFile(filepath.Join("testdata", "trees", "turn.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if f.Name == "text" && !strings.Contains(page, "\n```\n"+string(f.Data)+"```\n") {
			t.Errorf("it does not show this tree:\n%s", f.Data)
		}
	}
	var names []string
	for f := range reflect.TypeFor[trace.Record]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	(&app{}).traceListCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "format" {
			names = append(names, "--"+f.Name)
		}
	})
	source, err := os.ReadFile(filepath.Join("..", "..", "trace", "otlp", "env.go"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, regexp.MustCompile(`OTEL_[A-Z_]*[A-Z]\b`).FindAllString(string(source), -1)...)
	numbers := make(chan *prometheus.Desc, 10)
	(&records{}).Describe(numbers)
	close(numbers)
	for d := range numbers {
		names = append(names, regexp.MustCompile(`mcp_decide_\w+`).FindString(d.String()))
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("it does not name %s", name)
		}
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(page)
	if example == nil {
		t.Fatal("there is no example of a file")
	}
	if _, err := config.Parse("c.yaml", ".", []byte(example[1]+"methods: {m: {summary: M., value: 1}}\n")); err != nil {
		t.Errorf("the example of a file: %v", err)
	}
}
