package server

import (
	"encoding/json"
)

// The error codes of JSON-RPC and MCP that this package answers with.
const (
	codeParse            = -32700
	codeInvalidRequest   = -32600
	codeInvalidParams    = -32602
	codeInternal         = -32603
	codeBusy             = -32000
	codeResourceNotFound = -32002 // before 2026-07-28; codeInvalidParams since
)

// fault is a protocol error: something between client and server is wrong that no model can mend. Its text
// is safe for a stranger.
type fault struct {
	code int
	text string
	data any             // nil = none
	id   json.RawMessage // of the message, when it could be seen; nil = null
}

func newFault(code int, text string) *fault { return &fault{code: code, text: text} }

func (f *fault) Error() string { return f.text }

// about notes the id of the message that f is about.
func (f *fault) about(line []byte) *fault {
	f.id = idIn(line)
	return f
}

// reply is a JSON-RPC error on the wire.
type reply struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   replyError      `json:"error"`
}

type replyError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (f *fault) reply() reply {
	return reply{JSONRPC: "2.0", ID: f.id, Error: replyError{f.code, f.text, f.data}}
}

// to says which request f answers.
func (f *fault) to(e *exchange) *fault { return f.re(e.message) }

func (f *fault) re(m message) *fault {
	f.id = m.id.raw
	return f
}
