package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/store"
)

// childRole makes this test binary one of several processes of a store.
const childRole, childPath = "STORE_TEST_ROLE", "STORE_TEST_PATH"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := beChild(role, os.Getenv(childPath)); err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beChild opens the store and, as a writer, writes until it is killed; each line it prints is something that was acknowledged.
func beChild(role, name string) error {
	where, err := store.ParseWhere(name)
	if err != nil {
		return err
	}
	switch role {
	case "runner":
		return runForEver(where)
	case "victim":
		return beVictim(where)
	}
	ctx := context.Background()
	s, err := store.Open(ctx, where, store.Options{Live: 1 << 20})
	if err != nil {
		return err
	}
	fmt.Println("owner", s.Owner())
	if role == "opener" {
		return s.Close()
	}
	for i := 0; ; i++ {
		r := row(fmt.Sprintf("%s-%d", s.Owner(), i))
		if err := insertAs(ctx, s, decide.Kill, r); err != nil {
			return err
		}
		fmt.Println("inserted", r.ID)
		next := r
		next.State = decide.Running
		r.Version = 1
		if _, swapped, err := swapAs(ctx, s, decide.Power, r, next); err != nil || !swapped {
			return fmt.Errorf("swap: %v, %w", swapped, err)
		}
		fmt.Println("running", r.ID)
	}
}

func child(t *testing.T, role, name string, env ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), childRole+"="+role, childPath+"="+name), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// rounds is how often a test of several processes is repeated; STORE_TEST_ROUNDS asks for more.
func rounds(t *testing.T, usual int) int {
	var n int
	if _, err := fmt.Sscan(os.Getenv("STORE_TEST_ROUNDS"), &n); err == nil {
		return n
	}
	if testing.Short() {
		return 1
	}
	return usual
}

// TestManyOpenAtOnce: eight processes open a file that is not there, at the same time, and none fails.
func TestManyOpenAtOnce(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		for range rounds(t, 3) {
			name := p.fresh(t)
			var all sync.WaitGroup
			for range 8 {
				cmd, out := child(t, "opener", name)
				all.Go(func() {
					said, _ := io.ReadAll(out)
					if err := cmd.Wait(); err != nil {
						t.Errorf("%v: %s", err, said)
					}
				})
			}
			all.Wait()
			if path, ok := strings.CutPrefix(name, "sqlite:"); ok {
				if left, err := os.ReadDir(path + ".lives"); err != nil || len(left) > 0 {
					t.Errorf("signs of life are left: %v, %v", left, err)
				}
			}
		}
	})
}

// TestKilled: whatever a process was doing when it was killed, all that it was told is written stands, and it is known to be dead at once.
func TestKilled(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		name := p.fresh(t)
		s := p.open(t, name)
		for range rounds(t, 4) {
			var all sync.WaitGroup
			for range 3 {
				cmd, out := child(t, "writer", name)
				kill := 1 + rand.IntN(300)
				all.Go(func() { killAfter(t, s, cmd, out, kill) })
			}
			all.Wait()
		}
	})
}

// killAfter kills a writer after so many of its lines, and looks for all that it was told.
func killAfter(t *testing.T, s *store.Store, cmd *exec.Cmd, out io.Reader, lines int) {
	owner := ""
	told := map[string]decide.State{}
	in := bufio.NewScanner(out)
	for n := 0; in.Scan(); n++ {
		word, id, _ := strings.Cut(in.Text(), " ")
		switch word {
		case "owner":
			owner = id
			if alive, err := s.Alive(owner); !alive || err != nil {
				t.Errorf("a living process is taken for dead: %v", err)
			}
		case "inserted":
			told[id] = decide.Open
		case "running":
			told[id] = decide.Running
		default:
			t.Errorf("a writer says %q", in.Text())
		}
		if n == lines {
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	soonDead(t, s, owner)
	for id, state := range told {
		r, err := s.Turn(context.Background(), id)
		if err != nil || state == decide.Running && r.State != decide.Running {
			t.Errorf("%s was told as %s and is %s, %v", id, state, r.State, err)
		}
	}
}

// TestShared: several processes write one file at the same time; each comes forward, and nothing is lost.
func TestShared(t *testing.T) {
	inEachPlace(t, func(t *testing.T, p place) {
		name := p.fresh(t)
		s := p.open(t, name)
		const each = 60
		var all sync.WaitGroup
		for range 4 {
			cmd, out := child(t, "writer", name)
			all.Go(func() { killAfter(t, s, cmd, out, each) })
		}
		for i := range each {
			if err := insertAs(t.Context(), s, decide.Power, row(fmt.Sprint("mine", i))); err != nil && !errors.Is(err, store.ErrBusy) {
				t.Error(err)
			}
		}
		all.Wait()
	})
}

// soonDead waits until a process that was killed is known to be dead: at once with a file, and with a server as soon as that has seen that
// the connection is closed.
func soonDead(t *testing.T, s *store.Store, owner string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		alive, err := s.Alive(owner)
		if err == nil && !alive {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("a dead process is taken for living: %v", err)
			return
		}
	}
}
