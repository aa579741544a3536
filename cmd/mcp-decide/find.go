package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcp-decide/mcp-decide/config"
)

// demoYAML is the configuration that runs when there is none, and what init writes.
//
//go:embed demo.yaml
var demoYAML []byte

// found is the configuration that a command works on.
type found struct {
	file   *config.File
	data   []byte   // its text
	demo   bool     // the embedded demo, since no file was there
	looked []string // where a file was looked for
}

// find reads the configuration: the named file, else $MCP_DECIDE_CONFIG, else the one in the user's
// config folder, else, only with a person at the terminal, ./mcp-decide.yaml: a folder that somebody cloned must not
// start commands under a client. With none there it is the embedded demo.
func (a *app) find() (*found, error) {
	if path := configOption.value(a, ""); path != "" {
		return read(path)
	}
	var looked []string
	for _, path := range a.places() {
		if _, err := os.Stat(path); err == nil {
			return read(path)
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			// Where nobody may look there can be a file: running the demo in its place would be a surprise.
			return nil, usage("looking for a configuration: %w; let this user search the folders above it, or name a file with --config", err)
		}
		looked = append(looked, path)
	}
	f, err := config.Parse("demo.yaml", "", demoYAML)
	if err != nil {
		return nil, fmt.Errorf("the embedded demo: %w", err)
	}
	return &found{file: f, data: demoYAML, demo: true, looked: looked}, nil
}

func (a *app) places() []string {
	var places []string
	if dir, err := a.configDir(); err == nil {
		places = append(places, filepath.Join(dir, "mcp-decide", "mcp-decide.yaml"))
	}
	if a.terminal {
		places = append(places, "mcp-decide.yaml")
	}
	return places
}

func (a *app) configDir() (string, error) { return os.UserConfigDir() }

func read(path string) (*found, error) {
	f, err := config.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usage("%w; mcp-decide init %s writes one to start from", err, word(path))
	}
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	// The text is wanted for excerpts alone; what runs comes from the file as it was loaded.
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return &found{file: f, data: data}, nil
}

// notice says that the demo runs, and where a configuration was looked for.
func (f *found) notice() string {
	if !f.demo {
		return ""
	}
	if len(f.looked) == 0 {
		return "No configuration was found, so the built-in demo runs. `mcp-decide init` writes a file to start from."
	}
	return "No configuration was found at " + strings.Join(f.looked, " or ") +
		", so the built-in demo runs. `mcp-decide init` writes a file to start from."
}
