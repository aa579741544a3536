package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/store"
)

// choice is the store that a command keeps what it does in.
type choice struct {
	store.Where
	usual bool // nobody named it
	fresh bool // it was not there
	again bool // but was before, and some of it still is
}

// inMemory is no place at all: what is kept there ends with the process.
var inMemory = store.Where{Kind: "memory"}

// choose chooses the store of a command. What a command that keeps nothing was told is only read.
func (a *app) choose(ctx context.Context, f *config.File, log *slog.Logger) (choice, error) {
	where, err := a.namedStore(f)
	switch {
	case err != nil:
		return choice{}, err
	case !a.wiring.keeps:
		return choice{Where: inMemory}, nil
	case where.Kind != "":
		return choice{Where: where}, a.wiring.suits(f, where)
	}
	return a.usualPlace(ctx, log)
}

// usualPlace is the store of this user. Where there is none and this machine does not let one be made, it is memory, with a warning. A store that is
// there, like one that was named, is never replaced by another.
func (a *app) usualPlace(ctx context.Context, log *slog.Logger) (choice, error) {
	c := choice{usual: true}
	var err error
	if c.Where, err = a.usualStore(); err == nil {
		c.fresh, c.again, err = makeRoom(c.Path)
	}
	var none *noPlaceError
	switch {
	case err == nil:
		return c, nil
	case a.wiring.needs || !errors.As(err, &none):
		return choice{}, unnamed(err)
	}
	log.WarnContext(ctx, "turns and records are kept in memory and end with this process: this user's store can't be made",
		"reason", err.Error(), "set", "--store, $MCP_DECIDE_STORE or store: in the file, to sqlite:PATH, or to memory: when that is meant")
	return choice{Where: inMemory}, nil
}

// open opens the store, and says what to do about one that nobody has named.
func (c choice) open(ctx context.Context, o store.Options) (*store.Store, error) {
	s, err := store.Open(ctx, c.Where, o)
	switch {
	case err != nil && c.usual:
		return nil, unnamed(err)
	case err != nil:
		return nil, &exitError{exitNotAvailable, err}
	case c.again:
		o.Log.WarnContext(ctx, "the store of this user is not there any more, so a new one was made: what the one before held is not known", "store", c.Path)
	}
	return s, nil
}

// unnamed is the error of a store that nobody has named, and so does not expect to be asked about.
func unnamed(err error) error {
	return &exitError{exitNotAvailable, fmt.Errorf("%w. No store was named, so it is the one of this user; --store or $MCP_DECIDE_STORE names another", err)}
}

// storeOf is the store of a command that looks at what was kept: the one that somebody named, else the one of this user.
func (a *app) storeOf(f *config.File) (store.Where, error) {
	where, err := a.namedStore(f)
	if err != nil || where.Kind != "" {
		return where, err
	}
	if where, err = a.usualStore(); err != nil {
		return where, unnamed(err)
	}
	return where, nil
}

// namedStore is the store that somebody named; the zero value means that nobody did.
func (a *app) namedStore(f *config.File) (store.Where, error) {
	text := storeOption.value(a, besideFile(f))
	if text == "" {
		return store.Where{}, nil
	}
	w, err := store.ParseWhere(text)
	if err != nil {
		return store.Where{}, usage("the store: %v", err)
	}
	return w, nil
}

// besideFile is what the file says about the store. A path in it starts at the folder of the file, as its other paths do: a client starts a server in
// whatever folder it likes.
func besideFile(f *config.File) string {
	path, ok := strings.CutPrefix(f.Store, "sqlite:")
	if !ok || path == "" || filepath.IsAbs(path) {
		return f.Store
	}
	return "sqlite:" + filepath.Dir(absolute(f.Path)) + string(filepath.Separator) + path
}

// usualStore is the store that all commands of this user share when nobody names another one.
func (a *app) usualStore() (store.Where, error) {
	dir, err := a.stateDir()
	if err != nil {
		return store.Where{}, &noPlaceError{err}
	}
	return store.Where{Kind: "sqlite", Path: filepath.Join(dir, "store.db")}, nil
}

// noPlaceError says that there is no store of this user, and that none can be made.
type noPlaceError struct{ err error }

func (e *noPlaceError) Error() string { return e.err.Error() }

func (e *noPlaceError) Unwrap() error { return e.err }

// makeRoom sees to it that the store of this user is there or can be made; fresh says that it is not there, again that it was before. The error is a
// *noPlaceError when there can be none; any other means that it is not known whether there is one.
func makeRoom(path string) (fresh, again bool, err error) {
	switch _, err := os.Lstat(path); {
	case err == nil:
		return false, false, nil // this one or none
	case outOfReach(err):
		return false, false, &noPlaceError{err}
	case !errors.Is(err, fs.ErrNotExist):
		return false, false, err
	}
	_, lost := os.Lstat(path + ".lock")
	dir := filepath.Dir(path)
	if err = os.MkdirAll(dir, 0o700); err == nil {
		err = onThisMachine(dir)
	}
	if err == nil {
		err = tryRoom(dir)
	}
	if err != nil {
		return false, false, &noPlaceError{err}
	}
	return true, lost == nil, nil
}

// onThisMachine refuses a folder that other machines may have mounted too.
func onThisMachine(dir string) error {
	if kind := network(dir); kind != "" {
		return fmt.Errorf("%s is on a network share (%s), and machines that use one SQLite file at the same time damage it", dir, kind)
	}
	return nil
}

// outOfReach reports whether an error means that nothing of this user can be at a place.
func outOfReach(err error) bool {
	for _, e := range []error{fs.ErrPermission, syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// room is what a new store takes at first, in bytes, with a little to spare.
const room = 512 << 10

// tryRoom finds out whether a new store has room in a folder. A store that was begun and could not be finished would be there for good.
func tryRoom(dir string) error {
	f, err := os.CreateTemp(dir, "room-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, room))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}
