package server

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/server/guard"
)

const (
	headerSession = "Mcp-Session-Id"
	maxSessionID  = 128 // characters
)

// post takes one message. It is read as strictly as one on stdio, by the same code.
func (h *endpoint) post(w http.ResponseWriter, r *http.Request) {
	t := newStream(w, r)
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		h.refuse(t, newFault(codeInvalidRequest, "invalid request: the Content-Type must be application/json"), http.StatusBadRequest)
		return
	}
	if !t.takesJSON && !t.takesEvents {
		h.refuse(t, newFault(codeInvalidRequest, "invalid request: Accept must name application/json and text/event-stream"), http.StatusNotAcceptable)
		return
	}
	body, status, err := guard.ReadBody(w, r)
	if err != nil {
		f := newFault(codeInvalidRequest, "invalid request: "+err.Error())
		if status == http.StatusServiceUnavailable {
			f = newFault(codeBusy, "busy: "+err.Error())
		}
		h.refuse(t, f, status)
		return
	}
	m, f := readMessage(bytes.Trim(bytes.TrimPrefix(body, byteOrderMark), " \t\r\n"))
	if f == nil {
		f = checkHeaders(r.Header, m)
	}
	if f != nil {
		h.refuse(t, f, http.StatusBadRequest)
		return
	}
	caller, _ := guard.CallerOf(r.Context())
	switch {
	case m.method == "":
		h.asks.answer(caller.ID, m)
		w.WriteHeader(http.StatusAccepted)
	case m.id.key == "":
		h.notification(caller.ID, m, r)
		w.WriteHeader(http.StatusAccepted)
	default:
		h.request(t, r, m, caller)
	}
}

// notification acts on the one notification that matters, a cancel, and only within a session: its id is a name that
// strangers can't know. Other clients cancel by closing the connection.
func (h *endpoint) notification(caller string, m message, r *http.Request) {
	if m.method == methodCancelled && r.Header.Get(headerSession) != "" && !isModern(r.Header) {
		h.ledger.drop(h.scope(caller, r) + m.cancels.key)
	}
}

func (h *endpoint) request(t *stream, r *http.Request, m message, caller registry.Caller) {
	t.modern = isModern(r.Header) || mcp.IsModernProtocol(m.version)
	scope := h.scope(caller.ID, r)
	e := &exchange{message: m, key: scope + m.id.key, caller: caller, out: t}
	if e.within == "" {
		e.within = traceParentIn(r.Header)
	}
	e.session = newSession(scope, caller.ID, t, h.asks, h.s.audience)
	e.session.Initialize()
	if !t.modern {
		e.session.SetProtocolVersion(r.Header.Get(mcp.HeaderProtocolVersion))
	}
	if m.method == methodListen {
		if !t.takesEvents {
			h.refuse(t, newFault(codeInvalidRequest, "invalid request: news come as a stream of events; Accept must name text/event-stream").to(e), http.StatusNotAcceptable)
			return
		}
		e.session.listen = m.id.raw
	}
	if m.method == methodInitialize {
		t.session = rand.Text()
	}
	if f := h.paramHeaders(t, r.Header, m); f != nil {
		h.refuse(t, f.to(e), http.StatusBadRequest)
		return
	}
	if f := h.enter(h.s.sdk.WithContext(r.Context(), e.session), e); f != nil {
		h.refuse(t, f, statusOf(f.code))
		return
	}
	if m.method == methodListen {
		go t.beat(e.ctx.Done(), h.halted)
	}
	h.serve(e)
	e.session.stop()
	t.close()
}

// paramHeaders checks the headers that repeat arguments, for tools whose schema asks for that.
func (h *endpoint) paramHeaders(t *stream, header http.Header, m message) *fault {
	if !t.modern || m.method != methodCall {
		return nil
	}
	tool := h.s.sdk.GetTool(m.name)
	if tool == nil || !inHeaders(tool.Tool.RawInputSchema) {
		return nil
	}
	lookup := func(name string) (string, bool) {
		values := header.Values(name)
		return strings.Join(values, ", "), len(values) > 0
	}
	if err := mcp.ValidateParamHeadersLookup(lookup, &tool.Tool, m.params); err != nil {
		return newFault(mcp.HEADER_MISMATCH, plain(err.Error(), 300))
	}
	return nil
}

