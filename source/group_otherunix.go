//go:build unix && !linux

package source

import "syscall"

// attributes put a program into a group of its own. There is no signal for a parent's death here.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func limit(int) {}

// waitExit has no portable way to wait without reaping; the group is ended right after it.
func waitExit(int) bool { return false }
