package server

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeysOfCalls sends the same call twice with what a client may take for a key: a text runs it once, nothing runs it
// twice, and what can't be a key runs it not at all.
func TestKeysOfCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		runs int
	}{{`"k1"`, 1}, {`""`, 2}, {`null`, 2}, {`7`, 0}, {`["k1"]`, 0}, {`{"a":1}`, 0}, {`true`, 0}} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			p := connect(t, d.server(t, Options{}))
			for id := range 2 {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add_note","arguments":{"order_id":"A-1","text":"x"},"_meta":{%q:%s}}}`, id, keyField, c.key))
				a := p.next()
				if refused := a.Result.IsError && strings.Contains(a.text(0), keyField); refused != (c.runs == 0) {
					t.Errorf("got %s", a.line)
				}
			}
			p.end()
			if n := int(d.noted.Load()); n != c.runs {
				t.Errorf("it ran %d times", n)
			}
		})
	}
}
