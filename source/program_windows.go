package source

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// inherited are the variables that a command takes over from the server, where they are set. Without the
// last ones many programs don't start.
var inherited = []string{"PATH", "HOME", "USERPROFILE", "TMP", "TEMP", "LANG", "LC_ALL", "SYSTEMROOT", "PATHEXT"}

// privileged refuses batch files: Windows hands them to its shell, which reads values again.
func privileged(name string, info fs.FileInfo, _ int) (trouble, fix string) {
	switch strings.ToLower(filepath.Ext(info.Name())) {
	case ".bat", ".cmd":
		return fmt.Sprintf("the program %s is a batch file: a shell would read its values as commands", name),
			"Name the program that the batch file starts"
	}
	return "", ""
}
