package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxLinks is how many links are followed on the way to a file, like the system does.
const maxLinks = 40

// foldersOf are the folders in which something can change what an absolute path leads to: the file's own, and that of every link
// on the way. Where the way ends, since something is missing, it is the last folder that there is.
func foldersOf(path string) []string {
	var all []string
	note := func(dir string) {
		if !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	root, rest := split(path)
	at, links := root, 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		if err != nil || len(rest) == 0 {
			note(at)
		}
		if err != nil {
			return all
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		note(at)
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return all
		}
		var names []string
		if filepath.IsAbs(target) {
			at, names = split(target)
		} else {
			names = parts(target)
		}
		rest = append(names, rest...)
	}
	return all
}

// split parts an absolute path into its root and the names below it.
func split(path string) (root string, names []string) {
	volume := filepath.VolumeName(path)
	root = volume + string(filepath.Separator)
	return root, parts(path[len(volume):])
}

func parts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
}
