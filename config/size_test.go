package config

import (
	"math"
	"testing"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"64KiB": 64 << 10, "500MiB": 500 << 20, "1GiB": 1 << 30, "2TiB": 2 << 40, "007MiB": 7 << 20, "0GiB": 0, "8388607TiB": math.MaxInt64 &^ (1<<40 - 1),
		"": -1, "1": -1, "GiB": -1, "1GB": -1, "1gib": -1, "1 GiB": -1, "1GiB ": -1, " 1GiB": -1, "1.5GiB": -1, "-1GiB": -1, "+1GiB": -1, "1GiB1MiB": -1,
		"8388608TiB": -1, "99999999999999999999GiB": -1, "1PiB": -1, "0x1GiB": -1, "１GiB": -1,
	} {
		got, ok := parseSize(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q reads as %d, %v; want %d", text, got, ok, want)
		}
	}
}
