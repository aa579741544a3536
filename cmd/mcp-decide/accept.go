package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/mcp-decide/mcp-decide/internal/accept"
)

// acceptance says what of a sound file waits to be accepted, or, with accepts, accepts it and says what that was. The file of
// the demo does neither.
func (a *app) acceptance(p *plan, accepts bool) ([]verdict, error) {
	if p.file.Path == "" {
		return nil, nil
	}
	g := a.newGate()
	if accepts {
		return g.accept(p)
	}
	before, err := g.load(p.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil // the first start accepts it as it stands
	case err != nil:
		return []verdict{{Level: "error", File: p.file.Path, Message: damaged(p.file, err).Error()}}, nil
	}
	waiting := p.changes("warning", p.surface().Beyond(before))
	for i := range waiting {
		waiting[i].Message += ", and waits to be accepted"
		waiting[i].Fix = "Run mcp-decide validate --accept " + word(p.file.Path)
	}
	return waiting, nil
}

// accept writes down that the plan is accepted as it stands.
func (g *gate) accept(p *plan) ([]verdict, error) {
	if g.store == nil {
		return nil, &exitError{exitRefused, fmt.Errorf("there is no place to write down what is accepted: %w", g.nowhere)}
	}
	now := p.surface()
	before, err := g.store.Accept(absolute(p.file.Path), now)
	if err != nil {
		return nil, &exitError{exitRefused, err}
	}
	return p.changes("accepted", now.Beyond(before)), nil
}

// changes are verdicts on what goes beyond, in the order of the file.
func (p *plan) changes(level string, beyond []accept.Change) []verdict {
	var all []verdict
	for _, c := range beyond {
		pos := p.pos(c)
		all = append(all, verdict{Level: level, File: p.file.Path, Line: pos.Line, Column: pos.Col, Key: c.Key(), Message: c.What})
	}
	slices.SortStableFunc(all, func(a, b verdict) int { return cmp.Compare(a.Line, b.Line) })
	return all
}
