package decide

import (
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"pgregory.net/rapid"
)

func TestParseHandle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in    string
		id    string
		round int
	}{
		{"k7m2-1", "k7m2", 1},
		{" K7M2-12\n", "k7m2", 12},
		{"k7m2", "", 0},
		{"k7m2-", "", 0},
		{"k7m2-0", "", 0},
		{"k7m2-01", "", 0},
		{"k7m2--1", "", 0},
		{"k7m2-1-2", "", 0},
		{"k7m2-+1", "", 0},
		{"k7m2-99999", "", 0},
		{"k7m2-١", "", 0},
		{"", "", 0},
		{"-1", "", 1},
		{strings.Repeat("a", 65) + "-1", "", 0},
	} {
		if id, round := parseHandle(tc.in); id != tc.id || round != tc.round {
			t.Errorf("parseHandle(%q) = %q, %d, want %q, %d", tc.in, id, round, tc.id, tc.round)
		}
	}
}

// No slip of one character and no swap of two neighbours makes another id.
func TestCheckCharacter(t *testing.T) {
	t.Parallel()
	valid := func(id string) bool { return id[len(id)-1] == check(id[:len(id)-1]) }
	rapid.Check(t, func(t *rapid.T) {
		e := New(registry.New(), Options{Random: func(b []byte) {
			copy(b, rapid.SliceOfN(rapid.Byte(), len(b), len(b)).Draw(t, "random"))
		}})
		id := e.newID(rapid.IntRange(3, 12).Draw(t, "length"))
		if !valid(id) || strings.Trim(id, alphabet) != "" {
			t.Fatalf("made %q", id)
		}
		at := rapid.IntRange(0, len(id)-1).Draw(t, "at")
		slip := id[:at] + string(alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "other")]) + id[at+1:]
		if slip != id && valid(slip) {
			t.Errorf("%q, a slip of %q, is an id too", slip, id)
		}
		if at > 0 {
			swapped := id[:at-1] + id[at:at+1] + id[at-1:at] + id[at+1:]
			if swapped != id && valid(swapped) {
				t.Errorf("%q, a swap in %q, is an id too", swapped, id)
			}
		}
	})
}

func TestLongIDs(t *testing.T) {
	t.Parallel()
	e := New(registry.New(), Options{LongIDs: true})
	a, b := e.newID(3), e.newID(3)
	if len(a) != 26 || a == b {
		t.Errorf("ids %q, %q", a, b)
	}
	if id, round := parseHandle(handle(a, 3)); id != a || round != 3 {
		t.Errorf("the handle reads back as %q, %d", id, round)
	}
}

// A handle of a forgotten turn never names a later one: no id is given out twice, however many turns there are.
func TestNoIDIsGivenOutTwice(t *testing.T) {
	t.Parallel()
	var ids issued
	e := New(registry.New(), Options{})
	seen := map[string]bool{}
	for length := 3; len(seen) < 60_000; {
		id := e.newID(length)
		if first := ids.first(id); first == seen[id] {
			t.Fatalf("%s: first %v, seen %v", id, first, seen[id])
		}
		if seen[id] && len(seen) > 20_000 {
			length = 4
		}
		seen[id] = true
	}
}
