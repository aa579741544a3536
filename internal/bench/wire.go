package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
)

// wire leads to one server. Each caller has a lane of its own, and sends its next request on it once the last one is
// answered.
type wire interface {
	lane() (lane, error)
	notify(message string) error // sends a message that has no answer
}

type lane interface {
	round(r request) (*answer, error)
	close()
}

// pipe is the wire of stdio: all lanes share one stream, and answers find their callers by id.
type pipe struct {
	era era
	ids atomic.Int64

	writing sync.Mutex
	w       io.Writer

	mu      sync.Mutex
	waiting map[int64]chan *answer
	broken  error
}

func newPipe(e era, w io.Writer, r io.Reader) *pipe {
	p := &pipe{era: e, w: w, waiting: map[int64]chan *answer{}}
	go p.read(r)
	return p
}

func (p *pipe) read(r io.Reader) {
	lines := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err == nil {
			err = p.deliver(line)
		}
		if err != nil {
			p.fail(err)
			return
		}
	}
}

// deliver hands an answer to who waits for it. One that nobody waits for is a fault of the server.
func (p *pipe) deliver(line []byte) error {
	a := new(answer)
	if err := json.Unmarshal(line, a); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	if a.Method != "" {
		return nil
	}
	id, err := strconv.ParseInt(string(a.ID), 10, 64)
	if err != nil {
		return fmt.Errorf("an answer has the id %s, which no request had", a.ID)
	}
	p.mu.Lock()
	waits := p.waiting[id]
	delete(p.waiting, id)
	p.mu.Unlock()
	if waits == nil {
		return fmt.Errorf("nobody waits for the answer to %d", id)
	}
	waits <- a
	return nil
}

func (p *pipe) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.broken = err
	for _, waits := range p.waiting {
		close(waits)
	}
	clear(p.waiting)
}

func (p *pipe) lane() (lane, error) { return &pipeLane{p: p, answers: make(chan *answer, 1)}, nil }

func (p *pipe) notify(message string) error { return p.send(append([]byte(message), '\n')) }

func (p *pipe) send(line []byte) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err := p.w.Write(line)
	return err
}

type pipeLane struct {
	p       *pipe
	answers chan *answer
	line    []byte
}

func (l *pipeLane) close() {}

func (l *pipeLane) round(r request) (*answer, error) {
	id := l.p.ids.Add(1)
	l.line = append(l.p.era.write(l.line[:0], id, r), '\n')
	l.p.mu.Lock()
	if l.p.broken != nil {
		l.p.mu.Unlock()
		return nil, l.p.broken
	}
	l.p.waiting[id] = l.answers
	l.p.mu.Unlock()
	if err := l.p.send(l.line); err != nil {
		return nil, err
	}
	a, ok := <-l.answers
	if !ok {
		return nil, errors.New("the server ended before it answered")
	}
	return a, nil
}
