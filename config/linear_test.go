package config

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// hostile texts, each of about n bytes, that a reader could spend more than linear time or memory on.
var hostile = map[string]func(n int) string{
	"keys":               func(n int) string { return numbered("k%d: v\n", n) },
	"keys with comments": func(n int) string { return numbered("k%d: v # c\n", n) },
	"comments above":     func(n int) string { return numbered("# c\n\n# d\nk%d: # e\n  # f\n  - v\n  # g\n", n) },
	"comment signs":      func(n int) string { return strings.Repeat("- # c\n", n/6) },
	"wide text":          func(n int) string { return "a: [" + strings.Repeat("é, 😀, ", n/10) + "]" },
	"text over lines":    func(n int) string { return numbered("k%d: x\n  y\n\n  z\n", n) },
	"flow keys":          func(n int) string { return "a: {" + numbered("k%d: v, ", n) + "}" },
	"flow list":          func(n int) string { return "a: [" + strings.Repeat("x, ", n/3) + "]" },
	"flow over lines":    func(n int) string { return "a: [" + strings.Repeat("x,\n", n/3) + "]" },
	"block list":         func(n int) string { return "a:\n" + strings.Repeat("  - x\n", n/6) },
	"duplicates":         func(n int) string { return strings.Repeat("a: 1\n", n/5) },
	"unknown keys":       func(n int) string { return "methods: {m: {" + numbered("k%d: v, ", n) + "}}" },
	"unknown methods": func(n int) string {
		return "decisions: {d: {summary: s, prompt: p, options: [" + numbered("m%d, ", min(n, 60_000)) + "]}}"
	},
	"plain":            func(n int) string { return "a: " + strings.Repeat("x", n) },
	"plain over lines": func(n int) string { return "a:\n" + strings.Repeat("  x\n", n/4) },
	"colons":           func(n int) string { return "a: " + strings.Repeat("x:", n/2) },
	"double quotes":    func(n int) string { return `a: "` + strings.Repeat("x\n ", n/3) + `"` },
	"escapes":          func(n int) string { return `a: "` + strings.Repeat(`\n`, n/2) + `"` },
	"tabs in quotes":   func(n int) string { return `a: "` + strings.Repeat("\t", n) + `"` },
	"single quotes":    func(n int) string { return `a: '` + strings.Repeat("''", n/2) + `'` },
	"literal":          func(n int) string { return "a: |\n" + strings.Repeat("  x\n", n/4) },
	"folded":           func(n int) string { return "a: >\n" + strings.Repeat("  x\n\n", n/5) },
	"empty blocks":     func(n int) string { return strings.Repeat("a: |\n", n/5) },
	"open brackets":    func(n int) string { return strings.Repeat("[", n) },
	"dashes":           func(n int) string { return strings.Repeat("- ", n/2) },
	"deep":             func(n int) string { return strings.Repeat("{a: ", n/4) },
	"open quotes":      func(n int) string { return strings.Repeat("a: \"x\n", n/6) },
	"comments":         func(n int) string { return strings.Repeat("# c\n", n/4) },
	"blank lines":      func(n int) string { return "a: b\n" + strings.Repeat(" \n", n/2) },
	"blanks":           func(n int) string { return "a: b" + strings.Repeat(" ", n) },
	"long key":         func(n int) string { return strings.Repeat("k", n) + ": 1" },
	"long name":        func(n int) string { return "methods: {m: {" + strings.Repeat("k", min(n, 1000)) + ": 1}}" },
	"less than":        func(n int) string { return "a: " + strings.Repeat("<", n) },
	"argv":             func(n int) string { return method("run: [" + strings.Repeat("x, ", n/3) + "]") },
	"placeholders": func(n int) string {
		return method("params: {a: A letter here.}\n    run: [x, \"" + strings.Repeat("{a}", n/3) + "\"]")
	},
	"environment": func(n int) string { return method("run: {argv: [x], env: {" + numbered("E%d: v, ", n) + "}}") },
	"address": func(n int) string {
		return method("params: {a: A letter here.}\n    http: {url: \"http://h/" + strings.Repeat("{a}/", min(n, 7000)/4) + "?" + strings.Repeat("x={a}&", n/6) + "\"}")
	},
	"headers": func(n int) string {
		return method("params: {a: A letter here.}\n    http: {url: \"http://h/\", headers: {" + numbered("X-%d: \"{a}\", ", n) + "}}")
	},
	"body": func(n int) string {
		return method("params: {a: A letter here.}\n    http: {method: POST, url: \"http://h/\", body: [" + strings.Repeat("{a: \"{a}\"}, ", n/12) + "]}")
	},
	"parameters":    func(n int) string { return method("params: {" + numbered("p%d: string, ", n) + "}\n    run: [x]") },
	"values":        func(n int) string { return method("params: {a: {enum: [" + numbered("v%d, ", n) + "]}}\n    run: [x]") },
	"long summary":  func(n int) string { return "methods: {m: {summary: " + strings.Repeat("é", n/2) + ", value: 1}}" },
	"value":         func(n int) string { return method("value: [" + strings.Repeat("{a: 1}, ", n/8) + "]") },
	"wrong numbers": func(n int) string { return method("value: [" + strings.Repeat("01, ", n/4) + "]") },
	"aliases":       func(n int) string { return "a: &a [" + strings.Repeat("*a, ", n/4) + "]" },
	"documents":     func(n int) string { return strings.Repeat("---\n", n/4) },
	"look-alikes": func(n int) string {
		return "methods: {" + numbered("AI%[1]d: {}, Al%[1]d: {}, ", min(n, 100_000)) + "}"
	},
	"methods": func(n int) string {
		return "methods:\n" + numbered("  m%d: {summary: Do it., effect: read, params: {a: A letter here.}, run: [x, \"{a}\"]}\n", min(n, 200_000))
	},
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func method(body string) string {
	return "methods:\n  m:\n    summary: Do it.\n    effect: read\n    " + body + "\n"
}

// TestLinear: a text of four times the size costs about four times the memory. It counts allocations, so it runs alone.
func TestLinear(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("reads large texts, and counts what the race detector allocates too")
	}
	for name, text := range hostile {
		small, large := []byte(text(30_000)), []byte(text(120_000))
		before, after := cost(small), cost(large)
		grown := float64(len(large)) / float64(len(small))
		if float64(after.bytes) > 1.6*grown*float64(before.bytes)+1<<20 {
			t.Errorf("%s: %d bytes for %d, %d for %d", name, before.bytes, len(small), after.bytes, len(large))
		}
		if float64(after.count) > 1.6*grown*float64(before.count)+1000 {
			t.Errorf("%s: %d allocations for %d bytes, %d for %d", name, before.count, len(small), after.count, len(large))
		}
	}
}

type spent struct{ count, bytes uint64 }

func cost(data []byte) spent {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Parse("x.yaml", "", data)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(err)
	return spent{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc}
}

// BenchmarkParse shows the speed on texts of two sizes: the rate of the larger is not to fall behind.
func BenchmarkParse(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		for _, size := range []int{250_000, 1_000_000} {
			data := []byte(hostile[name](size))
			b.Run(fmt.Sprintf("%s/%dk", name, size/1000), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					_, _ = Parse("x.yaml", "", data)
				}
			})
		}
	}
}
