package source

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// Limits of what a program may print.
const (
	maxOutput  = 1 << 20  // bytes of stdout that are kept; the rest is read and counted
	maxTail    = 4 << 10  // bytes of stderr that are kept, the last ones
	maxPrinted = 64 << 20 // bytes of both; a program that prints more is stopped
)

// grace is how long a program that was asked to stop may take, and how long a stranger that holds its output open is waited for.
const grace = time.Second

// process is one run of a program.
type process struct {
	path  string
	argv  []string
	dir   string
	env   []string
	stdin string
}

// ending is how a run ended.
type ending struct {
	code    int   // exit status
	stopped error // why the program did not end by itself; nil = it did
	stdout  []byte
	stderr  []byte
	written int64 // bytes that went to stdout
}

// errRunaway stops a program that prints without end.
var errRunaway = fmt.Errorf("stopped after it had printed more than %d MiB", maxPrinted>>20)

// run starts the program and waits for its end, at most until ctx ends and a moment longer. The error means that nothing was
// started. When run returns, the program's process group is gone.
func (p process) run(ctx context.Context) (ending, error) {
	if err := context.Cause(ctx); err != nil {
		return ending{}, err
	}
	// The kernel sends the parent's death signal when the thread that started the program ends, so
	// that thread is kept for as long as the program runs.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	watched, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	count := &counter{limit: maxPrinted, over: func() { stop(errRunaway) }}
	stdout, stderr := &head{counter: count, limit: maxOutput}, &tail{counter: count, limit: maxTail}

	out, err := newStream()
	if err != nil {
		return ending{}, err
	}
	errs, err := newStream()
	if err != nil {
		out.drop()
		return ending{}, err
	}
	cmd := exec.CommandContext(watched, p.path)
	cmd.Args, cmd.Dir, cmd.Env = p.argv, p.dir, p.env
	cmd.Stdout, cmd.Stderr = out.w, errs.w
	if p.stdin != "" {
		cmd.Stdin = strings.NewReader(p.stdin)
	}
	cmd.WaitDelay = grace
	g := newGroup(cmd)
	cmd.Cancel = func() error { return g.stop(errors.Is(context.Cause(watched), errRunaway)) }
	if err := cmd.Start(); err != nil {
		g.close()
		out.drop()
		errs.drop()
		return ending{}, err
	}
	out.read(stdout)
	errs.read(stderr)
	g.started()
	g.wait()
	err = cmd.Wait()
	g.close()
	late, done := context.WithTimeout(context.Background(), grace)
	defer done()
	out.finish(late.Done())
	errs.finish(late.Done())

	end := ending{stdout: stdout.kept, stderr: stderr.bytes(), written: stdout.written}
	if cmd.ProcessState == nil {
		end.stopped = fmt.Errorf("waiting for its end: %w", err)
		return end, nil
	}
	end.code = cmd.ProcessState.ExitCode()
	if g.stopped {
		end.stopped = why(context.Cause(watched))
	} else if s := endedBy(cmd.ProcessState); s != "" {
		end.stopped = errors.New("ended by a signal: " + s)
	}
	return end, nil
}

// why says why a program was stopped.
func why(cause error) error {
	switch {
	case errors.Is(cause, errRunaway):
		return errRunaway
	case errors.Is(cause, context.DeadlineExceeded), errors.Is(cause, registry.ErrTimeout):
		return &halt{"stopped at its deadline", registry.ErrTimeout}
	}
	return &halt{"stopped before its end", cause}
}

// halt says in a few words why a program was stopped, and holds the cause for whoever asks.
type halt struct {
	text  string
	cause error
}

func (h *halt) Error() string { return h.text }
func (h *halt) Unwrap() error { return h.cause }
