package registry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The original's cut of one text holds for its ratio of 70 %. Of caps under 2,000 characters it makes more
// than it was given; ours cuts.
func TestCapGolden(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../testdata/golden/truncate.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var line struct {
			ID        string  `json:"id"`
			Chars     int     `json:"chars"`
			Max       int     `json:"max_chars"`
			Ratio     float64 `json:"head_ratio"`
			Truncated bool    `json:"truncated"`
			Head      int     `json:"head_chars"`
			Tail      int     `json:"tail_chars"`
			Elided    int     `json:"elided"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if line.Ratio != 0.7 {
			continue
		}
		looked++
		if line.Max < 2000 {
			line.Head = line.Max * 7 / 10
			line.Tail, line.Elided = line.Max-line.Head, line.Chars-line.Max
		}
		text := numbered(line.Chars)
		got, cut := capped([]Block{Text(text)}, line.Max)
		if !line.Truncated {
			if cut != 0 || got[0].Text != text {
				t.Errorf("%s: cut %d", line.ID, cut)
			}
			continue
		}
		want := text[:line.Head] + fmt.Sprintf("\n[… %d characters left out …]\n", line.Elided) + text[line.Chars-line.Tail:]
		if cut != line.Elided || got[0].Text != want {
			t.Errorf("%s: cut %d, want %d; got %d bytes, want %d", line.ID, cut, line.Elided, len(got[0].Text), len(want))
		}
	}
	if looked == 0 {
		t.Error("no line was looked at")
	}
}

// numbered is a text of n characters, most of which differ from their neighbours.
func numbered(n int) string {
	return strings.Repeat("0123456789", n/10+1)[:n]
}

func TestCapOverBlocks(t *testing.T) {
	t.Parallel()
	picture := Image([]byte{1}, "image/png")
	tests := []struct {
		name    string
		content []Block
		max     int
		want    []Block
		cut     int
	}{
		{"as long as allowed", []Block{Text("01234"), Text("56789")}, 10, []Block{Text("01234"), Text("56789")}, 0},
		{"within one block", []Block{Text("0123456789abcdefghij")}, 10, []Block{Text("0123456\n[… 10 characters left out …]\nhij")}, 10},
		{"over two blocks", []Block{Text("0123456789"), Text("abcdefghij")}, 10, []Block{Text("0123456\n[… 10 characters left out …]\n"), Text("hij")}, 10},
		{"a block between goes", []Block{Text("01234567"), Text("abc"), Text("ABCDEFGHI")}, 10, []Block{Text("0123456\n[… 10 characters left out …]\n"), Text("GHI")}, 10},
		{"a picture between stays", []Block{Text("01234567"), picture, Text("abc"), Text("ABCDEFGHI")}, 10,
			[]Block{Text("0123456\n[… 10 characters left out …]\n"), picture, Text("GHI")}, 10},
		{"a resource between stays", []Block{Text("01234567"), Resource("file:///x", "", "abc"), Text("ABCDEFGHI")}, 10,
			[]Block{Text("0123456\n[… 10 characters left out …]\n"), Resource("file:///x", "", ""), Text("GHI")}, 10},
		{"at the border of blocks", []Block{Text("0123456"), Text("abcdefghij"), Text("klm")}, 10,
			[]Block{Text("0123456"), Text("\n[… 10 characters left out …]\n"), Text("klm")}, 10},
		{"characters, not bytes", []Block{Text("äöüäöüäöüß€")}, 10, []Block{Text("äöüäöüä\n[… 1 characters left out …]\nüß€")}, 1},
		{"one character", []Block{Text("abc")}, 1, []Block{Text("\n[… 2 characters left out …]\nc")}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, cut := capped(tt.content, tt.max)
			if diff := cmp.Diff(tt.want, got); cut != tt.cut || diff != "" {
				t.Errorf("cut %d, want %d; -want +got\n%s", cut, tt.cut, diff)
			}
		})
	}
}

// Whatever the texts, what is left is no longer than the cap and the marker, begins and ends as before, and
// the number left out is right.
func TestCapProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringN(0, 30, -1), 0, 6).Draw(t, "texts")
		max := rapid.IntRange(1, 60).Draw(t, "max")
		content := make([]Block, len(texts))
		for i, text := range texts {
			content[i] = Text(sound(text))
		}
		all := joined(content)
		got, cut := capped(content, max)
		text := joined(got)
		total := utf8.RuneCountInString(all)
		if total <= max {
			if cut != 0 || text != all {
				t.Fatalf("%q becomes %q, cut %d", all, text, cut)
			}
			return
		}
		marker := fmt.Sprintf("\n[… %d characters left out …]\n", total-max)
		head, tail, ok := strings.Cut(text, marker)
		if cut != total-max || !ok || !utf8.ValidString(text) || utf8.RuneCountInString(head) != max*7/10 ||
			utf8.RuneCountInString(head+tail) != max || !strings.HasPrefix(all, head) || !strings.HasSuffix(all, tail) {
			t.Fatalf("%q becomes %q with a cap of %d, cut %d", all, text, max, cut)
		}
	})
}

func joined(content []Block) string {
	var b strings.Builder
	for _, c := range content {
		b.WriteString(c.Text)
	}
	return b.String()
}

// A client refuses a result without the structure that its method declares, so one that is too long is a failure.
func TestStructuredIsNotCut(t *testing.T) {
	t.Parallel()
	m := Method{ResultCap: 20, Returns: &Param{Type: Object}}
	r := ran(t, m, map[string]any{"text": strings.Repeat("x", 100)})
	if r.State != Failed || r.Structured != nil || !strings.Contains(r.Content[0].Text, "it ran to its end, but its result has 91 characters more than the 20 that it may have") {
		t.Errorf("state %s, structured %s, content %q", r.State, r.Structured, r.Content[0].Text)
	}
	if r := ran(t, m, map[string]any{"text": "short"}); r.State != Done || string(r.Structured) != `{"text":"short"}` {
		t.Errorf("state %s, structured %s, content %v", r.State, r.Structured, r.Content)
	}
}

// Whatever a block carries beside its text counts too, and is valid UTF-8.
func TestCapCountsAllFields(t *testing.T) {
	t.Parallel()
	const max = 30_000
	long := strings.Repeat("d", 20<<20)
	for name, fill := range map[string]func(b *Block, text string){
		"uri":         func(b *Block, text string) { b.URI = text },
		"name":        func(b *Block, text string) { b.Name = text },
		"title":       func(b *Block, text string) { b.Title = text },
		"description": func(b *Block, text string) { b.Description = text },
		"mime type":   func(b *Block, text string) { b.MIMEType = text },
		"annotations": func(b *Block, text string) { b.Annotations = json.RawMessage(`{"a":"` + text + `"}`) },
		"meta":        func(b *Block, text string) { b.Meta = json.RawMessage(`{"a":"` + text + `"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			link := Link("file:///x", "x")
			fill(&link, long)
			r := ran(t, Method{ResultCap: max}, []Block{link, Text("short")})
			wire, err := json.Marshal(r.Content)
			if err != nil || r.State != Done || len(wire) > max || r.Cut < len(long) || len(r.Content) != 2 || r.Content[1].Text != "short" {
				t.Errorf("%s, %v: %d bytes on the wire, cut %d", r.State, err, len(wire), r.Cut)
			}
			many := make([]Block, 0, 100)
			for range 100 {
				link := Link("file:///x", "x")
				fill(&link, long[:1000])
				many = append(many, link)
			}
			r = ran(t, Method{ResultCap: max}, many)
			if wire, err = json.Marshal(r.Content); err != nil || len(wire) > 2*max || r.Content[0].Type != "resource_link" || r.Content[99].Type != "text" {
				t.Errorf("%v: %d bytes on the wire", err, len(wire))
			}
			broken := Link("file:///x", "x")
			fill(&broken, "\xff")
			r = ran(t, Method{}, broken)
			if wire, err = json.Marshal(r.Content); err != nil || !utf8.Valid(wire) || r.Content[0].Type != "resource_link" {
				t.Errorf("%v: %q", err, wire)
			}
			if b := r.Content[0]; !utf8.ValidString(b.URI + b.Name + b.Title + b.Description + b.MIMEType + string(b.Annotations) + string(b.Meta)) {
				t.Errorf("%+v is not UTF-8", b)
			}
		})
	}
}
