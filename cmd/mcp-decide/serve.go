package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
)

func (a *app) serveCommand() *cobra.Command {
	var offer string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve an MCP client on standard input and output",
		Long: "serve speaks MCP on standard input and output until the input ends. An MCP client starts it; the\n" +
			"snippets for each client stand in the README. Logs go to standard error.",
		Args: takes(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), registry.Offer(offer)) },
	}
	cmd.Flags().StringVar(&offer, "offer", "", "native, menu or both: overrides what each method says, to compare")
	missing(cmd, map[string]string{"http": "serve over HTTP", "watch": "reload on change"})
	return cmd
}

func (a *app) serve(ctx context.Context, offer registry.Offer) error {
	switch offer {
	case "", registry.OfferNative, registry.OfferMenu, registry.OfferBoth:
	default:
		return usage("--offer is %q; it is native, menu or both", offer)
	}
	s, err := a.connect(ctx)
	if err != nil {
		return err
	}
	s.warn(ctx)
	about := s.found.file.Server
	srv, err := server.New(s.engine, server.Options{
		Name:         about.Name,
		Title:        about.Title,
		Version:      version,
		Instructions: about.Instructions,
		Notice:       s.found.notice(),
		Caller:       self(),
		Offer:        offer,
		Log:          s.log,
	})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if a.terminal {
		fmt.Fprint(a.err, serveHint(s.found.demo))
	}
	go func() {
		<-a.again
		srv.Stop()
	}()
	defer s.close()
	err = srv.ServeStdio(ctx, a.in, a.out)
	if err != nil && !errors.Is(err, context.Canceled) {
		return &exitError{exitRefused, err}
	}
	return nil
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
