package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// maxLine bounds one line in bytes: a reply of the greatest length, with escapes.
const maxLine = 2*maxInput + 1<<16

// parseLines answers every line, in order, whatever is wrong with one.
func (a *app) parseLines(ctx context.Context, path string, read replyReader) error {
	menus, err := readMenus(ctx, path)
	switch {
	case errors.Is(err, errInterrupted):
		return err
	case err != nil:
		return &exitError{exitUsage, err}
	}
	in := bufio.NewReaderSize(a.in, 1<<16)
	out := bufio.NewWriter(a.out)
	for first := true; ; first = false {
		if !wholeLine(in) {
			// Somebody may wait for the answers so far before they go on, and who reads no further is noticed here.
			if err := out.Flush(); err != nil {
				return err
			}
		}
		line, err := within(ctx, func() ([]byte, error) { return readLine(in, maxLine) })
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, errLongLine):
			return errors.Join(out.Flush(), err)
		}
		if first {
			line = withoutMark(line)
		}
		if err == nil && len(bytes.Trim(line, " \t\r\n")) == 0 {
			continue
		}
		result := menus.parse(line, read)
		if err != nil {
			result = parsed{ID: lineID(line), Error: "bad_input", Message: fmt.Sprintf("the line is longer than %d bytes", maxLine)}
		}
		data, err := encode(result)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(escaped(data), '\n')); err != nil {
			return err
		}
	}
}

// wholeLine reports whether the next line can be read without waiting for it.
func wholeLine(in *bufio.Reader) bool {
	come, _ := in.Peek(in.Buffered()) // no more than there is
	return bytes.IndexByte(come, '\n') >= 0
}

var errLongLine = errors.New("line too long")

// startOfLine is how much of a line that is too long is kept, to find its id.
const startOfLine = 4096

// readLine reads one line of at most most bytes; of a longer one it gives the start and passes over the rest.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case long:
		case len(line)+len(part) > most:
			long = true
			line = append(line, part...)
			line = bytes.Clone(line[:startOfLine])
		default:
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return line, errLongLine
		case err != nil && len(line) > 0 && errors.Is(err, io.EOF):
			return line, nil
		}
		return line, err
	}
}
