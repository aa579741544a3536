//go:build unix

package source

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// group is a program and all that it starts, unless that leaves the process group on purpose.
type group struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	gone    bool // its number may belong to others by now
	stopped bool // it was told to stop before it had ended
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = attributes()
	return &group{cmd: cmd}
}

// started sets limits on the program that has just been started.
func (g *group) started() { limit(g.cmd.Process.Pid) }

// stop asks the group to end, or ends it at once.
func (g *group) stop(atOnce bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return os.ErrProcessDone
	}
	g.stopped = true
	if atOnce {
		return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	}
	return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM)
}

// wait waits until the program has ended and ends what it left behind. It does so before the program is
// reaped: from then on the group's number may be another's.
func (g *group) wait() {
	if waitExit(g.cmd.Process.Pid) {
		g.close()
	}
}

// close ends what is left of the group.
func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone || g.cmd.Process == nil {
		return
	}
	g.gone = true
	// An error says that nobody is left, or that the rest runs as another user.
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
}

// endedBy names the signal that ended a program; "" = it ended by itself.
func endedBy(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
