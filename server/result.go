package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// maxProblem is how long the text of a problem may be, in characters.
const maxProblem = 8000

// maxMeta is how long a word in _meta may be, in bytes. Longer ones are what a client made up.
const maxMeta = 300

// What stands in the _meta of results.
const (
	metaTurn      = "mcp-decide/turn" // the handle
	metaDecision  = "mcp-decide/decision"
	metaState     = "mcp-decide/state"
	metaOption    = "mcp-decide/option"
	metaMethod    = "mcp-decide/method"
	metaAttempts  = "mcp-decide/attempts"
	metaRecorded  = "mcp-decide/recorded"
	metaOnFailure = "mcp-decide/on_failure"
	metaError     = "mcp-decide/error" // one of the kinds of problem
	metaRetry     = "mcp-decide/retry_after_ms"
)

// nativeResult is the result of a native call.
func nativeResult(r registry.Result) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: contentOf(&r), IsError: isFailure(r.State)}
	if r.State == registry.Done && r.Structured != nil && r.Method.OutputSchema() != nil {
		result.RawStructuredContent = r.Structured
	}
	if r.State != registry.Done {
		result.Meta = meta(map[string]any{metaState: string(r.State)})
	}
	return result
}

// turnResult is the result of an opening or an answer: our lines, then the content that the native call would have
// had. There is no structured content: several clients would show it instead of the text.
func turnResult(out decide.Outcome) *mcp.CallToolResult {
	result := &mcp.CallToolResult{}
	if out.Result != nil {
		result.Content = append([]mcp.Content{text(out.Text)}, contentOf(out.Result)...)
		result.IsError = isFailure(out.Result.State)
	} else {
		result.IsError = out.Problem != nil
		result.Content = []mcp.Content{text(out.Text)}
		if result.IsError {
			result.Content = []mcp.Content{text(capped(out.Text))}
		}
	}
	result.Meta = turnMeta(out)
	return result
}

func turnMeta(out decide.Outcome) *mcp.Meta {
	m := map[string]any{}
	for key, v := range map[string]string{
		metaTurn: out.Handle, metaDecision: out.Decision, metaState: string(out.State),
		metaOption: out.Option, metaMethod: out.Method, metaError: decide.Kind(out.Problem),
	} {
		if v != "" && len(v) <= maxMeta {
			m[key] = v
		}
	}
	if out.Attempts > 0 {
		m[metaAttempts] = out.Attempts
	}
	if out.Recorded {
		m[metaRecorded] = true
	}
	if out.OnFailure {
		m[metaOnFailure] = true
	}
	addRetry(m, out.Problem)
	return meta(m)
}

func meta(m map[string]any) *mcp.Meta {
	if len(m) == 0 {
		return nil
	}
	return &mcp.Meta{AdditionalFields: m}
}

// isFailure reports whether a client shall take the result as an error. What still runs is none.
func isFailure(s registry.State) bool {
	return slices.Contains([]registry.State{registry.Failed, registry.NotRun, registry.Unknown}, s)
}

// contentOf are the blocks of a result. A result that did not end well says so, even if its blocks do not.
func contentOf(r *registry.Result) []mcp.Content {
	if len(r.Content) == 0 && r.State != registry.Done {
		return []mcp.Content{text(bare[r.State])}
	}
	blocks := make([]mcp.Content, len(r.Content))
	for i, b := range r.Content {
		blocks[i] = contentBlock(b)
	}
	return blocks
}

var bare = map[registry.State]string{
	registry.Failed:  "It ran and failed.",
	registry.NotRun:  "Not run: it could not be started.",
	registry.Unknown: "It is not known whether it ran.",
	registry.Running: "It is still running.",
}

// notRun is the result of a call or an opening whose error says that nothing ran. A cancelled context stays
// an error; what the model can mend is worded for it; the rest is logged.
func (s *Server) notRun(ctx context.Context, subject string, err error) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var unstored *decide.StoreError
	if errors.As(err, &unstored) {
		s.log.Error("the store can't be used", "subject", subject, "error", err)
	}
	if text := mendable(subject, err); text != "" {
		m := map[string]any{metaError: decide.Kind(err)}
		addRetry(m, err)
		return errorResult(text, m), nil
	}
	return s.internalResult(subject, err), nil
}

