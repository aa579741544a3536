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
	return f.Server.Name + "\n" + path // a name is one line
}

// suits refuses a shared store where the configuration does not say what the machines need to know of each other.
func (w wiring) suits(f *config.File, where store.Where) error {
	switch {
	case !isShared(where):
		return nil
	case f.Server.Name == "":
		return usage("%s: %s, like\n%s", noName, nameIt, "server: {name: support-desk}")
	case w.strangers && f.Access == nil:
		return usage("%s: %s, like\n%s", noAccess, giveAccess, "access:\n  desk: {token: env:DESK_TOKEN}")
	}
	return nil
}

const (
	noName = "machines share the store, and nothing tells which of them belong together"
	nameIt = "name the server in the configuration, the same on all of them"

	noAccess   = "machines share the store, and the configuration does not say who may connect, while a token that is made at the start would be another one on each"
	giveAccess = "write who may into it, and set the variable to the same token everywhere (openssl rand -hex 16 makes one)"
)

// sharedProblems is what a file lacks whose store machines share, for a look at it: serve says the same, and does not start.
func sharedProblems(f *config.File) (all []config.Problem) {
	where, err := store.ParseWhere(f.Store)
	if err != nil || !isShared(where) {
		return nil // what is in a variable that is not set here is not known
	}
	if f.Server.Name == "" {
		all = append(all, config.Problem{File: f.Path, Key: "server.name", Message: noName + "; nothing starts without it", Fix: "Name the server, the same on all of them"})
	}
	if f.Access == nil {
		all = append(all, config.Problem{File: f.Path, Key: "access", Message: noAccess + "; serve --http does not start without it", Fix: "Write who may connect, like access: {desk: {token: env:DESK_TOKEN}}"})
	}
	return all
}
