package main

import (
	"errors"
	"slices"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/internal/accept"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

var errNobodyAccepted = errors.New("nobody under access: is accepted yet, so nobody could connect; run mcp-decide validate --accept")

// admitsSomebody fails when the file names people and not one of them was accepted.
func (p *plan) admitsSomebody() error {
	held := slices.ContainsFunc(p.held, func(c accept.Change) bool { return c.Principal != "" })
	if held && len(p.file.Access) == 0 {
		return errNobodyAccepted
	}
	return nil
}

// readmit lets in who a changed file names, in the place of who came in before. Who is accepted and has a new token comes in with that
// one alone.
func (l *listening) readmit(g *guard.Guard, started *config.File) func(*plan) error {
	named := started.Access != nil // who is let in now stands in a file, and is not the token that was printed
	return func(p *plan) error {
		if l.unauthenticated {
			if p.file.Access != nil {
				return errors.New("access: in the configuration says who may connect, and --allow-unauthenticated lets everybody in; start again without the flag")
			}
			return nil
		}
		if err := p.admitsSomebody(); err != nil {
			return err
		}
		switch {
		case p.file.Access == nil && !named:
			return nil // the token that was printed goes on
		case len(p.file.Access) == 0:
			return errors.New("access: in the configuration names nobody any more, so nobody could connect")
		}
		who, warnings, err := tokens(p.file)
		if err != nil {
			return err
		}
		p.warnings = append(p.warnings, warnings...)
		if err := g.Replace(who); err != nil {
			return err
		}
		named = true
		return nil
	}
}
