package source

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// counter adds up what a program prints on both streams, and says once that it is too much.
type counter struct {
	mu    sync.Mutex
	sum   int64
	limit int64
	over  func()
}

func (c *counter) add(n int) {
	c.mu.Lock()
	before := c.sum
	c.sum += int64(n)
	passed := before <= c.limit && c.sum > c.limit
	c.mu.Unlock()
	if passed {
		c.over()
	}
}

// head keeps the first bytes of a stream and counts the rest.
type head struct {
	*counter
	limit   int
	kept    []byte
	written int64
}

// Write never fails: a program that prints too much is not to fail in the middle of what it does.
func (h *head) Write(p []byte) (int, error) {
	h.written += int64(len(p))
	h.kept = append(h.kept, p[:min(len(p), h.limit-len(h.kept))]...)
	h.add(len(p))
	return len(p), nil
}

// tail keeps the last bytes of a stream.
type tail struct {
	*counter
	limit int
	kept  []byte // at most twice the limit
	cut   bool
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.add(len(p))
	t.kept = append(t.kept, lastBytes(p, t.limit)...)
	t.cut = t.cut || len(p) > t.limit
	if len(t.kept) > 2*t.limit {
		t.kept = append(t.kept[:0], lastBytes(t.kept, t.limit)...)
		t.cut = true
	}
	return len(p), nil
}

func (t *tail) bytes() []byte {
	if !t.cut && len(t.kept) <= t.limit {
		return t.kept
	}
	last := lastBytes(t.kept, t.limit)
	for i := 0; i < utf8.UTFMax-1 && len(last) > 0 && !utf8.RuneStart(last[0]); i++ {
		last = last[1:]
	}
	return append([]byte("…"), last...)
}

func lastBytes(p []byte, n int) []byte { return p[max(0, len(p)-n):] }

// trimNewline takes one line end off, the one that programs print after their last line.
func trimNewline(p []byte) []byte {
	p, ok := bytes.CutSuffix(p, []byte("\n"))
	if ok {
		p = bytes.TrimSuffix(p, []byte("\r"))
	}
	return p
}

// trimRune takes off a character that was cut in the middle.
func trimRune(p []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if first := p[len(p)-n]; utf8.RuneStart(first) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return p[:len(p)-n]
			}
			return p
		}
	}
	return p
}
