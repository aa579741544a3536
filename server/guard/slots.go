package guard

import "sync/atomic"

// How many requests may be in flight.
const (
	defaultMaxRequests = 1024
	openReserve        = 64 // to open routes, beside all others: a flood of calls must not look like a dead server
)

// take counts one more unless that would be more than most.
func take(held *atomic.Int64, most int64) bool {
	if held.Add(1) <= most {
		return true
	}
	held.Add(-1)
	return false
}

// enter takes a slot for a request, or says why there is none.
func (g *Guard) enter(rt route, p *principal) (leave func(), full *refusal) {
	if rt.open {
		if !take(&g.openHeld, openReserve) {
			return nil, &tooBusy
		}
		return func() { g.openHeld.Add(-1) }, nil
	}
	if p.own != nil && !take(&p.own.requests, g.share) {
		return nil, &tooMany
	}
	if !take(&g.held, g.most) {
		if p.own != nil {
			p.own.requests.Add(-1)
		}
		return nil, &tooBusy
	}
	return func() {
		g.held.Add(-1)
		if p.own != nil {
			p.own.requests.Add(-1)
		}
	}, nil
}
