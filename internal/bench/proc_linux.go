package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// resident is the resident memory of a process in bytes; 0 when it can't be told.
func resident(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

// busyness is how many processes wanted a core in the last minute, on average; "" when it can't be told.
func busyness() string {
	load, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := bytes.Cut(load, []byte(" "))
	return string(first)
}

// descriptors is how many files, sockets and pipes a process has open; 0 when it can't be told.
func descriptors(pid int) int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0
	}
	return len(open)
}