// addRetry says when the same call may come again, where that is known.
func addRetry(m map[string]any, err error) {
	var refused *registry.Refused
	if errors.As(err, &refused) && refused.RetryAfter > 0 {
		m[metaRetry] = max(refused.RetryAfter.Milliseconds(), 1)
	}
}

// mendable words an error that the model can do something about; "" when it can't.
func mendable(subject string, err error) string {
	var invalid *validate.Error
	var refused *registry.Refused
	var full *decide.FullError
	var other interface{ Fix() string }
	switch {
	case errors.As(err, &invalid):
		return fmt.Sprintf("Not run. The arguments do not fit %s:\n%s", subject, invalid.Fix())
	case errors.As(err, &refused):
		return "Not run. " + refused.Message
	case errors.As(err, &other):
		return "Not run. " + other.Fix()
	case errors.As(err, &full):
		return "Not run: " + full.Error() + "."
	}
	return ""
}

func errorResult(problem string, m map[string]any) *mcp.CallToolResult {
	result := &mcp.CallToolResult{Content: []mcp.Content{text(capped(problem))}, IsError: true}
	result.Meta = meta(m)
	return result
}

// capped cuts the middle out of a text that is too long: what was wrong stands first, how to mend it last.
func capped(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= maxProblem {
		return s
	}
	const last = 2000
	r := []rune(s)
	note := fmt.Sprintf("\n[%d characters left out]\n", n-maxProblem)
	first := maxProblem - last - len(note)
	return string(r[:first]) + note + string(r[n-last:])
}

// internal logs an error that is none of the client's business and returns what it is told instead.
func (s *Server) internal(subject string, err error) *fault {
	ref := s.newRef()
	s.log.Error("internal error", "ref", ref, "subject", subject, "error", err)
	return newFault(codeInternal, "something went wrong inside the server; its log has the details under reference "+ref)
}

func (s *Server) internalResult(subject string, err error) *mcp.CallToolResult {
	return errorResult("Not run: "+s.internal(subject, err).text+".", map[string]any{metaError: "internal"})
}

// panicked is internal for a panic: how far it came is not known.
func (s *Server) panicked(subject string, p any) *fault {
	ref := s.newRef()
	s.log.Error("panic", "ref", ref, "subject", subject, "panic", p, "stack", string(debug.Stack()))
	return newFault(codeInternal, "something broke inside the server, and it is not known what was done; its log has the details under reference "+ref)
}

// protocolFault is what the client is told when the SDK answered with an error. Its texts may hold those of Go errors, so
// only the codes and the texts that are known to be safe pass.
func (s *Server) protocolFault(e *exchange, err mcp.JSONRPCErrorDetails) *fault {
	c := s.catalog.Load()
	switch {
	case e.fault != nil:
		f := *e.fault
		return &f
	case err.Code == codeInternal:
		return s.internal(e.method, errors.New(err.Message))
	case strings.HasPrefix(err.Message, "unparsable "):
		return newFault(codeInvalidParams, "the params of "+plain(e.method, 60)+" do not have the shape that the protocol gives them")
	case strings.HasPrefix(err.Message, "illegal base64 "):
		return newFault(codeInvalidParams, "this cursor was not given out here; without one the list starts at its beginning")
	case strings.HasSuffix(err.Message, "tool not found"):
		return s.noSuchTool(e.name, c)
	case strings.HasSuffix(err.Message, "prompt not found"):
		return unknown("prompt", e.name, c.decisionNames())
	case strings.HasSuffix(err.Message, "resource not found"):
		return noSuchResource(err.Code, e.uri())
	}
	f := newFault(err.Code, plain(err.Message, 300))
	f.data = err.Data
	return f
}

// noSuchTool tells a client that remembers a tool why it is off, and any other which tools there are.
func (s *Server) noSuchTool(name string, c *catalog) *fault {
	m, known := c.methods.Find(name)
	if !known || m.Off == "" || !s.offersTool(m) {
		return unknown("tool", name, c.toolNames())
	}
	f := newFault(codeInvalidParams, fmt.Sprintf("the tool %q can't be called now: %s", m.Name, plain(m.Off, 500)))
	f.data = map[string]any{metaError: "gated"}
	return f
}

func unknown(what, name string, known []string) *fault {
	said := fmt.Sprintf("there is no %s named %q", what, plain(name, 60))
	if near := validate.Nearest(name, known); near != "" {
		said += fmt.Sprintf("; the nearest is %q", near)
	}
	return newFault(codeInvalidParams, said)
}
