package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server"
	"github.com/mcp-decide/mcp-decide/store"
	"github.com/mcp-decide/mcp-decide/trace"
)

// kind is which of the two servers.
type kind string

const (
	bare kind = "bare" // the SDK alone, with raw schemas and no checks
	ours kind = "ours"
)

// What both servers offer: echo, note, and as many methods beside them as are asked for.
const (
	echoName     = "echo"
	echoSummary  = "Give a text back."
	noteName     = "note" // the same, as a method that may change something
	noteSummary  = "Write a text down."
	chooseName   = "choose" // the decision, ours alone
	fillerPrefix = "method_"
)

// plenty is a rate that nobody reaches here, and that is counted all the same: what the counting costs is measured too.
var plenty = registry.Rate{Calls: 1_000_000, Per: time.Second}

// echo is the handler of both servers.
func echo(text string) (string, error) { return text, nil }

// stock are the methods of both servers.
func stock(fillers int) []registry.Method {
	text := []registry.Param{{Name: "text", Type: registry.String, Description: "The text."}}
	run := func(_ context.Context, a registry.Args) (any, error) {
		s, _ := a["text"].(string)
		return echo(s)
	}
	methods := []registry.Method{
		{Name: echoName, Summary: echoSummary, Effect: registry.Read, Rate: plenty, Params: text, Run: run},
		{Name: noteName, Summary: noteSummary, Effect: registry.Write, Rate: plenty, Params: text, Run: run},
	}
	for i := range fillers {
		methods = append(methods, registry.Method{Name: fmt.Sprint(fillerPrefix, i), Summary: "One of many.", Effect: registry.Read, Params: text, Run: run})
	}
	return methods
}

// newBare is the SDK with the same methods registered at it: their schemas as bytes, the handler as it is.
func newBare(fillers int) (*sdk.MCPServer, error) {
	s := sdk.NewMCPServer("bare", "1")
	handler := func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := echo(r.GetString("text", ""))
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(text), nil
	}
	var tools []sdk.ServerTool
	for _, m := range stock(fillers) {
		ready, err := registry.Prepare(m)
		if err != nil {
			return nil, err
		}
		tools = append(tools, sdk.ServerTool{
			Tool:    mcp.Tool{Name: m.Name, Description: m.Summary, RawInputSchema: ready.InputSchema()},
			Handler: handler,
		})
	}
	s.AddTools(tools...)
	return s, nil
}

// limits of what ours keeps; the zero values are those of the command.
type limits struct {
	Records int // trace records
	Turns   int // closed turns

	Store string // where turns, calls and records are kept, as the command names it; "" = in memory
}

// newOurs is the whole of the product: checks, turns, traces.
func newOurs(fillers int, longIDs bool, l limits) (*server.Server, error) {
	reg := registry.New()
	if err := reg.Replace(stock(fillers)); err != nil {
		return nil, err
	}
	o := decide.Options{Config: "bench", LongIDs: longIDs}
	if err := l.keep(&o); err != nil {
		return nil, err
	}
	eng := decide.New(reg, o)
	if fillers == 0 {
		if err := eng.Add(choose()); err != nil {
			return nil, err
		}
	}
	return server.New(eng, server.Options{Name: "ours", Version: "1", Caller: registry.Caller{ID: "os:bench"}})
}

// keep opens what is kept. The process that does it ends with it.
func (l limits) keep(o *decide.Options) error {
	if l.Store == "" {
		o.Store, o.Recorder = decide.NewMemory(decide.MemoryLimits{Closed: l.Turns}), trace.NewMemory(trace.Limits{Records: l.Records})
		return nil
	}
	where, err := store.ParseWhere(l.Store)
	if err != nil {
		return err
	}
	s, err := store.Open(context.Background(), where, store.Options{})
	if err != nil {
		return err
	}
	o.Store, o.Recorder = s, s
	return nil
}

// choose is a decision of the size that people write: three options, an input that is quoted.
func choose() decide.Decision {
	return decide.Decision{
		Name:       chooseName,
		Summary:    "Choose what becomes of a text.",
		Params:     []registry.Param{{Name: "wish", Type: registry.String, Description: "What is wanted."}},
		Prompt:     "Do what is wished:\n{wish}",
		MaxRetries: 1,
		Options: []decide.Option{
			decide.Func(echoName, echoName),
			decide.Value("leave", "left as it is"),
			decide.Schema("hand_over", "Hand it over to a person.", []registry.Param{
				{Name: "queue", Type: registry.String, Enum: []json.RawMessage{json.RawMessage(`"billing"`), json.RawMessage(`"technical"`)}},
			}),
		},
	}
}

var errKind = errors.New("the kind of server is bare or ours")
