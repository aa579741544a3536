package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// TestPanicsOfOurOwn breaks what stands around the methods: the client gets a constant text and a reference, the log the rest.
func TestPanicsOfOurOwn(t *testing.T) {
	t.Parallel()
	var log safeBuffer
	s := newDesk().server(t, Options{Log: logTo(&log)})
	broken := func(context.Context, json.RawMessage, *mcp.Meta) (*mcp.CallToolResult, error) {
		panic("secret=hunter2")
	}
	s.sdk.AddTool(mcp.Tool{Name: "inside", RawInputSchema: pickBytes}, s.guarded(broken))
	s.sdk.AddTool(mcp.Tool{Name: "outside", RawInputSchema: pickBytes}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("secret=hunter2") })
	s.sdk.AddTool(mcp.Tool{Name: "empty", RawInputSchema: pickBytes}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	s.sdk.AddTool(mcp.Tool{Name: "unwritable", RawInputSchema: pickBytes}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: func() {}}, nil
	})
	p := connect(t, s)
	for id, c := range []struct {
		tool     string
		isResult bool
	}{{"inside", true}, {"outside", false}, {"empty", false}, {"unwritable", false}} {
		a := p.ask(id, c.tool, `{}`)
		said := a.text(0)
		if a.Error != nil {
			said = a.Error.Message
		}
		if c.isResult != a.Result.IsError || !strings.Contains(said, "reference REF") || strings.Contains(string(a.line), "hunter2") {
			t.Errorf("%s: %s", c.tool, a.line)
		}
	}
	p.end()
	if !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), "ref=REF") {
		t.Errorf("the log does not have it: %s", log.String())
	}
}

// TestNotificationsComeBeforeTheResult looks at the one that the SDK itself sends from inside a request.
func TestNotificationsComeBeforeTheResult(t *testing.T) {
	t.Parallel()
	p := connect(t, newDesk().server(t, Options{}))
	for range 100 {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		if a := p.next(); a.Method != "notifications/subscriptions/acknowledged" {
			t.Fatalf("first: %s", a.line)
		}
		if a := p.next(); string(a.ID) != "1" || a.Error != nil {
			t.Fatalf("second: %s", a.line)
		}
	}
	p.end()
}
