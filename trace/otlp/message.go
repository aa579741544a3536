package otlp

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcp-decide/mcp-decide/trace"
)

// About says whose spans they are, and what their ids are made with.
type About struct {
	Service string // "" = mcp-decide
	Version string // "" = is not told
	Key     []byte // of the store: all who share it give a turn the same ids, and nobody else does
}

// Encode makes one ExportTraceServiceRequest of records, as the JSON of OTLP: ids in hexadecimal digits, 64-bit numbers as texts, enums as numbers.
func Encode(about About, records []trace.Record) ([]byte, error) {
	spans := make([]span, 0, 2*len(records))
	for i := range records {
		spans = append(spans, about.spans(&records[i])...)
	}
	if about.Service == "" {
		about.Service = "mcp-decide"
	}
	resource := []attribute{text(attrServiceName, about.Service)}
	if about.Version != "" {
		resource = append(resource, text(attrServiceBuild, about.Version))
	}
	return json.Marshal(exportRequest{[]resourceSpans{{
		Resource:   resourceOf{resource},
		ScopeSpans: []scopeSpans{{Scope: scope{scopeName, about.Version}, Spans: spans}},
	}}})
}

type exportRequest struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resourceOf   `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resourceOf struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      nano        `json:"startTimeUnixNano"`
	End        nano        `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     *status     `json:"status,omitempty"` // nil = nothing went wrong
}

type status struct {
	Code int `json:"code"`
}

// nano is a moment in nanoseconds since 1970, as text. The protocol knows none before.
type nano int64

func (n nano) MarshalText() ([]byte, error) { return strconv.AppendInt(nil, int64(max(n, 0)), 10), nil }

func at(t time.Time) nano { return nano(t.UnixNano()) }

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	Text *string `json:"stringValue,omitempty"`
	Int  string  `json:"intValue,omitempty"`
	Bool *bool   `json:"boolValue,omitempty"`
}

func text(key, v string) attribute { return attribute{key, value{Text: &v}} }

func number(key string, v int) attribute { return attribute{key, value{Int: strconv.Itoa(v)}} }

func yes(key string) attribute {
	v := true
	return attribute{key, value{Bool: &v}}
}
