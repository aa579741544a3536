package registry

import (
	"context"
	"errors"
	"sync"
)

// Life is what runs hang on that outlive their callers: the server they run in. A write goes on when its caller has
// gone, but no further than the process, which must leave no child behind.
type Life struct {
	ctx context.Context
	end context.CancelFunc

	mu   sync.Mutex
	over bool
	runs int
	most int           // runs at the same time
	idle chan struct{} // closed when over and no run is left
}

// maxRuns bounds what runs at the same time, with all whose callers have gone.
const maxRuns = 256

// cancelled is why a run was cancelled, in words for whoever reads the result.
type cancelled string

func (c cancelled) Error() string        { return string(c) }
func (c cancelled) Is(target error) bool { return target == context.Canceled }

const (
	errStopped = cancelled("stopped with the server")
	errLeft    = cancelled("cancelled with its caller")
)

// Why nothing may start.
var (
	errStopping = errors.New("the server is stopping")
	errFull     = errors.New("too many calls are running; send it again later")
)

// NewLife makes a life that goes on until End. At most 256 runs hang on it at the same time; a call beyond them is
// refused.
func NewLife() *Life {
	l := &Life{most: maxRuns, idle: make(chan struct{})}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// End cancels what runs, lets nothing new start, and waits until all has returned or ctx ends. The error is
// that of ctx. It may be called more than once.
func (l *Life) End(ctx context.Context) error {
	l.end()
	l.mu.Lock()
	if !l.over {
		l.over = true
		if l.runs == 0 {
			close(l.idle)
		}
	}
	l.mu.Unlock()
	select {
	case <-l.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter counts a run. The error says why none may start now. A nil life counts nothing.
func (l *Life) enter() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over:
		return errStopping
	case l.runs >= l.most:
		return errFull
	}
	l.runs++
	return nil
}

func (l *Life) leave() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.runs--; l.over && l.runs == 0 {
		close(l.idle)
	}
}

// stop calls cancel when the life ends. The function takes that back.
func (l *Life) stop(cancel func()) (forget func() bool) {
	if l == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(l.ctx, cancel)
}

// ended reports whether the life was ended.
func (l *Life) ended() bool { return l != nil && l.ctx.Err() != nil }
