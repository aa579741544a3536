package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxInput bounds what is read from standard input or an @file, in bytes.
const maxInput = 16 << 20

// readInput reads all of standard input, which can be done once.
func (a *app) readInput(ctx context.Context) ([]byte, error) {
	if a.inputRead {
		return nil, errors.New("standard input is read already; give - once")
	}
	a.inputRead = true
	return within(ctx, func() ([]byte, error) { return readAll(a.in, maxInput, "standard input") })
}

// readFile reads a file, or a pipe like <(...), whose other end may never come.
func readFile(ctx context.Context, path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New("the name of the file is empty")
	}
	return within(ctx, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readAll(f, maxInput, path)
	})
}

func readAll(r io.Reader, max int64, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	if int64(len(data)) > max {
		return nil, fmt.Errorf("%s is larger than %d bytes", what, max)
	}
	return data, nil
}

// withoutMark leaves out the byte order mark that editors of Windows write.
func withoutMark(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }
