//go:build unix

package main

import (
	"os"
	"syscall"
)

// reload asks a server to read its configuration again.
func reload(p *os.Process) error { return p.Signal(syscall.SIGHUP) }
