package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcp-decide/mcp-decide/server"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

// How long an orderly end may take: for the calls that are in flight, and a little more for their answers to reach
// their clients.
const (
	drainTime  = 10 * time.Second
	answerTime = 5 * time.Second
)

// endpoint is where MCP is spoken.
const endpoint = "/mcp"

// serveHTTP serves over HTTP until ctx ends, and then answers what is in flight.
func (a *app) serveHTTP(ctx context.Context, s *setup, srv *server.Server, l *listening, numbers *metrics, changes *reloader) error {
	if err := s.plan.admitsSomebody(); err != nil && !l.unauthenticated {
		return &exitError{exitUsage, err}
	}
	if err := l.check(s.found.file); err != nil {
		return err
	}
	who, printed, err := a.admitted(ctx, s, l)
	if err != nil {
		return err
	}
	g, err := guard.New(guardOptions(s, l, who, numbers))
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("serving over HTTP: %w", err)}
	}
	var ready atomic.Bool
	routes(g, srv, &ready, numbers.page(s.log))
	web, err := guard.NewServer(numbers.counted(g), guard.ServerOptions{TLSCert: l.cert, TLSKey: l.key, DrainTimeout: drainTime + answerTime, Log: s.log})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	listener, err := net.ListenTCP("tcp", l.addr)
	if err != nil {
		return &exitError{exitRefused, busy(l, err)}
	}
	changes.admit = l.readmit(g, s.found.file)
	stop, err := changes.start(ctx, a.watch)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer stop()
	address := l.url(listener.Addr(), s.found.file.HTTP.AllowedHosts)
	l.doubts(ctx, s.log)
	fmt.Fprint(a.err, a.connectHint(address+endpoint, printed, l.unauthenticated))
	ready.Store(true)
	s.log.InfoContext(ctx, "serving over HTTP", "url", address+endpoint, "address", listener.Addr().String())
	return untilDrained(ctx, srv, web, listener, &ready)
}

// admitted are the tokens of who may come in, and one that was made for this run and is to be printed; "" = none was.
func (a *app) admitted(ctx context.Context, s *setup, l *listening) (who []guard.Token, made string, err error) {
	f := s.found.file
	switch {
	case l.unauthenticated:
		const everybody = "everybody on this machine may call every method, "
		if pages := f.HTTP.AllowedOrigins; len(pages) > 0 {
			s.log.WarnContext(ctx, everybody+"and so may the pages of http.allowed_origins, in any browser here", "flag", "--allow-unauthenticated", "pages", pages)
		} else {
			s.log.WarnContext(ctx, everybody+"pages in a browser excepted", "flag", "--allow-unauthenticated")
		}
		return nil, "", nil
	case f.Access == nil:
		made = rand.Text() // 130 bits
		return []guard.Token{{Name: "printed", Secret: made}}, made, nil
	}
	who, warnings, err := tokens(f)
	if err != nil {
		return nil, "", &exitError{exitUsage, err}
	}
	(&setup{log: s.log, warnings: warnings}).warn(ctx)
	return who, "", nil
}

func guardOptions(s *setup, l *listening, who []guard.Token, numbers *metrics) guard.Options {
	o := guard.Options{
		Hosts:           s.found.file.HTTP.AllowedHosts,
		Origins:         s.found.file.HTTP.AllowedOrigins,
		Tokens:          who,
		Unauthenticated: l.unauthenticated,
		Log:             s.log,
		Observe:         numbers.observe,
	}
	if resource := s.found.file.HTTP.Resource; resource != "" {
		o.Metadata = &guard.Metadata{Resource: resource, Issuers: s.found.file.HTTP.Issuers}
	}
	return o
}

// routes are all that there are, beside the metadata that the guard itself may serve.
func routes(g *guard.Guard, srv *server.Server, ready *atomic.Bool, numbers http.Handler) {
	g.Handle(endpoint, srv.Handler())
	g.HandleOpen("/healthz", probe(func() bool { return true }))
	g.HandleOpen("/readyz", probe(ready.Load))
	g.Handle("/metrics", reading(numbers))
}

// probe answers whoever only wants to know whether something holds.
func probe(holds func() bool) http.Handler {
	return reading(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		if !holds() {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprintln(w, "not ready")
			return
		}
		fmt.Fprintln(w, "ok")
	}))
}

// reading lets through what only reads.
func reading(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD here", http.StatusMethodNotAllowed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// untilDrained serves until ctx ends. Then nobody new is taken in, and who has asked gets an answer.
func untilDrained(ctx context.Context, srv *server.Server, web *guard.Server, l net.Listener, ready *atomic.Bool) error {
	ctx, end := context.WithCancel(ctx)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		<-ctx.Done()
		ready.Store(false)
		grace, done := context.WithTimeout(context.Background(), drainTime)
		defer done()
		srv.Drain(grace)
	}()
	err := web.Serve(ctx, l)
	end()
	<-drained
	if err != nil {
		return &exitError{exitRefused, fmt.Errorf("serving over HTTP: %w", err)}
	}
	return nil
}

// busy says what to do about an address that can't be had.
func busy(l *listening, err error) error {
	return fmt.Errorf("listening on %s: %w; end what listens there, or name another port, 0 for any that is free", l.text, err)
}
