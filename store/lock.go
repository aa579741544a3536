package store

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// maxWait is how long a write waits for the other processes of the same file.
const maxWait = 5 * time.Second

// ErrBusy says that another process holds the store for too long.
var ErrBusy error = said("the store is held by another process: try again, and should it stay so, end the process that hangs")

// fileLock is a lock that holds between processes: a lock on an empty file that is never removed. It is let go when the process ends,
// however it ends. One goroutine at a time may use it.
type fileLock struct {
	file *os.File
	most time.Duration

	mu      sync.Mutex
	pending chan error // a wait that goes on; nil = there is none
	left    bool       // nobody waits for its end: a lock that it gets then is let go at once
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
	if ok, err := l.try(); ok || err != nil {
		return err
	}
	got := l.wait()
	late := time.NewTimer(l.most)
	defer late.Stop()
	select {
	case err := <-got:
		return err
	case <-late.C:
		return l.leave(got)
	}
}

// wait joins the wait that goes on, or begins one.
func (l *fileLock) wait() <-chan error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = false
	if l.pending == nil {
		l.pending = make(chan error, 1)
		go l.await(l.pending)
	}
	return l.pending
}

// await waits for the lock as long as that takes: the system has no way to call it off.
func (l *fileLock) await(got chan<- error) {
	err := lockFile(l.file)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = nil
	if l.left && err == nil {
		l.release()
	}
	got <- err
}

// leave gives the wait up, unless it has just come to an end.
func (l *fileLock) leave(got <-chan error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		return <-got
	}
	l.left = true
	return ErrBusy
}

// try takes the lock if it is free.
func (l *fileLock) try() (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending != nil { // its wait has the first right to it
		return false, nil
	}
	return tryLockFile(l.file)
}

func (l *fileLock) release() { unlockFile(l.file) }

// close lets the lock go.
func (l *fileLock) close() error { return l.file.Close() }
