package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// A newcomer's first run, with a real client in both protocol eras: the same method natively and from the menu, with the
// same outcome.
func TestServeTakesARealClient(t *testing.T) {
	t.Parallel()
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.WriteFile(folder+"/found.txt", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			c := connect(t, era)
			checkTools(t, c)
			native := callTool(t, c, "list_folder", map[string]any{"path": folder})

			opened := callTool(t, c, "tidy_folder", map[string]any{"path": folder, "wish": "What is in it?"})
			turn := regexp.MustCompile(`turn ([0-9a-z]{4}-1)`).FindStringSubmatch(text(t, opened, 0))
			if turn == nil || opened.StructuredContent != nil {
				t.Fatalf("a decision opens as text alone: %+v", opened)
			}
			picked := callTool(t, c, "pick_read", map[string]any{"turn": turn[1], "text": "Let me look first.\n" + call("look", folder)})
			if diff := cmp.Diff(blocks(t, native, 0), blocks(t, picked, 1)); diff != "" {
				t.Errorf("the pick gave other content than the native call:\n%s", diff)
			}

			// The turn goes on after a look, and what writes needs the tool for it.
			next := regexp.MustCompile(`turn goes on as ([0-9a-z]{4}-2)`).FindStringSubmatch(text(t, picked, 0))
			if next == nil {
				t.Fatalf("no next round in %q", text(t, picked, 0))
			}
			made := map[string]any{"turn": next[1], "call": "make", "args": map[string]any{"path": folder + "/new"}}
			if refused := callTool(t, c, "pick_read", made); !refused.IsError {
				t.Error("pick_read ran an option that writes")
			}
			if _, err := os.Stat(folder + "/new"); err == nil {
				t.Error("the folder was made through pick_read")
			}
			if done := callTool(t, c, "pick_write", made); done.IsError {
				t.Errorf("pick_write: %q", text(t, done, 0))
			}
			if _, err := os.Stat(folder + "/new"); err != nil {
				t.Error(err)
			}
		})
	}
}

func connect(t *testing.T, era string) *client.Client {
	t.Helper()
	self, err := exec.LookPath("mcp-decide")
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(
		transport.NewStdioWithOptions(self, append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "MCP_DECIDE_CONFIG="), []string{"serve"}),
		client.WithProtocolVersion(era),
	)
	ctx := context.Background()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var init mcp.InitializeRequest
	init.Params.ProtocolVersion = era
	init.Params.ClientInfo = mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(ctx, init); err != nil {
		t.Fatal(err)
	}
	return c
}

// checkTools looks at what every client needs of every tool.
func checkTools(t *testing.T, c *client.Client) {
	t.Helper()
	list, err := c.ListTools(context.Background(), mcp.ListToolsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if tool.Title == "" || tool.Description == "" || a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Errorf("tool %s lacks a title, a description or a hint: %+v", tool.Name, tool)
		}
		if *a.ReadOnlyHint && *a.DestructiveHint {
			t.Errorf("tool %s is read-only and destructive", tool.Name)
		}
	}
	if len(list.Tools) != 8 {
		t.Errorf("%d tools, want 4 methods, 1 decision and 3 pick tools", len(list.Tools))
	}
}

func callTool(t *testing.T, c *client.Client, name string, args map[string]any) *mcp.CallToolResult {
	t.Helper()
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = name, args
	r, err := c.CallTool(context.Background(), req)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func call(option, path string) string {
	raw, _ := json.Marshal(map[string]any{"call": option, "args": map[string]any{"path": path}})
	return string(raw)
}

func text(t *testing.T, r *mcp.CallToolResult, i int) string {
	t.Helper()
	if len(r.Content) <= i {
		t.Fatalf("only %d blocks", len(r.Content))
	}
	return mcp.GetTextFromContent(r.Content[i])
}

// blocks are the content blocks from the i-th on, as JSON.
func blocks(t *testing.T, r *mcp.CallToolResult, i int) string {
	t.Helper()
	raw, err := json.Marshal(r.Content[i:])
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
