package decide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// CallInfo is a call of a method that may change something, as a person looks at it.
type CallInfo struct {
	ID        string          `json:"id"`
	State     registry.State  `json:"state"`
	Method    string          `json:"method"`
	Effect    registry.Effect `json:"effect"`
	Principal string          `json:"principal"`
	Key       string          `json:"key,omitempty"` // what a client named it by
	Turn      string          `json:"turn,omitempty"`
	Decision  string          `json:"decision,omitempty"`
	Option    string          `json:"option,omitempty"`
	Args      json.RawMessage `json:"args,omitempty"` // without hidden values, secret ones masked
	Began     time.Time       `json:"began"`
	Ended     *time.Time      `json:"ended,omitempty"`
	Runs      int             `json:"runs"`  // how often it was begun: more than once for an idempotent method alone
	Alive     bool            `json:"alive"` // the process that runs it, or ran it, lives
	Open      bool            `json:"open"`  // its end may be said with Settle
	Text      string          `json:"text,omitempty"`
	Error     string          `json:"error,omitempty"`
	SettledBy string          `json:"settled_by,omitempty"`
	Why       string          `json:"why,omitempty"`
}

// ErrNoCall says that there is no such call. Those whose end is known are not kept for long.
var ErrNoCall = errors.New("there is no such call, or no longer")

// Calls lists calls that are on record, the newest first: those that run, those whose end is not known, and for a day those that a client gave a
// key. Calls of dead processes are marked as unknown first.
func (e *Engine) Calls(ctx context.Context, w WantedCalls) ([]CallInfo, error) {
	if _, err := e.Tend(ctx); err != nil {
		return nil, err
	}
	rows, err := e.store.Calls(ctx, w)
	if err != nil {
		return nil, err
	}
	list := make([]CallInfo, 0, len(rows))
	for _, r := range rows {
		b, err := unpackCall(r)
		if err != nil {
			return nil, err
		}
		list = append(list, e.info(r, b))
	}
	return list, nil
}

// info is what a row says.
func (e *Engine) info(r CallRow, b callBody) CallInfo {
	i := CallInfo{
		ID: r.ID, State: r.State, Method: r.Method, Effect: b.Effect, Principal: r.Principal, Turn: r.Turn, Decision: b.Decision, Option: b.Option,
		Args: b.Args, Began: r.Began, Runs: b.Runs, Alive: r.Owner == "" || e.isAlive(r.Owner),
	}
	i.Open = r.State == registry.Unknown && (r.Released || !i.Alive)
	if r.Turn == "" {
		i.Key = r.Key
	}
	if o := b.Outcome; o != nil {
		i.Ended, i.Error = &o.At, o.Error
		for _, block := range o.Content {
			if block.Text != "" {
				i.Text = cut(block.Text, maxReply)
				break
			}
		}
	}
	if b.Settled != nil {
		i.SettledBy, i.Why = b.Settled.By, b.Settled.Why
	}
	return i
}

// Settlement is what a person found out about a call whose end is not known.
type Settlement struct {
	Call string
	As   registry.State // Done, Failed or NotRun
	By   registry.Caller
	Why  string // how it was found out; recorded
}

// keepSettled is how long a call is kept whose end a person has said.
const keepSettled = 30 * 24 * time.Hour

// Settle writes down how a call ended whose end is not known (C6, with T14). It runs nothing. It is refused while the process that ran the call
// may still tell.
func (e *Engine) Settle(ctx context.Context, s Settlement) (CallInfo, error) {
	switch s.As {
	case registry.Done, registry.Failed, registry.NotRun:
	default:
		return CallInfo{}, fmt.Errorf("a call can't be settled as %q: it is done, failed or not_run", s.As)
	}
	for range maxLost {
		row, err := e.settleable(ctx, s.Call)
		if err != nil {
			return CallInfo{}, err
		}
		info, err := e.settleAs(ctx, row, s)
		if errors.Is(err, errMoved) {
			continue
		}
		if errors.Is(err, ErrNoCallRow) {
			err = ErrNoCall
		}
		return info, err
	}
	return CallInfo{}, fmt.Errorf("call %s: it changes faster than it can be settled", s.Call)
}

// settleable finds a call, and says why its end can't be said.
func (e *Engine) settleable(ctx context.Context, id string) (CallRow, error) {
	if id == "" {
		return CallRow{}, ErrNoCall
	}
	rows, err := e.store.Calls(ctx, WantedCalls{ID: id, Limit: 1})
	if err != nil {
		return CallRow{}, err
	}
	if len(rows) == 0 {
		return CallRow{}, ErrNoCall
	}
	row := e.reapedCall(ctx, rows[0])
	switch {
	case row.ID == "":
		return row, ErrNoCall
	case row.State == registry.Running:
		return row, fmt.Errorf("call %s of %s still runs, in a process that lives: its end will be recorded", id, row.Method)
	case row.Final():
		return row, fmt.Errorf("call %s of %s is %s; that does not change any more", id, row.Method, row.State)
	case !row.Released && (row.Owner == "" || e.isAlive(row.Owner)):
		return row, fmt.Errorf("call %s of %s has not returned yet, and its process lives and may still tell how it ends; end that process to settle it by hand", id, row.Method)
	}
	return row, nil
}

func (e *Engine) settleAs(ctx context.Context, row CallRow, s Settlement) (CallInfo, error) {
	b, err := unpackCall(row)
	if err != nil {
		return CallInfo{}, err
	}
	now := e.now()
	text := fmt.Sprintf("Settled as %s by %s.", s.As, s.By.ID)
	if s.Why != "" {
		text = fmt.Sprintf("Settled as %s by %s: %s", s.As, s.By.ID, folded(s.Why))
	}
	done := &outcome{At: now, Option: b.Option, Method: row.Method, Effect: b.Effect, Kind: b.Kind, State: s.As, Content: []registry.Block{registry.Text(text)}}
	if done.Option == "" {
		done.Option = row.Method
	}
	if s.As != registry.Done {
		done.Error = text
	}
	b.Outcome, b.Settled = done, &settled{By: s.By.ID, At: now, Why: folded(s.Why)}
	next := row
	next.State, next.Released, next.Expires = s.As, true, time.Time{}
	if s.As != registry.NotRun || row.Key == "" || row.Turn != "" { // what did not run gives its key back
		next.Expires = now.Add(keepSettled)
	}
	if next, err = next.holding(b); err != nil {
		return CallInfo{}, err
	}
	err = e.store.Do(ctx, Power, func(tx Tx) error {
		if err := moveNow(tx, row.Turn, row.ID, done); err != nil {
			return err
		}
		_, swapped, err := tx.SwapCall(row, next)
		if err == nil && !swapped {
			err = errMoved
		}
		return err
	})
	if err != nil {
		return CallInfo{}, err
	}
	e.record(ctx, trace.Record{
		Time: now, Path: "command", Caller: s.By.ID, Config: row.Config, Method: row.Method, Decision: b.Decision, Option: b.Option, State: string(s.As), Reason: folded(s.Why),
		Call: row.ID,
	})
	return e.info(next, b), nil
}

// moveNow is move for a turn as it is now; there may be none.
func moveNow(tx Tx, turn, call string, done *outcome) error {
	if turn == "" {
		return nil
	}
	row, err := tx.Turn(turn)
	if errors.Is(err, ErrNoTurnRow) {
		return nil
	}
	if err != nil {
		return err
	}
	t, err := unpack(row)
	if err == nil {
		_, err = move(tx, t, call, done)
	}
	return err
}
