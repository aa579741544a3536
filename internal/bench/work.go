package main

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// work is one unit of what callers do, again and again. It checks what it gets: a unit whose answer is not its own has failed.
type work struct {
	name    string
	fillers int // methods beside echo that the server has
	unit    func(k kind, l lane) error
}

var (
	calls = work{name: "call", unit: func(_ kind, l lane) error { return echoed(l, call(echoName, textArgs(payload()))) }}
	notes = work{name: "write", unit: func(_ kind, l lane) error { return echoed(l, call(noteName, textArgs(payload()))) }}
	pairs = work{name: "open + pick", unit: pair}
	lists = work{name: "tools/list", fillers: many, unit: list}
)

// many are the methods of a server that lists many.
const many = 1000

// serial makes each payload of the run another one.
var serial atomic.Int64

// payload is a text of 32 letters that no other call of this run sends.
func payload() string {
	n := strconv.FormatInt(serial.Add(1), 10)
	return "payload-" + strings.Repeat("0", 24-len(n)) + n
}

func textArgs(text string) string { return `{"text":` + quoted(text) + `}` }

// echoed makes a call that has to give back the payload in it.
func echoed(l lane, r request) error {
	a, err := l.round(r)
	if err != nil {
		return err
	}
	if err := a.ok(); err != nil {
		return err
	}
	got := a.text()
	if got == "" || !strings.Contains(r.params, got) || len(got) != 32 {
		return fmt.Errorf("asked with %s, got %q", r.params, got)
	}
	return nil
}

// pair is two calls: on ours a turn is opened and its read option picked, on the SDK alone it is two plain calls.
func pair(k kind, l lane) error {
	if k == bare {
		if err := calls.unit(k, l); err != nil {
			return err
		}
		return calls.unit(k, l)
	}
	turn, err := opened(l)
	if err != nil {
		return err
	}
	return echoed(l, call("pick_read", `{"turn":`+quoted(turn)+`,"call":"`+echoName+`","args":`+quoted(textArgs(payload()))+`}`))
}

// opened opens a turn.
func opened(l lane) (turn string, err error) {
	a, err := l.round(call(chooseName, `{"wish":`+quoted(payload())+`}`))
	if err != nil {
		return "", err
	}
	if err := a.ok(); err != nil {
		return "", err
	}
	if turn, _ = a.Result.Meta["mcp-decide/turn"].(string); turn == "" {
		return "", fmt.Errorf("an opening without a turn: %.300s", a.text())
	}
	return turn, nil
}

// list asks for all tools; they must all be there.
func list(_ kind, l lane) error {
	a, err := l.round(request{method: "tools/list"})
	if err != nil {
		return err
	}
	if err := a.ok(); err != nil {
		return err
	}
	if n := len(a.Result.Tools); n != many+2 {
		return fmt.Errorf("%d tools are listed, there are %d", n, many+2)
	}
	return nil
}
