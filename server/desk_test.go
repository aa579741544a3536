package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a small support desk with one method for each thing that a method can do to a server.
type desk struct {
	gate    chan struct{} // slow and stubborn return when it is closed
	started chan string   // names of slow and stubborn calls that have begun
	noted   atomic.Int32  // notes written
}

func newDesk() *desk {
	return &desk{gate: make(chan struct{}), started: make(chan string, 2000)}
}

var orderID = registry.Param{
	Name: "order_id", Type: registry.String, Description: "The order's number.", Placeholder: "A-1042",
	Keywords: []registry.Keyword{{Name: "pattern", Value: json.RawMessage(`"^[A-Z]-[0-9]+$"`)}},
}

func (d *desk) methods() []registry.Method {
	return []registry.Method{
		{
			Name: "lookup_order", Summary: "Read one order.", Effect: registry.Read, Params: []registry.Param{orderID},
			Returns: &registry.Param{Type: registry.Object, Description: "The order.", Fields: []registry.Param{
				{Name: "order_id", Type: registry.String, Description: "Its number."},
				{Name: "total", Type: registry.Number, Description: "In its currency."},
			}},
			Run: func(_ context.Context, a registry.Args) (any, error) {
				return json.RawMessage(fmt.Sprintf(`{"order_id":%q,"total":39.90}`, a["order_id"])), nil
			},
		},
		{
			Name: "issue_refund", Summary: "Pay money back for one order.", Effect: registry.Destructive, Offer: registry.OfferMenu, OpenWorld: true,
			Params: []registry.Param{
				orderID,
				{Name: "amount", Type: registry.Number, Description: "In the order's currency.", Keywords: []registry.Keyword{{Name: "exclusiveMinimum", Value: json.RawMessage("0")}}},
				{Name: "reason", Type: registry.String, Description: "Why.", Optional: true, Enum: raws(`"damaged"`, `"late"`, `"other"`)},
			},
			Run: func(_ context.Context, a registry.Args) (any, error) {
				return fmt.Sprintf("Paid %v back for %v.", a["amount"], a["order_id"]), nil
			},
		},
		{
			Name: "add_note", Summary: "Write a note to an order.", Effect: registry.Write, Idempotent: true,
			Params: []registry.Param{orderID, {Name: "text", Type: registry.String, Description: "The note."}},
			Run: func(_ context.Context, a registry.Args) (any, error) {
				d.noted.Add(1)
				if a["text"] == "" {
					return nil, errors.New("an empty note")
				}
				return fmt.Sprintf("%v: %v", a["order_id"], a["text"]), nil
			},
		},
		{
			Name: "media", Summary: "Give every kind of content.", Effect: registry.Read, Params: []registry.Param{{
				Name: "n", Type: registry.Integer, Description: "Put into a text.", Default: json.RawMessage("1"),
			}},
			Run: func(_ context.Context, a registry.Args) (any, error) { return everyBlock(a["n"]), nil },
		},
		{
			Name: "slow", Summary: "Wait until told.", Effect: registry.Read,
			Params: []registry.Param{{Name: "n", Type: registry.Integer, Description: "A number.", Default: json.RawMessage("0")}},
			Run: func(ctx context.Context, a registry.Args) (any, error) {
				d.started <- fmt.Sprintf("slow %v", a["n"])
				select {
				case <-d.gate:
					return "waited", nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			},
		},
		{
			Name: "stubborn", Summary: "Wait until told, whatever the context says.", Effect: registry.Read, Timeout: 10 * time.Minute,
			Run: func(context.Context, registry.Args) (any, error) {
				d.started <- "stubborn"
				<-d.gate
				return "waited", nil
			},
		},
		{
			Name: "boom", Summary: "Panic.", Effect: registry.Read,
			Run: func(context.Context, registry.Args) (any, error) { panic("secret=hunter2") },
		},
		{
			Name: "nothing", Summary: "Return nothing.", Effect: registry.Read,
			Run: func(context.Context, registry.Args) (any, error) { return nil, nil },
		},
	}
}

func everyBlock(n any) []registry.Block {
	return []registry.Block{
		{Type: "text", Text: fmt.Sprintf("n = %v <&> \u2028", n), Annotations: json.RawMessage(`{"audience":["user"],"priority":0.25,"x-own":true}`), Meta: json.RawMessage(`{"big":9007199254740993}`)},
		{Type: "image", Data: []byte{1, 2, 3}, MIMEType: "image/png"},
		{Type: "audio", Data: []byte{4}, MIMEType: "audio/wav", Meta: json.RawMessage(`{"a":1}`)},
		{Type: "resource_link", URI: "file:///a.txt", Name: "a", Title: "A", Description: "The file a.", MIMEType: "text/plain"},
		{Type: "resource", URI: "mem:b", MIMEType: "text/plain", Text: "b"},
		{Type: "resource", URI: "mem:c", MIMEType: "application/octet-stream", Data: []byte{0, 255}},
	}
}

func raws(literals ...string) []json.RawMessage {
	list := make([]json.RawMessage, len(literals))
	for i, l := range literals {
		list[i] = json.RawMessage(l)
	}
	return list
}

func ticket() decide.Decision {
	return decide.Decision{
		Name: "handle_ticket", Summary: "Settle one support ticket.",
		Params: []registry.Param{
			{Name: "ticket", Type: registry.String, Description: "What the customer wrote.", Multiline: true},
			{Name: "urgency", Type: registry.String, Description: "How soon.", Optional: true, Enum: raws(`"high"`, `"low"`)},
			{Name: "copies", Type: registry.Integer, Description: "How many.", Optional: true},
		},
		Prompt: "Handle this ticket:\n{ticket}\nPick exactly one option.",
		Options: []decide.Option{
			{Name: "look", Method: "lookup_order", Description: "Read the order first.", Again: true},
			decide.Func("refund", "issue_refund"),
			decide.Func("note", "add_note"),
			decide.Func("media", "media"),
			decide.Func("nothing", "nothing"),
			decide.Func("boom", "boom"),
			decide.Schema("hand_over", "Give it to a colleague.", []registry.Param{{Name: "queue", Type: registry.String, Description: "Whose.", Enum: raws(`"billing"`, `"technical"`)}}),
			decide.Value("close", map[string]string{"status": "closed"}),
		},
		MaxRetries: 1,
	}
}

// engineOf is an engine whose ids and times are always the same.
func engineOf(t testing.TB, methods []registry.Method, decisions ...decide.Decision) *decide.Engine {
	t.Helper()
	reg := registry.New()
	for _, m := range methods {
		if err := reg.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var n byte
	eng := decide.New(reg, decide.Options{
		Config: "test",
		Now:    func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) },
		Random: func(b []byte) {
			mu.Lock()
			defer mu.Unlock()
			for i := range b {
				n += 7
				b[i] = n
			}
		},
	})
	for _, d := range decisions {
		if err := eng.Add(d); err != nil {
			t.Fatal(err)
		}
	}
	return eng
}

