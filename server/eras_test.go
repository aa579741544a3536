package server

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// TestBothEras walks one client of each era through everything that a server offers.
func TestBothEras(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"stdio 2025-06-18", "stdio 2025-11-25", "stdio 2026-07-28", "http 2025-06-18", "http 2025-11-25", "http 2026-07-28"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c, ctx := connectClient(t, newDesk().server(t, Options{Name: "desk", Title: "Desk", Version: "1.2.3", Instructions: "Settle tickets."}), way)

			tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
			if err != nil || len(tools.Tools) != 11 {
				t.Fatalf("%d tools, %v", len(tools.Tools), err)
			}
			native := callTool(t, ctx, c, "lookup_order", map[string]any{"order_id": "A-1"})
			if native.IsError || native.StructuredContent == nil {
				t.Errorf("native call: %+v", native)
			}
			opened := callTool(t, ctx, c, "handle_ticket", map[string]any{"ticket": "Broken."})
			turn, _ := opened.Meta.AdditionalFields[metaTurn].(string)
			if !strings.Contains(textOf(opened), "Call: ") || turn == "" {
				t.Fatalf("opened: %+v", opened)
			}
			picked := callTool(t, ctx, c, "pick_read", map[string]any{"turn": turn, "call": "hand_over", "args": `{"queue":"billing"}`})
			if picked.IsError || len(picked.Content) != 2 {
				t.Errorf("picked: %+v", picked)
			}

			prompts, err := c.ListPrompts(ctx, mcp.ListPromptsRequest{})
			if err != nil || len(prompts.Prompts) != 1 || len(prompts.Prompts[0].Arguments) != 3 {
				t.Fatalf("prompts: %+v, %v", prompts, err)
			}
			get := mcp.GetPromptRequest{}
			get.Params.Name, get.Params.Arguments = "handle_ticket", map[string]string{"ticket": "Broken.\nBadly.", "copies": "2"}
			prompt, err := c.GetPrompt(ctx, get)
			if err != nil {
				t.Fatal(err)
			}
			said := prompt.Messages[0].Content.(mcp.TextContent).Text
			turn, _ = prompt.Meta.AdditionalFields[metaTurn].(string)
			if last := lastLine(said); !strings.Contains(said, "> Broken.\n> Badly.") || turn == "" || !strings.Contains(last, "pick_read") || !strings.Contains(last, `"`+turn+`"`) {
				t.Errorf("prompt of turn %s, whose last line has to name the pick tool and the turn: %s", turn, said)
			}

			resources, err := c.ListResources(ctx, mcp.ListResourcesRequest{})
			if err != nil || len(resources.Resources) != 9 {
				t.Fatalf("%d resources, %v", len(resources.Resources), err)
			}
			for _, r := range resources.Resources {
				read := mcp.ReadResourceRequest{}
				read.Params.URI = r.URI
				if _, err := c.ReadResource(ctx, read); err != nil {
					t.Errorf("%s: %v", r.URI, err)
				}
			}
			if _, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: "lookup_ordr"}}); err == nil || !strings.Contains(err.Error(), `nearest is "lookup_order"`) {
				t.Errorf("unknown tool: %v", err)
			}
		})
	}
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// connectClient connects the SDK's client, by "stdio" or "http" in an era.
func connectClient(t *testing.T, s *Server, way string) (*client.Client, context.Context) {
	t.Helper()
	carrier, era, _ := strings.Cut(way, " ")
	ctx := t.Context()
	var c *client.Client
	if carrier == "http" {
		over, err := transport.NewStreamableHTTP(overHTTP(t, s).URL)
		if err != nil {
			t.Fatal(err)
		}
		c = client.NewClient(over, client.WithProtocolVersion(era))
		t.Cleanup(func() { c.Close() })
	} else {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- s.ServeStdio(context.WithoutCancel(ctx), inR, outW)
			outW.Close()
		}()
		c = client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))), client.WithProtocolVersion(era))
		t.Cleanup(func() {
			c.Close()
			inW.Close()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	init := mcp.InitializeRequest{}
	init.Params.ProtocolVersion = era
	init.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	hello, err := c.Initialize(ctx, init)
	if err != nil {
		t.Fatal(err)
	}
	if hello.ProtocolVersion != era || hello.ServerInfo.Name != "desk" || !strings.HasPrefix(hello.Instructions, "Settle tickets.") {
		t.Fatalf("hello: %+v", hello)
	}
	return c, ctx
}

func callTool(t *testing.T, ctx context.Context, c *client.Client, name string, args map[string]any) *mcp.CallToolResult {
	t.Helper()
	r, err := c.CallTool(ctx, mcp.CallToolRequest{Params: mcp.CallToolParams{Name: name, Arguments: args}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// decoded is a result as it arrives.
func decoded(t *testing.T, r *mcp.CallToolResult) *mcp.CallToolResult {
	t.Helper()
	var got mcp.CallToolResult
	if err := got.UnmarshalJSON([]byte(onWire(t, r))); err != nil {
		t.Fatal(err)
	}
	return &got
}
