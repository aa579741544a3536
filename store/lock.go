package store

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// maxWait is how long a write waits for the other processes of the same file.
const maxWait = 5 * time.Second

// ErrBusy says that another process holds the store for too long.
var ErrBusy = errors.New("the store is held by another process")

// fileLock is a lock that holds between processes: a lock on an empty file that is never removed. It is let go when the process ends,
// however it ends. One goroutine at a time may use it.
type fileLock struct {
	file    *os.File
	pending chan error // a wait that was given up, and goes on
	most    time.Duration
}

// openLock opens the file of a lock, and makes it when it is not there.
func openLock(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	return &fileLock{file: f, most: maxWait}, nil
}

// take waits for the lock, in the order of the system's queue, for maxWait at most.
func (l *fileLock) take() error {
	if l.pending == nil {
		if ok, err := l.try(); ok || err != nil {
			return err
		}
		got := make(chan error, 1)
		go func() { got <- lockFile(l.file) }()
		l.pending = got
	}
	late := time.NewTimer(l.most)
	defer late.Stop()
	select {
	case err := <-l.pending:
		l.pending = nil
		return err
	case <-late.C:
		return ErrBusy // the wait can't be called off; the next one to take the lock joins it
	}
}

// try takes the lock if it is free.
func (l *fileLock) try() (bool, error) { return tryLockFile(l.file) }

func (l *fileLock) release() { unlockFile(l.file) }

// close lets the lock go.
func (l *fileLock) close() error { return l.file.Close() }
