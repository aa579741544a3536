package accept

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// patience is how long a writer waits for another one, which needs some milliseconds.
const patience = 5 * time.Second

var errLocked = errors.New("it is locked")

// lock takes the lock file for this process. The lock goes with the process, whatever becomes of it.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		err = tryLock(f)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, errLocked) || time.Now().After(end) {
			f.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
	}
}
