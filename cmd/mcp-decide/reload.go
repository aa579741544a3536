package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
)

// reloadGap is the least time between the starts of two reloads. What asks for more is one request for all.
const reloadGap = 50 * time.Millisecond

// reloader brings a changed file into a running server. One reload runs at a time, and at most one waits. A file that can't be
// served changes nothing.
type reloader struct {
	setup   *setup
	server  *server.Server
	options server.Options // with which the server was made
	gate    *gate
	hangup  *hangup

	// admit lets in who the plan says, and nobody else; nil = nobody is told apart. On an error nothing changes.
	admit func(*plan) error

	asked chan struct{} // one waits at most
}

func (a *app) newReloader(s *setup, srv *server.Server, o server.Options, g *gate) *reloader {
	return &reloader{setup: s, server: srv, options: o, gate: g, hangup: a.hangup, asked: make(chan struct{}, 1)}
}

// ask asks for a reload, and does not wait for it.
func (r *reloader) ask() {
	select {
	case r.asked <- struct{}{}:
	default:
	}
}

// start follows the file until stop is called, which returns when nothing of it runs any more: on a signal, and on every change if
// watch is set. All else about the start has succeeded by now, so what it accepts is written down.
func (r *reloader) start(ctx context.Context, watch bool) (stop func(), err error) {
	if again := r.gate.settle(ctx, r.setup.found.file, r.setup.log); again {
		r.ask()
	}
	ctx, end := context.WithCancel(ctx)
	var w *watcher
	if watch && r.setup.found.demo {
		r.setup.log.WarnContext(ctx, "the built-in demo runs, so there is no file to watch", "start", "mcp-decide init")
	} else if watch {
		if w, err = watchFile(r.setup.found.file, r.gate.record(r.setup.found.file), func(look) { r.ask() }, r.setup.log); err != nil {
			end()
			return nil, &exitError{exitRefused, err}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.follow(ctx)
	}()
	return func() {
		end()
		w.close()
		<-done
	}, nil
}

// follow reloads when it is asked to, until ctx ends.
func (r *reloader) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.hangup.asks():
		case <-r.asked:
		}
		// Whoever has asked by now is served by the same reload.
		select {
		case <-r.hangup.asks():
		default:
		}
		select {
		case <-r.asked:
		default:
		}
		gap := time.NewTimer(reloadGap)
		r.reload(ctx)
		select {
		case <-gap.C:
		case <-ctx.Done():
			gap.Stop()
			return
		}
	}
}

// reload reads the file and puts what it says in the place of what was, in one step.
func (r *reloader) reload(ctx context.Context) {
	log, old := r.setup.log, r.setup.found.file
	if r.setup.found.demo {
		log.WarnContext(ctx, "the built-in demo runs, so there is no file to read again", "start", "mcp-decide init")
		return
	}
	p, err := r.read(old.Path)
	if err == nil && r.admit != nil {
		err = r.admit(p)
	}
	if err == nil {
		err = r.setup.engine.Reload(p.methods, p.decisions)
	}
	if err != nil {
		r.refuse(ctx, err)
		return
	}
	r.server.Refresh()
	(&setup{log: log, warnings: p.warnings}).warn(ctx)
	p.tell(ctx, log)
	if fixed := unchangeable(old, p.file); len(fixed) > 0 {
		log.WarnContext(ctx, "these settings hold from the next start on", "file", old.Path, "keys", fixed)
	}
	log.InfoContext(ctx, "configuration reloaded", "file", old.Path, "methods", len(p.methods), "decisions", len(p.decisions), "held_back", len(p.held))
}

// read makes a plan of the file that is as good as at a start: an engine and a server of their own have taken it.
func (r *reloader) read(path string) (*plan, error) {
	f, err := config.Load(path)
	if err != nil {
		return nil, err
	}
	p, err := planOf(f)
	if err != nil {
		return nil, err
	}
	if err := r.gate.hold(p); err != nil {
		return nil, err
	}
	trial := decide.New(registry.New(), decide.Options{})
	if err := trial.Reload(p.methods, p.decisions); err != nil {
		return nil, err
	}
	o := r.options
	o.Log = nil
	_, err = server.New(trial, o)
	return p, err
}

// refuse says why what runs stays as it is.
func (r *reloader) refuse(ctx context.Context, err error) {
	const stays = "the configuration was not reloaded, and the one before goes on"
	log, path := r.setup.log, r.setup.found.file.Path
	var problems config.Errors
	switch {
	case errors.As(err, &problems):
		for i, p := range problems {
			if i == maxTold {
				log.ErrorContext(ctx, "more is wrong with the configuration", "count", len(problems)-i, "run", "mcp-decide validate "+word(absolute(path)))
				break
			}
			log.ErrorContext(ctx, "wrong in the configuration", "at", place(p), "key", p.Key, "problem", p.Message, "fix", p.Fix)
		}
		log.ErrorContext(ctx, stays, "file", path, "problems", len(problems))
	case errors.Is(err, fs.ErrNotExist):
		log.ErrorContext(ctx, stays, "file", path, "reason", "it is not there any more")
	default:
		log.ErrorContext(ctx, stays, "file", path, "reason", err.Error())
	}
}

// unchangeable are the settings that differ and that a running server keeps as they were at its start.
func unchangeable(old, now *config.File) []string {
	var keys []string
	note := func(key string, same bool) {
		if !same {
			keys = append(keys, key)
		}
	}
	note("server.name", old.Server.Name == now.Server.Name)
	note("server.title", old.Server.Title == now.Server.Title)
	note("server.instructions", old.Server.Instructions == now.Server.Instructions)
	note("store", old.Store == now.Store)
	note("trace", old.Trace == now.Trace)
	note("http.allowed_hosts", slices.Equal(old.HTTP.AllowedHosts, now.HTTP.AllowedHosts))
	note("http.allowed_origins", slices.Equal(old.HTTP.AllowedOrigins, now.HTTP.AllowedOrigins))
	note("http.resource", old.HTTP.Resource == now.HTTP.Resource)
	note("http.issuers", slices.Equal(old.HTTP.Issuers, now.HTTP.Issuers))
	return keys
}
