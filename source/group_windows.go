package source

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// stopCode is the exit status of a program that was stopped: Windows knows no signals.
const stopCode = 0xC000013A

// group is a program and all that it starts, held together by a job object.
type group struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	job     windows.Handle // 0 = none could be made; then the program alone is stopped
	gone    bool
	stopped bool
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	g := &group{cmd: cmd}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// started puts the program into the job. What it starts before that is not held.
func (g *group) started() {
	if g.job == 0 {
		return
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(process)
	_ = windows.AssignProcessToJobObject(g.job, process)
}

// stop ends the group; there is no way to ask it.
func (g *group) stop(bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return os.ErrProcessDone
	}
	g.stopped = true
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, stopCode)
	}
	return g.cmd.Process.Kill()
}

// wait waits for nothing here: a process handle stays the program's own until it is closed.
func (g *group) wait() {}

// close ends what is left of the group.
func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone {
		return
	}
	g.gone = true
	if g.job != 0 {
		windows.CloseHandle(g.job)
	}
}

// endedBy has nothing to name here.
func endedBy(*os.ProcessState) string { return "" }
