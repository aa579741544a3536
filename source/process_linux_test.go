package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// ownChildren are the children that need Linux.
var ownChildren = map[string]func(args []string){
	// ignore can't be asked to stop: it says so in a file, and sleeps.
	"ignore": func(args []string) {
		signal.Ignore(syscall.SIGTERM)
		must(os.WriteFile(args[0], nil, 0o600))
		sleep()
	},
	"kill": func(args []string) { must(syscall.Kill(os.Getpid(), syscall.Signal(number(args[0])))); sleep() },
	// nocore waits until the limit of core files is zero.
	"nocore": func([]string) {
		for {
			var limit syscall.Rlimit
			must(syscall.Getrlimit(syscall.RLIMIT_CORE, &limit))
			if limit.Cur == 0 && limit.Max == 0 {
				fmt.Print("no core")
				return
			}
			time.Sleep(time.Millisecond)
		}
	},
	// escape prints a word and leaves a sleeper in a session of its own that keeps the output open.
	"escape": func([]string) {
		cmd := exec.Command("sleep", "3600")
		cmd.Stdout, cmd.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
		must(cmd.Start())
		fmt.Println("left")
	},
}

// marked gives a command a variable by which its processes, and all that they start, are found in /proc.
func marked(t *testing.T, c *config.Command) (*config.Command, string) {
	t.Helper()
	mark := fmt.Sprintf("MARK=%s-%d", t.Name(), time.Now().UnixNano())
	c.Env = append(c.Env, config.EnvVar{Name: "PATH", Value: os.Getenv("PATH")}, config.EnvVar{Name: "MARK", Value: strings.TrimPrefix(mark, "MARK=")})
	return c, mark
}

// living counts the processes that have the mark in their environment. A process that has ended has none.
func living(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

func gone(t *testing.T, mark string) {
	t.Helper()
	waitUntil(t, "the end of all processes with "+mark, func() bool { return len(living(t, mark)) == 0 })
}

// waitUntil polls until it is so; the test's own deadline is the only limit.
func waitUntil(t *testing.T, what string, so func() bool) {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		end = time.Now().Add(10 * time.Minute)
	}
	for !so() {
		if time.Until(end) < 5*time.Second {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// stopWhen runs a method until the file is there, and then cancels the call.
func stopWhen(t *testing.T, m registry.Method, file string, then func()) (any, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	type end struct {
		out any
		err error
	}
	ended := make(chan end, 1)
	go func() {
		out, err := m.Run(ctx, nil)
		ended <- end{out, err}
	}()
	waitUntil(t, file, func() bool { _, err := os.Stat(file); return err == nil })
	then()
	cancel()
	e := <-ended
	return e.out, e.err
}

// X3: programs that don't end by themselves. The call ends, and none of their processes stays.
func TestStoppedPrograms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		child string
		args  []any
		alive int // processes when it is stopped
	}{
		{"200 processes", "fork", []any{"200"}, 201},
		{"closed output", "deaf", nil, 1},
		{"deaf to being asked", "ignore", nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ready := filepath.Join(t.TempDir(), "ready")
			c, mark := marked(t, childCommand(t, test.child, append(test.args, literal(ready))...))
			out, err := stopWhen(t, runnable(t, c), ready, func() {
				if n := len(living(t, mark)); n != test.alive {
					t.Errorf("%d processes are alive, want %d", n, test.alive)
				}
			})
			if out != nil || err == nil || err.Error() != "stopped before its end" || !errors.Is(err, context.Canceled) {
				t.Fatalf("got %v, %v", out, err)
			}
			if got := stateOf(t, registry.Write, err); got != registry.Unknown {
				t.Errorf("state of a write: %q, want %q", got, registry.Unknown)
			}
			if got := stateOf(t, registry.Read, err); got != registry.Failed {
				t.Errorf("state of a read: %q, want %q", got, registry.Failed)
			}
			gone(t, mark)
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	c, mark := marked(t, childCommand(t, "deaf", literal(ready)))
	m := runnable(t, c)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := m.Run(ctx, nil)
	if !errors.Is(err, registry.ErrTimeout) || err.Error() != "stopped at its deadline" {
		t.Fatalf("got %v", err)
	}
	gone(t, mark)

	_, err = m.Run(ctx, nil) // over before it starts
	if err == nil {
		t.Fatal("a call whose time is over ran")
	}
	if got := stateOf(t, registry.Write, err); got != registry.NotRun {
		t.Errorf("state %q, want %q", got, registry.NotRun)
	}
}

// X3: a program that prints 10 GiB is stopped long before.
func TestRunaway(t *testing.T) {
	t.Parallel()
	for _, child := range []string{"flood", "flooderrors"} {
		t.Run(child, func(t *testing.T) {
			t.Parallel()
			c, mark := marked(t, childCommand(t, child, "10737418240"))
			out, err := runnable(t, c).Run(t.Context(), nil)
			if out != nil || err == nil || !strings.HasPrefix(err.Error(), "stopped after it had printed more than 64 MiB") {
				t.Fatalf("got %.100q, %v", out, err)
			}
			if len(err.Error()) > 2*maxTail {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
			gone(t, mark)
		})
	}
}

// X3: a program that a signal ended may have done anything.
func TestEndedBySignal(t *testing.T) {
	t.Parallel()
	for number, want := range map[syscall.Signal]string{syscall.SIGKILL: "killed", syscall.SIGTERM: "terminated", syscall.SIGHUP: "hangup"} {
		if signal.Ignored(number) { // as under nohup, and then by children too
			continue
		}
		m := runnable(t, childCommand(t, "kill", fmt.Sprint(int(number))))
		_, err := m.Run(t.Context(), nil)
		if err == nil || !strings.HasPrefix(err.Error(), "ended by a signal: "+want) {
			t.Errorf("%v: got %v", number, err)
			continue
		}
		if got := stateOf(t, registry.Destructive, err); got != registry.Unknown {
			t.Errorf("%v: state %q, want %q", number, got, registry.Unknown)
		}
	}
}

// What a program leaves behind in its group ends with it and holds nothing up.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	c, mark := marked(t, childCommand(t, "leave"))
	out, err := runnable(t, c).Run(t.Context(), nil)
	if err != nil || out != "left" {
		t.Fatalf("got %q, %v", out, err)
	}
	gone(t, mark)
}

// What leaves the group on purpose lives on, and holds the call up for a moment only.
func TestEscaped(t *testing.T) {
	t.Parallel()
	c, mark := marked(t, childCommand(t, "escape"))
	out, err := runnable(t, c).Run(t.Context(), nil)
	if err != nil || out != "left" {
		t.Fatalf("got %q, %v", out, err)
	}
	pids := living(t, mark)
	if len(pids) != 1 {
		t.Fatalf("processes %v, want the one that escaped", pids)
	}
	var pid int
	if _, err := fmt.Sscan(pids[0], &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	gone(t, mark)
}

func TestNoCoreFile(t *testing.T) {
	t.Parallel()
	out, err := runnable(t, childCommand(t, "nocore")).Run(t.Context(), nil)
	if err != nil || out != "no core" {
		t.Fatalf("got %q, %v", out, err)
	}
}
