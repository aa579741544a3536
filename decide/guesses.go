package decide

import (
	"sync"
	"time"
)

// guesses counts the unknown turns that each principal names: 20 a minute, then nothing of that principal is looked up until
// the minute is over. So short ids can't be found by trying; long ones can't anyway, and many clients may be one principal there.
type guesses struct {
	mu   sync.Mutex
	list map[string]*guess
}

type guess struct {
	since time.Time
	count int
}

const (
	maxGuesses    = 20
	guessWindow   = time.Minute
	maxGuessers   = 10_000
	guessersToCut = maxGuessers / 2
)

// paused reports whether the principal has to wait.
func (g *guesses) paused(principal string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.list[principal]
	return one != nil && one.count >= maxGuesses && within(one.since, now)
}

// count notes one unknown turn.
func (g *guesses) count(principal string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if one := g.list[principal]; one != nil && within(one.since, now) {
		one.count++
		return
	}
	g.trim(now)
	if g.list == nil {
		g.list = make(map[string]*guess)
	}
	g.list[principal] = &guess{since: now, count: 1}
}

// trim keeps the list small: first what is over goes, then, should that not do, just any half.
func (g *guesses) trim(now time.Time) {
	if len(g.list) < maxGuessers {
		return
	}
	for p, one := range g.list {
		if !within(one.since, now) {
			delete(g.list, p)
		}
	}
	for p := range g.list {
		if len(g.list) <= guessersToCut {
			return
		}
		delete(g.list, p)
	}
}

// within also ends a pause when the clock has gone back.
func within(since, now time.Time) bool {
	d := now.Sub(since)
	return d >= 0 && d < guessWindow
}
