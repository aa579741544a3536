package main

import (
	"errors"
	"fmt"
	"io"
)

// target is a server that is measured.
type target struct {
	kind  kind
	wire  wire
	usage func() (usage, error)
	ask   func(question) error
	end   func()
}

// connect makes a server and the wire to it, and shakes hands where the era does.
func connect(k kind, via transport, e era, fillers int, l limits) (*target, error) {
	s := spec{Kind: k, Transport: via, Fillers: fillers, Limits: l}
	if via == inProcess {
		return inside(s, e)
	}
	c, err := start(s)
	if err != nil {
		return nil, err
	}
	t := &target{
		kind:  k,
		usage: func() (usage, error) { return c.hand.ask(question{Do: "usage"}) },
		ask: func(q question) error {
			_, err := c.hand.ask(q)
			return err
		},
		end: c.stop,
	}
	if via == stdio {
		t.wire = newPipe(e, c.stdin, c.out)
	} else {
		t.wire = &endpoint{era: e, addr: c.addr, token: token}
	}
	return t.greeted(e)
}

// inside is a server in this process, on streams without a system call. What the caller costs is in its figures, the
// same for both kinds.
func inside(s spec, e era) (*target, error) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	serve, err := onStreams(s, inR, outW)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		outW.CloseWithError(serve())
	}()
	t := &target{
		kind:  s.Kind,
		wire:  newPipe(e, inW, outR),
		usage: func() (usage, error) { return usageNow(), nil },
		ask:   func(question) error { return errors.New("a server in this process can't be asked") },
		end: func() {
			inW.Close()
			<-ended
		},
	}
	return t.greeted(e)
}

// greeted shakes hands where the era wants it.
func (t *target) greeted(e era) (*target, error) {
	if e.meta != "" {
		return t, nil
	}
	if err := t.greet(e); err != nil {
		t.end()
		return nil, fmt.Errorf("shake hands with %s: %w", t.kind, err)
	}
	return t, nil
}

func (t *target) greet(e era) error {
	l, err := t.wire.lane()
	if err != nil {
		return err
	}
	defer l.close()
	a, err := l.round(hello(e))
	if err != nil {
		return err
	}
	if err := a.ok(); err != nil {
		return err
	}
	return t.wire.notify(initialized)
}
