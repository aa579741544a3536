package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const doneLine = `{"id": "1", "menu": "m", "reply": "{\"call\": \"done\"}"}` + "\n"

func doneMenu(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "menus.json")
	if err := os.WriteFile(path, []byte(`{"m": {"options": [{"name": "done", "kind": "value"}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each line is answered before more of the input is waited for, wherever the input is cut into pieces.
func TestParseLinesAnswersAtOnce(t *testing.T) {
	t.Parallel()
	in, give := io.Pipe()
	take, out := io.Pipe()
	a := &app{in: in, out: &output{w: out}}
	menus := doneMenu(t)
	go func() { out.CloseWithError(a.parseLines(context.Background(), menus, parseReply)) }()
	answers := bufio.NewScanner(take)
	pieces := []string{doneLine + doneLine[:9], doneLine[9:], doneLine[:1], doneLine[1:] + doneLine[:40], doneLine[40 : len(doneLine)-1]}
	for i, piece := range pieces {
		if _, err := io.WriteString(give, piece); err != nil {
			t.Fatal(err)
		}
		if i == len(pieces)-1 {
			give.Close()
		}
		for range strings.Count(piece, "\n") {
			if !answers.Scan() || !strings.Contains(answers.Text(), `"call":"done"`) {
				t.Fatalf("behind piece %d: %q, %v", i, answers.Text(), answers.Err())
			}
		}
	}
	if !answers.Scan() || answers.Scan() || answers.Err() != nil {
		t.Errorf("a last line without an end has one answer: %q, %v", answers.Text(), answers.Err())
	}
}

// Who reads no further ends it, however much input is left.
func TestParseLinesStopsWhenNobodyReads(t *testing.T) {
	t.Parallel()
	gone := errors.New("nobody reads")
	lines := strings.NewReader(strings.Repeat(doneLine, 10_000))
	a := &app{in: lines, out: &output{w: failing{gone}}}
	if err := a.parseLines(context.Background(), doneMenu(t), parseReply); !errors.Is(err, gone) {
		t.Errorf("it ended with %v", err)
	}
	if lines.Len() == 0 {
		t.Error("it read on to the end")
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
