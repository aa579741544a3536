package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
)

func (a *app) serveCommand() *cobra.Command {
	var offer string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve MCP clients: one on standard input and output, or many over HTTP",
		Long: "serve speaks MCP on standard input and output until the input ends. An MCP client starts it; the\n" +
			"snippets for each client stand in the README. Logs go to standard error.\n\n" +
			"With --http it serves any number of clients at /mcp instead, until a signal ends it; a second one ends it at\n" +
			"once. Who may connect says access: in the configuration; without it one random token is made and printed.\n" +
			"/healthz and /readyz answer everybody, /metrics who has a token.\n\n" +
			"On SIGHUP, and with --watch on every change, the configuration is read again; one with errors changes nothing.\n" +
			"What it may run beyond what was accepted is off until mcp-decide validate --accept; the first start accepts it\n" +
			"as it stands.",
		Example: "  mcp-decide serve --config mcp-decide.yaml\n" +
			"  mcp-decide serve --config mcp-decide.yaml --http " + usualAddress,
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.listening(cmd)
			if err != nil {
				return err
			}
			return a.serve(cmd.Context(), registry.Offer(offer), l)
		},
	}
	f := cmd.Flags()
	f.StringVar(&offer, "offer", "", "native, menu or both: overrides what each method says, to compare")
	for _, o := range serveOptions {
		o.register(a, f)
	}
	f.BoolVar(&a.unauthenticated, "allow-unauthenticated", false, "let everybody on this machine in over HTTP, without a token")
	f.BoolVar(&a.watch, "watch", false, "read the configuration again when it changes")
	return cmd
}

// serve serves on standard input and output, or where l says.
func (a *app) serve(ctx context.Context, offer registry.Offer, l *listening) error {
	switch offer {
	case "", registry.OfferNative, registry.OfferMenu, registry.OfferBoth:
	default:
		return usage("--offer is %q; it is native, menu or both", offer)
	}
	caller := self()
	var numbers *metrics
	if l != nil {
		// Over HTTP a caller is who the token says, and nobody else.
		caller, numbers = registry.Caller{}, newMetrics()
		a.wiring = wiring{strangers: true, recorder: numbers.counting}
	}
	s, srv, changes, err := a.ready(ctx, caller, offer)
	if err != nil {
		return err
	}
	go func() {
		<-a.again
		srv.Stop()
	}()
	defer s.close()
	tending, tended := context.WithCancel(ctx)
	var gone sync.WaitGroup
	gone.Go(func() { s.tend(tending) })
	defer func() { tended(); gone.Wait() }()
	if l != nil {
		numbers.answers(s.counts)
		numbers.records(&s.records)
		return a.serveHTTP(ctx, s, srv, l, numbers, changes)
	}
	stop, err := changes.start(ctx, a.watch)
	if err != nil {
		return err
	}
	defer stop()
	if a.terminal {
		fmt.Fprint(a.err, serveHint(s.found.demo))
	}
	err = srv.ServeStdio(ctx, a.in, a.out)
	if err != nil && !errors.Is(err, context.Canceled) {
		return &exitError{exitRefused, err}
	}
	return nil
}

// ready makes a server of the configuration, and what keeps it up to date. Neither has begun.
func (a *app) ready(ctx context.Context, caller registry.Caller, offer registry.Offer) (s *setup, srv *server.Server, changes *reloader, err error) {
	gate := a.newGate()
	a.wiring.hold, a.wiring.keeps = gate.hold, true
	s, err = a.connect(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if s.chosen.fresh {
		s.log.InfoContext(ctx, "turns and records of this user are kept from now on", "store", s.chosen.Path)
	}
	s.warn(ctx)
	s.plan.tell(ctx, s.log)
	about := s.found.file.Server
	options := server.Options{
		Name:         about.Name,
		Title:        about.Title,
		Version:      version,
		Instructions: about.Instructions,
		Notice:       s.found.notice(),
		Caller:       caller,
		Offer:        offer,
		Counts:       s.counts,
		Traces:       s.records.kept,
		Log:          s.log,
	}
	srv, err = server.New(s.engine, options)
	if err != nil {
		return nil, nil, nil, &exitError{exitUsage, err}
	}
	return s, srv, a.newReloader(s, srv, options, gate), nil
}

// serveHint tells a person who started serve by hand what it waits for.
func serveHint(demo bool) string {
	self, err := os.Executable()
	if err != nil {
		self = "mcp-decide"
	}
	hint := fmt.Sprintf("This waits for an MCP client on standard input; Ctrl-D or Ctrl-C ends it.\n"+
		"To connect one:  claude mcp add decide -- %s serve\n"+
		"To try it here:  mcp-decide list    mcp-decide call METHOD key=value    mcp-decide decide DECISION\n", self)
	if demo {
		hint += "This is the built-in demo. For methods of your own:  mcp-decide init\n"
	}
	return hint
}
