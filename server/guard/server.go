package guard

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// ServerOptions are the limits of connections.
type ServerOptions struct {
	TLSCert, TLSKey string        // files in PEM form; both or neither. TLS 1.2 and newer is spoken, and HTTP/2
	MaxConns        int           // held at once; 0 = 1024. Further ones are answered 503 and closed
	HeaderTimeout   time.Duration // for the header of a request, and for a TLS handshake; 0 = 5 s
	IdleTimeout     time.Duration // between two requests; 0 = 120 s
	DrainTimeout    time.Duration // for what is in flight when the context of Serve ends; 0 = 10 s
	Log             *slog.Logger  // nil = silent
}

// Limits of connections that are the same for everybody.
const (
	maxHeader  = 64 << 10 // bytes of a request's header
	maxStreams = 100      // requests at once on one connection of HTTP/2
	stalled    = 30 * time.Second
)

// Server is an http.Server with limits: of connections, and of the time that each step of one takes. An answer may take
// as long as its handler does; a single write may not (Options.WriteTimeout). Make one with NewServer.
type Server struct {
	http     http.Server
	maxConns int
	drain    time.Duration
	down     chan struct{} // closed when a Shutdown is done
	done     func()        // closes it
}

// NewServer reads the certificate, if there is one.
func NewServer(h http.Handler, o ServerOptions) (*Server, error) {
	if o.MaxConns < 0 || o.HeaderTimeout < 0 || o.IdleTimeout < 0 || o.DrainTimeout < 0 {
		return nil, errors.New("limits of the server: a negative one would let nothing in; 0 means the default")
	}
	config, err := tlsConfig(o.TLSCert, o.TLSKey)
	if err != nil {
		return nil, err
	}
	s := &Server{
		maxConns: cmp.Or(o.MaxConns, 1024),
		drain:    cmp.Or(o.DrainTimeout, 10*time.Second),
		down:     make(chan struct{}),
	}
	s.done = sync.OnceFunc(func() { close(s.down) })
	s.http = http.Server{
		Handler:           h,
		ReadHeaderTimeout: cmp.Or(o.HeaderTimeout, 5*time.Second),
		IdleTimeout:       cmp.Or(o.IdleTimeout, 120*time.Second),
		MaxHeaderBytes:    maxHeader,
		TLSConfig:         config,
		ErrorLog:          errorLog(cmp.Or(o.Log, slog.New(slog.DiscardHandler))),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: stalled},

		// net/http would answer OPTIONS * itself, past every check.
		DisableGeneralOptionsHandler: true,
	}
	return s, nil
}

// tlsConfig returns nil if there is no certificate.
func tlsConfig(cert, key string) (*tls.Config, error) {
	switch {
	case cert == "" && key == "":
		return nil, nil
	case key == "":
		return nil, fmt.Errorf("TLS certificate %s: its key is missing; give both files", cert)
	case cert == "":
		return nil, fmt.Errorf("TLS key %s: its certificate is missing; give both files", key)
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate %s with key %s: %w", cert, key, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// Serve answers on l until ctx ends or Shutdown is called, and closes l. When ctx ends, what is in flight has DrainTimeout
// left. Serve returns only when the end is complete, nil if it was asked for. Call it once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	// Requests see the values of ctx, but its end must not cut them off.
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	s.http.BaseContext = func(net.Listener) context.Context { return requests }

	stop := context.AfterFunc(ctx, func() {
		limit, cancel := context.WithTimeout(context.Background(), s.drain)
		defer cancel()
		_ = s.Shutdown(limit) // what it says, Serve's caller has asked for
	})
	defer stop()

	limited := newLimited(l, s.maxConns, s.http.TLSConfig != nil)
	defer limited.wait()
	err := s.serve(limited)
	if errors.Is(err, http.ErrServerClosed) {
		<-s.down
		return nil
	}
	_ = s.http.Close()
	return fmt.Errorf("serve on %s: %w", l.Addr(), err)
}

func (s *Server) serve(l net.Listener) error {
	if s.http.TLSConfig != nil {
		return s.http.ServeTLS(l, "", "")
	}
	return s.http.Serve(l)
}

// Shutdown takes no more connections and waits for what is in flight. When ctx ends first it closes what is left,
// which ends the contexts of its requests, and returns the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.done()
	err := s.http.Shutdown(ctx)
	if err != nil {
		_ = s.http.Close()
	}
	return err
}
