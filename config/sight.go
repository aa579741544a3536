package config

import (
	"fmt"
	"strconv"

	"github.com/mcp-decide/mcp-decide/trace"
)

// exposeWords are what callers may see of a run, the default for what a model picked first.
var exposeWords = []string{string(trace.ExposeIO), string(trace.ExposeLLM), string(trace.ExposeFull), string(trace.ExposeHidden)}

// The most nodes that a range may name. More would be all of them anyway.
const maxRange = 1_000_000

var rangeForm = mapWith("a map", "{callers: 1, subcalls: 10}",
	key{name: "callers", doc: "How many of the last nodes up to its own call, which is one of them; 0 is none. All unless set.", forms: []form{aRange(0, "leave it out for all")}},
	key{name: "subcalls", doc: "How many of the last nodes since; 0 is none, -1 is all. All unless set.", forms: []form{aRange(-1, "write -1 for all")}},
)

// aRange is a number of nodes. In one of the two -1 means all, so in the other, where it would mean none, it is refused.
func aRange(least int, all string) form {
	f := between(least, maxRange).but("1")
	f.check = func(n *node) (message, fix string) {
		if i, err := strconv.Atoi(n.text); err != nil || i < least || i > maxRange {
			return fmt.Sprintf("expected %s, got %s", f.noun, got(n)), "Write 0 for none; " + all
		}
		return "", ""
	}
	return f
}

// exposeOf is what callers see of a run; "" when nothing is said, or what is said was refused.
func exposeOf(n *node) trace.Expose {
	e, _ := trace.ParseExpose(words(n))
	return e
}

// renderRange is how much of what happened a method's own model calls see.
func (b *builder) renderRange(at *path, n *node) *trace.Range {
	if n == nil || n.flawed {
		return nil
	}
	r, err := trace.ParseRange(n.json())
	if err != nil { // the grammar takes less than it
		b.fail(n.pos, at.String(), err.Error(), "")
		return nil
	}
	return &r
}

// unread warns of a range that nothing reads: these kinds of method ask no model.
func (b *builder) unread(at *path, n *node, kind string) {
	e := n.at("render_range")
	if e.value == nil || kind == "" || kind == "ask" {
		return
	}
	b.warn(e.pos, at.key("render_range").String(), "nothing reads it, since a method with "+kind+" asks no model", "Remove it")
}
