package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/store"
)

// cutter stands between a store and PostgreSQL, and cuts one connection at the moment when some words pass through it.
type cutter struct {
	listener net.Listener
	server   string
	words    atomic.Pointer[string] // nil = let all through
	passes   bool                   // the words reach the server, and its answer is lost
	cuts     atomic.Int32
	gone     sync.WaitGroup
}

// through puts a cutter before the server of a URL, and returns the URL that leads through it.
func through(t *testing.T, to string, passes bool) (*cutter, string) {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: l, server: u.Host, passes: passes}
	c.gone.Go(c.accept)
	t.Cleanup(func() {
		l.Close()
		c.gone.Wait()
	})
	u.Host = l.Addr().String()
	query := u.Query()
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	return c, u.String()
}

// at cuts the next connection on which these words are sent.
func (c *cutter) at(words string) { c.words.Store(&words) }

func (c *cutter) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", c.server)
		if err != nil {
			client.Close()
			continue
		}
		answered := make(chan struct{})
		c.gone.Go(func() {
			_, _ = io.Copy(client, server) // until either is closed; an answer that can't be handed on ends it too
			client.Close()
			close(answered)
		})
		c.gone.Go(func() {
			c.carry(client, server, answered)
			client.Close()
			server.Close()
		})
	}
}

// carry hands on what the client sends, until the words come.
func (c *cutter) carry(client, server net.Conn, answered <-chan struct{}) {
	data := make([]byte, 64<<10)
	for {
		n, err := client.Read(data)
		if err != nil {
			return
		}
		if words := c.words.Load(); words != nil && bytes.Contains(data[:n], []byte(*words)) && c.words.CompareAndSwap(words, nil) {
			c.cuts.Add(1)
			client.Close()
			if !c.passes {
				return
			}
			if _, err := server.Write(data[:n]); err == nil {
				<-answered // to nobody
			}
			return
		}
		if _, err := server.Write(data[:n]); err != nil {
			return
		}
	}
}

// TestCutBeforeTheEnd: a transaction whose connection breaks before its end was sent is run once more, and nobody hears of it.
func TestCutBeforeTheEnd(t *testing.T) {
	t.Parallel()
	c, at := through(t, store.FreshPostgres(t), false)
	s := openAt(t, at, store.Options{})
	for _, words := range []string{"BEGIN ISOLATION", "INSERT INTO", "synchronous_commit = on"} {
		before, id := c.cuts.Load(), "cut at "+words
		c.at(words)
		runs := 0
		err := s.Do(t.Context(), decide.Power, func(tx decide.Tx) error {
			runs++
			return tx.InsertTurn(row(id))
		})
		if words == "INSERT INTO" && c.cuts.Load() == before { // the statement was prepared on that connection before, so that its text is not sent
			continue
		}
		if err != nil || c.cuts.Load() != before+1 {
			t.Errorf("%s: %v, %d cuts", id, err, c.cuts.Load()-before)
		}
		if r, err := s.Turn(t.Context(), id); err != nil || r.Version != 1 {
			t.Errorf("%s: after %d runs: %+v, %v", id, runs, r, err)
		}
	}
}

// TestCutAtTheEnd: when the connection breaks after the end was sent, it is not known whether that came through, and this is what is said.
func TestCutAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]bool{"written": true, "not written": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, at := through(t, store.FreshPostgres(t), passes)
			s := openAt(t, at, store.Options{})
			c.at("COMMIT\x00")
			runs := 0
			err := s.Do(t.Context(), decide.Power, func(tx decide.Tx) error {
				runs++
				return tx.InsertTurn(row("a"))
			})
			if !errors.Is(err, store.ErrDoubt) || runs != 1 || c.cuts.Load() != 1 {
				t.Errorf("after %d runs and %d cuts: %v, want ErrDoubt", runs, c.cuts.Load(), err)
			}
			if _, err := s.Turn(t.Context(), "a"); (err == nil) != passes {
				t.Errorf("the turn: %v", err)
			}
		})
	}
}

// TestIntentInDoubt: where it is not known whether an intent is on record, nothing runs, whoever asks. When it was, it is written down as not run.
func TestIntentInDoubt(t *testing.T) {
	t.Parallel()
	for name, passes := range map[string]bool{"written": true, "not written": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, at := through(t, store.FreshPostgres(t), passes)
			marks := filepath.Join(t.TempDir(), "marks")
			s := openAt(t, at, store.Options{})
			e := engineOver(t, s, true, marks, func() {})
			handle := openTurn(t, e)
			c.at("COMMIT\x00")
			out, err := e.Answer(context.Background(), nil, decide.Answer{Handle: handle, Call: "tag", Caller: me})
			if n := effects(t, marks); n != 0 || c.cuts.Load() != 1 {
				t.Fatalf("it ran %d times after %d cuts", n, c.cuts.Load())
			}
			if err == nil && out.State == decide.Done {
				t.Errorf("it is told as done: %+v", out)
			}
			// The next look pays what is owed.
			again := answer(t, e, handle, "tag")
			ran := 0
			if !passes { // the turn is still open, so the same answer is the first one that counts
				ran = 1
			}
			want := map[bool]decide.State{true: decide.NotRun, false: decide.Done}[passes]
			if n := effects(t, marks); again.State != want || n != ran {
				t.Errorf("asked again: %s (%s), ran %d times, want %s and %d", again.State, again.Text, n, want, ran)
			}
			list, err := s.Calls(t.Context(), decide.WantedCalls{State: registry.Running})
			if err != nil || len(list) != 0 {
				t.Errorf("calls that still run: %+v, %v", list, err)
			}
			if other := engineOver(t, openAt(t, at, store.Options{}), true, marks, func() {}); answer(t, other, handle, "tag").State != want {
				t.Error("another process says otherwise")
			}
		})
	}
}
