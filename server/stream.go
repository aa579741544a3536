package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// stream is the answer to one HTTP request: one JSON object, or a stream of events from the first message on that comes before the
// answer.
type stream struct {
	takesJSON, takesEvents bool   // the client does
	modern                 bool   // the era of the request
	session                string // the name of a session that begins; "" = none does

	mu     sync.Mutex
	w      http.ResponseWriter
	events bool // it is a stream of events
	ended  bool
}

func newStream(w http.ResponseWriter, r *http.Request) *stream {
	t := &stream{w: w}
	accept := r.Header.Values("Accept")
	if len(accept) == 0 {
		t.takesJSON, t.takesEvents = true, true
	}
	for _, list := range accept {
		for part := range strings.SplitSeq(list, ",") {
			media, _, _ := strings.Cut(part, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "*/*":
				t.takesJSON, t.takesEvents = true, true
			case "application/json", "application/*":
				t.takesJSON = true
			case "text/event-stream", "text/*":
				t.takesEvents = true
			}
		}
	}
	return t
}

// send writes a message before the answer. One for a client that takes no events is lost: there is no place for it.
func (t *stream) send(message any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.takesEvents && !t.ended {
		t.begin()
		t.event(text)
	}
	return nil
}

// begin turns the answer into a stream of events.
func (t *stream) begin() {
	if t.events {
		return
	}
	t.events = true
	h := t.w.Header()
	t.name(h)
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // asks proxies to pass on each event at once
	t.w.WriteHeader(http.StatusOK)
}

func (t *stream) event(text []byte) {
	b := make([]byte, 0, len(text)+32)
	b = append(b, "event: message\ndata: "...)
	b = append(b, text...)
	b = append(b, "\n\n"...)
	t.write(b)
}

// write sends b now. Whoever has gone needs nothing: the request's context ends with the connection.
func (t *stream) write(b []byte) {
	if _, err := t.w.Write(b); err == nil {
		_ = http.NewResponseController(t.w).Flush()
	}
}

// answer writes the answer, with the status that HTTP has for it. Before 2026-07-28 an error of a request is
// a message like any other.
func (t *stream) answer(message any) error {
	status := http.StatusOK
	if r, failed := message.(reply); failed && (t.modern || r.Error.Code == codeBusy) {
		status = statusOf(r.Error.Code)
	}
	return t.end(message, status)
}

func (t *stream) end(message any, status int) error {
	text, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
		return nil
	case t.events || !t.takesJSON && t.takesEvents && status == http.StatusOK:
		t.begin()
		t.event(text)
	default:
		t.whole(text, status)
	}
	t.ended = true
	return nil
}

// whole writes an answer that is no stream.
func (t *stream) whole(text []byte, status int) {
	h := t.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(text)+1))
	t.name(h)
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "1")
	}
	t.w.WriteHeader(status)
	_, _ = t.w.Write(append(text, '\n')) // whoever has gone needs no answer
}

// name tells the client the name of its session, where one begins.
func (t *stream) name(h http.Header) {
	if t.session != "" {
		h.Set(headerSession, t.session)
	}
}

// close ends a stream that has no answer, since its client has cancelled the request: an empty stream of events, or nothing.
func (t *stream) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.ended:
	case t.takesEvents:
		t.begin()
	default:
		t.w.WriteHeader(http.StatusNoContent)
	}
	t.ended = true
}

// comment keeps a silent stream alive, and finds out whether anybody is still there.
func (t *stream) comment(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.events && !t.ended {
		t.write([]byte(": " + text + "\n\n"))
	}
}

// statusOf is the HTTP status that goes with the code of an error.
func statusOf(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case codeBusy:
		return http.StatusServiceUnavailable
	case codeParse, codeInvalidRequest, codeInvalidParams,
		mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
