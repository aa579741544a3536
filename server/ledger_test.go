package server

import (
	"fmt"
	"testing"
)

func TestTheLedgersCaps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method string
		size, fits   int
	}{
		{"calls", methodCall, 100, maxCalls},
		{"others", "tools/list", 100, maxOthers},
		{"bytes", methodCall, maxLine, maxHeld / maxLine},
		{"bytes of others", "ping", maxLine, maxHeld / maxLine},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(maxHeld)
			enter := func(n int) (*exchange, *fault) {
				key := fmt.Sprint(n)
				e := &exchange{message: message{id: requestID{key: key, raw: []byte(key)}, method: c.method, size: c.size}, key: key}
				return e, l.enter(t.Context(), e)
			}
			var entered []*exchange
			for n := range c.fits {
				e, f := enter(n)
				if f != nil {
					t.Fatalf("number %d: %v", n, f)
				}
				entered = append(entered, e)
			}
			if _, f := enter(-1); f == nil || f.code != codeBusy || string(f.id) != "-1" {
				t.Fatalf("one too many: %v", f)
			}
			if c.size < maxLine {
				other := map[string]string{methodCall: "ping"}[c.method]
				if other == "" {
					other = methodCall
				}
				e := &exchange{message: message{method: other, size: 1}, key: "other"}
				if f := l.enter(t.Context(), e); f != nil {
					t.Fatalf("the other kind has to wait too: %v", f)
				}
				entered = append(entered, e)
			}
			if !l.claim(entered[0]) || l.claim(entered[0]) {
				t.Error("a request is claimed once")
			}
			l.drop(entered[1].key)
			if entered[1].ctx.Err() == nil || l.claim(entered[1]) {
				t.Error("a dropped request is cancelled and never answered")
			}
			for n := range 2 {
				if _, f := enter(-10 - n); f != nil {
					t.Errorf("there is room again: %v", f)
				}
			}
			if got := len(l.abandon()); got != len(entered) {
				t.Errorf("%d left, want %d", got, len(entered))
			}
			if l.calls != 0 || l.held != 0 || len(l.open) != 0 {
				t.Errorf("the books do not balance: %+v", l)
			}
			l.close()
			if _, f := enter(1); f == nil {
				t.Error("entered after the close")
			}
			for range len(entered) + 2 {
				l.work.Done()
			}
		})
	}
}

func TestTheHandshakeCanNotBeCancelled(t *testing.T) {
	t.Parallel()
	l := newLedger(maxHeld)
	e := &exchange{message: message{method: methodInitialize}, key: "n1"}
	l.enter(t.Context(), e)
	l.drop(e.key)
	if e.ctx.Err() != nil || !l.claim(e) {
		t.Error("it was cancelled")
	}
}
