package decide

import (
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// rates hold each caller to how often it may call each method. A call that comes too often is told so and counts as none. The
// memory is bounded: a count is forgotten when it says nothing any more, and beyond the bound no new one is begun.
type rates struct {
	start  time.Time
	seed   maphash.Seed
	shards [rateShards]rateShard
}

const (
	rateShards = 64
	maxRates   = 100_000 / rateShards // counts in one shard
	looked     = 4                    // counts that are looked at for each new one, to forget them
)

// counted is whose calls of what are counted together.
type counted struct {
	principal string
	decision  string // whose own option it is; "" = a registered method
	method    string
}

type rateShard struct {
	mu     sync.Mutex
	counts map[counted]*count
	all    []*count // the same, in no order
	hand   int      // in all: where to look next for one to forget
}

func newRates(start time.Time) *rates { return &rates{start: start, seed: maphash.MakeSeed()} }

// take counts a call; wait is how long it comes too early, and then it was not counted. No place means that too many
// callers and methods are counted already.
func (r *rates) take(who counted, rate registry.Rate, now time.Time) (wait time.Duration, noPlace bool) {
	at := now.Sub(r.start)
	s := &r.shards[maphash.Comparable(r.seed, who)%rateShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts[who]
	if c == nil {
		if c = s.begin(who, at); c == nil {
			return time.Second, true
		}
	}
	return c.take(rate, at), false
}

// begin makes a count. It forgets some first, so that there are never many more than are in use.
func (s *rateShard) begin(who counted, now time.Duration) *count {
	for range looked {
		if s.hand++; s.hand >= len(s.all) {
			s.hand = 0
		}
		if len(s.all) > 0 && s.all[s.hand].idle(now) {
			s.forget(s.all[s.hand])
		}
	}
	if len(s.all) >= maxRates {
		return nil
	}
	if s.counts == nil {
		s.counts = make(map[counted]*count)
	}
	c := &count{who: who, place: len(s.all), paid: now}
	s.counts[who] = c
	s.all = append(s.all, c)
	return c
}

func (s *rateShard) forget(c *count) {
	last := len(s.all) - 1
	moved := s.all[last]
	s.all[c.place], moved.place = moved, c.place
	s.all[last] = nil
	s.all = s.all[:last]
	delete(s.counts, c.who)
}

// count is how far a caller has used up its calls of a method. Each call puts paid further off by its share of the span; it may
// be one span ahead of now. That is a bucket of tokens in whole numbers, so that nothing is lost or won by rounding.
type count struct {
	who   counted
	place int
	rate  registry.Rate
	paid  time.Duration // since the start: when the calls so far are spread over the time they may take
	part  int           // and part/Calls of a nanosecond
}

func (c *count) idle(now time.Duration) bool { return c.paid < now }

func (c *count) take(rate registry.Rate, now time.Duration) (wait time.Duration) {
	if c.rate != rate { // the method was changed
		if c.part > 0 {
			c.paid++
		}
		c.rate, c.part = rate, 0
	}
	if c.paid < now {
		c.paid, c.part = now, 0
	}
	if ahead := now + rate.Per; c.paid > ahead { // the clock went back, or the rate is another one
		c.paid, c.part = ahead, 0
	}
	calls := time.Duration(rate.Calls)
	paid, part := c.paid+rate.Per/calls, c.part+int(rate.Per%calls)
	if part >= rate.Calls {
		paid, part = paid+1, part-rate.Calls
	}
	late := paid - now - rate.Per
	if part > 0 {
		late++
	}
	if late > 0 {
		return late
	}
	c.paid, c.part = paid, part
	return 0
}

// request is what the door is asked for a method; decision is given for an option that is nobody else's. Whoever asks fills in
// the arguments and what is to be heard of the run.
func (e *Engine) request(who registry.Caller, decision string, m *registry.Method) registry.Request {
	r := registry.Request{Method: m, Caller: who, Life: e.life, Log: e.log}
	if rate := e.rateOf(decision, m); rate.Calls > 0 && !rate.Unlimited {
		r.Admit = func() error { return e.admit(counted{who.ID, decision, m.Name}, rate) }
	}
	return r
}

// rateOf is the rate that holds for a method. A decision's own option runs nothing, and the file has no key for its rate, so the engine's is
// not for it.
func (e *Engine) rateOf(decision string, m *registry.Method) registry.Rate {
	if m.Rate == (registry.Rate{}) && decision == "" {
		return e.rate
	}
	return m.Rate
}

func (e *Engine) admit(who counted, rate registry.Rate) error {
	wait, noPlace := e.rates.take(who, rate, e.now())
	switch {
	case noPlace:
		return &registry.Refused{Kind: "gated", Method: who.method, RetryAfter: wait, Message: who.method +
			" was not run: too many callers are counted just now. Try again in " + waiting(wait) + "."}
	case wait > 0:
		return &registry.Refused{Kind: "gated", Method: who.method, RetryAfter: wait, Message: fmt.Sprintf(
			"%s may be called %s by each caller. Try again in %s.", who.method, rate, waiting(wait))}
	}
	return nil
}

// waiting is how long to wait, rounded up: whoever waits so long is not told to wait again.
func waiting(d time.Duration) string {
	up := func(unit time.Duration) int64 { return int64((d + unit - 1) / unit) }
	switch {
	case d <= 2*time.Minute:
		return fmt.Sprintf("%d s", up(time.Second))
	case d <= 2*time.Hour:
		return fmt.Sprintf("%d min", up(time.Minute))
	}
	return fmt.Sprintf("%d h", up(time.Hour))
}
