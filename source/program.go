package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program finds the program that argv names: by PATH when it is a bare word, else as a path relative to the
// file's folder. It is looked up once, so that a later change of PATH or folder can't choose another.
func (h host) program(name string) (path, trouble, fix string) {
	found, ok := h.places.programs[name]
	if !ok {
		found.path, found.trouble, found.fix = h.findProgram(name)
		h.places.programs[name] = found
	}
	return found.path, found.trouble, found.fix
}

func (h host) findProgram(name string) (path, trouble, fix string) {
	bare := !strings.ContainsAny(name, `/\`)
	path = name
	if !bare && !filepath.IsAbs(name) {
		path = filepath.Join(h.dir, name)
	}
	found, err := exec.LookPath(path)
	switch {
	case errors.Is(err, exec.ErrDot):
		return "", fmt.Sprintf("the program %s was found only in the working folder", name), "Write it as a path: ./" + name
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Sprintf("the program %s is not executable", name), "Run chmod +x " + name
	case err != nil && bare:
		return "", fmt.Sprintf("the program %s was not found", name), "Install it, or write its whole path"
	case err != nil:
		return "", fmt.Sprintf("the program %s can't be run: %v", name, lookCause(err)), "Install it, or mend the path"
	}
	found, err = filepath.Abs(found)
	if err != nil {
		return "", fmt.Sprintf("the program %s: %v", name, err), "Write its whole path"
	}
	info, err := os.Stat(found)
	if err != nil {
		return "", fmt.Sprintf("the program %s can't be run: %v", name, cause(err)), "Install it, or mend the path"
	}
	if trouble, fix := privileged(name, info, h.euid); trouble != "" {
		return "", trouble, fix
	}
	return found, "", ""
}

func lookCause(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return cause(e.Err)
	}
	return err
}

// workdir is the folder in which a command runs.
func (h host) workdir(cwd string) (dir, trouble string) {
	found, ok := h.places.folders[cwd]
	if !ok {
		found.path, found.trouble = h.findFolder(cwd)
		h.places.folders[cwd] = found
	}
	return found.path, found.trouble
}

func (h host) findFolder(cwd string) (dir, trouble string) {
	dir = cwd
	if dir == "" {
		dir = h.dir
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(h.dir, dir)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Sprintf("the folder %s can't be used: %v", dir, cause(err))
	}
	if !info.IsDir() {
		return "", fmt.Sprintf("%s is not a folder", dir)
	}
	return dir, ""
}
