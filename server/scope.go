package server

import (
	"context"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/trace"
)

// scoped is the context of a request with what its records tell of it: the version of the protocol, what was asked for, and where that belongs in a trace
// of the client's.
func (e *exchange) scoped() context.Context {
	if e.method != methodCall && e.method != methodPrompt {
		return e.ctx // nothing of it is recorded
	}
	asked := e.method + " " + plain(e.name, maxAsked)
	return trace.WithScope(e.ctx, trace.Scope{Era: e.era(), Request: asked, TraceParent: e.within})
}

// maxAsked is how many characters of the name of a tool or prompt stand in a record: more than any of ours has.
const maxAsked = 80

// era is the version of the protocol that a request keeps to; "" when its client has not said.
func (e *exchange) era() string {
	version := e.version
	if version == "" && e.session != nil {
		version = e.session.ProtocolVersion()
	}
	if !mcp.IsValidProtocolVersion(version) {
		return ""
	}
	return version
}

// traceParentIn is the traceparent in the headers of a request; "" when there is none that can be read, or more than one.
func traceParentIn(header http.Header) string {
	values := header.Values("Traceparent")
	if len(values) != 1 {
		return ""
	}
	p, ok := trace.ParseTraceParent(values[0])
	if !ok {
		return ""
	}
	return p.String()
}
