package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrGone says that the file of the store is no longer where it was opened.
var ErrGone error = said("the file of the store was removed or replaced while it was in use, so nothing more is written to it: put it back, or restart this program to go on with what is there now")

// stays is the file that a path named when it was opened. Who removes it does not take it from those who have it open: they could write on, and
// nobody would ever read that.
type stays struct {
	path string
	was  fs.FileInfo
}

func staysAt(path string) (*stays, error) {
	was, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("looking at the file of the store: %w", err)
	}
	return &stays{path, was}, nil
}

// check fails when the path names another file, or none. A store that has no file is always there.
func (s *stays) check() error {
	if s == nil {
		return nil
	}
	is, err := os.Stat(s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(s.was, is):
		return ErrGone
	case err != nil:
		return fmt.Errorf("looking at the file of the store: %w", err)
	}
	return nil
}

// gone refuses a file that is not there while its log is: it is in use, or was moved away without what was written last. A new file in its place would be
// taken for it.
func gone(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Lstat(path + "-wal"); err != nil {
		return nil
	}
	return fmt.Errorf("the store %s is gone, and its log %s-wal is there: end the programs that still use it and put the file back, or remove the log to begin a new one", path, path)
}

// maxLinks is how many links are followed on the way to a file, like the system does.
const maxLinks = 40

// followed is the file that a path leads to, whether or not it is there. All who share a file have to find the same lock and the same signs of life
// beside it, by whatever link they came.
func followed(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to // not joined: what .. leads to depends on the links before it
		}
		path = to
	}
	return path
}
