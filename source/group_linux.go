package source

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes put a program into a group of its own and end it with the server, however that ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limit keeps a program from leaving its memory in a core file. The number of processes can't be limited
// here: Linux counts all of a user's, so that any number is too many or too few.
func limit(pid int) {
	_ = unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil) // it may have ended already
}

// waitExit waits until the program has ended, without reaping it.
func waitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
