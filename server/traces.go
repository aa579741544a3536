package server

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	sdk "github.com/mark3labs/mcp-go/server"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/trace"
)

// Traces are the records of what happened, as decide://traces/{id} reads them. trace.Memory and a store have them.
type Traces interface {
	// Trace returns the record of an id, or trace.ErrNoRecord.
	Trace(ctx context.Context, id string) (trace.Record, error)

	// TracesOfTurn are the newest records of a turn, at most so many, oldest first.
	TracesOfTurn(ctx context.Context, turn string, most int) ([]trace.Record, error)

	// TracesUnder are the newest records that have a record as their root, at most so many, oldest first.
	TracesUnder(ctx context.Context, root string, most int) ([]trace.Record, error)
}

// The most that one trace shows: a client's model reads it.
const (
	maxTraceParts = 200
	maxTraceText  = 256 << 10 // bytes of arguments, replies and outputs; what goes beyond is left out
	maxTraceID    = 200
)

func (s *Server) traceTemplate() sdk.ServerResourceTemplate {
	return sdk.ServerResourceTemplate{
		Template: mcp.NewResourceTemplate(traceURIs+idVar, "trace",
			mcp.WithTemplateTitle("Trace"),
			mcp.WithTemplateDescription("What happened in one turn, by the turn's id, or one record of a call or an answer, by its id. Each caller sees its own alone."),
			mcp.WithTemplateMIMEType("application/json")),
		Handler: s.readResource,
	}
}

// traceAt is the id that a URI asks for.
func (s *Server) traceAt(uri string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(uri, traceURIs)
	id, err := url.PathUnescape(rest)
	return id, ok && err == nil && s.traces != nil && id != "" && len(id) <= maxTraceID
}

// traceOf is the record of an id, or the tree of a turn, as JSON. trace.ErrNoRecord means that there is none that the caller may see; whose it is otherwise is not told.
func (s *Server) traceOf(ctx context.Context, id string) (string, error) {
	caller, config := s.callerOf(ctx).ID, s.eng.Config()
	look := trace.Look{Most: maxTraceParts, Only: func(r trace.Record) bool { return r.Caller == caller && r.Config == config }}
	tree, record, err := look.Find(ctx, s.traces, id)
	if err != nil {
		return "", err
	}
	left := maxTraceText
	if record != nil {
		return shownJSON(forCaller(*record, &left)), nil
	}
	showTree(tree, &left)
	return shownJSON(tree), nil
}

func showTree(t *trace.Tree, left *int) {
	if t.Record != nil {
		r := forCaller(*t.Record, left)
		t.Record = &r
	}
	for _, below := range t.Below {
		showTree(below, left)
	}
}

// forCaller is a record as its caller may see it: what an error says to us is not what the caller was told. Of a run that stands in the output. Where our file is
// was not told either.
func forCaller(r trace.Record, left *int) trace.Record {
	r.Config = ""
	if !trace.IsKind(r.Error) {
		r.Error = ""
	}
	if *left -= len(r.Args) + len(r.Reply) + len(r.Output); *left < 0 {
		r.Args, r.Reply, r.Output = nil, "", ""
	}
	return r
}

// shownJSON is a value as JSON in which nothing can't be seen.
func shownJSON(v any) string {
	return string(registry.VisibleJSON(json.RawMessage(indented(v))))
}
