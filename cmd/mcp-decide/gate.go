package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/internal/accept"
)

// gate holds back what a file may run beyond what its user has accepted, at start as on a reload. The first start of serve accepts the file as
// it stands.
type gate struct {
	store    *accept.Store // nil = there is no place to keep records
	nowhere  error         // why not
	known    bool          // something was accepted
	accepted accept.Surface
	first    bool // and that was what this process found at its start
}

// newGate is a gate that keeps its records in the user's state folder.
func (a *app) newGate() *gate {
	dir, err := a.stateDir()
	if err != nil {
		return &gate{nowhere: err}
	}
	return &gate{store: &accept.Store{Dir: filepath.Join(dir, "accepted")}}
}

// hold turns off what the plan may not do. The demo, which is in no file, may do everything.
func (g *gate) hold(p *plan) error {
	if p.file.Path == "" {
		return nil
	}
	now := p.surface()
	accepted, err := g.load(p.file)
	switch {
	case err == nil:
		g.accepted, g.known = accepted, true
	case !errors.Is(err, fs.ErrNotExist):
		return &exitError{exitUsage, damaged(p.file, err)}
	case !g.known:
		g.accepted, g.known, g.first = now, true, true
	}
	p.without(now.Beyond(g.accepted))
	return nil
}

// load reads what was accepted. A record that has gone while the process runs leaves what it held.
func (g *gate) load(f *config.File) (accept.Surface, error) {
	if g.store == nil {
		return accept.Surface{}, fs.ErrNotExist
	}
	return g.store.Load(absolute(f.Path))
}

// absolute is a path that means the same in another folder.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// damaged says what to do about a record that can't be used.
func damaged(f *config.File, err error) error {
	var e *accept.DamagedError
	switch {
	case errors.As(err, &e):
		return fmt.Errorf("%w. Look through the configuration, then run mcp-decide validate --accept %s", err, word(absolute(f.Path)))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w; let this user read it, or set $XDG_STATE_HOME to a folder of this user", err)
	}
	return err
}

// settle writes down what the first start has accepted, once everything else about it has succeeded. It reports whether another start was
// first meanwhile with a file that was not the same: then what runs has to be looked at again.
func (g *gate) settle(ctx context.Context, f *config.File, log *slog.Logger) (again bool) {
	if !g.first {
		return false
	}
	accepted, first, err := g.write(absolute(f.Path))
	switch {
	case err != nil:
		g.store = nil
		log.WarnContext(ctx, "what the file may run is remembered only while this runs: a change is held back on a reload, but not on another start",
			"file", f.Path, "reason", err.Error())
		return false
	case !first:
		again = len(g.accepted.Beyond(accepted)) > 0
		g.accepted = accepted
		return again
	}
	log.InfoContext(ctx, "this is the first start with this file, so what it runs is accepted as it stands", "file", f.Path, "record", g.record(f))
	return false
}

func (g *gate) write(path string) (accepted accept.Surface, first bool, err error) {
	if g.store == nil {
		return accept.Surface{}, false, g.nowhere
	}
	return g.store.First(path, g.accepted)
}

// record is the file of what was accepted; "" when there is none.
func (g *gate) record(f *config.File) string {
	if g.store == nil || f.Path == "" {
		return ""
	}
	return g.store.Path(absolute(f.Path))
}

// maxTold is how many lines of one kind a log gets at a time.
const maxTold = 20

// tell logs what is held back.
func (p *plan) tell(ctx context.Context, log *slog.Logger) {
	for i, c := range p.held {
		if i == maxTold {
			log.WarnContext(ctx, "more is held back", "count", len(p.held)-i)
			return
		}
		log.WarnContext(ctx, "held back until it is accepted", "key", c.Key(), "what", c.What, "run", "mcp-decide validate --accept "+word(absolute(p.file.Path)))
	}
}

// connectAsServed connects for commands that show what a client gets. They write nothing down, and what a server would hold back
// is off for them too.
func (a *app) connectAsServed(ctx context.Context) (*setup, error) {
	a.wiring.hold = func(p *plan) error {
		if err := a.newGate().hold(p); err != nil {
			a.note("what a server would hold back is not known: %v", err)
		}
		return nil
	}
	return a.connect(ctx)
}
