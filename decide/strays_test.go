package decide

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/mcp-decide/mcp-decide/registry"
)

// TestStrays leaves writes behind, natively and in turns, until there are too many of them. Then nothing that could be left behind runs,
// whichever way it comes, until some have ended; a turn stays as it is meanwhile.
func TestStrays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range maxStrays {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				synctest.Wait()
				cancel()
			}()
			if i%2 == 0 {
				res, err := w.eng.Call(ctx, w.eng.View(), Call{Method: "tag_slow", Caller: desk})
				if err != nil || res.State != registry.Running {
					t.Fatalf("call %d: %v, %v", i, res.State, err)
				}
				continue
			}
			out, err := w.eng.Answer(ctx, w.eng.View(), Answer{Handle: w.open().Handle, Call: "tag_slow", Caller: desk})
			if err != nil || out.State != Running {
				t.Fatalf("answer %d: %+v, %v", i, out, err)
			}
		}
		h := w.open().Handle
		var no *registry.Refused
		if _, err := w.call(Call{Method: "tag", Key: "k"}); !errors.As(err, &no) || no.Kind != "gated" {
			t.Errorf("a call: %v", err)
		}
		for range 3 * freeSlips {
			if out := w.pick(h, "tag", ""); !errors.As(out.Problem, &no) || no.Kind != "gated" || out.Option != "tag" {
				t.Fatalf("a pick: %+v", out)
			}
		}
		w.is(h, Open, 1, 2, 0)
		if out := w.pick(h, "look", `{"order":"A"}`); out.Problem != nil {
			t.Errorf("a read: %+v", out)
		}

		close(w.hold)
		synctest.Wait()
		if res, err := w.call(Call{Method: "tag", Key: "k"}); err != nil || res.State != registry.Done {
			t.Errorf("a call later: %v, %v", res.State, err)
		}
		if out := w.pick(w.open().Handle, "tag", ""); out.State != Done {
			t.Errorf("a pick later: %+v", out)
		}
		if n := w.eng.strays.n.Load(); n != 0 || w.wrote.Load() != maxStrays+2 {
			t.Errorf("%d are left, %d ran", n, w.wrote.Load())
		}
	})
}
