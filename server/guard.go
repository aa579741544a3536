package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/trace"
)

// maxDepth is how deep a message may nest.
const maxDepth = 200

// message is one JSON-RPC message, read strictly: what stands here is what any later reader of raw sees.
type message struct {
	id     requestID // zero for a notification
	method string    // "" for a response to a request of ours
	raw    []byte    // for the SDK; the arguments of a tool call are cut out
	size   int       // bytes, as it was read

	params   json.RawMessage // as they came; nil when absent
	args     json.RawMessage // of tools/call; nil when absent
	name     string          // params.name: of a tool or a prompt
	version  string          // _meta: the protocol version, since 2026-07-28
	progress json.RawMessage // _meta.progressToken; nil when absent
	within   string          // _meta.traceparent, or the header of that name: the request's place in a trace of its client; "" = none that can be read
	cancels  requestID       // of notifications/cancelled
	answer   json.RawMessage // the result of a response; nil for an error
	refusal  json.RawMessage // the error of a response
}

// The methods that this package treats in a way of its own.
const (
	methodCall       = "tools/call"
	methodPrompt     = "prompts/get"
	methodRead       = "resources/read"
	methodInitialize = "initialize"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

// readMessage reads one line. It refuses whatever two JSON readers could read differently: keys that
// stand twice, keys that are known but for their case, broken UTF-8, nesting beyond maxDepth. It is linear.
func readMessage(line []byte) (message, *fault) {
	if f := checkText(line); f != nil {
		return message{}, f.about(line)
	}
	m, err := readEnvelope(line)
	if err == nil {
		return m, nil
	}
	var f *fault
	if !errors.As(err, &f) {
		f = unreadable(err)
	}
	return message{}, f.about(line)
}

// checkText looks at what the token reader does not: encoding and depth.
func checkText(line []byte) *fault {
	if !utf8.Valid(line) {
		return newFault(codeParse, "parse error: the message is not valid UTF-8")
	}
	depth, deepest, inString := 0, 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{', c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}', c == ']':
			depth--
		}
	}
	if deepest > maxDepth {
		return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: nested %d deep; at most %d is read", deepest, maxDepth))
	}
	return nil
}

// strictly refuses keys that stand twice. Escapes of lone surrogates pass: they come from replies that were cut
// in the middle of a character, and every reader makes the same replacement character of them.
func strictly(line []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowInvalidUTF8(true))
}

func readEnvelope(line []byte) (message, error) {
	d := strictly(line)
	switch kind := d.PeekKind(); kind {
	case '{':
	case '[':
		if err := onlyValue(d); err != nil {
			return message{}, err
		}
		return message{}, newFault(codeInvalidRequest, "invalid request: batches are not supported; send one message a line")
	default:
		if err := onlyValue(d); err != nil {
			return message{}, err
		}
		return message{}, newFault(codeInvalidRequest, "invalid request: a message is one JSON object")
	}

	m := message{raw: line, size: len(line)}
	var e envelope
	err := eachKey(d, topKeys, func(key string) error { return e.read(d, line, key, &m) })
	if err != nil {
		return message{}, err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return message{}, newFault(codeParse, "parse error: text after the end of the message")
	}
	return m, e.check(&m)
}

func onlyValue(d *jsontext.Decoder) error {
	if _, err := d.ReadValue(); err != nil {
		return err
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return newFault(codeParse, "parse error: text after the end of the message")
	}
	return nil
}

// envelope is what check needs to know beside the message itself.
type envelope struct {
	version              string
	hasMethod, hasAnswer bool
	badID                error // what is wrong with the id
	listed               bool  // params are no object
	named                bool
	argsAt, argsEnd      int // of the arguments in the line
}

var (
	topKeys    = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramKeys  = []string{"name", "arguments", "_meta", "uri", "cursor", "ref", "argument", "context", "requestId", "reason", "level", "protocolVersion", "capabilities", "clientInfo", "inputResponses", "requestState", "task", "notifications"}
	nestedKeys = []string{"type", "name", "uri", "value", "arguments"}
)

func (e *envelope) read(d *jsontext.Decoder, line []byte, key string, m *message) error {
	at := int(d.InputOffset()) // behind the key
	switch key {
	case "jsonrpc":
		return readString(d, key, &e.version)
	case "method":
		e.hasMethod = true
		return readString(d, key, &m.method)
	case "id":
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		m.id, e.badID = readID(raw)
		return nil
	case "params":
		absent := d.PeekKind() == 'n'
		if err := e.readParams(d, line, m); err != nil || absent {
			return err
		}
		m.params = json.RawMessage(bytes.TrimLeft(line[at:d.InputOffset()], " \t\r\n:"))
		return nil
	case "result", "error":
		e.hasAnswer = true
		raw, err := d.ReadValue()
		if key == "result" {
			m.answer = json.RawMessage(bytes.Clone(raw))
		} else {
			m.refusal = json.RawMessage(bytes.Clone(raw))
		}
		return err
	}
	return d.SkipValue()
}

