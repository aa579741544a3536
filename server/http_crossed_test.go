package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
	"github.com/mcp-decide/mcp-decide/server/guard"
	"github.com/mcp-decide/mcp-decide/trace"
)

// crossedCalls is how many calls the test makes in all; MCP_DECIDE_CROSSED sets another number.
const crossedCalls = 5000

// TestNoReplyIsCrossed (CVE 13) lets 200 clients call at once over real connections: with the same few request ids, in both eras, and with
// connections that end in the middle. No client may ever see a byte of what another one sent, or be taken for it.
func TestNoReplyIsCrossed(t *testing.T) {
	t.Parallel()
	all := crossedCalls
	if text := os.Getenv("MCP_DECIDE_CROSSED"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("MCP_DECIDE_CROSSED: %v", err)
		}
		all = n
	}
	const clients = 200
	addr := crowdedServer(t)
	var left, done, hungUp atomic.Int64
	left.Store(int64(all))
	var crowd sync.WaitGroup
	for i := range clients {
		crowd.Go(func() {
			c := &crowdClient{name: fmt.Sprintf("client-%03d", i), addr: addr, rnd: rand.New(rand.NewPCG(13, uint64(i)))}
			defer c.hangUp()
			for left.Add(-1) >= 0 && !t.Failed() {
				gone, err := c.turn()
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
					return
				}
				if gone {
					hungUp.Add(1)
				} else {
					done.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	t.Logf("%d calls answered, each with what was its own; %d left unanswered by who hung up", done.Load(), hungUp.Load())
	if done.Load() < int64(all)*8/10 {
		t.Errorf("%d of %d calls were answered", done.Load(), all)
	}
}

// crowdedServer echoes a text together with who asked.
func crowdedServer(t *testing.T) (addr string) {
	t.Helper()
	reg := registry.New()
	said := registry.Param{Name: "text", Type: registry.String, Description: "The text."}
	who := registry.Param{Name: "who", Type: registry.String, Description: "Who asks.", From: "caller.id"}
	if err := reg.Add(registry.Method{
		Name: "echo", Summary: "Give a text back.", Effect: registry.Read, Params: []registry.Param{said, who},
		Run: func(_ context.Context, a registry.Args) (any, error) {
			runtime.Gosched() // lets others in between the call and its answer
			return fmt.Sprintf("%v says %v", a["who"], a["text"]), nil
		},
	}); err != nil {
		t.Fatal(err)
	}
	eng := decide.New(reg, decide.Options{Recorder: trace.NewMemory(trace.Limits{Records: 100}), LongIDs: true,
		Store: decide.NewMemory(decide.MemoryLimits{Closed: 100})})
	if err := eng.Add(decide.Decision{
		Name: "choose", Summary: "Choose.", Prompt: "Choose for {wish}.", Params: []registry.Param{{Name: "wish", Type: registry.String, Description: "A wish."}},
		Options: []decide.Option{decide.Func("echo", "echo"), decide.Value("leave", "left")},
	}); err != nil {
		t.Fatal(err)
	}
	s, err := server.New(eng, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mcp := s.Handler()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := registry.Caller{ID: r.Header.Get("Client")} // as the guard would, of a token
		mcp.ServeHTTP(w, r.WithContext(guard.WithCaller(r.Context(), caller)))
	}))
	t.Cleanup(web.Close)
	return web.Listener.Addr().String()
}

// crowdClient is one of many clients. All of them use the same request ids.
type crowdClient struct {
	name  string
	addr  string
	rnd   *rand.Rand
	conn  net.Conn
	in    *bufio.Reader
	calls int
}

func (c *crowdClient) hangUp() {
	if c.conn != nil {
		c.conn.Close()
	}
	c.conn = nil
}

// turn makes one request, or two when the first one opens a turn. gone says that it hung up before an answer.
func (c *crowdClient) turn() (gone bool, err error) {
	text := c.payload()
	switch c.rnd.IntN(10) {
	default:
		return c.expect("tools/call", "echo", map[string]any{"text": text}, c.name+" says "+text)
	case 0:
		return c.expect("prompts/get", "choose", map[string]any{"wish": text}, text)
	case 1, 2:
	}
	answer, gone, err := c.call("tools/call", "choose", map[string]any{"wish": text})
	if gone || err != nil {
		return gone, err
	}
	var opened struct {
		Result struct {
			Meta map[string]any `json:"_meta"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &opened); err != nil {
		return false, err
	}
	if err := c.onlyMine(answer, "pick_read"); err != nil {
		return false, err
	}
	next := c.payload()
	// A turn of somebody else would be none.
	pick := map[string]any{"turn": opened.Result.Meta["mcp-decide/turn"], "call": "echo", "args": `{"text":"` + next + `"}`}
	return c.expect("tools/call", "pick_read", pick, c.name+" says "+next)
}

// payload is a text that no other call has, of 30 to 3,000 characters.
func (c *crowdClient) payload() string {
	c.calls++
	return fmt.Sprintf("<%s:%06d:%s>", c.name, c.calls, strings.Repeat("x", c.rnd.IntN(10)*c.rnd.IntN(330)))
}

func (c *crowdClient) expect(method, name string, args map[string]any, want string) (gone bool, err error) {
	answer, gone, err := c.call(method, name, args)
	if gone || err != nil {
		return gone, err
	}
	return false, c.onlyMine(answer, want)
}

// onlyMine holds an answer against what it has to say, and against any sign of somebody else.
func (c *crowdClient) onlyMine(answer []byte, want string) error {
	var a struct {
		Result struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			Messages []struct {
				Content struct {
					Text string `json:"text"`
				} `json:"content"`
			} `json:"messages"`
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	var all strings.Builder
	for _, b := range a.Result.Content {
		all.WriteString(b.Text)
	}
	for _, m := range a.Result.Messages {
		all.WriteString(m.Content.Text)
	}
	if a.Result.IsError || !strings.Contains(all.String(), want) {
		return fmt.Errorf("wanted %.120q, got %.600s", want, answer)
	}
	if n := bytes.Count(answer, []byte("client-")); n != bytes.Count(answer, []byte(c.name)) {
		return fmt.Errorf("somebody else's words in %.600s", answer)
	}
	return nil
}

// call sends one request with an id that all clients use, and returns the whole message that answers it. Now and then it hangs up
// instead: at once, or while the server works.
func (c *crowdClient) call(method, name string, args map[string]any) (answer []byte, gone bool, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", c.addr); err != nil {
			return nil, false, err
		}
		c.in = bufio.NewReader(c.conn)
	}
	id := c.rnd.IntN(3)
	if _, err := c.conn.Write(c.request(id, method, name, args)); err != nil {
		return nil, false, err
	}
	if c.rnd.IntN(40) == 0 {
		for range c.rnd.IntN(50) {
			runtime.Gosched()
		}
		c.hangUp()
		return nil, true, nil
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, false, err
	}
	defer resp.Body.Close()
	if answer, err = io.ReadAll(resp.Body); err != nil {
		return nil, false, err
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_, answer, _ = bytes.Cut(answer, []byte("data: ")) // the only event is the answer: nothing here reports anything
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(answer, fmt.Appendf(nil, `"id":%d,`, id)) {
		return nil, false, fmt.Errorf("status %d to id %d: %.300s", resp.StatusCode, id, answer)
	}
	if resp.Close {
		c.hangUp()
	}
	return bytes.TrimSpace(answer), false, nil
}

// request is one in the one era or the other.
func (c *crowdClient) request(id int, method, name string, args map[string]any) []byte {
	params, version := map[string]any{"name": name, "arguments": args}, "2025-11-25"
	more := ""
	if c.rnd.IntN(2) == 0 {
		version = "2026-07-28"
		more = "Mcp-Method: " + method + "\r\nMcp-Name: " + name + "\r\n"
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    version,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": c.name, "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}) // texts and maps encode
	return fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: %s\r\nClient: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: %s\r\n%sContent-Length: %d\r\n\r\n%s", c.addr, c.name, version, more, len(body), body)
}
