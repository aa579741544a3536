package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txtar")

// TestConversations plays testdata/*.txtar: each has the lines that a client sends, and what comes back. Lines are sent one
// after the other, each after the answer to the last; one that starts with ~ is sent without the ~ and gets no
// answer; one that starts with # is a remark. Texts stand below their answer, line by line; of what the engine says about
// a turn, and of long texts, the first line, since its words are tested where they are made.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, archive.Files[0].Data)
			if *update {
				archive.Files = []txtar.File{archive.Files[0], {Name: "out", Data: got}}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), string(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), string(playHTTP(t, archive.Files[0].Data))); diff != "" {
				t.Errorf("over HTTP it goes another way (-stdio +HTTP):\n%s", diff)
			}
		})
	}
}

var talk = Options{Name: "desk", Title: "Support desk", Version: "1.2.3", Instructions: "Settle support tickets one at a time.", Notice: "A test."}

func play(t *testing.T, in []byte) []byte {
	p := connect(t, newDesk().server(t, talk))
	var out bytes.Buffer
	for line := range strings.Lines(string(in)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "", strings.HasPrefix(line, "#"):
			fmt.Fprintln(&out, line)
		case strings.HasPrefix(line, "~"):
			p.send(line[1:])
		default:
			p.send(line)
			out.Write(shown(t, p.next().line))
		}
	}
	for _, a := range p.end() {
		out.WriteString("LEFT OVER ")
		out.Write(shown(t, a.line))
	}
	return out.Bytes()
}

// shown is an answer for readers: its JSON without the texts, then the texts.
func shown(t *testing.T, line []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	var texts []string
	v = takeTexts(v, &texts)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > 8 || len(lines) > 1 && bytes.Contains(line, []byte(metaTurn)) {
			lines = []string{lines[0], "…"}
		}
		out.WriteString("  | " + strings.Join(lines, "\n  | ") + "\n")
	}
	return out.Bytes()
}

// takeTexts puts … where a text of several words stands, and keeps the text.
func takeTexts(v any, texts *[]string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = takeTexts(v[i], texts)
		}
	case map[string]any:
		for key, member := range v {
			text, ok := member.(string)
			if (key == "text" || key == "instructions" || key == "message") && ok {
				*texts = append(*texts, text)
				v[key] = "…"
				continue
			}
			if key != "inputSchema" {
				v[key] = takeTexts(member, texts)
			}
		}
	}
	return v
}
