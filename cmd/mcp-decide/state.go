package main

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// stateDir is the folder in which this program keeps what it remembers of a user: the store, and what was accepted. It is not the folder for
// settings, which people copy from one machine to another. Nobody has made it yet.
func (a *app) stateDir() (string, error) {
	dir, otherwise, below := "XDG_STATE_HOME", "HOME", filepath.Join(".local", "state")
	switch runtime.GOOS {
	case "windows":
		dir, otherwise, below = "LocalAppData", "USERPROFILE", filepath.Join("AppData", "Local")
	case "darwin", "ios":
		below = filepath.Join("Library", "Application Support")
	}
	if path := a.env(dir); filepath.IsAbs(path) {
		return filepath.Join(path, "mcp-decide"), nil
	}
	if path := a.env(otherwise); filepath.IsAbs(path) {
		return filepath.Join(path, below, "mcp-decide"), nil
	}
	return "", fmt.Errorf("neither $%s nor $%s names a folder", dir, otherwise)
}
