package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
)

var (
	me       = registry.Caller{ID: "os:1000"}
	decision = decide.Decision{
		Name: "settle", Summary: "Settles something.", Prompt: "Settle it.", Options: []decide.Option{decide.Func("look", "look"), decide.Func("tag", "tag")},
	}
)

// engineOver is an engine whose write leaves a mark in a file and then calls tag.
func engineOver(t testing.TB, s decide.Store, longIDs bool, marks string, tag func()) *decide.Engine {
	reg := registry.New()
	for _, m := range []registry.Method{
		{Name: "look", Summary: "Looks.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) { return "seen", nil }},
		{Name: "tag", Summary: "Tags.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
			if err := mark(marks); err != nil {
				return nil, err
			}
			tag()
			return "tagged", nil
		}},
	} {
		if err := reg.Add(m); err != nil {
			panic(err)
		}
	}
	e := decide.New(reg, decide.Options{Store: s, LongIDs: longIDs, Config: "test"})
	if err := e.Add(decision); err != nil {
		panic(err)
	}
	return e
}

// mark adds a line to a file: one effect.
func mark(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("tagged\n")
	return errors.Join(err, f.Close())
}

func effects(t testing.TB, path string) int {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "\n")
}

func openTurn(t testing.TB, e *decide.Engine) string {
	t.Helper()
	d, ok := e.View().Decision("settle")
	if !ok {
		t.Fatal("there is no decision")
	}
	out, err := e.Open(context.Background(), nil, decide.Opening{Decision: d, Caller: me})
	if err != nil {
		t.Fatal(err)
	}
	return out.Handle
}

func answer(t testing.TB, e *decide.Engine, handle, call string) decide.Outcome {
	t.Helper()
	out, err := e.Answer(context.Background(), nil, decide.Answer{Handle: handle, Call: call, Caller: me})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRestart: a turn outlives its process, is answered once, and the same answer again gets what was recorded.
func TestRestart(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		name, marks := p.fresh(t), filepath.Join(t.TempDir(), "marks")
		for _, longIDs := range []bool{true, false} {
			before := effects(t, marks)
			first := p.open(t, name)
			handle := openTurn(t, engineOver(t, first, longIDs, marks, func() {}))
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			second := p.open(t, name)
			if out := answer(t, engineOver(t, second, longIDs, marks, func() {}), handle, "tag"); out.State != decide.Done || out.Recorded {
				t.Fatalf("after a restart: %+v", out)
			}
			if err := second.Close(); err != nil {
				t.Fatal(err)
			}
			third := p.open(t, name)
			if out := answer(t, engineOver(t, third, longIDs, marks, func() {}), handle, "tag"); out.State != decide.Done || !out.Recorded {
				t.Errorf("the same answer again: %+v", out)
			}
			if n := effects(t, marks) - before; n != 1 {
				t.Errorf("it ran %d times", n)
			}
			if err := third.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestReplicas: a turn with a long id is answered by any process that shares the store; one with a short id by its own, as long as
// that lives.
func TestReplicas(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		name, marks := p.fresh(t), filepath.Join(t.TempDir(), "marks")
		for _, longIDs := range []bool{true, false} {
			mine := p.open(t, name)
			other := engineOver(t, p.open(t, name), longIDs, marks, func() {})
			handle := openTurn(t, engineOver(t, mine, longIDs, marks, func() {}))
			out := answer(t, other, handle, "look")
			if taken := out.State == decide.Done; taken != longIDs {
				t.Errorf("long ids %v: the other process answers %+v", longIDs, out)
			}
			if longIDs {
				continue
			}
			if !errors.Is(out.Problem, decide.ErrNoTurn) {
				t.Errorf("another's short id: %v", out.Problem)
			}
			if err := mine.Close(); err != nil {
				t.Fatal(err)
			}
			if out := answer(t, other, handle, "look"); out.State != decide.Done {
				t.Errorf("when its process is gone: %+v", out)
			}
		}
	})
}

// runForEver is a child that begins a write and never ends it.
func runForEver(where store.Where) error {
	s, err := store.Open(context.Background(), where, store.Options{})
	if err != nil {
		return err
	}
	var handle string
	e := engineOver(nil, s, true, os.Getenv(victimMarks), func() {
		fmt.Println("runs", handle)
		select {}
	})
	d, _ := e.View().Decision("settle")
	out, err := e.Open(context.Background(), nil, decide.Opening{Decision: d, Caller: me})
	if err != nil {
		return err
	}
	handle = out.Handle
	_, err = e.Answer(context.Background(), nil, decide.Answer{Handle: handle, Call: "tag", Caller: me})
	return err
}

// TestKilledInTheMiddle: a write whose process was killed is unknown to all who ask afterwards, and never runs again.
func TestKilledInTheMiddle(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		name, marks := p.fresh(t), filepath.Join(t.TempDir(), "marks")
		s := p.open(t, name)
		cmd, out := child(t, "runner", name, victimMarks+"="+marks)
		in := bufio.NewScanner(out)
		if !in.Scan() {
			t.Fatalf("the child says nothing: %v", cmd.Wait())
		}
		_, handle, ok := strings.Cut(in.Text(), " ")
		if !ok || handle == "" {
			t.Fatalf("the child says %q", in.Text())
		}
		e := engineOver(t, s, true, marks, func() {})
		asked := make(chan decide.Outcome, 1)
		go func() { asked <- answer(t, e, handle, "tag") }() // waits for the end of the run
		select {
		case out := <-asked:
			t.Errorf("while it runs elsewhere: %+v", out)
		case <-time.After(300 * time.Millisecond): // a little while, in which nothing may come
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // killed
		for i, out := range []decide.Outcome{<-asked, answer(t, e, handle, "tag"), answer(t, e, handle, "look")} {
			if out.State != decide.Unknown {
				t.Errorf("asked %d: %s: %s", i, out.State, out.Text)
			}
		}
		if n := effects(t, marks); n != 1 {
			t.Errorf("it ran %d times", n)
		}
	})
}
