package decide_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/decide/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(_ *testing.T, now func() time.Time) decide.Store {
		return decide.NewMemory(decide.MemoryLimits{Now: now})
	})
}

// memory is a Memory with a clock to turn, and short ways to use it.
type memory struct {
	*decide.Memory
	t   *testing.T
	now time.Time
}

func newMemory(t *testing.T, l decide.MemoryLimits) *memory {
	m := &memory{t: t, now: time.UnixMilli(1_800_000_000_000)}
	l.Now = func() time.Time { return m.now }
	m.Memory = decide.NewMemory(l)
	return m
}

func (m *memory) open(id, principal string) error {
	return m.Do(m.t.Context(), decide.Kill, func(tx decide.Tx) error {
		return tx.InsertTurn(decide.TurnRow{ID: id, Principal: principal, State: decide.Open, Round: 1, Expires: m.now.Add(time.Hour), Data: []byte("x")})
	})
}

func (m *memory) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *memory) move(id string, to decide.State) {
	m.t.Helper()
	was, err := m.Turn(m.t.Context(), id)
	m.must(err)
	next := was
	next.State = to
	m.must(m.Do(m.t.Context(), decide.Kill, func(tx decide.Tx) error {
		_, won, err := tx.SwapTurn(was, next)
		if !won {
			m.t.Fatalf("moving %s to %s: %v, %v", id, to, won, err)
		}
		return err
	}))
}

func (m *memory) has(id string) bool {
	_, err := m.Turn(m.t.Context(), id)
	if err != nil && !errors.Is(err, decide.ErrNoTurnRow) {
		m.t.Fatal(err)
	}
	return err == nil
}

// What is closed or was never answered is forgotten after its time; what runs, or may have run, never is.
func TestMemorySweeps(t *testing.T) {
	t.Parallel()
	for state, stays := range map[decide.State]bool{
		decide.Open: false, decide.Done: false, decide.Failed: false, decide.NotRun: false, decide.Exhausted: false,
		decide.Expired: false, decide.Denied: false, decide.Running: true, decide.Unknown: true, decide.Parked: true,
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			m := newMemory(t, decide.MemoryLimits{})
			m.must(m.open("a", "p"))
			if state != decide.Open {
				m.move("a", state)
			}
			m.now = m.now.Add(time.Hour + 9*time.Minute)
			m.must(m.open("b", "p"))
			if !m.has("a") {
				t.Error("gone nine minutes after its time")
			}
			m.now = m.now.Add(2 * time.Minute)
			m.must(m.open("c", "p"))
			if m.has("a") != stays {
				t.Errorf("there: %v, want %v", m.has("a"), stays)
			}
		})
	}
}

// A run that ends long after its turn's time is forgotten then, and not before.
func TestMemorySweepsLateRuns(t *testing.T) {
	t.Parallel()
	m := newMemory(t, decide.MemoryLimits{})
	m.must(m.open("a", "p"))
	m.move("a", decide.Running)
	m.now = m.now.Add(5 * time.Hour)
	m.must(m.open("b", "p"))
	m.move("a", decide.Done)
	if !m.has("a") {
		t.Fatal("gone at its end")
	}
	m.must(m.open("c", "p"))
	if m.has("a") {
		t.Error("still there")
	}
}

func TestMemoryLimits(t *testing.T) {
	t.Parallel()

	t.Run("live turns of a principal", func(t *testing.T) {
		t.Parallel()
		m := newMemory(t, decide.MemoryLimits{Live: 2})
		m.must(m.open("a", "p"))
		m.must(m.open("b", "p"))
		var full *decide.FullError
		if err := m.open("c", "p"); !errors.As(err, &full) || !strings.Contains(err.Error(), "2 turns of p are open") {
			t.Fatalf("the third one: %v", err)
		}
		m.must(m.open("d", "q"))
		m.move("a", decide.Done)
		m.must(m.open("c", "p"))
		m.now = m.now.Add(time.Hour + time.Minute) // their time is over, though they can still be asked about
		m.must(m.open("e", "p"))
	})

	t.Run("turns whose end is not known", func(t *testing.T) {
		t.Parallel()
		m := newMemory(t, decide.MemoryLimits{Live: 2})
		for _, id := range []string{"a", "b", "c", "d"} {
			m.must(m.open(id, "p"))
			m.move(id, decide.Unknown)
			m.now = m.now.Add(365 * 24 * time.Hour)
		}
		if !m.has("a") {
			t.Error("a turn that may have run was forgotten")
		}
		m.move("a", decide.Done) // settled late
		m.move("b", decide.NotRun)
		m.must(m.open("e", "p"))
		m.must(m.open("f", "p"))
		var full *decide.FullError
		if err := m.open("g", "p"); !errors.As(err, &full) {
			t.Errorf("the third open one: %v", err)
		}
	})

	t.Run("closed turns", func(t *testing.T) {
		t.Parallel()
		m := newMemory(t, decide.MemoryLimits{Closed: 2})
		for _, id := range []string{"a", "b", "c"} {
			m.must(m.open(id, "p"))
		}
		for _, id := range []string{"b", "a", "c"} {
			m.move(id, decide.Done)
		}
		if m.has("b") || !m.has("a") || !m.has("c") {
			t.Error("the one closed first should have gone")
		}
	})

	t.Run("bytes", func(t *testing.T) {
		t.Parallel()
		m := newMemory(t, decide.MemoryLimits{Bytes: 1000})
		m.must(m.open("a", "p"))
		m.must(m.open("b", "p"))
		var full *decide.FullError
		if err := m.open("c", "p"); !errors.As(err, &full) {
			t.Fatalf("the third one: %v", err)
		}
		m.move("a", decide.Failed)
		m.must(m.open("c", "p"))
		if m.has("a") {
			t.Error("the closed turn kept its room")
		}
	})
}

// Opening stays as cheap with many turns as with few, and nothing piles up.
func TestMemoryManyTurns(t *testing.T) {
	t.Parallel()
	m := newMemory(t, decide.MemoryLimits{Live: 100, Closed: 100})
	for i := range 5000 {
		id := fmt.Sprint(i)
		m.must(m.open(id, "p"))
		m.move(id, decide.Done)
		m.now = m.now.Add(time.Second)
	}
	there := 0
	for i := range 5000 {
		if m.has(fmt.Sprint(i)) {
			there++
		}
	}
	if there != 100 {
		t.Errorf("%d turns are kept, want 100", there)
	}
}
