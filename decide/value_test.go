package decide

import (
	"context"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// A row holds a result's content, which is capped, and its value only as long as it is small.
func TestLargeValuesAreNotKept(t *testing.T) {
	t.Parallel()
	for n, kept := range map[int]bool{1000: true, 10 << 20: false} {
		w := newWorld(t)
		w.must(w.reg.Add(registry.Method{Name: "big", Summary: "Big.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) {
			return strings.Repeat("x", n), nil
		}}))
		d := ticket()
		d.Options = append(d.Options, Func("big", "big"))
		w.must(w.eng.Replace([]Decision{d}))
		h := w.open().Handle
		first, again := w.pick(h, "big", ""), w.pick(h, "big", "")
		if got := len(first.Result.Value.(string)); got != n {
			t.Errorf("%d: the run gave %d", n, got)
		}
		if !again.Recorded || (again.Result.Value != nil) != kept || content(again) != content(first) {
			t.Errorf("%d: recorded %v, with a value %v, want %v", n, again.Recorded, again.Result.Value != nil, kept)
		}
		if size := len(w.turn(h).Data); size > 200_000 {
			t.Errorf("%d: the row has %d bytes", n, size)
		}
	}
}
