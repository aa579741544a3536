package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each effect, with each way in which a run can end: the state of a call, for a Go function.
func TestStates(t *testing.T) {
	t.Parallel()
	errBad := errors.New("order is unknown")
	runs := map[string]Func{
		"value":          func(context.Context, Args) (any, error) { return "ok", nil },
		"error":          func(context.Context, Args) (any, error) { return nil, errBad },
		"not started":    func(context.Context, Args) (any, error) { return nil, fmt.Errorf("run: %w", NotStarted(errBad)) },
		"uncertain":      func(context.Context, Args) (any, error) { return nil, Uncertain(errBad) },
		"panic":          func(context.Context, Args) (any, error) { panic(errBad) },
		"nil panic":      func(context.Context, Args) (any, error) { panic(nil) },
		"goexit":         func(context.Context, Args) (any, error) { runtime.Goexit(); return nil, nil },
		"no JSON":        func(context.Context, Args) (any, error) { return make(chan int), nil },
		"nil error":      func(context.Context, Args) (any, error) { var e *broken; return nil, e },
		"heeds the time": func(ctx context.Context, _ Args) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
		"ends in time":   func(ctx context.Context, _ Args) (any, error) { <-ctx.Done(); return "ok", nil },
		"killed in time": func(ctx context.Context, _ Args) (any, error) { <-ctx.Done(); return nil, Uncertain(errBad) },
		"fails in time":  func(ctx context.Context, _ Args) (any, error) { <-ctx.Done(); return nil, errBad },
		"too late":       func(context.Context, Args) (any, error) { time.Sleep(time.Minute); return "ok", nil },
		"too late, fails": func(context.Context, Args) (any, error) {
			time.Sleep(time.Minute)
			return nil, errBad
		},
	}
	tests := []struct {
		run         string
		read, write State
		is          error // of both
		says        string
		late        State // of the write
	}{
		{run: "value", read: Done, write: Done, says: "ok"},
		{run: "error", read: Failed, write: Failed, is: errBad, says: "m failed: order is unknown"},
		{run: "not started", read: NotRun, write: NotRun, is: errBad, says: "m was not run: run: order is unknown"},
		{run: "uncertain", read: Failed, write: Unknown, is: errBad, says: "order is unknown"},
		{run: "panic", read: Failed, write: Failed, says: "m failed: the method broke (ref "},
		{run: "nil panic", read: Failed, write: Failed, says: "m failed: the method broke (ref "},
		{run: "goexit", read: Failed, write: Failed, says: "m failed: the method ended without a result"},
		{run: "no JSON", read: Failed, write: Failed, says: "m failed: it ran to its end, but its result can't be written as JSON"},
		{run: "nil error", read: Failed, write: Failed, says: "m failed: the method broke (ref "},
		{run: "heeds the time", read: Failed, write: Unknown, is: ErrTimeout, says: "no result within 10s: timeout"},
		{run: "ends in time", read: Failed, write: Done},
		{run: "killed in time", read: Failed, write: Unknown, is: ErrTimeout, says: "no result within 10s: timeout"},
		{run: "fails in time", read: Failed, write: Failed, is: errBad, says: "order is unknown"},
		{run: "too late", read: Failed, write: Unknown, is: ErrTimeout, says: "no result within 10s: timeout", late: Done},
		{run: "too late, fails", read: Failed, write: Unknown, is: ErrTimeout, says: "no result within 10s: timeout", late: Failed},
	}
	for _, tt := range tests {
		for _, effect := range []Effect{Read, Write, Destructive} {
			t.Run(tt.run+", "+string(effect), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					want, late := tt.write, tt.late
					if effect == Read {
						want, late = tt.read, ""
					}
					var told, toldLate tape
					start := time.Now()
					r, err := Call(context.Background(), Request{
						Method: prepared(t, Method{Effect: effect, Run: runs[tt.run], Timeout: 10 * time.Second}),
						Done:   told.note,
						Late:   toldLate.note,
					})
					if err != nil {
						t.Fatalf("Call = %v, though it ran", err)
					}
					if r.State != want || tt.is != nil && !errors.Is(r.Err, tt.is) || (r.Err == nil) != (want == Done) {
						t.Errorf("state %s, %v, want %s, %v", r.State, r.Err, want, tt.is)
					}
					if len(r.Content) != 1 || !strings.Contains(r.Content[0].Text, tt.says) {
						t.Errorf("content %+v, want %q", r.Content, tt.says)
					}
					if took := time.Since(start); took > 10*time.Second+settling || r.Took != took {
						t.Errorf("took %s, said %s", took, r.Took)
					}
					time.Sleep(time.Hour)
					synctest.Wait()
					if diff := cmp.Diff([]State{want}, told.states()); diff != "" {
						t.Errorf("Done: -want +got\n%s", diff)
					}
					if got := toldLate.states(); late != "" && !cmp.Equal([]State{late}, got) || late == "" && got != nil {
						t.Errorf("Late was told %v, want %q", got, late)
					}
				})
			})
		}
	}
}

// broken is an error whose nil pointer can't be asked for its text.
type broken struct{ text string }

func (e *broken) Error() string { return e.text }

// tape takes down what Done and Late are told.
type tape struct {
	mu      sync.Mutex
	results []Result
}

