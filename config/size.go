package config

import (
	"fmt"
	"math"
	"strconv"
)

var aSize = form{noun: "a size", takes: []kind{text}, example: "1GiB", check: checkSize, pattern: "^[0-9]+(KiB|MiB|GiB|TiB)$"}

// The least and the most that a size may be, in bytes.
const (
	minSize = 1 << 20
	maxSize = 1 << 50
)

func checkSize(n *node) (message, fix string) {
	size, ok := parseSize(n.text)
	switch {
	case !ok:
		return fmt.Sprintf("%s is no size", quote(n.text)), "Write a whole number and KiB, MiB, GiB or TiB, like 500MiB or 1GiB"
	case size < minSize || size > maxSize:
		return fmt.Sprintf("%s is less than 1MiB or more than 1024TiB", quote(n.text)), "Write a size like 500MiB or 1GiB"
	}
	return "", ""
}

// sizeOf is the size that a value says, in bytes; 0 when it says none.
func sizeOf(n *node) int64 {
	size, _ := parseSize(words(n))
	return size
}

// parseSize reads 64KiB, 500MiB, 1GiB, 2TiB. MB and GB are two numbers each, depending on who reads them, so they are none here.
func parseSize(s string) (int64, bool) {
	n := digits(s)
	value, err := strconv.ParseInt(s[:n], 10, 64)
	if err != nil {
		return 0, false
	}
	shift := map[string]int{"KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}[s[n:]]
	if shift == 0 || value > math.MaxInt64>>shift {
		return 0, false
	}
	return value << shift, true
}
