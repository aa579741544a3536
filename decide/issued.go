package decide

import "sync"

// issued are the short ids that this process has given out. None is given out twice: a handle that somebody kept from a
// turn which is long forgotten must never name another one. Of 200,000 ids and more the oldest are forgotten.
type issued struct {
	mu       sync.Mutex
	now, old map[string]bool
}

const issuedHalf = 100_000

// first reports whether the id was not given out before, and remembers it.
func (i *issued) first(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now[id] || i.old[id] {
		return false
	}
	if i.now == nil || len(i.now) == issuedHalf {
		i.now, i.old = map[string]bool{}, i.now
	}
	i.now[id] = true
	return true
}
