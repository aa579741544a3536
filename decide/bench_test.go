package decide

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// benchEngine is an engine with a method that reads and one that writes, each with three parameters.
func benchEngine(b *testing.B, o Options) *Engine {
	b.Helper()
	reg := registry.New()
	for name, effect := range map[string]registry.Effect{"lookup_order": registry.Read, "tag_order": registry.Write} {
		err := reg.Add(registry.Method{Name: name, Summary: "An order.", Effect: effect, Params: []registry.Param{
			{Name: "order_id", Type: registry.String, Keywords: []registry.Keyword{{Name: "pattern", Value: json.RawMessage(`"^[A-Z]-[0-9]+$"`)}}},
			{Name: "limit", Type: registry.Integer, Default: json.RawMessage(`10`)},
			{Name: "state", Type: registry.String, Optional: true, Enum: []json.RawMessage{json.RawMessage(`"open"`), json.RawMessage(`"closed"`)}},
		}, Run: func(context.Context, registry.Args) (any, error) { return "ok", nil }})
		if err != nil {
			b.Fatal(err)
		}
	}
	return New(reg, o)
}

// BenchmarkCall is one native call through the engine.
func BenchmarkCall(b *testing.B) {
	args := json.RawMessage(`{"order_id":"A-1042","state":"open"}`)
	for _, c := range []struct {
		name, method string
		recorder     trace.Recorder
	}{
		{"read", "lookup_order", nil},
		{"read, recorded", "lookup_order", trace.NewMemory(trace.Limits{Records: 100})},
		{"write", "tag_order", nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := benchEngine(b, Options{Recorder: c.recorder})
			ctx, v, call := context.Background(), e.View(), Call{Method: c.method, Args: args, Caller: desk}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := e.Call(ctx, v, call); err != nil || r.State != registry.Done {
					b.Fatal(r, err)
				}
			}
		})
	}
}
