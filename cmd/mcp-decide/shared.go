package main

import (
	"path/filepath"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/store"
)

// isShared reports whether several machines may use a store at the same time. Those of one configuration have to be told by it, since a path or a token
// that is made at a start is another one on each.
func isShared(w store.Where) bool { return w.Kind == "postgres" }

// identity names the configuration that turns and calls belong to, whatever its file comes to hold. It is the server's name; on one machine the
// place of the file belongs to it, so that two files that don't name themselves are two.
func identity(f *config.File, w store.Where) string {
	if isShared(w) {
		return f.Server.Name
	}
	path := f.Path
	if abs, err := filepath.Abs(path); path != "" && err == nil {
		path = abs
	}
	return f.Server.Name + "\x00" + path
}

// suits refuses a shared store where the configuration does not say what the machines need to know of each other.
func (w wiring) suits(f *config.File, where store.Where) error {
	switch {
	case !isShared(where):
		return nil
	case f.Server.Name == "":
		return usage("machines share the store, and they are told to belong together by the name of the server: write it into the configuration, " +
			"the same for all of them, like\nserver: {name: support-desk}")
	case w.strangers && f.Access == nil:
		return usage("machines share the store, and the configuration does not say who may connect: a token that is made at the start would be another " +
			"one on each of them. Write who may into it, and set the variable to the same token everywhere (openssl rand -hex 16 makes one):\n" +
			"access:\n  desk: {token: env:DESK_TOKEN}")
	}
	return nil
}
