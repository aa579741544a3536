package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestNoReplyIsLost(t *testing.T) {
	t.Parallel()
	s := newDesk().server(t, Options{})
	for run := range 60 {
		var in bytes.Buffer
		for id := range 20 {
			in.WriteString(callLine(id, "lookup_order", `{"order_id":"A-1042"}`) + "\n")
		}
		if run%2 == 0 {
			in.Truncate(in.Len() - 1) // the last line has no end
		}
		var out bytes.Buffer
		if err := s.ServeStdio(t.Context(), &in, &out); err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for line := range bytes.Lines(out.Bytes()) {
			a := readAnswer(t, line)
			if a.Error != nil || a.Result.IsError {
				t.Fatalf("run %d: %s", run, line)
			}
			seen[string(a.ID)]++
		}
		for id := range 20 {
			if n := seen[fmt.Sprint(id)]; n != 1 {
				t.Fatalf("run %d: %d answers to request %d", run, n, id)
			}
		}
	}
}

func TestSlowCallsBlockNothingElse(t *testing.T) {
	t.Parallel()
	d := newDesk()
	p := connect(t, d.server(t, Options{}))
	for id := range slots {
		p.call(id, "slow", `{}`)
	}
	for range slots {
		<-d.started
	}
	const queued = slots + 1
	p.call(queued, "slow", `{"n":99}`)
	p.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	if a := p.next(); string(a.ID) != `"ping"` || a.Error != nil {
		t.Fatalf("got %s", a.line)
	}
	p.send(`{"jsonrpc":"2.0","id":"list","method":"tools/list"}`)
	if a := p.next(); string(a.ID) != `"list"` || a.Error != nil {
		t.Fatalf("got %s", a.line)
	}
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, queued))
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"0"}}`) // is not 0
	p.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
	p.next()
	close(d.gate)
	seen := map[string]bool{}
	for _, a := range p.end() {
		seen[string(a.ID)] = true
		if a.text(0) != "waited" {
			t.Errorf("got %s", a.line)
		}
	}
	if len(seen) != slots || seen[fmt.Sprint(queued)] {
		t.Errorf("%d answers, with one for the cancelled call: %v", len(seen), seen[fmt.Sprint(queued)])
	}
	select {
	case name := <-d.started:
		t.Errorf("%s ran after it was cancelled", name)
	default:
	}
}

func TestACancelReachesTheMethod(t *testing.T) {
	t.Parallel()
	d := newDesk()
	p := connect(t, d.server(t, Options{}))
	p.call(1, "slow", `{}`)
	<-d.started
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) // the id is free again
	if a := p.next(); a.Error != nil || a.Result.Content != nil {
		t.Errorf("got %s", a.line)
	}
	if rest := p.end(); len(rest) > 0 { // it ends only because slow has
		t.Errorf("a cancelled call was answered: %s", rest[0].line)
	}
}

func TestTooManyCallsAreRefused(t *testing.T) {
	t.Parallel()
	d := newDesk()
	p := connect(t, d.server(t, Options{}))
	for id := range maxCalls {
		p.call(id, "slow", `{}`)
	}
	if a := p.ask(maxCalls, "slow", `{}`); a.Error == nil || a.Error.Code != codeBusy || string(a.ID) != fmt.Sprint(maxCalls) {
		t.Errorf("got %s", a.line)
	}
	p.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	if a := p.next(); a.Error != nil {
		t.Errorf("got %s", a.line)
	}
	close(d.gate)
	if rest := p.end(); len(rest) != maxCalls {
		t.Errorf("%d of %d calls were answered", len(rest), maxCalls)
	}
}

func TestAnIDInUseIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk()
	p := connect(t, d.server(t, Options{}))
	p.call(7, "slow", `{}`)
	<-d.started
	p.call(7, "nothing", `{}`)
	if a := p.next(); string(a.ID) != "null" || a.Error == nil || a.Error.Code != codeInvalidRequest {
		t.Errorf("got %s", a.line)
	}
	p.send(`{"jsonrpc":"2.0","id":"7","method":"ping"}`) // is another id
	if a := p.next(); string(a.ID) != `"7"` || a.Error != nil {
		t.Errorf("got %s", a.line)
	}
	close(d.gate)
	if rest := p.end(); len(rest) != 1 || rest[0].text(0) != "waited" {
		t.Errorf("got %v", rest)
	}
}

// Row S12; that it costs little is in TestTooMuchCostsLittle.
func TestALineTooLongIsAnsweredAndSkipped(t *testing.T) {
	t.Parallel()
	p := connect(t, newDesk().server(t, Options{}))
	go func() {
		pad := strings.Repeat("x", 8<<20)
		fmt.Fprintf(p.in, `{"method":"tools/call","params":{"name":"nothing","arguments":{"pad":%q}},"jsonrpc":"2.0","id":5}`+"\n", pad)
		fmt.Fprintln(p.in, callLine(6, "nothing", "{}"))
	}()
	if a := p.next(); string(a.ID) != "5" || a.Error == nil || a.Error.Code != codeInvalidRequest {
		t.Errorf("got %.300s", a.line)
	}
	if a := p.next(); string(a.ID) != "6" || a.Error != nil {
		t.Errorf("got %.300s", a.line)
	}
	p.end()
}

// TestProgress needs a clock of its own: minutes pass in no time.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		methods := d.methods()
		p := connect(t, serverOf(t, engineOf(t, methods), Options{}))
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stubborn","arguments":{},"_meta":{"progressToken":9007199254740993}}}`)
		<-d.started
		start, last := time.Now(), time.Now()
		for n := range 20 {
			a := p.next()
			var params struct {
				ProgressToken json.RawMessage
				Progress      int
			}
			if err := json.Unmarshal(a.Params, &params); err != nil || a.Method != "notifications/progress" {
				t.Fatalf("note %d: %s", n, a.line)
			}
			if string(params.ProgressToken) != "9007199254740993" || params.Progress != int(time.Since(start)/time.Second) {
				t.Errorf("note %d after %v: %s", n, time.Since(start), a.line)
			}
			if gap := time.Since(last); gap > 20*time.Second {
				t.Errorf("%v without a note", gap)
			}
			last = time.Now()
		}
		close(d.gate)
		if a := p.next(); string(a.ID) != "1" || a.text(0) != "waited" {
			t.Errorf("got %s", a.line)
		}
		time.Sleep(time.Minute)
		if rest := p.end(); len(rest) != 0 {
			t.Errorf("%d messages after the result", len(rest))
		}
	})
}

func TestNoTokenNoProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		p := connect(t, d.server(t, Options{}))
		p.call(1, "stubborn", `{}`)
		<-d.started
		time.Sleep(2 * time.Minute)
		close(d.gate)
		if a := p.next(); string(a.ID) != "1" {
			t.Errorf("got %s", a.line)
		}
		p.end()
	})
}

func TestShutdown(t *testing.T) {
	t.Parallel()
	eof := func(p *pipe, _ *Server) { p.in.Close() }
	signal := func(p *pipe, _ *Server) { p.stop() }
	twice := func(p *pipe, s *Server) { p.stop(); s.Stop(); s.Stop() }
	for _, c := range []struct {
		name, tool string
		end        func(p *pipe, s *Server)
		open       bool          // the gate opens when the end has begun
		took       time.Duration // at least; a second more is allowed
	}{
		{"end of input, the call ends in time", "slow", eof, true, 0},
		{"end of input, the method obeys", "slow", eof, false, 10 * time.Second},
		{"end of input, the method ignores its context", "stubborn", eof, false, 12 * time.Second},
		{"end of input, even the handler hangs", "stuck", eof, false, 12 * time.Second},
		{"signal, the call ends in time", "slow", signal, true, 0},
		{"signal, even the handler hangs", "stuck", signal, false, 12 * time.Second},
		{"second signal, the method obeys", "slow", twice, false, 0},
		{"second signal, even the handler hangs", "stuck", twice, false, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := newDesk()
				s := d.server(t, Options{})
				s.sdk.AddTool(mcp.Tool{Name: "stuck", RawInputSchema: json.RawMessage(pickSchema)}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					d.started <- "stuck"
					<-d.gate
					return errorResult("too late", nil), nil
				})
				p := connect(t, s)
				p.call(1, c.tool, `{}`)
				<-d.started
				start := time.Now()
				c.end(p, s)
				if c.open {
					synctest.Wait()
					close(d.gate)
				}
				a := p.next()
				if string(a.ID) != "1" || c.open != (a.text(0) == "waited") || !c.open && a.Error == nil && !a.Result.IsError {
					t.Errorf("got %s", a.line)
				}
				if err := <-p.done; err != nil {
					t.Errorf("ServeStdio: %v", err)
				}
				if took := time.Since(start); took < c.took || took > c.took+time.Second {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				if !c.open {
					close(d.gate)
				}
				if line, more := <-p.lines; more {
					t.Errorf("written after the end: %s", line)
				}
			})
		})
	}
}

