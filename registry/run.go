package registry

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// settling is how long a run whose time is over, or whose caller has gone, has to notice it and to
// end: a killed program to be reaped, a function to return.
const settling = 250 * time.Millisecond

var errVanished = errors.New("the method ended without a result")

// run is one run of a method, from its start to its end.
type run struct {
	request *Request
	bound   Bound
	ctx     context.Context // of the run: ends with its time, or with its caller
	start   time.Time
	limit   time.Duration // the method's own, or what its caller had left when that was less
	ended   chan ending   // buffered: the run waits for nobody
}

// ending is what came out of a run.
type ending struct {
	value any
	shown rendering
	err   error
	text  string // what a client may read of err when that has a text for the public
	over  error  // why the run's context had ended when Run returned; nil = it had not
}

// run runs the method and waits for it, as far as its kind and its caller allow.
func (r *Request) run(ctx context.Context, bound Bound, ceiling Effect) Result {
	var gone <-chan struct{}
	if r.Method.guarded() && !r.Method.StopOnCancel {
		gone = ctx.Done()
	}
	return r.start(ctx, bound, ceiling).wait(gone)
}

// start runs the method in a goroutine of its own. That ends when Run returns, whoever has left by then.
func (r *Request) start(caller context.Context, bound Bound, ceiling Effect) *run {
	m := r.Method
	c := &run{request: r, bound: bound, ended: make(chan ending, 1)}
	if r.Begin != nil {
		caller = r.Begin(caller, &c.bound)
	}
	base := context.WithValue(caller, ceilingKey{}, ceiling)
	if m.guarded() {
		base = context.WithoutCancel(base)
	}
	ctx, cancel := context.WithTimeout(base, m.Timeout)
	forget := r.Life.stop(cancel)
	if m.guarded() && m.StopOnCancel {
		stay := context.AfterFunc(caller, cancel)
		live := forget
		forget = func() bool { live(); return stay() }
	}
	c.ctx, c.start, c.limit = ctx, time.Now(), m.Timeout
	if deadline, limited := base.Deadline(); limited {
		c.limit = min(c.limit, deadline.Sub(c.start).Round(time.Millisecond))
	}
	go func() {
		defer r.Life.leave()
		defer cancel()
		defer forget()
		end := ending{err: errVanished} // stands when Run ends the goroutine
		defer func() { c.ended <- end }()
		end = c.call()
	}()
	return c
}

// call is the one place where Run is called. A panic in it, or while its value or error is written, is a failure.
func (c *run) call() (end ending) {
	m := c.request.Method
	defer func() {
		if broke := recover(); broke != nil {
			end = ending{err: c.broken(broke, debug.Stack())}
		}
	}()
	args := clone(map[string]any(c.bound.Args)).(map[string]any)
	for name, value := range c.bound.hidden {
		args[name] = clone(value)
	}
	end.value, end.err = m.Run(c.ctx, args)
	end.over = c.ctx.Err()
	if end.err == nil {
		if end.shown, end.err = m.render(end.value); end.err != nil {
			end.err = fmt.Errorf("it ran to its end, but %w", end.err)
		}
	}
	if end.err != nil {
		end.err = &failure{text: c.bound.redact(end.err.Error()), cause: end.err}
		end.text = c.bound.redact(publicText(end.err))
	}
	return end
}

// broken logs a panic under a random reference, and gives the error that a stranger may see.
func (c *run) broken(what any, stack []byte) error {
	var random [5]byte
	_, _ = rand.Read(random[:]) // it never fails
	ref := base32.StdEncoding.EncodeToString(random[:])[:6]
	c.request.log().Error("method broke", "method", c.request.Method.Name, "ref", ref,
		"panic", c.bound.redact(fmt.Sprint(what)), "stack", string(stack))
	return fmt.Errorf("the method broke (ref %s)", ref)
}

// wait waits until the run has ended, or its time is over and it has not ended soon after; Done hears of the
// first of the two. When gone is closed before, the waiting goes on elsewhere.
func (c *run) wait(gone <-chan struct{}) Result {
	select {
	case end := <-c.ended:
		return c.tell(c.result(end, c.stateOf(end)))
	case <-gone:
		go c.wait(nil)
		return c.result(ending{}, Running)
	case <-c.ctx.Done():
	}
	unsettled := time.NewTimer(settling)
	defer unsettled.Stop()
	select {
	case end := <-c.ended:
		if !c.request.Method.guarded() && end.over != nil { // nil: it had ended, and only then its context did
			end = ending{err: c.late(end.err)}
		}
		return c.tell(c.result(end, c.stateOf(end)))
	case <-unsettled.C:
	}
	return c.abandon()
}

// abandon ends the waiting for a run that does not end. What it comes to is heard by Late.
func (c *run) abandon() Result {
	end := ending{err: c.late(nil)}
	if !c.request.Method.guarded() {
		return c.tell(c.result(end, Failed))
	}
	result := c.result(end, Unknown)
	late := c.request.Late
	result.Pending = late != nil
	result = c.tell(result)
	if late != nil {
		go func() {
			end := <-c.ended
			late(c.result(end, c.stateOf(end)))
		}()
	}
	return result
}

func (c *run) tell(result Result) Result {
	if c.request.Done != nil {
		c.request.Done(result)
	}
	return result
}

// stateOf says how a run ended that did end.
func (c *run) stateOf(end ending) State {
	var none *notStarted
	var doubt *uncertain
	switch {
	case end.err == nil:
		return Done
	case errors.As(end.err, &none):
		return NotRun
	case !c.request.Method.guarded():
		return Failed
	case errors.As(end.err, &doubt), end.over != nil && isContextError(end.err):
		return Unknown
	}
	return Failed
}

// late is why a run gave no result in time; also is what it said itself, if anything.
func (c *run) late(also error) error {
	err := fmt.Errorf("no result within %s: %w", c.limit, ErrTimeout)
	switch canceled := errors.Is(c.ctx.Err(), context.Canceled); {
	case canceled && c.request.Life.ended():
		err = errStopped
	case canceled:
		err = errLeft
	}
	if also == nil || isContextError(also) {
		return err
	}
	return fmt.Errorf("%w: %w", err, also)
}

func isContextError(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}
