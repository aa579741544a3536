package registry

import (
	"fmt"
	"strings"
	"time"
)

// Rate is how often each caller may call a method: Calls in every Per, all of them at once if need be. The zero value
// leaves it to the engine.
type Rate struct {
	Calls     int           // 1 to 1,000,000
	Per       time.Duration // 1 ms to 24 h
	Unlimited bool          // any number, whatever the engine's own rate is
}

// The bounds of a rate.
const (
	maxRateCalls = 1_000_000
	minRatePer   = time.Millisecond
	maxRatePer   = 24 * time.Hour
)

// Check says what is wrong with a rate. The zero value is right, and so is one that is unlimited and says nothing else.
func (r Rate) Check() error {
	switch {
	case r == Rate{}, r == Rate{Unlimited: true}:
		return nil
	case r.Unlimited:
		return fmt.Errorf("a rate that is unlimited has no number of calls; leave out the %d", r.Calls)
	case r.Calls < 1 || r.Calls > maxRateCalls:
		return fmt.Errorf("%d calls; a rate has 1 to %d", r.Calls, maxRateCalls)
	case r.Per < minRatePer || r.Per > maxRatePer:
		return fmt.Errorf("calls are counted over %s; it has to be from %s to %s", shortSpan(r.Per), shortSpan(minRatePer), shortSpan(maxRatePer))
	}
	return nil
}

// String says the rate as the end of "it may be called": "10 times a minute".
func (r Rate) String() string {
	switch {
	case r.Unlimited:
		return "any number of times"
	case r == Rate{}:
		return "as often as the server allows"
	case r.Calls == 1:
		return "once " + every(r.Per)
	}
	return fmt.Sprintf("%d times %s", r.Calls, every(r.Per))
}

func every(span time.Duration) string {
	switch span {
	case time.Second:
		return "a second"
	case time.Minute:
		return "a minute"
	case time.Hour:
		return "an hour"
	case 24 * time.Hour:
		return "a day"
	}
	return "in " + shortSpan(span)
}

// shortSpan is a duration without the zeros behind it: 5m, not 5m0s.
func shortSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
