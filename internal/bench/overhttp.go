package main

import (
	"context"
	"net"
	"net/http"
	"time"

	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/server/guard"
)

// token is what ours asks for over HTTP; the SDK alone does not look at it.
const token = "bench-token-of-nobody"

// bareOn serves the SDK's own handler, in the way that keeps no sessions.
func bareOn(l net.Listener, s spec) (func() error, error) {
	srv, err := newBare(s.Fillers)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", sdk.NewStreamableHTTPServer(srv, sdk.WithStateLess(true)))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return func() error { return web.Serve(l) }, nil
}

// oursOn serves ours as the command does: behind the guard, with a token, in the server with its time limits.
func oursOn(l net.Listener, s spec) (func() error, error) {
	srv, err := newOurs(s.Fillers, true, s.Limits)
	if err != nil {
		return nil, err
	}
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Name: "bench", Secret: token}}})
	if err != nil {
		return nil, err
	}
	g.Handle("/mcp", srv.Handler())
	web, err := guard.NewServer(g, guard.ServerOptions{})
	if err != nil {
		return nil, err
	}
	return func() error { return web.Serve(context.Background(), l) }, nil
}