// checkHeaders holds the headers against the message. Since 2026-07-28 they repeat what it says, so that
// whatever stands in between can judge it, and both have to agree.
func checkHeaders(header http.Header, m message) *fault {
	said := header.Get(mcp.HeaderProtocolVersion)
	for _, name := range oncePerRequest {
		if len(header.Values(name)) > 1 {
			return newFault(mcp.HEADER_MISMATCH, "header mismatch: "+name+" stands there more than once").re(m)
		}
	}
	if !isSessionID(header.Get(headerSession)) {
		return newFault(codeInvalidRequest, fmt.Sprintf("invalid request: %s must be at most %d visible characters of ASCII", headerSession, maxSessionID)).re(m)
	}
	if !mcp.IsModernProtocol(said) && !mcp.IsModernProtocol(m.version) {
		if said != "" && !mcp.IsValidProtocolVersion(said) {
			return unsupported(said).re(m)
		}
		return nil
	}
	if m.method == "" {
		return newFault(codeInvalidRequest, "invalid request: since 2026-07-28 a server asks for input in its results, so there is nothing to respond to").re(m)
	}
	if m.id.key == "" {
		return nil
	}
	if f := checkModern(header, said, m); f != nil {
		return f.re(m)
	}
	return nil
}

// oncePerRequest are the headers of which whatever stands in between could read another one than we do.
var oncePerRequest = []string{mcp.HeaderProtocolVersion, mcp.HeaderMethod, mcp.HeaderName, headerSession}

func isSessionID(id string) bool {
	return len(id) <= maxSessionID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}

func checkModern(header http.Header, said string, m message) *fault {
	switch {
	case header.Get(mcp.HeaderLastEventID) != "":
		return newFault(mcp.HEADER_MISMATCH, "header mismatch: streams can't be resumed since 2026-07-28; send the request again, without Last-Event-ID")
	case said == "":
		return newFault(mcp.HEADER_MISMATCH, "header mismatch: "+mcp.HeaderProtocolVersion+" is missing")
	case m.version == "":
		return newFault(codeInvalidParams, "missing or invalid _meta field "+mcp.MetaKeyProtocolVersion)
	case said != m.version:
		return newFault(mcp.HEADER_MISMATCH, fmt.Sprintf("header mismatch: %s says %q and the message %q", mcp.HeaderProtocolVersion, plain(said, 60), plain(m.version, 60)))
	case !mcp.IsValidProtocolVersion(said):
		return unsupported(said)
	}
	if err := mcp.ValidateStandardHeaders(header.Get, said, mcp.MCPMethod(m.method), m.params); err != nil {
		return newFault(mcp.HEADER_MISMATCH, plain(err.Error(), 300))
	}
	return nil
}

func unsupported(version string) *fault {
	err := mcp.UnsupportedProtocolVersionError{Version: plain(version, 60), Supported: slices.Clone(mcp.ValidProtocolVersions)}
	f := newFault(mcp.UNSUPPORTED_PROTOCOL_VERSION, err.Error())
	f.data = err.JSONRPCError().Error.Data
	return f
}

func isModern(header http.Header) bool {
	return mcp.IsModernProtocol(header.Get(mcp.HeaderProtocolVersion))
}

// refuse answers a message that is not served. The log has the first ones of each minute alone.
func (h *endpoint) refuse(t *stream, f *fault, status int) {
	switch n := h.refused.next(time.Now()); {
	case n <= maxWarnings:
		h.s.log.Warn("message refused", "code", f.code, "reason", f.text)
	case n == maxWarnings+1:
		h.s.log.Warn("more messages are refused; no more of that is logged in this minute")
	}
	_ = t.end(f.reply(), status) // always encodes
}

// perMinute counts within a minute, from the first one on.
type perMinute struct {
	mu    sync.Mutex
	since time.Time
	count int
}

func (c *perMinute) next(now time.Time) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := now.Sub(c.since); d < 0 || d >= time.Minute {
		c.since, c.count = now, 0
	}
	c.count++
	return c.count
}
