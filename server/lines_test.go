package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// allLines reads an input to its end; a line that was too long shows as its head and tail.
func allLines(t *testing.T, in io.Reader, max, buffer int) []string {
	t.Helper()
	l := &lines{r: bufio.NewReaderSize(in, buffer), max: max}
	var got []string
	for range 1000 {
		line, long, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return got
		case err != nil:
			return append(got, "error: "+err.Error())
		case long != nil:
			got = append(got, "too long")
		default:
			got = append(got, string(line))
		}
	}
	t.Fatal("the input does not end")
	return nil
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one", "a\n", []string{"a"}},
		{"no end on the last", "a\nb", []string{"a", "b"}},
		{"carriage returns", "a\r\nb\r\n", []string{"a", "b"}},
		{"blank lines", "\n \r\n\ta\n\n\nb\n\n", []string{"a", "b"}},
		{"byte order mark", "\xef\xbb\xbfa\n", []string{"a"}},
		{"byte order mark alone", "\xef\xbb\xbf\na\n", []string{"a"}},
		{"byte order mark later stays", "a\n\xef\xbb\xbfb\n", []string{"a", "\xef\xbb\xbfb"}},
		{"at the limit", strings.Repeat("x", 40) + "\r\nb\n", []string{strings.Repeat("x", 40), "b"}},
		{"over the limit", strings.Repeat("x", 41) + "\nb\n", []string{"too long", "b"}},
		{"over the limit by returns", strings.Repeat("x", 39) + "\r\r\r\nb\n", []string{"too long", "b"}},
		{"far over the limit", strings.Repeat("x", 4000) + "\nb\n", []string{"too long", "b"}},
		{"over the limit at the end", "a\n" + strings.Repeat("x", 100), []string{"a", "too long"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, in := range map[string]io.Reader{
				"whole":    strings.NewReader(c.in),
				"one byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"data+EOF": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				if diff := cmp.Diff(c.want, allLines(t, in, 40, 16)); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
		})
	}
}

func TestLinesReportReadErrors(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(errors.New("the disk is gone")))
	if diff := cmp.Diff([]string{"a", "b", "error: the disk is gone"}, allLines(t, in, 40, 16)); diff != "" {
		t.Error(diff)
	}
}

// TestTooLongKeepsBothEnds cuts a line at every place of a buffer: what is kept does not depend on where the limit is crossed.
func TestTooLongKeepsBothEnds(t *testing.T) {
	t.Parallel()
	const max = 2 * headKept // whole buffers, and more than the head that is kept
	for over := 1; over < 40; over++ {
		start, end := `{"a":"`, `","id":"q-1"}`
		in := start + strings.Repeat("x", max+over-len(start)-len(end)) + end
		l := &lines{r: bufio.NewReaderSize(strings.NewReader(in+"\n"), headKept), max: max}
		_, long, err := l.next()
		if err != nil || long == nil {
			t.Fatalf("%d over: %v, %v", over, long, err)
		}
		if got := string(long.id()); got != `"q-1"` {
			t.Errorf("%d over: the id is %s; kept to the end %q", over, got, long.tail)
		}
	}
}

// FuzzStdin cuts any input, in any pieces, into the lines that a plain split finds.
func FuzzStdin(f *testing.F) {
	f.Add([]byte("{\"id\":1}\n\n{\"id\":2}"), 3)
	f.Add([]byte("\xef\xbb\xbf\r\n"), 1)
	f.Add(bytes.Repeat([]byte("x"), 200), 7)
	f.Fuzz(func(t *testing.T, in []byte, piece int) {
		const max = 50
		var want []string
		for i, line := range bytes.Split(in, []byte("\n")) {
			if len(bytes.TrimSuffix(line, []byte("\r"))) > max {
				want = append(want, "too long")
				continue
			}
			if i == 0 {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			if line = bytes.Trim(line, " \t\r\n"); len(line) > 0 {
				want = append(want, string(line))
			}
		}
		got := allLines(t, &pieces{in, 1 + abs(piece)%64}, max, 16)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// pieces reads a few bytes at a time.
type pieces struct {
	left []byte
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.left[:min(p.size, len(p.left))])
	p.left = p.left[n:]
	return n, nil
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
