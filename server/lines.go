package server

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Sizes of the line reader, in bytes.
const (
	maxLine  = 4 << 20 // of one message
	headKept = 64 << 10
	tailKept = 1 << 10
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// lines cuts an input into messages, one a line. It holds at most one message of maxLine bytes.
type lines struct {
	r       *bufio.Reader
	max     int
	started bool
}

func newLines(r io.Reader) *lines {
	return &lines{r: bufio.NewReaderSize(r, headKept), max: maxLine}
}

// tooLong is what is kept of a line over the limit, to find its id in: both its ends.
type tooLong struct {
	head, tail []byte
}

// next returns the next line that is not blank, without its end; a last line needs none. Exactly one of line
// and long is set when err is nil. The line is the caller's to keep.
func (l *lines) next() (line []byte, long *tooLong, err error) {
	for {
		line, long, err = l.read()
		if long != nil {
			return nil, long, nil
		}
		if !l.started {
			l.started = true
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		line = bytes.Trim(line, " \t\r\n")
		if len(line) > 0 {
			return line, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// read returns one line as it stands. A line that the end of input cuts off counts as a line; the next read
// gives the error again.
func (l *lines) read() (line []byte, long *tooLong, err error) {
	for {
		chunk, err := l.r.ReadSlice('\n')
		if long == nil && size(line, chunk) > l.max {
			head := append(line, chunk...)
			long = &tooLong{head: bytes.Clone(head[:min(len(head), headKept)]), tail: lastOf(line, tailKept)}
			line = nil
		}
		if long != nil {
			long.pass(chunk)
		} else {
			line = append(line, chunk...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// size is how many bytes a line has so far, with a part that goes on, and without its end: \n or \r\n. A \r that comes last may be
// the first half of one.
func size(line, chunk []byte) int {
	body := bytes.TrimSuffix(chunk, []byte("\n"))
	last := body
	if len(last) == 0 {
		last = line
	}
	if bytes.HasSuffix(last, []byte("\r")) {
		return len(line) + len(body) - 1
	}
	return len(line) + len(body)
}

// pass goes on over a part of the line, and keeps its end in the place of what was the end before.
func (t *tooLong) pass(chunk []byte) {
	t.tail = append(t.tail, chunk[max(0, len(chunk)-tailKept):]...)
	t.tail = append(t.tail[:0], t.tail[max(0, len(t.tail)-tailKept):]...)
}

func lastOf(b []byte, n int) []byte {
	return bytes.Clone(b[max(0, len(b)-n):])
}
