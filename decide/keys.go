package decide

import (
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
)

// keys remembers native calls that came with a key, so that the same call sent again gets the outcome of the first one. It holds for
// the life of the process, ten minutes a key, and for the newest 10,000 of them.
type keys struct {
	mu     sync.Mutex
	byName map[keyName]*keyed
	order  *list.List // of *keyed, oldest first
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
	place  *list.Element
}

const (
	maxKeys   = 10_000
	maxKey    = 200 // bytes
	keyMemory = 10 * time.Minute
)

// claim takes the key for a call, or finds the call that has it. mine says that the caller is to run it and then
// to call settle.
func (k *keys) claim(name keyName, call string, now time.Time) (one *keyed, mine bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName == nil {
		k.byName, k.order = make(map[keyName]*keyed), list.New()
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
	k.mu.Lock()
	defer k.mu.Unlock()
	if one.ended() {
		return
	}
	one.result, one.err = result, err
	close(one.done)
	if err != nil {
		k.forget(one)
	}
}

// amend replaces the result of a call that was given up as unknown, once it is known.
func (k *keys) amend(one *keyed, result registry.Result) {
	k.mu.Lock()
	defer k.mu.Unlock()
	one.result = result
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
