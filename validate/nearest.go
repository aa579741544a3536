package validate

import (
	"strings"
	"unicode"
)

// Nearest returns the allowed word that word is most likely a slip of, or "" when
// none is near: equal after folding case, blanks, dashes and underscores, or within a
// small edit distance, and then only when exactly one is that near. A swap of two
// neighbours counts as one edit. The longer of the two words sets the limit: up to 3 letters
// none, up to 7 one, then two.
func Nearest(word string, allowed []string) string {
	if len(word) > 4*maxWord {
		return ""
	}
	folded := fold(word)
	if len(folded) == 0 || len(folded) > maxWord {
		return ""
	}
	best, near, alone := maxSlips+1, "", false
	for _, other := range allowed {
		if other == word {
			return word
		}
		if len(other) > 4*maxWord {
			continue
		}
		candidate := fold(other)
		limit := slips(max(len(folded), len(candidate)))
		d := distance(folded, candidate, limit)
		switch {
		case d > limit:
		case d < best:
			best, near, alone = d, other, true
		case d == best && other != near:
			alone = false
		}
	}
	if !alone {
		return ""
	}
	return near
}

const (
	maxWord  = 64 // letters; longer words are never near
	maxSlips = 2
)

func slips(letters int) int {
	switch {
	case letters <= 3:
		return 0
	case letters <= 7:
		return 1
	}
	return maxSlips
}

func fold(word string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, word))
}

// distance counts the edits from a to b: letters added, dropped, changed, and
// neighbours swapped. What is over limit counts as limit+1.
func distance(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > limit {
			return limit + 1
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit+1)
}
