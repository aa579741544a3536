package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// replies are the rows about reading: replies as they should be, and replies that try to cost more than their length.
func replies() ([]row, error) {
	options, err := optionsOf(10)
	if err != nil {
		return nil, err
	}
	rows, err := soundReplies(options)
	if err != nil {
		return nil, err
	}
	return append(rows, hostileReplies(options)...), nil
}

func notePick(body int) string {
	return `{"call": "write_note_7", "args": {"title": "log", "body": "` + strings.Repeat("lorem ipsum ", body/12) + `"}}`
}

// soundReplies are replies of several shapes against ten options. Each has to be read as it is meant.
func soundReplies(options []registry.Option) ([]row, error) {
	prose := strings.Repeat("The parcel is three weeks late, so money back is fair. ", 1<<14)
	var rows []row
	for _, c := range []struct {
		what, reply string
		least       float64 // MB a second; 0 = the budget is a time
	}{
		{"a pick of 1 KB", notePick(940), 0},
		{"prose of 1 MB and a pick", prose + "\n" + notePick(10), minProse},
		{"a pick with a text of 1 MB", notePick(1 << 20), minText},
		{"a pick with a text of 1 MB, in single quotes", strings.ReplaceAll(notePick(1<<20), `"`, `'`), minText},
	} {
		p, err := menu.Parse(c.reply, options, menu.Reading{})
		if err != nil || p.Name != "write_note_7" {
			return nil, fmt.Errorf("read %s: got %q, %v", c.what, p.Name, err)
		}
		took := perCall(func() { _, _ = menu.Parse(c.reply, options, menu.Reading{}) })
		line := row{number: "3", what: "read a reply: " + c.what, seen: short(took), budget: "≤ " + short(maxCleanPick), within: took <= maxCleanPick}
		if c.least > 0 {
			rate := perSecond(len(c.reply), took)
			line.seen, line.budget, line.within = grouped(rate)+" MB/s", fmt.Sprintf("≥ %.0f MB/s", c.least), rate >= c.least
		}
		rows = append(rows, line)
	}
	return rows, nil
}

func perSecond(bytes int, took time.Duration) float64 { return float64(bytes) / 1e6 / took.Seconds() }

// hostileShapes are repeated for megabytes.
var hostileShapes = []struct{ name, text string }{
	{"{", "{"}, {`{"`, `{"`}, {`{"a":`, `{"a":`}, {"{'a':", "{'a':"}, {"[", "["}, {"fences", "```\n"}, {"fences of one line", "```json "}, {"thinking tags", "<think>"},
	{"tags of calls", "<tool_call>"}, {"invoke tags", `<invoke name="a">`}, {"backslashes", `\`}, {"quotes", `"`}, {"curly quotes", "{“"}, {"tokens", "<|im_start|>"},
	{"wide tokens", "<｜tool▁calls▁begin｜>"}, {"picks", `{"call": "write_note_1"}` + "\n"}, {"broken picks", `{"call": "write_note_1",, } `},
}

// hostileReplies says how fast 1, 2, 4 and 8 MB of each shape are read, how the time grows, and what a reply of 10 MB costs beside a
// text of 10 MB.
func hostileReplies(options []registry.Option) []row {
	text := notePick(10 << 20)
	var rows []row
	for _, shape := range hostileShapes {
		replies := []string{text}
		for _, mb := range []int{1, 2, 4, 8, 10} {
			replies = append(replies, strings.Repeat(shape.text, mb<<20/len(shape.text)))
		}
		took := eachInTurns(replies, options)
		var rates []string
		slowest := 0.0
		for i, t := range took[1:5] {
			rate := perSecond(len(replies[i+1]), t)
			rates = append(rates, fmt.Sprintf("%.0f", rate))
			if slowest == 0 || rate < slowest {
				slowest = rate
			}
		}
		growth, toText := float64(took[4])/float64(took[1]), float64(took[5])/float64(took[0])
		held, allocs := memoryOf(replies[5], options)
		rows = append(rows, row{
			number: "3",
			what:   "hostile, 1, 2, 4, 8 MB of " + shape.name,
			seen: fmt.Sprintf("%s MB/s; 8 MB take %.1f× the time of 1; 10 MB: %.2f× a text, %.1f bytes and %.4f allocations a byte",
				strings.Join(rates, ", "), growth, toText, held, allocs),
			budget: fmt.Sprintf("≥ %.0f MB/s, ≤ %.0f×, ≤ %.0f×", minHostile, maxGrowth8, maxToText),
			within: slowest >= minHostile && growth <= maxGrowth8 && toText <= maxToText,
		})
	}
	return rows
}

// eachInTurns is the CPU time of reading each reply: the least of some looks, with all replies in turns, so that what else the machine does
// meets them alike.
func eachInTurns(replies []string, options []registry.Option) []time.Duration {
	least := make([]time.Duration, len(replies))
	for range 7 {
		for i, reply := range replies {
			if one := perReply(reply, options); least[i] == 0 || one < least[i] {
				least[i] = one
			}
		}
	}
	return least
}

// perReply is the CPU time of one reading.
func perReply(reply string, options []registry.Option) time.Duration {
	began, before := time.Now(), cpuTime()
	n := 0
	for n == 0 || time.Since(began) < 10*time.Millisecond {
		_, _ = menu.Parse(reply, options, menu.Reading{})
		n++
	}
	spent := time.Since(began)
	if used := cpuTime() - before; used > 0 {
		spent = used
	}
	return spent / time.Duration(n)
}

// memoryOf is what one reading allocates, in bytes and in pieces, for each byte of the reply.
func memoryOf(reply string, options []registry.Option) (bytes, pieces float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _ = menu.Parse(reply, options, menu.Reading{})
	runtime.ReadMemStats(&after)
	size := float64(len(reply))
	return float64(after.TotalAlloc-before.TotalAlloc) / size, float64(after.Mallocs-before.Mallocs) / size
}
