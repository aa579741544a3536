package decide

import (
	"cmp"
	"container/list"
	"context"
	"slices"
	"time"
)

// memoryCalls are the calls of a Memory. Of those that have ended the ones that ended first go when there are too many.
type memoryCalls struct {
	byID  map[string]*keptCall
	byKey map[callKey]*keptCall
	ended *list.List // of *keptCall that are final, the one that ended first in front
	bytes int        // of these, about
	most  int
	now   func() time.Time
}

const maxCallBytes = 64 << 20

type callKey struct{ config, principal, key string }

func (r CallRow) name() callKey { return callKey{r.Config, r.Principal, r.Key} }

type keptCall struct {
	row   CallRow
	ended *list.Element // nil while it is not final
}

func newMemoryCalls(l MemoryLimits) memoryCalls {
	return memoryCalls{byID: map[string]*keptCall{}, byKey: map[callKey]*keptCall{}, ended: list.New(), most: l.Calls, now: l.Now}
}

func callWeight(r CallRow) int {
	return 400 + len(r.ID) + len(r.Principal) + len(r.Config) + len(r.Key) + len(r.Turn) + len(r.Method) + len(r.Data)
}

// add puts a call in, and put gives it another row.
func (c *memoryCalls) add(k *keptCall) {
	c.byID[k.row.ID] = k
	if k.row.Key != "" {
		c.byKey[k.row.name()] = k
	}
	if k.row.Final() {
		k.ended = c.ended.PushBack(k)
		c.bytes += callWeight(k.row)
	}
}

func (c *memoryCalls) remove(k *keptCall) {
	if k.ended != nil {
		c.ended.Remove(k.ended)
		k.ended = nil
		c.bytes -= callWeight(k.row)
	}
	delete(c.byID, k.row.ID)
	if c.byKey[k.row.name()] == k {
		delete(c.byKey, k.row.name())
	}
}

// room lets go what has ended and is over, and what ended first when there is too much of it. The newest one stays, however large it is.
func (c *memoryCalls) room() {
	for c.ended.Len() > 0 {
		k := c.ended.Front().Value.(*keptCall)
		if c.isCurrent(k.row) && c.ended.Len() <= c.most && (c.bytes <= maxCallBytes || c.ended.Len() == 1) {
			return
		}
		c.remove(k)
	}
}

// isCurrent reports whether a row still counts.
func (c *memoryCalls) isCurrent(r CallRow) bool { return !r.Final() || r.Expires.After(c.now()) }

// InsertCall implements Tx.
func (tx *memoryTx) InsertCall(r CallRow) (CallRow, bool, error) {
	c := &tx.m.calls
	if c.byID[r.ID] != nil {
		return CallRow{}, false, ErrTaken
	}
	if k := c.byKey[r.name()]; k != nil && r.Key != "" {
		if c.isCurrent(k.row) {
			return k.row.clone(), false, nil
		}
		c.remove(k)
	}
	r = r.clone()
	r.Version = 1
	k := &keptCall{row: r}
	c.add(k)
	tx.undo = append(tx.undo, func() { c.remove(k) })
	return r.clone(), true, nil
}

// Call implements Tx.
func (tx *memoryTx) Call(id string) (CallRow, error) {
	k := tx.m.calls.byID[id]
	if k == nil {
		return CallRow{}, ErrNoCallRow
	}
	return k.row.clone(), nil
}

// SwapCall implements Tx.
func (tx *memoryTx) SwapCall(was, next CallRow) (CallRow, bool, error) {
	c := &tx.m.calls
	k := c.byID[was.ID]
	if k == nil {
		return CallRow{}, false, ErrNoCallRow
	}
	if k.row.State != was.State || k.row.Version != was.Version {
		return k.row.clone(), false, nil
	}
	before, now := k.row, k.row
	now.State, now.Owner, now.Released, now.Expires, now.Data = next.State, next.Owner, next.Released, next.Expires, slices.Clone(next.Data)
	now.Version++
	c.remove(k)
	k.row = now
	if !now.Final() || !now.Expires.IsZero() {
		c.add(k)
	}
	tx.undo = append(tx.undo, func() {
		c.remove(k)
		k.row = before
		c.add(k)
	})
	return now.clone(), true, nil
}

// Calls implements Store.
func (m *Memory) Calls(ctx context.Context, w WantedCalls) ([]CallRow, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []CallRow
	for _, k := range m.calls.candidates(w) {
		if m.calls.isCurrent(k.row) && w.matches(k.row) {
			found = append(found, k.row.clone())
		}
	}
	slices.SortFunc(found, func(a, b CallRow) int { return cmp.Or(b.Began.Compare(a.Began), cmp.Compare(b.ID, a.ID)) })
	if w.Limit > 0 && len(found) > w.Limit {
		found = found[:w.Limit]
	}
	return found, nil
}

// candidates are those among which the wanted ones are: one where that can be said at once.
func (c *memoryCalls) candidates(w WantedCalls) []*keptCall {
	one := func(k *keptCall) []*keptCall {
		if k == nil {
			return nil
		}
		return []*keptCall{k}
	}
	switch {
	case w.ID != "":
		return one(c.byID[w.ID])
	case w.Key != "":
		return one(c.byKey[callKey{w.Config, w.Principal, w.Key}])
	}
	var all []*keptCall
	for _, k := range c.byID {
		all = append(all, k)
	}
	return all
}

func (w WantedCalls) matches(r CallRow) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	if w.Key != "" && (w.Principal != r.Principal || w.Config != r.Config) {
		return false
	}
	return is(w.ID, r.ID) && is(w.Principal, r.Principal) && is(w.Config, r.Config) && is(w.Key, r.Key) && is(string(w.State), string(r.State))
}

var _ Store = (*Memory)(nil)
