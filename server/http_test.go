package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

// overHTTP serves s on loopback until the test ends.
func overHTTP(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	return h
}

// postOf is a message as a client of its era sends it: with headers that repeat what it says.
func postOf(t *testing.T, url string, line []byte) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	var m struct {
		Method string
		Params json.RawMessage
	}
	var meta struct {
		Meta map[string]any `json:"_meta"`
	}
	if json.Unmarshal(line, &m) != nil || json.Unmarshal(m.Params, &meta) != nil {
		return r
	}
	if version, _ := meta.Meta[mcp.MetaKeyProtocolVersion].(string); mcp.IsModernProtocol(version) {
		r.Header.Set(mcp.HeaderProtocolVersion, version)
		for key, value := range mcp.StandardHeaders(version, mcp.MCPMethod(m.Method), m.Params) {
			r.Header.Set(key, value)
		}
	}
	return r
}

// messagesOf are the messages of an answer: one object, or the data of each event.
func messagesOf(t *testing.T, resp *http.Response) []string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return []string{string(body)}
	}
	var messages []string
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			messages = append(messages, data)
		}
	}
	return messages
}

// playHTTP plays a conversation by POST. What comes back has to be what stdio answers, message for message.
func playHTTP(t *testing.T, in []byte) []byte {
	h := overHTTP(t, newDesk().server(t, talk))
	var out bytes.Buffer
	for line := range strings.Lines(string(in)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			fmt.Fprintln(&out, line)
			continue
		}
		if line == "~" {
			continue // an empty line is nothing on stdio, and no message as a body
		}
		silent := line[0] == '~'
		line = strings.TrimPrefix(line, "~")
		resp, err := h.Client().Do(postOf(t, h.URL, []byte(line)))
		if err != nil {
			t.Fatal(err)
		}
		said := messagesOf(t, resp)
		if silent {
			if resp.StatusCode != http.StatusAccepted || said[0] != "" {
				t.Errorf("%s: %s, %s", line, resp.Status, said)
			}
			continue
		}
		for _, message := range said {
			out.Write(shown(t, []byte(message)))
		}
	}
	return out.Bytes()
}
