package decide

import (
	"container/list"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// keys remembers native calls that came with a key, so that the same call sent again gets the outcome of the first one. It holds for
// the life of the process, ten minutes a key, and for the newest 10,000 of them. Results are kept up to 64 MiB; above that the
// oldest go, but not the key of what may have changed something.
type keys struct {
	mu     sync.Mutex
	byName map[keyName]*keyed
	order  *list.List // of *keyed, oldest first
	full   *list.List // of *keyed that hold a result, the one that ended first in front
	bytes  int        // of these results, about
}

type keyName struct{ principal, key string }

// keyed is one call under a key.
type keyed struct {
	name   keyName
	call   string        // digest of method and arguments
	done   chan struct{} // closed when the result, or the error, is there
	result registry.Result
	err    error // nothing ran; the key is free again
	begun  time.Time
	place  *list.Element // in order
	holds  *list.Element // in full; nil when there is no result
	bytes  int
}

const (
	maxKeys   = 10_000
	maxKey    = 200 // bytes
	keyMemory = 10 * time.Minute
	maxKept   = 64 << 20 // bytes of results
)

// claim takes the key for a call, or finds the call that has it. mine says that the caller is to run it and then
// to call settle.
func (k *keys) claim(name keyName, call string, now time.Time) (one *keyed, mine bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName == nil {
		k.byName, k.order = make(map[keyName]*keyed), list.New()
		k.full = list.New()
	}
	k.sweep(now)
	if one := k.byName[name]; one != nil {
		if one.call != call {
			return nil, false, keyRefused("The key %q was used for another call; use a new key for a new call.", name.key)
		}
		return one, false, nil
	}
	if len(k.byName) >= maxKeys && !k.dropOldest() {
		return nil, false, keyRefused("Too many calls with keys are running; send this one again later.")
	}
	one = &keyed{name: name, call: call, done: make(chan struct{}), begun: now}
	one.place = k.order.PushBack(one)
	k.byName[name] = one
	return one, true, nil
}

// settle gives the result to all who wait for it. A call of which nothing ran gives its key back.
func (k *keys) settle(one *keyed, result registry.Result, err error) {
	if one.ended() {
		return
	}
	bytes := size(result)
	k.mu.Lock()
	defer k.mu.Unlock()
	if one.ended() {
		return
	}
	one.err = err
	k.keep(one, result, bytes)
	close(one.done)
}

// amend replaces the result of a call that was given up as unknown, once it is known.
func (k *keys) amend(one *keyed, result registry.Result) {
	bytes := size(result)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keep(one, result, bytes)
}

// keep puts a result under its key, unless nothing ran, and makes room for it. The newest one stays, however large it is.
// Its arguments are those of whoever asks.
func (k *keys) keep(one *keyed, result registry.Result, bytes int) {
	k.release(one)
	result.Bound = registry.Bound{}
	one.result = result
	if one.err != nil || result.State == registry.NotRun {
		k.forget(one)
		return
	}
	if k.byName[one.name] != one {
		return // forgotten meanwhile
	}
	one.bytes = bytes
	one.holds = k.full.PushBack(one)
	k.bytes += one.bytes
	for k.bytes > maxKept && k.full.Len() > 1 {
		k.lighten(k.full.Front().Value.(*keyed))
	}
}

// lighten lets a result go. A read may run again; of anything else it stays known that it ran.
func (k *keys) lighten(one *keyed) {
	k.release(one)
	was := one.result
	if was.Method.Effect.Or() == registry.Read {
		k.forget(one)
		return
	}
	one.result = registry.Result{Method: was.Method, State: was.State, Err: was.Err, Start: was.Start, Took: was.Took, Content: []registry.Block{
		registry.Text("This call was made before under the same key and is not run again; its result was too large to be kept."),
	}}
}

// release takes a result out of the sum.
func (k *keys) release(one *keyed) {
	if one.holds == nil {
		return
	}
	k.full.Remove(one.holds)
	k.bytes -= one.bytes
	one.holds, one.bytes = nil, 0
}

// size is about what a result takes.
func size(r registry.Result) int {
	n := 400 + len(r.Structured)
	for _, b := range r.Content {
		n += 100 + len(b.Text) + len(b.Data) + len(b.URI) + len(b.Description) + len(b.Annotations) + len(b.Meta)
	}
	if value, err := json.Marshal(r.Value); err == nil {
		n += len(value)
	}
	return n
}

// outcome waits for the result of a call.
func (k *keys) outcome(ctx context.Context, one *keyed) (registry.Result, error) {
	select {
	case <-one.done:
	case <-ctx.Done():
		return registry.Result{}, ctx.Err()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return one.result, one.err
}

func (k *keys) sweep(now time.Time) {
	for front := k.order.Front(); front != nil; {
		one := front.Value.(*keyed)
		if now.Sub(one.begun) < keyMemory {
			return
		}
		front = front.Next()
		if one.ended() {
			k.forget(one)
		}
	}
}

func (k *keys) dropOldest() bool {
	for at := k.order.Front(); at != nil; at = at.Next() {
		if one := at.Value.(*keyed); one.ended() {
			k.forget(one)
			return true
		}
	}
	return false
}

func (k *keys) forget(one *keyed) {
	k.release(one)
	k.order.Remove(one.place)
	if k.byName[one.name] == one {
		delete(k.byName, one.name)
	}
}

func (one *keyed) ended() bool {
	select {
	case <-one.done:
		return true
	default:
		return false
	}
}

func keyRefused(format string, args ...any) error {
	return &registry.Refused{Kind: "denied", Message: fmt.Sprintf(format, args...)}
}
