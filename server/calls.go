package server

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/decide"
)

// keyField is where a client puts its key for "the same call again", in _meta.
const keyField = "mcp-decide/key"

// toolFunc answers one tool call. Its arguments are the bytes that came, nil when there were none. The
// error is a fault, or the context's; all else is a result.
type toolFunc func(ctx context.Context, args json.RawMessage, meta *mcp.Meta) (*mcp.CallToolResult, error)

// guarded is a toolFunc as the SDK wants it. A panic becomes a result of constant text.
func (s *Server) guarded(f toolFunc) sdk.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				result, err = errorResult(s.panicked(req.Params.Name, p).text, nil), nil
			}
		}()
		args, err := argumentsOf(ctx, req)
		if err != nil {
			return s.internalResult(req.Params.Name, err), nil
		}
		return f(ctx, args, req.Params.Meta)
	}
}

// argumentsOf are the arguments as they came: from the exchange, or as the SDK kept or decoded them.
func argumentsOf(ctx context.Context, req mcp.CallToolRequest) (json.RawMessage, error) {
	if e := exchangeOf(ctx); e != nil {
		return e.args, nil
	}
	if len(req.Params.RawArguments) > 0 || req.Params.Arguments == nil {
		return req.Params.RawArguments, nil
	}
	return json.Marshal(req.Params.Arguments)
}

// call is the native call of a method.
func (s *Server) call(method string) toolFunc {
	return func(ctx context.Context, args json.RawMessage, meta *mcp.Meta) (*mcp.CallToolResult, error) {
		key, ok := callKey(meta)
		if !ok {
			return errorResult("Not run: "+keyField+" in _meta must be a text; without it each call is a new one.", map[string]any{metaError: "bad_args"}), nil
		}
		r, err := s.eng.Call(ctx, s.viewOf(ctx), decide.Call{
			Method: method,
			Args:   args,
			Caller: s.callerOf(ctx),
			Key:    key,
			Path:   "native",
		})
		if err != nil {
			return s.notRun(ctx, method, err)
		}
		return nativeResult(r), nil
	}
}

// callKey is the client's key, "" for none. One that can't be read is no reason to run a call twice.
func callKey(meta *mcp.Meta) (key string, ok bool) {
	field := meta.GetMetaField(keyField)
	if field == nil {
		return "", true
	}
	key, ok = field.(string)
	return key, ok
}

// open opens a turn on a decision, for the client's model to answer.
func (s *Server) open(decision string) toolFunc {
	return func(ctx context.Context, args json.RawMessage, _ *mcp.Meta) (*mcp.CallToolResult, error) {
		v := s.viewOf(ctx)
		d, ok := v.Decision(decision)
		if !ok {
			return nil, newFault(codeInvalidParams, "the decision "+decision+" is not there any more")
		}
		out, err := s.eng.Open(ctx, v, decide.Opening{
			Decision: d,
			Inputs:   args,
			Caller:   s.callerOf(ctx),
			Channel:  decide.Host,
		})
		if err != nil {
			return s.notRun(ctx, decision, err)
		}
		return turnResult(out), nil
	}
}
