package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// maxAsks is how many questions to clients may wait for their answers.
const maxAsks = 1024

// asks are the questions to clients that are not answered yet. Each has an id that can't be guessed, and is answered by
// the principal alone to whom it went: the answer comes as a message of its own, over HTTP by a request of its own.
type asks struct {
	mu   sync.Mutex
	open map[string]*ask
}

type ask struct {
	caller string
	came   chan message
}

func newAsks() *asks { return &asks{open: map[string]*ask{}} }

var errTooManyAsks = errors.New("too many questions to clients wait for their answers")

// ask sends a request to the client of a session and reads its result into result. It waits for as long as ctx
// lasts: give it one with a deadline, since many clients never answer.
func (a *asks) ask(ctx context.Context, s *session, method string, params, result any) error {
	id, q := rand.Text(), &ask{caller: s.caller, came: make(chan message, 1)}
	if !a.add(id, q) {
		return fmt.Errorf("%s: %w", method, errTooManyAsks)
	}
	defer a.remove(id)
	s.flush()
	if err := s.out.send(request{JSONRPC: "2.0", ID: id, Method: method, Params: params}); err != nil {
		return err
	}
	select {
	case m := <-q.came:
		if m.answer == nil {
			return fmt.Errorf("%s: the client refused: %s", method, plain(string(m.refusal), 300))
		}
		if err := json.Unmarshal(m.answer, result); err != nil {
			return fmt.Errorf("%s: the client's answer can't be read: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// request is a JSON-RPC request of ours.
type request struct {
	JSONRPC string `json:"jsonrpc"`
	ID      string `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

func (a *asks) add(id string, q *ask) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.open) >= maxAsks {
		return false
	}
	a.open[id] = q
	return true
}

func (a *asks) remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, id)
}

// answer hands a response to whoever waits for it. One that nobody waits for, or that comes from somebody else, goes nowhere.
func (a *asks) answer(caller string, m message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var id string
	if json.Unmarshal(m.id.raw, &id) != nil {
		return
	}
	q, ok := a.open[id]
	if !ok || q.caller != caller {
		return
	}
	delete(a.open, id)
	q.came <- m
}
