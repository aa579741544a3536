// Package server speaks MCP: tools, the pick tools, prompts and resources, in both protocol eras. It is
// the only user of the SDK's server.
package server

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Options of a Server. The zero value works.
type Options struct {
	Name, Title, Version string
	Instructions         string          // the author's; ours are added
	Notice               string          // one more line for instructions: that the demo runs, and where was looked
	Caller               registry.Caller // who the one client of a stdio server is
	Offer                registry.Offer  // overrides every method's offer; "" = as declared
	Log                  *slog.Logger
	Grace                time.Duration // after the end of input or a signal, for what still runs; 0 = 10 s
}

// Server serves one engine.
type Server struct{}

// New makes a server.
func New(eng *decide.Engine, o Options) (*Server, error) { panic("not written yet") }

// ServeStdio serves one client on in and out until in ends or ctx does, and has answered every request
// that it read, up to the grace time.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	panic("not written yet")
}
