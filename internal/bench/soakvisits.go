package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// leaving is what a visit leaves behind in the server's memory of turns.
type leaving int

const (
	leavesNothing leaving = iota
	leavesTurn
)

// visits are the things that clients do, good and bad, and how often.
var visits = [...]struct {
	name   string
	weight int
	leaves leaving
	do     func(*visitor) error
}{
	{"read, as a program", 12, leavesNothing, func(v *visitor) error { return v.echo(echoName) }},
	{"read, as a request to another server", 10, leavesNothing, func(v *visitor) error { return v.echo("ask_remote") }},
	{"read, as a value", 20, leavesNothing, func(v *visitor) error { return v.call("fixed", "{}") }},
	{"write", 8, leavesNothing, func(v *visitor) error { return v.call("note", textArgs(payload())) }},
	{"write, and the same again", 1, leavesNothing, (*visitor).again},
	{"open and pick a read", 10, leavesTurn, func(v *visitor) error { return v.choose("pick_read", "fixed", "{}", "") }},
	{"open and pick a write", 5, leavesTurn, func(v *visitor) error { return v.choose("pick_write", "note", textArgs(payload()), "") }},
	{"open, slip, and pick", 4, leavesTurn, (*visitor).slip},
	{"open and leave", 1, leavesTurn, func(v *visitor) error { return v.call("glance", "{}") }},
	{"lists", 6, leavesNothing, (*visitor).lists},
	{"arguments that do not fit", 5, leavesNothing, func(v *visitor) error { return v.refused(call("note", `{"text":7}`)) }},
	{"a turn that is none", 1, leavesNothing, func(v *visitor) error { return v.refused(call("pick_read", `{"turn":"k7m2-1","call":"fixed"}`)) }},
	{"more often than allowed", 2, leavesNothing, (*visitor).often},
	{"a tool that is none", 2, leavesNothing, func(v *visitor) error { return v.refused(call("no_such_tool", `{}`)) }},
	{"bodies that are no message", 5, leavesNothing, (*visitor).garbage},
	{"a body that is too large", 1, leavesNothing, (*visitor).tooLarge},
	{"tokens that are wrong", 5, leavesNothing, (*visitor).stranger},
	{"leaves while a read runs", 4, leavesNothing, func(v *visitor) error { return v.leave("nap") }},
	{"leaves while a write runs", 2, leavesNothing, func(v *visitor) error { return v.leave("nap_and_write") }},
	{"reads slowly", 2, leavesNothing, (*visitor).readSlowly},
	{"hangs up halfway through a request", 3, leavesNothing, (*visitor).halfway},
	{"hangs up and comes again", 6, leavesNothing, (*visitor).comeAgain},
	{"listens for a while", 2, leavesNothing, (*visitor).listen},
}

// weights are those of all visits that leave so much behind.
func weights(least leaving) (sum int) {
	for _, v := range visits {
		if v.leaves >= least {
			sum += v.weight
		}
	}
	return sum
}

// round asks on the visitor's own connection.
func (v *visitor) round(r request) (*answer, error) {
	l, err := v.line()
	if err != nil {
		return nil, err
	}
	return l.round(r)
}

// echo calls what gives its payload back.
func (v *visitor) echo(tool string) error {
	l, err := v.line()
	if err != nil {
		return err
	}
	return echoed(l, call(tool, textArgs(payload())))
}

// again sends one call twice under one key.
func (v *visitor) again() error {
	r := call("note", textArgs(payload()))
	r.key = payload()
	for range 2 {
		a, err := v.round(r)
		if err != nil {
			return err
		}
		if err := a.ok(); err != nil {
			return err
		}
	}
	return nil
}

// call makes a call that has to end well.
func (v *visitor) call(tool, args string) error {
	a, err := v.round(call(tool, args))
	if err != nil {
		return err
	}
	return a.ok()
}

// choose opens a turn and picks. With a slip, that is answered first, and has to be refused.
func (v *visitor) choose(tool, option, args, slip string) error {
	l, err := v.line()
	if err != nil {
		return err
	}
	turn, err := opened(l)
	if err != nil {
		return err
	}
	if slip != "" {
		a, err := v.round(call(tool, `{"turn":`+quoted(turn)+`,"text":`+quoted(slip)+`}`))
		if err != nil {
			return err
		}
		if a.ok() == nil {
			return errors.New("a slip was taken")
		}
		if turn, _ = a.Result.Meta["mcp-decide/turn"].(string); turn == "" {
			return fmt.Errorf("after a slip there is no turn: %.200s", a.text())
		}
	}
	return v.call(tool, `{"turn":`+quoted(turn)+`,"call":`+quoted(option)+`,"args":`+quoted(args)+`}`)
}

func (v *visitor) slip() error {
	return v.choose("pick_read", "fixed", "{}", "I would rather not say.")
}

func (v *visitor) lists() error {
	for _, r := range []request{{method: "tools/list"}, {method: "prompts/list"}, {method: "resources/list"}} {
		a, err := v.round(r)
		if err != nil {
			return err
		}
		if err := a.ok(); err != nil {
			return fmt.Errorf("%s: %w", r.method, err)
		}
	}
	return nil
}

// refused makes a call that must not end well, and has to be answered all the same.
func (v *visitor) refused(r request) error {
	a, err := v.round(r)
	if err != nil {
		return err
	}
	if a.ok() == nil {
		return errors.New("it was taken")
	}
	return nil
}

