package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// era is how clients of one generation of the protocol write their requests.
type era struct {
	name    string // as the tables have it
	version string
	meta    string // what the _meta of each request says of its client, without braces; "" = a handshake has said it
}

var (
	legacy = era{name: "2025-11-25", version: "2025-11-25"}
	modern = era{name: "2026-07-28", version: "2026-07-28", meta: `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}`}
	eras = []era{legacy, modern}
)

// request is one request, before a wire gives it an id.
type request struct {
	method string
	name   string // of the tool; "" for other methods
	params string // its members, without braces
	key    string // for "the same call again"; "" = none
}

// call is a request to call a tool. The arguments are JSON.
func call(tool, arguments string) request {
	return request{method: "tools/call", name: tool, params: `"name":` + quoted(tool) + `,"arguments":` + arguments}
}

// hello is the handshake of the older era; it has to be followed by initialized.
func hello(e era) request {
	return request{method: "initialize", params: `"protocolVersion":` + quoted(e.version) +
		`,"capabilities":{},"clientInfo":{"name":"bench","version":"1"}`}
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// write appends r as a message.
func (e era) write(b []byte, id int64, r request) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":"`...)
	b = append(b, r.method...)
	b = append(b, `","params":{`...)
	b = append(b, r.params...)
	if meta := e.metaOf(r); meta != "" {
		if r.params != "" {
			b = append(b, ',')
		}
		b = append(b, `"_meta":{`...)
		b = append(b, meta...)
		b = append(b, '}')
	}
	return append(b, "}}"...)
}

// metaOf are the members of a request's _meta.
func (e era) metaOf(r request) string {
	if r.key == "" {
		return e.meta
	}
	return strings.TrimPrefix(e.meta+`,"mcp-decide/key":`+quoted(r.key), ",")
}

// headers are those that a request has over HTTP.
func (e era) headers(r request) http.Header {
	h := http.Header{}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if r.method == "initialize" {
		return h
	}
	h.Set("Mcp-Protocol-Version", e.version)
	if e.meta != "" {
		h.Set("Mcp-Method", r.method)
		if r.name != "" {
			h.Set("Mcp-Name", r.name)
		}
	}
	return h
}

// answer is what a server sent back, as far as it is looked at here.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"` // of what is no answer
	Result *struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool              `json:"isError"`
		Meta    map[string]any    `json:"_meta"`
		Tools   []json.RawMessage `json:"tools"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// ok is why an answer is none that was hoped for.
func (a *answer) ok() error {
	switch {
	case a.Error != nil:
		return fmt.Errorf("answered with error %d: %s", a.Error.Code, a.Error.Message)
	case a.Result == nil:
		return fmt.Errorf("answered with neither result nor error")
	case a.Result.IsError:
		return fmt.Errorf("answered with a failure: %.300s", a.text())
	}
	return nil
}

// text is the last block of a result; in that of a pick it is the method's own.
func (a *answer) text() string {
	if a.Result == nil || len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[len(a.Result.Content)-1].Text
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a text always encodes
	return string(b)
}
