package otlp

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/mcp-decide/mcp-decide/trace"
)

// spans are the spans of a record: one for the request, the opening or the answer, and one for what ran. A call that no client asked for is its run alone.
func (a About) spans(r *trace.Record) []span {
	top := a.top(r)
	if top == nil {
		run := a.run(r, a.parentOf(r))
		return []span{run}
	}
	if !r.Ran() {
		return []span{*top}
	}
	return []span{*top, a.run(r, top.SpanID)}
}

// top is the span of all that a record tells of; nil when that is a run alone.
func (a About) top(r *trace.Record) *span {
	s := span{Kind: kindInternal}
	method, name, _ := strings.Cut(r.Request, " ")
	switch {
	case r.Request != "":
		s.Name, s.Kind = r.Request, kindServer
		s.Attributes = append(s.Attributes, text(attrMCPMethod, method))
		if method == "tools/call" {
			s.Attributes = append(s.Attributes, text(attrOperation, spanRun), text(attrTool, name))
		} else if name != "" {
			s.Attributes = append(s.Attributes, text(attrPrompt, name))
		}
		if r.Era != "" {
			s.Attributes = append(s.Attributes, text(attrMCPVersion, r.Era))
		}
	case r.Model != "" && r.Method == "" && r.Decision == "":
		s.Name, s.Kind = spanChat+" "+r.Model, kindClient
		s.Attributes = append(s.Attributes, text(attrOperation, spanChat))
	case r.Decision != "" || r.Turn != "":
		s.Name = strings.TrimSpace(spanDecide + " " + r.Decision)
	default:
		return nil
	}
	s.TraceID, s.SpanID, s.Parent = a.traceOf(r), a.spanID("top", r.ID), a.parentOf(r)
	s.Start, s.End = at(r.Time), at(r.Time.Add(max(r.Took, 0)))
	s.Attributes = append(s.Attributes, place(r)...)
	s.Attributes = append(s.Attributes, ofAnswer(r)...)
	s.fail(topError(r))
	return &s
}

// run is the span of a run. It is taken to end with the record: what comes behind a run takes next to nothing.
func (a About) run(r *trace.Record, parent string) span {
	end := r.Time.Add(max(r.Took, 0))
	start := r.Time
	if r.RunTook > 0 {
		start = end.Add(-min(r.RunTook, max(r.Took, 0)))
	}
	s := span{
		TraceID: a.traceOf(r), SpanID: a.spanID("run", r.ID), Parent: parent, Name: spanRun + " " + r.Method, Kind: kindInternal, Start: at(start), End: at(end),
		Attributes: append([]attribute{text(attrOperation, spanRun), text(attrTool, r.Method)}, place(r)...),
	}
	if r.Call != "" {
		s.Attributes = append(s.Attributes, text(attrCall, r.Call))
	}
	s.fail(runError(r))
	return s
}

func (s *span) fail(why string) {
	if why != "" {
		s.Attributes = append(s.Attributes, text(attrErrorType, why))
		s.Status = &status{statusError}
	}
}

// place is what every span says of where it belongs.
func place(r *trace.Record) []attribute {
	path := "native"
	if r.Path == "menu" || r.Decision != "" || r.Turn != "" {
		path = "menu"
	}
	list := []attribute{text(attrRecord, r.ID), text(attrPath, path), text(attrState, r.State)}
	if r.Decision == "" {
		return list // a turn that nobody knows is what somebody wrote
	}
	return append(list, texts(attrDecision, r.Decision, attrTurn, r.Turn, attrOption, r.Option)...)
}

// ofAnswer is what is told of an answer, and of a model that was asked.
func ofAnswer(r *trace.Record) []attribute {
	list := texts(attrStrategy, r.Strategy, attrRefused, r.Refused, attrModel, r.Model)
	for _, n := range []struct {
		key   string
		value int
	}{{attrAttempt, r.Attempt}, {attrTokensIn, r.TokensIn}, {attrTokensOut, r.TokensOut}} {
		if n.value > 0 {
			list = append(list, number(n.key, n.value))
		}
	}
	if r.Repaired {
		list = append(list, yes(attrRepaired))
	}
	if r.OnFailure {
		list = append(list, yes(attrOnFailure))
	}
	return list
}

// texts are attributes of keys and values; empty ones are left out.
func texts(keysAndValues ...string) (list []attribute) {
	for i := 0; i < len(keysAndValues); i += 2 {
		if keysAndValues[i+1] != "" {
			list = append(list, text(keysAndValues[i], keysAndValues[i+1]))
		}
	}
	return list
}

// topError is the error.type of a record as a whole: that of a tool that failed, or why nothing ran. "" = nothing went wrong.
func topError(r *trace.Record) string {
	switch {
	case r.Ran() && runError(r) != "":
		return toolError
	case r.State == "refused" || r.State == "exhausted":
		if trace.IsKind(r.Error) {
			return r.Error
		}
		return "refused"
	}
	return ""
}

// runError is the error.type of a run.
func runError(r *trace.Record) string {
	switch r.State {
	case "failed":
		return toolError
	case "unknown", "not_run":
		return r.State
	}
	if !r.Ran() {
		return topError(r)
	}
	return ""
}

// traceOf is the id of the trace that a record belongs to: the client's, else one of the turn or the outermost call.
func (a About) traceOf(r *trace.Record) string {
	if p, ok := trace.ParseTraceParent(r.TraceParent); ok {
		return hex.EncodeToString(p.Trace[:])
	}
	return a.id("trace", cmp.Or(r.Root, r.ID), 16)
}

// parentOf is the span in which a record stands: the run that it happened in, the client's span, or the opening of its turn.
func (a About) parentOf(r *trace.Record) string {
	if r.Parent != "" {
		return a.spanID("run", r.Parent)
	}
	if p, ok := trace.ParseTraceParent(r.TraceParent); ok {
		return hex.EncodeToString(p.Span[:])
	}
	if r.Root != "" {
		return a.spanID("top", r.Root)
	}
	return ""
}

func (a About) spanID(of, record string) string { return a.id(of, record, 8) }

// id is always the same for the same thing in one store.
func (a About) id(of, what string, length int) string {
	h := hmac.New(sha256.New, a.Key)
	h.Write([]byte("otlp\x00" + of + "\x00" + what))
	return hex.EncodeToString(h.Sum(nil)[:length])
}
