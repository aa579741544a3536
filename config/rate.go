package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// aRate is a number of calls and the span that they are counted over. A number alone is told what it lacks.
var aRate = []form{
	{noun: "a rate", takes: []kind{text}, example: "10/1m", check: checkRate, pattern: "^(unlimited|[0-9]+/([smh]|([0-9]+(ms|s|m|h|d))+))$"},
	{noun: "", takes: []kind{number}, check: checkRate},
}

func checkRate(n *node) (message, fix string) {
	if _, err := parseRate(n.text); err != nil {
		return err.Error(), "Write a number of calls and a span, like 50/s, 10/1m or 100/h, or unlimited"
	}
	return "", ""
}

// rateOf is the rate that a value says; the zero value when it says none.
func rateOf(n *node) registry.Rate {
	r, _ := parseRate(words(n))
	return r
}

// parseRate reads 50/s, 10/1m30s and unlimited.
func parseRate(s string) (registry.Rate, error) {
	if s == "unlimited" {
		return registry.Rate{Unlimited: true}, nil
	}
	calls, span, ok := strings.Cut(s, "/")
	r := registry.Rate{Per: spans[span]}
	if r.Per == 0 {
		r.Per, _ = parseDuration(span)
	}
	if !ok || r.Per == 0 || calls == "" || digits(calls) < len(calls) {
		return registry.Rate{}, fmt.Errorf("%s is no rate", quote(s))
	}
	var err error
	if r.Calls, err = strconv.Atoi(calls); err != nil {
		return registry.Rate{}, fmt.Errorf("%s is no rate", quote(s))
	}
	if err := r.Check(); err != nil {
		return registry.Rate{}, fmt.Errorf("%s: %w", quote(s), err)
	}
	return r, nil
}

// spans are the units that stand for one of them.
var spans = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
