package registry

import (
	"testing"
	"time"
)

func TestRateInWords(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Rate{
		"as often as the server allows": {},
		"any number of times":           {Unlimited: true},
		"50 times a second":             {Calls: 50, Per: time.Second},
		"once a minute":                 {Calls: 1, Per: time.Minute},
		"100 times an hour":             {Calls: 100, Per: time.Hour},
		"2 times a day":                 {Calls: 2, Per: 24 * time.Hour},
		"10 times in 30s":               {Calls: 10, Per: 30 * time.Second},
		"10 times in 5m":                {Calls: 10, Per: 5 * time.Minute},
		"10 times in 2h":                {Calls: 10, Per: 2 * time.Hour},
		"10 times in 1h30m":             {Calls: 10, Per: 90 * time.Minute},
	} {
		if err := r.Check(); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
		if got := r.String(); got != want {
			t.Errorf("%+v is %q, want %q", r, got, want)
		}
	}
}
