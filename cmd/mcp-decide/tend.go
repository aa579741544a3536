package main

import (
	"context"
	"time"
)

// tendEvery is how often a server looks after calls whose process is gone, and after what could not be written before.
const tendEvery = time.Minute

// tend looks after calls until ctx ends, now and from time to time.
func (s *setup) tend(ctx context.Context) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		n, err := s.engine.Tend(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.log.Warn("the calls on record could not be looked at", "error", err)
		case n > 0:
			s.log.Warn("a process ended in the middle of calls, so it is not known whether they ran to their end", "calls", n, "see", "mcp-decide calls ls --state unknown")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