func TestQueuedCallsDoNotStartAfterASignal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk()
		p := connect(t, d.server(t, Options{}))
		for id := range slots + 5 {
			p.call(id, "slow", `{}`)
		}
		for range slots {
			<-d.started
		}
		p.stop()
		for range 5 {
			if a := p.next(); a.Error == nil || a.Error.Code != codeBusy {
				t.Errorf("got %s", a.line)
			}
		}
		close(d.gate)
		for range slots {
			if a := p.next(); a.text(0) != "waited" {
				t.Errorf("got %s", a.line)
			}
		}
		if err := <-p.done; err != nil {
			t.Error(err)
		}
	})
}

func TestAClientThatIsGone(t *testing.T) {
	t.Parallel()
	gone := errors.New("broken pipe")
	in, inW := io.Pipe()
	defer inW.Close()
	go io.WriteString(inW, callLine(1, "nothing", "{}")+"\n")
	err := newDesk().server(t, Options{}).ServeStdio(context.Background(), in, writerFunc(func([]byte) (int, error) { return 0, gone }))
	if !errors.Is(err, gone) {
		t.Errorf("got %v, want %v", err, gone)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestAClientThatDoesNotRead must end although no answer can be written.
func TestAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out, outW := io.Pipe()
		done := make(chan error, 1)
		s := newDesk().server(t, Options{})
		go func() { done <- s.ServeStdio(t.Context(), strings.NewReader(callLine(1, "nothing", "{}")), outW) }()
		if err := <-done; !errors.Is(err, errStuck) {
			t.Errorf("got %v, want %v", err, errStuck)
		}
		out.Close()
	})
}

// The same when there is news for it, which waits for its turn to be written.
func TestNewsForAClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, inW := io.Pipe()
		out, outW := io.Pipe()
		done := make(chan error, 1)
		s := newDesk().server(t, Options{})
		go func() { done <- s.ServeStdio(t.Context(), in, outW) }()
		fmt.Fprintln(inW, helloLine)
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(inW, callLine(1, "nothing", "{}"))
		synctest.Wait()
		s.audience.tell(toolList | promptList)
		synctest.Wait()
		inW.Close()
		if err := <-done; !errors.Is(err, errStuck) {
			t.Errorf("got %v, want %v", err, errStuck)
		}
		out.Close()
	})
}

func TestManyClientsAtOnceKeepApart(t *testing.T) {
	t.Parallel()
	s := newDesk().server(t, Options{})
	for client := range 8 {
		t.Run(fmt.Sprint(client), func(t *testing.T) {
			t.Parallel()
			p := connect(t, s)
			for id := range 50 {
				order := fmt.Sprintf("A-%d", client*1000+rand.IntN(1000))
				a := p.ask(id, "lookup_order", fmt.Sprintf(`{"order_id":%q}`, order))
				if string(a.ID) != fmt.Sprint(id) || !strings.Contains(a.text(0), order) {
					t.Fatalf("asked for %s, got %s", order, a.line)
				}
			}
			p.end()
		})
	}
}
