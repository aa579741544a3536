package main

import (
	"fmt"
	"runtime"
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
	parse, err := replies()
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
