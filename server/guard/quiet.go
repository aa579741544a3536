package guard

import (
	"sync"
	"time"
)

// quiet bounds how much strangers can make the server log: so many lines a minute, and fewer from one source.
type quiet struct {
	now   func() time.Time
	each  int // lines of one source in a minute
	total int // of all

	mu      sync.Mutex
	since   time.Time
	lines   int
	of      map[string]int // lines of a source; has at most total entries
	leftOut int
}

func newQuiet(each, total int) *quiet {
	return &quiet{now: time.Now, each: each, total: total}
}

// may reports whether a line about a source may be written, and how many were left out in the last minute
// in which any were, for the first line after it.
func (q *quiet) may(source string) (ok bool, leftOut int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := q.now(); now.Sub(q.since) >= time.Minute {
		q.since, q.lines, q.of = now, 0, map[string]int{}
		leftOut, q.leftOut = q.leftOut, 0
	}
	if q.lines >= q.total || q.of[source] >= q.each {
		q.leftOut++
		return false, 0
	}
	q.lines++
	q.of[source]++
	return true, leftOut
}
