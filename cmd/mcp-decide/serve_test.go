package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// Standard output is the protocol's alone, whatever a client sends and with every log message on: each line is one answer.
func TestOutputIsTheProtocolsAlone(t *testing.T) {
	t.Parallel()
	const toolCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`
	sent := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t\u001b[31m\n","version":"1"}}}`,
		`junk`, `[]`, "\x00", `{}`, `{"jsonrpc":"2.0","id":2,"id":3,"method":"ping"}`, `{"jsonrpc":"2.0","id":4,"method":"nosuch\n\u001b[31m"}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"debug"}}`,
		`{"jsonrpc":"2.0","id":8,"method":"completion/complete","params":{"ref":{}}}`,
		fmt.Sprintf(toolCall, 9, "count_words", `{"text":"one\nthree {\"jsonrpc\"}"}`),
		fmt.Sprintf(toolCall, 10, "count_words", `{"text":1e999}`),
		fmt.Sprintf(toolCall, 11, "count_words\n", `{}`),
		fmt.Sprintf(toolCall, 12, "list_folder", `{"path":"/nowhere/at/all"}`), // the program writes to its standard error
		fmt.Sprintf(toolCall, 13, "tidy_folder", `{"path":"/","wish":"\u001b[31m"}`),
		fmt.Sprintf(toolCall, 14, "pick_read", `{"turn":"k7m2-1","text":"{"}`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
	}
	out, errs := served(t, sent, "--log-level", "debug")
	answers := map[string]int{}
	for line := range strings.Lines(out) {
		var a struct {
			Version       string `json:"jsonrpc"`
			ID            json.RawMessage
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil || a.Version != "2.0" || (a.Result == nil) == (a.Error == nil) {
			t.Errorf("no answer: %q", line)
		}
		answers[string(a.ID)]++
	}
	want := map[string]int{"null": 5}
	for id := 1; id <= 14; id++ {
		if id != 2 && id != 3 {
			want[fmt.Sprint(id)] = 1
		}
	}
	if diff := cmp.Diff(want, answers); diff != "" {
		t.Errorf("answers by id (-want +got):\n%s", diff)
	}
	if !strings.Contains(errs, " WRN ") || strings.Contains(errs, "\x1b") {
		t.Errorf("nothing of all this is logged, or a colour is: %q", errs)
	}
}

// What a client may keep is the same, byte for byte, from one start to the next: a process of its own each time, so that
// nothing in it can depend on the order of a map or on anything else that a process makes up.
func TestListsAreTheSameAfterARestart(t *testing.T) {
	t.Parallel()
	many := "methods:\n"
	for i := range 30 {
		many += fmt.Sprintf("  m%d: {summary: Say it., effect: read, params: {b: The first., a?: {enum: [z, y, x]}, d: {e: integer, c: The second.}}, run: [echo, \"{b}\"]}\n", i)
	}
	sent := []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`}
	for id, list := range []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list"} {
		sent = append(sent, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id+1, list))
	}
	for name, text := range map[string]string{"demo": string(demoYAML), "many methods": many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file.yaml")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			start := func() []string {
				out, _ := served(t, sent, "--config", path)
				return slices.Sorted(strings.Lines(out)) // answers come in any order
			}
			first := start()
			if len(first) != len(sent) || !strings.Contains(strings.Join(first, ""), `"inputSchema":`) {
				t.Fatalf("%d answers to %d requests: %.2000q", len(first), len(sent), first)
			}
			for range 2 {
				if diff := cmp.Diff(first, start()); diff != "" {
					t.Errorf("another start gave other bytes:\n%s", diff)
				}
			}
		})
	}
}

// served starts the command for a client that sends these lines, and returns all that it wrote.
func served(t *testing.T, sent []string, flags ...string) (out, errs string) {
	t.Helper()
	cmd := exec.Command("mcp-decide", append([]string{"serve"}, flags...)...)
	cmd.Env = append(cmd.Environ(), atHome(t.TempDir())...)
	cmd.Stdin = strings.NewReader(strings.Join(sent, "\n") + "\n")
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &e)
	}
	return o.String(), e.String()
}

func connect(t *testing.T, era string) *client.Client {
	t.Helper()
	self, err := exec.LookPath("mcp-decide")
	if err != nil {
		t.Fatal(err)
	}
	c := client.NewClient(
		transport.NewStdioWithOptions(self, append(os.Environ(), atHome(t.TempDir())...), []string{"serve"}),
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
