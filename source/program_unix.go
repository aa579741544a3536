//go:build unix

package source

import (
	"fmt"
	"io/fs"
	"syscall"
)

// inherited are the variables that a command takes over from the server, where they are set.
var inherited = []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"}

// privileged refuses a program that would run as another user: the server could not stop it at its
// deadline. Root can stop anything, and one's own setuid bit changes nothing.
func privileged(name string, info fs.FileInfo, euid int) (trouble, fix string) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&fs.ModeSetuid == 0 || euid == 0 || int(stat.Uid) == euid {
		return "", ""
	}
	return fmt.Sprintf("the program %s is setuid: it runs as user %d and could not be stopped at its deadline", name, stat.Uid),
		"Run the server as that user, or let a service do this part"
}
