package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/registry"
)

// BenchmarkCall compares a native call with the same handler on the bare SDK's stdio loop.
func BenchmarkCall(b *testing.B) {
	method := registry.Method{Name: "echo", Summary: "Give a text back.", Effect: registry.Read,
		Params: []registry.Param{{Name: "text", Type: registry.String, Description: "The text."}},
		Run:    func(_ context.Context, a registry.Args) (any, error) { return a["text"], nil }}
	s := serverOf(b, engineOf(b, []registry.Method{method}), Options{})
	bare := sdk.NewMCPServer("bare", "1")
	bare.AddTool(mcp.Tool{Name: "echo", Description: "Give a text back.", RawInputSchema: pickBytes}, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(r.GetString("text", "")), nil
	})
	for _, size := range []int{20, 100_000} {
		args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", size))
		b.Run(fmt.Sprintf("bare/%d", size), func(b *testing.B) {
			roundTrips(b, args, func(ctx context.Context, in io.Reader, out io.Writer) {
				_ = sdk.NewStdioServer(bare).Listen(ctx, in, out)
			})
		})
		b.Run(fmt.Sprintf("ours/%d", size), func(b *testing.B) {
			roundTrips(b, args, func(ctx context.Context, in io.Reader, out io.Writer) { _ = s.ServeStdio(ctx, in, out) })
		})
	}
}

var pickBytes = []byte(pickSchema)

func roundTrips(b *testing.B, args string, serve func(context.Context, io.Reader, io.Writer)) {
	in, inW := io.Pipe()
	outR, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(b.Context(), in, out)
	}()
	answers := newLines(outR)
	line := []byte(callLine(1, "echo", args) + "\n")
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := inW.Write(line); err != nil {
			b.Fatal(err)
		}
		if answer, _, err := answers.next(); err != nil || !bytes.Contains(answer, []byte(`"result"`)) {
			b.Fatalf("%s %v", answer, err)
		}
	}
	inW.Close()
	<-done
}

// BenchmarkReadMessage is the guard alone.
func BenchmarkReadMessage(b *testing.B) {
	for _, size := range []int{20, 1 << 20} {
		line := []byte(callLine(1, "echo", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", size))))
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, f := readMessage(line); f != nil {
					b.Fatal(f)
				}
			}
		})
	}
}

// BenchmarkToolsList lists a thousand methods, on the bare SDK and on ours.
func BenchmarkToolsList(b *testing.B) {
	var methods []registry.Method
	for i := range 1000 {
		methods = append(methods, registry.Method{Name: fmt.Sprintf("method_%d", i), Summary: "One of many.", Effect: registry.Read, Run: nop,
			Params: []registry.Param{{Name: "text", Type: registry.String, Description: "The text."}}})
	}
	s := serverOf(b, engineOf(b, methods), Options{})
	bare := sdk.NewMCPServer("bare", "1")
	for _, m := range s.eng.View().Methods.Methods() {
		bare.AddTool(mcp.Tool{Name: m.Name, Description: m.Summary, RawInputSchema: m.InputSchema()}, nil)
	}
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			out := newOutput(io.Discard)
			_ = out.send(bare.HandleMessage(b.Context(), []byte(line)))
		}
	})
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			if err := s.ServeStdio(b.Context(), strings.NewReader(line), io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
