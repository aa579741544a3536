// Package golden reads the files of testdata/golden, which say what the original implementation
// does, and turns their options and functions into ours. Only tests import it.
//
// A line is a fact about the original. Its tag says whether ours has to do the same; see the
// README beside the files.
package golden

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Line is one line of a file.
type Line struct {
	ID   string `json:"id"`
	Tag  string `json:"tag"`  // contract, quirk, overruled, defect; empty in files without tags
	Note string `json:"note"` // why it is worth a line

	Raw json.RawMessage `json:"-"` // the whole line
}

// Lines reads a file of testdata/golden, like "menus.jsonl".
func Lines(t testing.TB, file string) []Line {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root(t), "testdata", "golden", file))
	if err != nil {
		t.Fatal(err)
	}
	var lines []Line
	scan := bufio.NewScanner(bytes.NewReader(data))
	scan.Buffer(nil, len(data)+1)
	for scan.Scan() {
		line := Line{Raw: json.RawMessage(bytes.Clone(scan.Bytes()))}
		line.Decode(t, &line)
		lines = append(lines, line)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// Decode reads the line into a struct of the test's own. Numbers in any are json.Number.
func (l Line) Decode(t testing.TB, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(l.Raw))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", l.ID, err)
	}
}

// root is the module's folder, found from the test's own.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			t.Fatal("no go.mod above the test's folder")
		}
		folder = up
	}
}
