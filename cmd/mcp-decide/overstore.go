package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mcp-decide/mcp-decide/store"
)

// overStore opens the store for a look at what was kept. It makes no store where there is none.
func (a *app) overStore(ctx context.Context, look func(context.Context, *store.Store) error) (err error) {
	log, err := a.logger()
	if err != nil {
		return err
	}
	f, err := a.find()
	if err != nil {
		return err
	}
	where, err := a.storeOf(f.file)
	if err != nil {
		return err
	}
	if where.Kind == "memory" {
		return usage("what is kept in memory ends with the server; name a store with --store sqlite:PATH, for the server too")
	}
	if _, err := os.Stat(where.Path); where.Kind == "sqlite" && errors.Is(err, fs.ErrNotExist) {
		return &exitError{exitNotAvailable, fmt.Errorf("there is no store at %s: nothing has been kept there yet", safe(where.Path))}
	}
	s, err := store.Open(ctx, where, store.Options{Log: log, Keep: f.file.Trace.Keep, Size: f.file.Trace.MaxSize})
	if err != nil {
		return &exitError{exitNotAvailable, err}
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return look(ctx, s)
}
