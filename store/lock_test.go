package store

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// TestLockGivenUp: who has given up waiting for the lock of a store does not hold it for nothing when it comes free, and can wait for it again.
func TestLockGivenUp(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	open := func(most time.Duration) *fileLock {
		l, err := openLock(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.close() })
		l.most = most
		return l
	}
	take := func(who string, l *fileLock) {
		if err := l.take(); err != nil {
			t.Fatalf("%s: %v", who, err)
		}
	}
	holder, hasty, other := open(time.Minute), open(time.Millisecond), open(time.Minute)
	take("the holder", holder)
	for range 2 {
		if err := hasty.take(); !errors.Is(err, ErrBusy) {
			t.Fatalf("while it is held: %v, want ErrBusy", err)
		}
	}
	holder.release()
	take("another one", other)
	other.release()
	hasty.most = time.Minute
	take("who gave up before", hasty)
	if ok, err := other.try(); ok || err != nil {
		t.Errorf("while it is held again: %v, %v", ok, err)
	}
	hasty.release()
	take("another one", other)
}
