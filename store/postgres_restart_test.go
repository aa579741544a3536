package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/store"
)

// restartable says to this test binary that its server is there to be stopped and started.
const restartable, postgresCtl = "STORE_TEST_RESTARTS", "MCP_DECIDE_TEST_POSTGRES_CTL"

// TestRestarted: a server that is stopped and started under load loses nothing that was acknowledged as its class says, errors say what is wrong, and
// all goes on by itself afterwards. It has a server of its own, since others use the first one.
func TestRestarted(t *testing.T) {
	t.Parallel()
	if os.Getenv(restartable) != "" {
		for _, how := range []string{"fast", "immediate"} {
			t.Run(how, func(t *testing.T) { restarted(t, how) })
		}
		return
	}
	if os.Getenv(postgresCtl) == "" {
		t.Skip("the server is not started anew, since " + postgresCtl + " is not set; .ci/postgres COMMAND sets it")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join("..", ".ci", "postgres"), exe, "-test.run", "^TestRestarted$", "-test.v", "-test.timeout", "3m")
	cmd.Env = append(os.Environ(), restartable+"=yes")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}

func restarted(t *testing.T, how string) {
	at := store.FreshPostgres(t)
	s := openAt(t, at, store.Options{})
	stop := make(chan struct{})
	var acknowledged [decide.Power + 1]sync.Map
	var done, failed, restarts atomic.Int64
	var later sync.Map // who has written after the restarts
	var all sync.WaitGroup
	for lane := range 16 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				class := []decide.Class{decide.Kill, decide.Power}[i%2]
				id := fmt.Sprint(lane, "-", i)
				err := insertAs(context.Background(), s, class, row(id))
				switch {
				case err == nil:
					done.Add(1)
					acknowledged[class].Store(id, true)
					if restarts.Load() == 2 {
						later.Store(lane, true)
					}
				case isClear(err):
					failed.Add(1)
					time.Sleep(5 * time.Millisecond) // not to spin while nobody is there
				default:
					t.Errorf("an error that says little: %v", err)
				}
			}
		})
	}
	eventually(t, "much is written", func() bool { return done.Load() > 300 })
	for range 2 {
		words := append(strings.Fields(os.Getenv(postgresCtl)), "-m", how, "restart")
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = "/"
		if err := cmd.Run(); err != nil { // no pipe: the server would hold it
			t.Errorf("%v: %v", words, err)
		}
		restarts.Add(1)
		before := done.Load()
		eventually(t, "more is written", func() bool { return done.Load() > before+300 })
	}
	eventually(t, "everybody writes again", func() bool {
		n := 0
		later.Range(func(any, any) bool { n++; return true })
		return n == 16
	})
	close(stop)
	all.Wait()
	if alive, err := openAt(t, at, store.Options{}).Alive(s.Owner()); err != nil || !alive {
		t.Errorf("others take it for dead: %v", err)
	}
	for class := range acknowledged {
		if how == "immediate" && decide.Class(class) < decide.Power {
			continue // as after a power cut
		}
		acknowledged[class].Range(func(id, _ any) bool {
			if _, err := s.Turn(t.Context(), id.(string)); err != nil {
				t.Errorf("%v of class %d was acknowledged: %v", id, class, err)
			}
			return true
		})
	}
	t.Logf("%d written, %d refused", done.Load(), failed.Load())
}

// isClear reports whether an error says what is wrong with the server.
func isClear(err error) bool {
	text := err.Error()
	for _, what := range []string{"PostgreSQL is starting or stopping", "connect"} {
		if strings.Contains(text, what) {
			return true
		}
	}
	return errors.Is(err, store.ErrDoubt) || errors.Is(err, store.ErrLifeless)
}

// eventually looks again and again until something holds, for half a minute at most.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never comes to it that %s", what)
		}
	}
}
