package store

import "sync"

// rooms are how many turns of each principal surely fit, as they were counted last. Counting takes the longer the more there are, so that it is
// done again only when half of the room that was found is used up. Of several processes each counts for itself, so that together they may let in
// more than the limit says, never many times as much.
type rooms struct {
	mu   sync.Mutex
	left map[string]int
}

const maxRooms = 10_000 // principals; beyond that all are counted anew

// take uses a place, if one is known.
func (r *rooms) take(principal string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left[principal] == 0 {
		return false
	}
	r.left[principal]--
	return true
}

// counted notes how much room there is.
func (r *rooms) counted(principal string, room int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == nil || len(r.left) >= maxRooms {
		r.left = map[string]int{}
	}
	r.left[principal] = room / 2
}
