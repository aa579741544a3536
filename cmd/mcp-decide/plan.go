package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/internal/accept"
	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/source"
	"github.com/mcp-decide/mcp-decide/validate"
)

// plan is what a file comes to on this machine, before anything is made of it.
type plan struct {
	file      *config.File
	methods   []registry.Method
	decisions []decide.Decision
	warnings  []config.Problem
	held      []accept.Change // what it may not do until that is accepted
}

func planOf(f *config.File) (*plan, error) {
	methods, warnings, err := source.Build(f)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if unheard := unheardPhrases(f); unheard != nil {
		return nil, &exitError{exitUsage, unheard}
	}
	p := &plan{file: f, methods: methods, warnings: append(slices.Clone(f.Warnings), warnings...)}
	for _, d := range f.Decisions {
		decision, err := wire(d)
		if err != nil {
			return nil, &exitError{exitUsage, fmt.Errorf("decision %q: %w", d.Name, err)}
		}
		p.decisions = append(p.decisions, decision)
	}
	return p, nil
}

// unheardPhrases are the phrases of a file for which no reply would ever be taken, as problems with their places.
func unheardPhrases(f *config.File) error {
	var problems config.Errors
	for _, d := range f.Decisions {
		for _, p := range d.Phrases {
			if decide.Heard(menu.Phrase{Text: p.Text, Option: p.Option}) {
				continue
			}
			problems = append(problems, config.Problem{
				File: f.Path, Pos: p.Pos, Key: "decisions." + d.Name + ".phrases",
				Message: fmt.Sprintf("a reply of just the words %s picks nothing, since they might mean something else", validate.Quote(p.Text)),
				Fix:     strings.ToUpper(decide.PhraseFix[:1]) + decide.PhraseFix[1:],
			})
		}
	}
	if problems == nil {
		return nil
	}
	return problems
}

// surface is what the plan lets run, and by whom.
func (p *plan) surface() accept.Surface {
	offeredBy := map[string]map[string]bool{}
	for _, d := range p.decisions {
		for _, o := range d.Options {
			if o.Method == "" {
				continue
			}
			if offeredBy[o.Method] == nil {
				offeredBy[o.Method] = map[string]bool{}
			}
			offeredBy[o.Method][d.Name] = true
		}
	}
	s := accept.NewSurface()
	for i := range p.methods {
		m := &p.methods[i]
		s.Add(m, slices.Sorted(maps.Keys(offeredBy[m.Name])))
	}
	for _, a := range p.file.Access {
		s.Admit(a.Name, a.Token, a.Roles)
	}
	return s
}

// without turns off what goes beyond what was accepted, and lets nobody in who may do more than was accepted. All else stays.
func (p *plan) without(beyond []accept.Change) {
	p.held = beyond
	reasons, strangers := map[string]string{}, map[string]bool{}
	for _, c := range beyond {
		if c.Principal != "" {
			strangers[c.Principal] = true
			continue
		}
		if reasons[c.Method] != "" {
			reasons[c.Method] += "; "
		}
		reasons[c.Method] += c.What
	}
	for i := range p.methods {
		m := &p.methods[i]
		reason := reasons[m.Name]
		if reason == "" {
			continue
		}
		if m.Off != "" {
			m.Off += "; "
		}
		m.Off += reason + ", which was not accepted yet: run mcp-decide validate --accept"
	}
	if len(strangers) > 0 {
		access := slices.Clone(p.file.Access)
		p.file.Access = slices.DeleteFunc(access, func(a config.Access) bool { return strangers[a.Name] })
	}
}

// pos is where the file says what a change is about.
func (p *plan) pos(c accept.Change) config.Pos {
	for _, a := range p.file.Access {
		if a.Name == c.Principal {
			return a.Pos
		}
	}
	for _, m := range p.file.Methods {
		if m.Name == c.Method {
			return m.Pos
		}
	}
	return config.Pos{}
}
