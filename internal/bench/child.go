package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"

	sdk "github.com/mark3labs/mcp-go/server"
)

// transport is how a server is reached.
type transport string

const (
	inProcess transport = "in process"
	stdio     transport = "stdio"
	overHTTP  transport = "HTTP"
)

// spec is what a child is to be.
type spec struct {
	Kind      kind      `json:"kind"`
	Transport transport `json:"transport"`
	Fillers   int       `json:"fillers"` // methods beside echo
	Control   string    `json:"control"` // where the driver listens
	Limits    limits    `json:"limits"`
}

// beChild is all that a child does: it serves until its driver leaves.
func beChild(text string) error {
	var s spec
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	conn, err := net.Dial("tcp", s.Control)
	if err != nil {
		return err
	}
	defer conn.Close()
	serve, g := prepared(s)
	if serve != nil {
		go func() {
			if err := serve(); err != nil && !errors.Is(err, http.ErrServerClosed) {
				fmt.Fprintln(os.Stderr, "bench:", s.Kind, "over", s.Transport, "ended:", err)
			}
		}()
	}
	return control(conn, g)
}

// prepared makes the server of a child, and says where it can be reached.
func prepared(s spec) (serve func() error, g greeting) {
	serve, addr, err := newServer(s)
	if err != nil {
		return nil, greeting{Error: err.Error()}
	}
	return serve, greeting{Addr: addr}
}

func newServer(s spec) (serve func() error, addr string, err error) {
	switch s.Transport {
	case stdio:
		serve, err := onStreams(s, os.Stdin, os.Stdout)
		return serve, "", err
	case overHTTP:
		return onHTTP(s)
	}
	return nil, "", fmt.Errorf("no child serves %q", s.Transport)
}

// onStreams serves on a pair of streams.
func onStreams(s spec, in io.Reader, out io.Writer) (func() error, error) {
	switch s.Kind {
	case bare:
		srv, err := newBare(s.Fillers)
		if err != nil {
			return nil, err
		}
		return func() error { return sdk.NewStdioServer(srv).Listen(context.Background(), in, out) }, nil
	case ours:
		srv, err := newOurs(s.Fillers, false, s.Limits)
		if err != nil {
			return nil, err
		}
		return func() error { return srv.ServeStdio(context.Background(), in, out) }, nil
	}
	return nil, errKind
}

// onHTTP serves on a port of the loopback interface.
func onHTTP(s spec) (serve func() error, addr string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	switch s.Kind {
	case bare:
		serve, err = bareOn(l, s)
	case ours:
		serve, err = oursOn(l, s)
	default:
		err = errKind
	}
	return serve, l.Addr().String(), err
}

// child is a server in a process of its own.
type child struct {
	cmd   *exec.Cmd
	hand  *handset
	addr  string
	stdin io.WriteCloser
	out   io.Reader
}

// start starts a child of this very program and waits until it serves.
func start(s spec) (*child, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	s.Control = l.Addr().String()
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, "-child", string(text))}
	c.cmd.Stderr = os.Stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.meet(l); err != nil {
		c.stop()
		return nil, fmt.Errorf("start %s over %s: %w", s.Kind, s.Transport, err)
	}
	return c, nil
}

// meet waits for the child's connection and its greeting.
func (c *child) meet(l net.Listener) error {
	_ = l.(*net.TCPListener).SetDeadline(time.Now().Add(30 * time.Second))
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	c.hand = &handset{conn: conn, in: json.NewDecoder(bufio.NewReader(conn)), out: json.NewEncoder(conn)}
	var g greeting
	if err := c.hand.in.Decode(&g); err != nil {
		return err
	}
	if g.Error != "" {
		return errors.New(g.Error)
	}
	c.addr = g.Addr
	return nil
}

// stop ends the child and waits for it.
func (c *child) stop() {
	c.stdin.Close()
	if c.hand != nil {
		c.hand.conn.Close() // it ends when its driver has gone
	}
	overdue := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer overdue.Stop()
	_ = c.cmd.Wait()
}
