package source

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// However a stream is cut into writes, the head keeps its first bytes and the tail its last ones.
func TestHeadAndTail(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 20).Draw(t, "limit")
		writes := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 60)).Draw(t, "writes")
		all := bytes.Join(writes, nil)
		over := 0
		count := &counter{limit: int64(limit), over: func() { over++ }}
		first, last := &head{counter: count, limit: limit}, &tail{counter: &counter{limit: 1 << 30}, limit: limit}
		for _, w := range writes {
			for _, to := range []interface{ Write([]byte) (int, error) }{first, last} {
				if n, err := to.Write(w); n != len(w) || err != nil {
					t.Fatalf("Write: %d, %v", n, err)
				}
			}
		}
		if want := all[:min(limit, len(all))]; !bytes.Equal(first.kept, want) || first.written != int64(len(all)) {
			t.Fatalf("head %q of %d, want %q of %d", first.kept, first.written, want, len(all))
		}
		if want := len(all) > limit; (over == 1) != want || over > 1 {
			t.Fatalf("said %d times that it is too much, of %d bytes", over, len(all))
		}
		got, cut := bytes.CutPrefix(last.bytes(), []byte("…"))
		if !bytes.HasSuffix(all, got) || cut != (len(all) > limit) || len(got) > limit || len(got) < min(limit, len(all))-3 {
			t.Fatalf("tail %q, cut %v, of %q", got, cut, all)
		}
	})
}

// A text that is cut stays a text, and nothing of it but the cut character goes.
func TestTrimRune(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		n := rapid.IntRange(0, len(text)).Draw(t, "n")
		got := string(trimRune([]byte(text[:n])))
		if !utf8.ValidString(got) || !strings.HasPrefix(text[:n], got) || n-len(got) >= utf8.UTFMax {
			t.Fatalf("%q of %q", got, text[:n])
		}
	})
}
