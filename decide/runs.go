package decide

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// runs are the writes that this engine has started: who waits for their end, and what could not be written about them yet. What
// is owed is tried again whenever its turn or call is looked at, whenever another run ends, and from time to time.
type runs struct {
	mu   sync.Mutex
	live map[string]chan struct{} // by turn, or by call where there is none; closed when the result is known
	owed map[string]payment       // likewise
}

type payment func(context.Context) error

func (r *runs) begin(turn string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.live == nil {
		r.live = make(map[string]chan struct{})
	}
	r.live[turn] = make(chan struct{})
}

// end wakes all who wait for the turn, and is the time to try what is owed.
func (r *runs) end(turn string) {
	r.mu.Lock()
	if ch := r.live[turn]; ch != nil {
		close(ch)
		delete(r.live, turn)
	}
	r.mu.Unlock()
	r.payAll(context.Background(), turn)
}

// payAll tries to write all that is owed, but for some.
func (r *runs) payAll(ctx context.Context, but ...string) {
	r.mu.Lock()
	owing := slices.Collect(maps.Keys(r.owed))
	r.mu.Unlock()
	for _, id := range owing {
		if !slices.Contains(but, id) {
			r.pay(ctx, id)
		}
	}
}

// ended is closed when the run of the turn has ended; nil when this engine runs nothing for it.
func (r *runs) ended(turn string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[turn]
}

// owe keeps what could not be written.
func (r *runs) owe(turn string, p payment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owed == nil {
		r.owed = make(map[string]payment)
	}
	r.owed[turn] = p
}

// pay writes what is owed about a turn, if it can be written now.
func (r *runs) pay(ctx context.Context, turn string) {
	r.mu.Lock()
	p := r.owed[turn]
	delete(r.owed, turn)
	r.mu.Unlock()
	if p == nil {
		return
	}
	if err := p(ctx); err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.owed[turn] == nil { // a later result is worth more
		r.owed[turn] = p
	}
}
