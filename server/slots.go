package server

import "sync"

// places are the slots for calls that run. A caller has at most each of them at a time, so that slow calls of one leave
// room for those of others.
type places struct {
	all  chan struct{}
	each int

	mu sync.Mutex
	of map[string]*place // of callers that have or want a slot
}

type place struct {
	taken chan struct{}
	users int // how many calls have or want one
}

func newPlaces(all, each int) *places {
	return &places{all: make(chan struct{}, all), each: each, of: map[string]*place{}}
}

// take waits for a slot: first for one of the caller's own, so that who waits behind calls of the same caller is in nobody's
// way. It gives up when left or halted is closed; leave is nil then.
func (p *places) take(caller string, left, halted <-chan struct{}) (leave func()) {
	own := p.enter(caller)
	if !wait(own.taken, left, halted) {
		p.exit(caller, own)
		return nil
	}
	if !wait(p.all, left, halted) {
		<-own.taken
		p.exit(caller, own)
		return nil
	}
	return func() {
		<-p.all
		<-own.taken
		p.exit(caller, own)
	}
}

func wait(slots chan struct{}, left, halted <-chan struct{}) bool {
	select {
	case slots <- struct{}{}:
		return true
	case <-left:
	case <-halted:
	}
	return false
}

func (p *places) enter(caller string) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.of[caller]
	if own == nil {
		own = &place{taken: make(chan struct{}, p.each)}
		p.of[caller] = own
	}
	own.users++
	return own
}

func (p *places) exit(caller string, own *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.of, caller)
	}
}
