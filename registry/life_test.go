package registry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What the caller of a write has left ends with the server, and its state is not known. A read ends too, and nothing starts
// afterwards.
func TestLifeEndsWhatRuns(t *testing.T) {
	t.Parallel()
	for effect, want := range map[Effect]State{Read: Failed, Write: Unknown, Destructive: Unknown} {
		synctest.Test(t, func(t *testing.T) {
			life := NewLife()
			m := prepared(t, Method{Name: "m", Summary: "Waits.", Effect: effect, Run: func(ctx context.Context, _ Args) (any, error) {
				<-ctx.Done()
				time.Sleep(100 * time.Millisecond) // as long as a program needs to be ended
				return nil, ctx.Err()
			}})
			ctx, leave := context.WithCancel(t.Context())
			ended := make(chan Result, 1)
			go func() {
				_, _ = Call(ctx, Request{Method: m, Life: life, Done: func(r Result) { ended <- r }})
			}()
			synctest.Wait()
			if effect != Read {
				leave() // the run goes on
			}
			synctest.Wait()
			began := time.Now()
			if err := life.End(context.Background()); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took != 100*time.Millisecond {
				t.Errorf("%s: it waited %v, want until the run had returned", effect, took)
			}
			r := <-ended
			if r.State != want || !strings.Contains(r.Content[0].Text, "stopped with the server") {
				t.Errorf("%s: %s %q", effect, r.State, r.Content[0].Text)
			}
			var no *Refused
			if _, err := Call(t.Context(), Request{Method: m, Life: life}); !errors.As(err, &no) || no.Kind != "gated" {
				t.Errorf("%s: a run started after the end: %v", effect, err)
			}
			leave()
		})
	}
}

// A run that does not heed its end is not waited for beyond the time that there is.
func TestLifeDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		life := NewLife()
		m := prepared(t, Method{Name: "m", Summary: "Sleeps.", Run: func(context.Context, Args) (any, error) {
			time.Sleep(time.Hour)
			return nil, nil
		}})
		go Call(t.Context(), Request{Method: m, Life: life})
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := life.End(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if err := life.End(t.Context()); err != nil { // once more, with all the time
			t.Error(err)
		}
	})
}

// Callers that go away make no room: what they started still runs.
func TestLifeIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		life := NewLife()
		running := 0
		m := prepared(t, Method{Name: "m", Summary: "Waits.", Effect: Write, Run: func(ctx context.Context, _ Args) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		for range 500 {
			ctx, leave := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, leave)
			r, err := Call(ctx, Request{Method: m, Life: life})
			var no *Refused
			switch {
			case err == nil && r.State == Running:
				running++
			case !errors.As(err, &no) || no.Kind != "gated" || !strings.HasSuffix(no.Message, "too many calls are running; send it again later"):
				t.Fatalf("call %d: %s, %v", running, r.State, err)
			}
			leave()
		}
		if running != maxRuns {
			t.Errorf("%d ran at the same time, want %d", running, maxRuns)
		}
		time.Sleep(time.Hour) // until all have ended
		synctest.Wait()
		look := prepared(t, Method{Effect: Read})
		if r, err := Call(t.Context(), Request{Method: look, Life: life}); err != nil || r.State != Done {
			t.Errorf("when all have ended: %s, %v", r.State, err)
		}
	})
}
