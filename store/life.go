package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// lives are the signs of life of the processes that share a store: a locked file for each, in a folder beside the database. What is
// locked lives; there is no clock in it, so that a process that was stopped for an hour is not taken for dead.
type lives struct {
	dir  string
	self string
	lock *fileLock
}

// beginLife makes the sign of life of this process, and removes those of the dead. It is called under the lock of the store, so that
// nobody takes a process for dead that has made its file and not locked it yet.
func beginLife(dir string) (*lives, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the signs of life: %w", err)
	}
	l := &lives{dir: dir, self: strings.ToLower(rand.Text())}
	lock, err := openLock(l.path(l.self))
	if err != nil {
		return nil, err
	}
	if err := lock.take(); err != nil { // somebody may just be looking at it
		return nil, errors.Join(fmt.Errorf("taking the sign of life: %w", err), lock.close())
	}
	l.lock = lock
	return l, l.bury()
}

func (l *lives) path(name string) string { return filepath.Join(l.dir, name) }

// alive reports whether the process of that name lives. One whose file is gone does not.
func (l *lives) alive(name string) (bool, error) {
	if name == l.self {
		return true, nil
	}
	if name == "" || strings.ContainsAny(name, `/\.`) {
		return false, nil
	}
	f, err := os.OpenFile(l.path(name), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for a sign of life: %w", err)
	}
	defer f.Close()
	return isLocked(f)
}

// bury removes the files of processes that are dead. One that can't be removed, since somebody looks at it just now, is there for the next.
func (l *lives) bury() error {
	all, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("looking for signs of life: %w", err)
	}
	for _, e := range all {
		if alive, err := l.alive(e.Name()); err == nil && !alive && e.Type().IsRegular() {
			_ = os.Remove(l.path(e.Name()))
		}
	}
	return nil
}

// end takes the sign away. Windows removes no file that is open; as soon as it is closed, another process may remove it.
func (l *lives) end() error {
	err := l.lock.close()
	if gone := os.Remove(l.path(l.self)); !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
