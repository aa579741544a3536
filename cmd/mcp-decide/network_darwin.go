package main

import "syscall"

// network names the kind of network share that a folder is on; "" = none.
func network(dir string) string {
	const local = 0x1000 // MNT_LOCAL
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil || s.Flags&local != 0 {
		return ""
	}
	kind := ""
	for _, c := range s.Fstypename {
		if c == 0 {
			break
		}
		kind += string(rune(byte(c)))
	}
	return kind
}