// often calls what may be called once a second until it is refused.
func (v *visitor) often() error {
	for range 4 {
		a, err := v.round(call("rare", "{}"))
		if err != nil {
			return err
		}
		if a.ok() != nil {
			return nil
		}
	}
	return errors.New("four calls in a row were taken, of one a second")
}

// rawPost sends a body as it is and returns the status. The connection is its own.
func (v *visitor) rawPost(token, body string, headers ...string) (int, error) {
	conn, err := net.Dial("tcp", v.s.srv.addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, err
	}
	head := "POST /mcp HTTP/1.1\r\nHost: " + v.s.srv.addr + "\r\nAuthorization: Bearer " + token +
		"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" + strings.Join(headers, "")
	// The server may answer and hang up before all of it is sent.
	_, sent := fmt.Fprintf(conn, "%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, errors.Join(sent, err)
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// want sends a body and holds the status against those that are right.
func (v *visitor) want(token, body string, statuses ...int) error {
	status, err := v.rawPost(token, body)
	if err != nil {
		return err
	}
	for _, s := range statuses {
		if s == status {
			return nil
		}
	}
	return fmt.Errorf("status %d for %.80q, expected one of %v", status, body, statuses)
}

var garbage = []string{
	"", "nonsense", "[]", `{"jsonrpc":"2.0"`, `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`,
	`{"jsonrpc":"2.0","ID":1,"method":"tools/list"}`, strings.Repeat("[", 5000), "\xff\xfe",
}

func (v *visitor) garbage() error {
	return v.want(v.token, garbage[v.rnd.IntN(len(garbage))], http.StatusBadRequest)
}

// tooLarge sends more than is taken. That the server hangs up in the middle of it is right too.
func (v *visitor) tooLarge() error {
	status, err := v.rawPost(v.token, strings.Repeat("x", 5<<20))
	if err == nil && status != http.StatusRequestEntityTooLarge {
		return fmt.Errorf("status %d", status)
	}
	return nil
}

func (v *visitor) stranger() error {
	return v.want("not-a-token-"+payload(), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, http.StatusUnauthorized)
}

// begin sends a request on a connection of its own and leaves its answer unread.
func (v *visitor) begin(r request) (net.Conn, error) {
	l, err := v.endpoint(eras[v.rnd.IntN(len(eras))]).lane()
	if err != nil {
		return nil, err
	}
	h := l.(*httpLane)
	body := h.e.era.write(nil, 1, r)
	if _, err := fmt.Fprintf(h.conn, "%s%d\r\n\r\n%s", h.head(r), len(body), body); err != nil {
		h.close()
		return nil, err
	}
	return h.conn, nil
}

func (v *visitor) leave(tool string) error {
	conn, err := v.begin(call(tool, "{}"))
	if err != nil {
		return err
	}
	v.wait(100 * time.Millisecond)
	return conn.Close()
}

// readSlowly takes a long answer in bits, and sometimes not to its end.
func (v *visitor) readSlowly() error {
	conn, err := v.begin(call("page", "{}"))
	if err != nil {
		return err
	}
	defer conn.Close()
	bit := make([]byte, 2000)
	for range v.rnd.IntN(30) {
		v.wait(20 * time.Millisecond)
		if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		if _, err := conn.Read(bit); err != nil {
			return nil // all of it is read, and nothing more comes
		}
	}
	return nil
}

// halfway hangs up in the head or in the body of a request.
func (v *visitor) halfway() error {
	conn, err := net.Dial("tcp", v.s.srv.addr)
	if err != nil {
		return err
	}
	whole := "POST /mcp HTTP/1.1\r\nHost: " + v.s.srv.addr + "\r\nAuthorization: Bearer " + v.token +
		"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\":"
	if _, err := conn.Write([]byte(whole[:v.rnd.IntN(len(whole))])); err != nil {
		return errors.Join(err, conn.Close())
	}
	v.wait(50 * time.Millisecond)
	return conn.Close()
}

func (v *visitor) comeAgain() error {
	v.hangUp()
	return v.call("fixed", "{}")
}

// listen opens a stream for news and leaves it again.
func (v *visitor) listen() error {
	var conn net.Conn
	var err error
	if v.rnd.IntN(2) == 0 {
		if conn, err = net.Dial("tcp", v.s.srv.addr); err != nil {
			return err
		}
		_, err = fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nAccept: text/event-stream\r\nMcp-Protocol-Version: %s\r\n\r\n",
			v.s.srv.addr, v.token, legacy.version)
	} else {
		l, lineErr := v.endpoint(modern).lane()
		if lineErr != nil {
			return lineErr
		}
		h := l.(*httpLane)
		conn = h.conn
		r := request{method: "subscriptions/listen", params: `"notifications":{"toolsListChanged":true}`}
		body := modern.write(nil, 1, r)
		_, err = fmt.Fprintf(conn, "%s%d\r\n\r\n%s", h.head(r), len(body), body)
	}
	defer conn.Close()
	if err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		return fmt.Errorf("status %d and %q instead of a stream", resp.StatusCode, kind)
	}
	v.wait(2 * time.Second)
	return nil
}

// wait lets up to d pass: the pace of a client, not a synchronisation.
func (v *visitor) wait(d time.Duration) { time.Sleep(time.Duration(v.rnd.Int64N(int64(d)))) }