func (p *tape) note(r Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results = append(p.results, r)
}

func (p *tape) states() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	var states []State
	for _, r := range p.results {
		states = append(states, r.State)
	}
	return states
}

type key struct{}

func TestReadEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		told := 0
		r, err := Call(ctx, Request{
			Method: prepared(t, Method{Effect: Read, Run: func(ctx context.Context, _ Args) (any, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}),
			Done: func(Result) { told++ },
		})
		if err != nil || r.State != Failed || !errors.Is(r.Err, context.Canceled) || errors.Is(r.Err, ErrTimeout) || r.Took != time.Second || told != 1 {
			t.Errorf("Call = %s, %v, %v after %s, told %d times", r.State, r.Err, err, r.Took, told)
		}
	})
}

// A read that does not listen is left behind, not waited for.
func TestReadThatDoesNotListen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		r, err := Call(ctx, Request{Method: prepared(t, Method{Effect: Read, Run: func(context.Context, Args) (any, error) {
			time.Sleep(time.Hour)
			return "late", nil
		}})})
		if err != nil || r.State != Failed || !errors.Is(r.Err, ErrTimeout) || r.Took != time.Second+settling {
			t.Errorf("Call = %s, %v, %v after %s", r.State, r.Err, err, r.Took)
		}
		time.Sleep(2 * time.Hour) // until it has ended
	})
}

// After the intent a run that may change something goes on without its caller.
func TestGuardedRunOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	methods := map[string]Method{
		"write":              {Effect: Write},
		"destructive":        {},
		"read with approval": {Effect: Read, Approval: &Approval{}},
	}
	for name, m := range methods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, "trace"))
				time.AfterFunc(time.Second, cancel)
				m.Run = func(ctx context.Context, _ Args) (any, error) {
					time.Sleep(5 * time.Second)
					return ctx.Value(key{}), ctx.Err()
				}
				var told tape
				intents := 0
				r, err := Call(ctx, Request{
					Method:  prepared(t, m),
					Approve: func(context.Context, Bound) error { return nil },
					Intent:  func(context.Context, Bound) error { intents++; return nil },
					Done:    told.note,
				})
				if err != nil || r.State != Running || r.Took != time.Second || told.states() != nil || intents != 1 {
					t.Fatalf("Call = %s, %v after %s, told %v, %d intents", r.State, err, r.Took, told.states(), intents)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if got := told.results; len(got) != 1 || got[0].State != Done || got[0].Value != "trace" || got[0].Took != 5*time.Second {
					t.Errorf("Done was told %+v", got)
				}
			})
		})
	}
}

func TestGuardedRunOutlivesItsCallerInVain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		var told, late tape
		r, err := Call(ctx, Request{
			Method: prepared(t, Method{Timeout: 10 * time.Second, Run: func(context.Context, Args) (any, error) {
				time.Sleep(time.Minute)
				return nil, nil
			}}),
			Done: told.note,
			Late: late.note,
		})
		if err != nil || r.State != Running {
			t.Fatalf("Call = %s, %v", r.State, err)
		}
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if !cmp.Equal(told.states(), []State{Unknown}) || late.states() != nil {
			t.Errorf("after the deadline Done was told %v, Late %v", told.states(), late.states())
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if !cmp.Equal(told.states(), []State{Unknown}) || !cmp.Equal(late.states(), []State{Done}) {
			t.Errorf("at the end Done was told %v, Late %v", told.states(), late.states())
		}
	})
}

func TestStopOnCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Second, cancel)
		r, err := Call(ctx, Request{Method: prepared(t, Method{StopOnCancel: true, Run: func(ctx context.Context, _ Args) (any, error) {
			<-ctx.Done()
			time.Sleep(settling / 2)
			return nil, NotStarted(ctx.Err())
		}})})
		if err != nil || r.State != NotRun || r.Took != time.Second+settling/2 {
			t.Errorf("Call = %s, %v, %v after %s", r.State, r.Err, err, r.Took)
		}
	})
}

// A run ends its own context when it has ended. No waiter may take that for the end of its time.
func TestRunThatEndsIsNotCancelled(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Effect: Read, Run: func(context.Context, Args) (any, error) { return "ok", nil }})
	for range 5_000 {
		if r, err := Call(context.Background(), Request{Method: m}); err != nil || r.State != Done {
			t.Fatalf("Call = %s, %v, %v", r.State, r.Err, err)
		}
	}
}

// The same call gives the same result however often, and Done is told of each run once.
func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	m := prepared(t, Method{Effect: Write, Params: []Param{{Name: "n", Type: Integer}}, Run: func(_ context.Context, args Args) (any, error) { return args["n"], nil }})
	var told atomic.Int64
	const calls = 64
	results := make(chan string, calls)
	for i := range calls {
		go func() {
			r, err := Call(context.Background(), Request{Method: m, Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), Done: func(Result) { told.Add(1) }})
			if err != nil || r.Content[0].Text != fmt.Sprint(i) {
				results <- fmt.Sprintf("call %d = %+v, %v", i, r.Content, err)
				return
			}
			results <- ""
		}()
	}
	for range calls {
		if wrong := <-results; wrong != "" {
			t.Error(wrong)
		}
	}
	if told.Load() != calls {
		t.Errorf("Done was told %d times of %d calls", told.Load(), calls)
	}
}
