package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/menu"
	"github.com/mcp-decide/mcp-decide/registry"
)

// micro are the rows about single functions: the menu that is rendered, the reply that is read.
func micro() ([]row, error) {
	render, err := rendering()
	if err != nil {
		return nil, err
	}
	parse, err := parsing()
	return append(render, parse...), err
}

// rendering is the menu of 1,000 options, each of a method of its own: at first, when their texts have to be written, and from then on.
func rendering() ([]row, error) {
	const first = 20
	var fresh [first][]registry.Option
	for i := range fresh {
		var err error
		if fresh[i], err = optionsOf(1000); err != nil {
			return nil, err
		}
	}
	before := cpuTime()
	for _, options := range fresh {
		menu.Render(menu.Full, options)
	}
	written := (cpuTime() - before) / first

	// What only the first renders needed is let go: collecting it is none of the cost of the next ones.
	options := fresh[0]
	clear(fresh[:])
	runtime.GC()
	var size int
	took := perCall(func() { size = len(menu.Render(menu.Full, options)) })
	what := fmt.Sprintf("render 1,000 options, %s KB", grouped(float64(size)/1024))
	rows := []row{{number: "4", what: what, seen: short(took), budget: "< " + short(maxRender), within: took < maxRender}}
	if written > 0 {
		rows = append(rows, row{number: "4", what: what + ", for the first time", seen: short(written)})
	}
	return rows, nil
}

// optionsOf are options like those of a real configuration.
func optionsOf(n int) ([]registry.Option, error) {
	options := make([]registry.Option, n)
	for i := range options {
		name := fmt.Sprint("write_note_", i)
		m, err := registry.Prepare(registry.Method{
			Name: name, Summary: "Write a note into the log of the case.", Effect: registry.Read, Kind: registry.Form,
			Params: []registry.Param{
				{Name: "title", Type: registry.String, Description: "What it is about."},
				{Name: "body", Type: registry.String, Description: "The note itself.", Multiline: true},
			},
		})
		if err != nil {
			return nil, err
		}
		options[i] = registry.Option{Name: name, Method: m}
	}
	return options, nil
}

// parsing is replies of several shapes, read against ten options. Each has to be read as it is meant.
func parsing() ([]row, error) {
	options, err := optionsOf(10)
	if err != nil {
		return nil, err
	}
	pick := func(body int) string {
		return `{"call": "write_note_7", "args": {"title": "log", "body": "` + strings.Repeat("lorem ipsum ", body/12) + `"}}`
	}
	prose := strings.Repeat("The parcel is three weeks late, so money back is fair. ", 1<<14)
	var rows []row
	for _, c := range []struct {
		what, reply string
		picks       bool
	}{
		{"a pick of 1 KB", pick(940), true},
		{"prose and a pick", prose + "\n" + pick(10), true},
		{"a pick with a text of 1 MB", pick(1 << 20), true},
		{"braces that never close, 1 MB", strings.Repeat("{", 1<<20), false},
		{"keys without values, 1 MB", strings.Repeat(`{"call": `, 1<<20/9), false},
	} {
		p, err := menu.Parse(c.reply, options, menu.Reading{})
		if c.picks != (err == nil && p.Name == "write_note_7") {
			return nil, fmt.Errorf("parse %s: got %q, %v", c.what, p.Name, err)
		}
		took := perCall(func() { _, _ = menu.Parse(c.reply, options, menu.Reading{}) })
		seen := short(took)
		if len(c.reply) > 10_000 {
			seen = fmt.Sprintf("%s MB/s", grouped(float64(len(c.reply))/1e6/took.Seconds()))
		}
		rows = append(rows, row{number: "3", what: "read a reply: " + c.what, seen: seen})
	}
	return rows, nil
}

// perCall is the CPU time of one f: the median of five looks of at least 50 ms each. On a busy machine it says more than the time
// that passed, which stands in where CPU time is not told.
func perCall(f func()) time.Duration {
	looks := make([]time.Duration, 5)
	for i := range looks {
		n := 0
		began, before := time.Now(), cpuTime()
		for time.Since(began) < 50*time.Millisecond || n < 3 {
			f()
			n++
		}
		spent := time.Since(began)
		if used := cpuTime() - before; used > 0 {
			spent = used
		}
		looks[i] = spent / time.Duration(n)
	}
	return median(looks)
}