func serverOf(t testing.TB, eng *decide.Engine, o Options) *Server {
	t.Helper()
	if o.Caller.ID == "" {
		o.Caller.ID = "os:1000"
	}
	s, err := New(eng, o)
	if err != nil {
		t.Fatal(err)
	}
	s.newRef = func() string { return "REF" }
	return s
}

func (d *desk) server(t testing.TB, o Options) *Server {
	t.Helper()
	return serverOf(t, engineOf(t, d.methods(), ticket()), o)
}

// pipe is a client of a server on stdio that reads and writes bytes.
type pipe struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan []byte // what the server wrote, closed at its end
	done  chan error  // what ServeStdio returned
	stop  context.CancelFunc
}

// connect starts a server. The test has to end its input, or its context.
func connect(t testing.TB, s *Server) *pipe {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	p := &pipe{t: t, in: inW, lines: make(chan []byte, 10_000), done: make(chan error, 1), stop: cancel}
	go func() {
		p.done <- s.ServeStdio(ctx, inR, outW)
		outW.Close()
	}()
	go func() {
		defer close(p.lines)
		scan := bufio.NewScanner(outR)
		scan.Buffer(nil, 64<<20)
		for scan.Scan() {
			p.lines <- bytes.Clone(scan.Bytes())
		}
	}()
	t.Cleanup(func() {
		cancel()
		inW.Close()
		for range p.lines {
		}
	})
	return p
}

func (p *pipe) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) call(id int, tool, args string) {
	p.t.Helper()
	p.send(callLine(id, tool, args))
}

func callLine(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

// answer is what the server says, as far as tests look at it.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result struct {
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
		Meta              map[string]any    `json:"_meta"`
	} `json:"result"`
	Error *replyError `json:"error"`
	line  []byte
}

// text is the text of the nth block.
func (a answer) text(n int) string {
	var b struct{ Text string }
	if n >= len(a.Result.Content) || json.Unmarshal(a.Result.Content[n], &b) != nil {
		return ""
	}
	return b.Text
}

// next waits for the server's next message.
func (p *pipe) next() answer {
	p.t.Helper()
	line, ok := <-p.lines
	if !ok {
		p.t.Fatal("the server has ended its output")
	}
	return readAnswer(p.t, line)
}

func readAnswer(t testing.TB, line []byte) answer {
	t.Helper()
	var a answer
	var jsonrpc struct{ JSONRPC string }
	if err := errors.Join(json.Unmarshal(line, &jsonrpc), json.Unmarshal(line, &a)); err != nil || jsonrpc.JSONRPC != "2.0" {
		t.Fatalf("not JSON-RPC: %s (%v)", line, err)
	}
	a.line = line
	return a
}

// ask sends a call and waits for the next message.
func (p *pipe) ask(id int, tool, args string) answer {
	p.t.Helper()
	p.call(id, tool, args)
	return p.next()
}

// end closes the input and returns what was still written.
func (p *pipe) end() []answer {
	p.t.Helper()
	p.in.Close()
	var rest []answer
	for line := range p.lines {
		rest = append(rest, readAnswer(p.t, line))
	}
	if err := <-p.done; err != nil {
		p.t.Errorf("ServeStdio: %v", err)
	}
	return rest
}

// logTo is a logger that keeps what was logged.
func logTo(b *safeBuffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
