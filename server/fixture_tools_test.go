package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// A PNG of one pixel, and a WAV without a sample.
var (
	pixel   = bytesOf("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = bytesOf("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=")
)

func bytesOf(encoded string) []byte {
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		panic(err)
	}
	return b
}

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// The schemas of the tools that take arguments. The first one uses most of what JSON Schema has.
const (
	vocabulary = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
		`"phone":{"type":"string"},"email":{"type":"string"}},` +
		`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
		`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
		`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`
	inHeader = `{"type":"object","properties":{"region":{"type":"string","description":"Where.","x-mcp-header":"Region"}},"additionalProperties":false}`
	nothing  = `{"type":"object","additionalProperties":false}`
)

func oneString(name string) string {
	return fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"string","description":"A text."}},"required":[%q],"additionalProperties":false}`, name, name)
}

// fixtureTool is what a tool of the fixture does. Its arguments are the bytes that came.
type fixtureTool func(ctx context.Context, args json.RawMessage, req mcp.CallToolRequest) (*mcp.CallToolResult, error)

func tool(name, schema string, run fixtureTool) sdk.ServerTool {
	return sdk.ServerTool{
		Tool: mcp.Tool{
			Name: name, Title: name, Description: "A tool of the conformance suite.",
			RawInputSchema: json.RawMessage(schema),
			Annotations:    hints{readOnly: true}.annotation(),
		},
		Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			args, err := argumentsOf(ctx, req)
			if err != nil {
				return nil, err
			}
			return run(ctx, args, req)
		},
	}
}

func said(words string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{text(words)}}
}

func (f *fixture) tools() []sdk.ServerTool {
	ok := func(context.Context, json.RawMessage, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said("ok"), nil
	}
	return append(f.askingTools(),
		tool("json_schema_2020_12_tool", vocabulary, ok),
		tool("test_x_mcp_header", inHeader, ok),
		tool("test_tool_with_progress", nothing, f.reportProgress),
		tool("test_tool_with_logging", nothing, f.log),
		tool("test_logging_tool", nothing, f.log),
		tool("test_missing_capability", nothing, func(ctx context.Context, _ json.RawMessage, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if capabilitiesOf(ctx).Sampling == nil {
				return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
			}
			return said("ok"), nil
		}),
		tool("test_trigger_tool_change", nothing, f.changeTools),
		tool("test_trigger_prompt_change", nothing, f.changePrompts),
	)
}

// reportProgress sends three notes and the result without a pause between them: none may be lost, and none may come late.
func (f *fixture) reportProgress(ctx context.Context, _ json.RawMessage, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Params.Meta == nil || req.Params.Meta.ProgressToken == nil {
		return said("nobody asked for progress"), nil
	}
	for _, percent := range []int{0, 50, 100} {
		err := f.sdk.SendNotificationToClient(ctx, "notifications/progress", map[string]any{
			"progressToken": req.Params.Meta.ProgressToken, "progress": percent, "total": 100,
		})
		if err != nil {
			return nil, err
		}
	}
	return said("reported"), nil
}

func (f *fixture) log(ctx context.Context, _ json.RawMessage, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, words := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := f.sdk.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", words)); err != nil {
			return nil, err
		}
	}
	return said("logged"), nil
}

// changeTools registers one more method, as a reload would.
func (f *fixture) changeTools(context.Context, json.RawMessage, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return said("changed"), f.change(func(name string) error {
		return f.methods.Add(registry.Method{Name: name, Summary: "One more.", Effect: registry.Read, Run: nop})
	})
}

// changePrompts adds one more decision.
func (f *fixture) changePrompts(context.Context, json.RawMessage, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return said("changed"), f.change(func(name string) error {
		return f.eng.Add(decide.Decision{Name: name, Summary: "One more.", Prompt: "Choose.", Options: []decide.Option{decide.Value("done", "done")}})
	})
}

// change lets clients see one thing more. The product makes its lists anew then, so the fixture's own come back behind it.
func (f *fixture) change(add func(name string) error) error {
	f.changing.Lock()
	defer f.changing.Unlock()
	f.changes++
	if err := add(fmt.Sprintf("test_extra_%d", f.changes)); err != nil {
		return err
	}
	f.Refresh()
	f.furnish()
	return nil
}
