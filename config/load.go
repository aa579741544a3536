package config

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Load reads the file at path, at most 8 MiB of it. Errors say what is wrong in the file, and what is wrong with where
// it is: others must not be able to change what will run. Any other error means that it could not be read.
func Load(path string) (*File, error) {
	if strings.Contains(path, "://") {
		return nil, misplaced(path, "a configuration is read from a file, not over the network", "Download it, read it, and name the file")
	}
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	if len(data) <= maxBytes {
		if err := checkPlace(path); err != nil {
			return nil, err
		}
	}
	f, err := Parse(path, filepath.Dir(path), data)
	if f != nil {
		sum := sha256.Sum256(data)
		f.Path, f.Digest = path, hex.EncodeToString(sum[:])
	}
	return f, err
}

// readFile reads a regular file, and of a file that is too large just enough to know it. A pipe or a device could
// keep it waiting.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, not a file", what(info.Mode()))}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

func what(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// checkPlace refuses a file that everybody on the machine may change or replace: by its own permissions, those of its
// folder, or those of the folder that a link leads to. Windows keeps permissions elsewhere.
func checkPlace(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	places := []string{path, filepath.Dir(path)}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		places = append(places, filepath.Dir(target))
	}
	for i, place := range places {
		info, err := os.Stat(place)
		if err != nil {
			return fmt.Errorf("reading the configuration: %w", err)
		}
		if info.Mode().Perm()&0o002 == 0 {
			continue
		}
		if i == 0 {
			return misplaced(path, "everybody on this machine may write to the file, and so choose what runs", "Run chmod o-w on it")
		}
		return misplaced(path, fmt.Sprintf("everybody on this machine may write to its folder %s, and so choose what runs", place),
			"Move the file to a folder of your own")
	}
	return nil
}

func misplaced(path, message, fix string) error {
	return Errors{{File: path, Message: message, Fix: fix}}
}