func (e *envelope) readParams(d *jsontext.Decoder, line []byte, m *message) error {
	switch d.PeekKind() {
	case 'n':
		return d.SkipValue()
	case '{':
	default:
		e.listed = true
		return d.SkipValue()
	}
	return eachKey(d, paramKeys, func(key string) error {
		switch key {
		case "name":
			if d.PeekKind() == '"' {
				e.named = true
				return readString(d, key, &m.name)
			}
		case "arguments":
			raw, err := d.ReadValue()
			if err != nil {
				return err
			}
			e.argsEnd = int(d.InputOffset())
			e.argsAt = e.argsEnd - len(raw)
			m.args = line[e.argsAt:e.argsEnd:e.argsEnd]
			return nil
		case "requestId":
			raw, err := d.ReadValue()
			if err != nil {
				return err
			}
			m.cancels, _ = readID(raw)
			return nil
		case "_meta":
			return readMeta(d, m)
		case "ref", "argument", "context":
			return eachKeyOrSkip(d, nestedKeys, func(string) error { return d.SkipValue() })
		}
		return d.SkipValue()
	})
}

func readMeta(d *jsontext.Decoder, m *message) error {
	return eachKeyOrSkip(d, nil, func(key string) error {
		switch key {
		case mcp.MetaKeyProtocolVersion:
			if d.PeekKind() == '"' {
				return readString(d, key, &m.version)
			}
			return d.SkipValue()
		case "traceparent":
			if d.PeekKind() != '"' {
				return d.SkipValue()
			}
			var text string
			if err := readString(d, key, &text); err != nil {
				return err
			}
			if p, ok := trace.ParseTraceParent(text); ok {
				m.within = p.String()
			}
			return nil
		case "progressToken":
		default:
			return d.SkipValue()
		}
		raw, err := d.ReadValue()
		if err != nil {
			return err
		}
		if kind := raw.Kind(); kind == '"' || kind == '0' {
			m.progress = json.RawMessage(bytes.Clone(raw))
		}
		return nil
	})
}

// check looks at the message as a whole, once all of it is known to be readable. An answer is never answered, whatever
// its id: two sides that did would go on for ever. Neither is a notification.
func (e *envelope) check(m *message) error {
	switch {
	case !e.hasMethod && e.hasAnswer:
		return nil
	case e.badID != nil:
		return e.badID
	case e.version != "2.0":
		return newFault(codeInvalidRequest, `invalid request: "jsonrpc" must be "2.0"`)
	case e.hasMethod && e.hasAnswer:
		return newFault(codeInvalidRequest, "invalid request: a method and an answer in one message")
	case m.method == "":
		return newFault(codeInvalidRequest, `invalid request: "method" is missing`)
	case m.id.key == "":
		return nil
	case e.listed:
		return newFault(codeInvalidRequest, "invalid request: params must be an object")
	case m.method != methodCall:
		m.args = nil
		return nil
	case !e.named:
		return newFault(codeInvalidParams, "tools/call needs params.name, the name of a tool")
	}
	if m.args != nil {
		m.raw = cutOut(m.raw, e.argsAt, e.argsEnd)
	}
	return nil
}

// cutOut puts an empty object where the arguments were. The SDK would decode them several times, with numbers
// as float64; the method gets the bytes as they came.
func cutOut(line []byte, at, end int) []byte {
	out := make([]byte, 0, len(line)-(end-at)+2)
	out = append(out, line[:at]...)
	out = append(out, "{}"...)
	return append(out, line[end:]...)
}

// eachKey reads an object. A key that is one of known but for its case is refused: the SDK would take it.
func eachKey(d *jsontext.Decoder, known []string, value func(key string) error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if meant := wronglyWritten(key, known); meant != "" {
			return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: the key %q must be written %q", key, meant))
		}
		if err := value(key); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func eachKeyOrSkip(d *jsontext.Decoder, known []string, value func(key string) error) error {
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	return eachKey(d, known, value)
}

// wronglyWritten returns the known key that key equals under Unicode folding without being it, or "".
func wronglyWritten(key string, known []string) string {
	folded := ""
	for _, k := range known {
		if k == key {
			return ""
		}
		if strings.EqualFold(k, key) {
			folded = k
		}
	}
	return folded
}

func readString(d *jsontext.Decoder, key string, into *string) error {
	if d.PeekKind() != '"' {
		if err := d.SkipValue(); err != nil {
			return err
		}
		return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: %q must be a text", key))
	}
	t, err := d.ReadToken()
	if err != nil {
		return err
	}
	*into = t.String()
	return nil
}

// unreadable words an error of the token reader.
func unreadable(err error) *fault {
	var at *jsontext.SyntacticError
	if errors.As(err, &at) && errors.Is(err, jsontext.ErrDuplicateName) {
		return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: a key stands twice at byte %d", at.ByteOffset))
	}
	if errors.As(err, &at) {
		return newFault(codeParse, fmt.Sprintf("parse error: not JSON at byte %d", at.ByteOffset))
	}
	return newFault(codeParse, "parse error: the message ends too early")
}
