//go:build unix

package source

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// hurry ends the waiting of whoever reads.
func hurry(r *os.File) {
	if r.SetReadDeadline(time.Now()) != nil {
		r.Close()
	}
}

// rest reads what is in the pipe, and waits for nothing.
func rest(r *os.File, into io.Writer) {
	raw, err := r.SyscallConn()
	if err != nil || r.SetReadDeadline(time.Time{}) != nil {
		return
	}
	b := make([]byte, 32<<10)
	_ = raw.Read(func(fd uintptr) bool { // an error says that the pipe is closed
		for left := maxOutput; left > 0; {
			n, err := syscall.Read(int(fd), b)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n <= 0 {
				break
			}
			_, _ = into.Write(b[:n]) // never fails
			left -= n
		}
		return true
	})
}
