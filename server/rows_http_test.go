package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// Row S10 over HTTP: whatever panics, the client gets a constant text with a reference, and the log the rest. The next request is served.
func TestPanicsOverHTTP(t *testing.T) {
	t.Parallel()
	reference := regexp.MustCompile(`\bREF\b|\(ref [A-Z2-7]{6}\)`)
	for _, c := range []struct {
		name  string
		spoil func(*Server)
	}{
		{"S10 a method", func(*Server) {}},
		{"S10 around a method", func(s *Server) {
			s.sdk.AddTool(mcp.Tool{Name: "boom", RawInputSchema: pickBytes}, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				panic("secret=hunter2")
			})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var log safeBuffer
			reg := registry.New()
			if err := reg.Add(registry.Method{Name: "boom", Summary: "Break.", Effect: registry.Read, Run: func(context.Context, registry.Args) (any, error) {
				panic("secret=hunter2")
			}}); err != nil {
				t.Fatal(err)
			}
			s := serverOf(t, decide.New(reg, decide.Options{Log: logTo(&log)}), Options{Log: logTo(&log)})
			c.spoil(s)
			url := serve(t, s.Handler())
			for _, era := range []string{older, newer} {
				a := send(t, url, era, 1, methodCall, `"name":"boom","arguments":{}`, "").last(t)
				ref := strings.Trim(strings.TrimPrefix(reference.FindString(string(a.line)), "(ref "), ")")
				if ref == "" || strings.Contains(string(a.line), "hunter2") || a.Error == nil && !a.Result.IsError {
					t.Errorf("%s: %s", era, a.line)
				}
				if text := log.String(); !strings.Contains(text, "hunter2") || !strings.Contains(text, "ref="+ref) {
					t.Errorf("%s: the log does not have it: %s", era, text)
				}
				if p := send(t, url, era, 2, "tools/list", "", ""); p.status != http.StatusOK || p.last(t).Error != nil {
					t.Errorf("%s: the next request: status %d: %s", era, p.status, p.last(t).line)
				}
			}
		})
	}
}

// Rows S7 and S12: more than is read costs next to nothing, however much it is, and the next message is served.
//
// Not parallel: it counts what the whole process allocates.
func TestTooMuchCostsLittle(t *testing.T) {
	const most = 40 << 20 // bytes allocated: a line grows to 4 MiB, and whoever sends needs some too
	const head, tail = `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nothing","arguments":{"pad":"`, `"}}}`
	long := func(size int64) io.Reader {
		return io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, size), strings.NewReader(tail))
	}
	for _, c := range []struct {
		name string
		send func(t *testing.T, s *Server) (refused, next string)
	}{
		{"S7 K2 CVE 19 256 MiB over HTTP, in chunks", func(t *testing.T, s *Server) (refused, next string) {
			url := serve(t, s.Handler())
			res, err := http.Post(url, "application/json", long(256<<20))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d, %v: %s", res.StatusCode, err, body)
			}
			return string(body), string(post(t, url, callLine(6, "nothing", `{}`)).last(t).line)
		}},
		{"S12 200 MiB on stdio, in one line", func(t *testing.T, s *Server) (refused, next string) {
			var out bytes.Buffer
			in := io.MultiReader(long(200<<20), strings.NewReader("\n"+callLine(6, "nothing", `{}`)+"\n"))
			if err := s.ServeStdio(t.Context(), in, &out); err != nil {
				t.Fatal(err)
			}
			refused, next, _ = strings.Cut(out.String(), "\n")
			if !strings.Contains(refused, `"id":5`) {
				t.Errorf("it is not said which message was too long: %s", refused)
			}
			return refused, next
		}},
		{"S12 200 MiB on stdio, and never an end of the line", func(t *testing.T, s *Server) (refused, next string) {
			var out bytes.Buffer
			in := io.MultiReader(strings.NewReader(callLine(6, "nothing", `{}`)+"\n"), long(200<<20))
			if err := s.ServeStdio(t.Context(), in, &out); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) { // the two may overtake each other
				if strings.Contains(line, `"id":6`) {
					next = line
				} else {
					refused = line
				}
			}
			return refused, next
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDesk().server(t, Options{})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			refused, next := c.send(t, s)
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB of memory", took>>20)
			}
			if !strings.Contains(refused, `"code":-32600`) || len(refused) > 1000 {
				t.Errorf("what was too long is answered with %.1000s", refused)
			}
			if !strings.Contains(next, `"id":6`) || !strings.Contains(next, `"result"`) {
				t.Errorf("the next one is answered with %.1000s", next)
			}
		})
	}
}

// letters never end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzPost: CVE 6 and 18. Whatever is posted, there is one answer of a known kind, the next request is served, and what ran is what
// another reader would have run: encoding/json, which takes the last of two equal keys, in any case.
func FuzzPost(f *testing.F) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"keep","arguments":{"text":"a"}}}`
	for _, body := range []string{
		call, strings.Replace(call, `"name"`, `"NAME"`, 1), strings.Replace(call, `"name"`, `"name":"x","name"`, 1), strings.Replace(call, `"params"`, `"param\u017f"`, 1),
		strings.Replace(call, `"id":1`, `"id":{}`, 1), strings.Replace(call, `"id":1`, `"id":"\ud800"`, 1), "[" + call + "]", call + call, call[:60], "\xef\xbb\xbf" + call, "",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ticket","arguments":{"message":"m"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"decide://methods/keep"}}`, `{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":7}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}`,
		strings.Repeat(`{"params":`, 300), `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 400) + `,"method":"ping"}`,
	} {
		for _, era := range []string{"", older, newer} {
			f.Add([]byte(body), era, "tools/call", "keep")
		}
	}
	var kept []string
	keep := registry.Method{Name: "keep", Summary: "Keep a text.", Effect: registry.Read, Rate: registry.Rate{Unlimited: true},
		Params: []registry.Param{{Name: "text", Type: registry.String, Description: "The text.", Optional: true}},
		Run: func(_ context.Context, a registry.Args) (any, error) {
			text, _ := a["text"].(string)
			kept = append(kept, text)
			return text, nil
		}}
	d := newDesk()
	h := serverOf(f, engineOf(f, append(d.methods(), keep), ticket()), Options{}).Handler()
	close(d.gate) // nothing waits
	f.Fuzz(func(t *testing.T, body []byte, era, method, name string) {
		if m, fault := readMessage(bytes.Trim(bytes.TrimPrefix(body, byteOrderMark), " \t\r\n")); fault == nil && m.method == methodListen {
			return // it would wait for news
		}
		kept = nil
		status, messages := handed(t, h, body, era, method, name)
		switch status {
		case http.StatusAccepted:
			if len(messages) > 0 || len(kept) > 0 {
				t.Fatalf("nothing was to be answered, and there are %d messages, %d runs", len(messages), len(kept))
			}
		case http.StatusOK, http.StatusBadRequest, http.StatusNotFound, http.StatusNotAcceptable, http.StatusServiceUnavailable:
			if len(messages) == 0 {
				t.Fatalf("status %d without an answer", status)
			}
			for i, m := range messages {
				a := readAnswer(t, m)
				if last := i == len(messages)-1; last != (a.Method == "") {
					t.Fatalf("message %d of %d: %s", i+1, len(messages), m)
				}
			}
		default:
			t.Fatalf("status %d: %s", status, messages)
		}
		var other struct {
			Method string
			Params struct {
				Name      string
				Arguments struct{ Text string }
			}
		}
		if len(kept) > 0 {
			err := json.Unmarshal(bytes.TrimPrefix(body, byteOrderMark), &other)
			if err != nil || len(kept) > 1 || other.Method != methodCall || other.Params.Name != "keep" || other.Params.Arguments.Text != kept[0] {
				t.Fatalf("keep ran with %q, and another reader reads %+v, %v", kept, other, err)
			}
		}
		if status, messages := handed(t, h, []byte(`{"jsonrpc":"2.0","id":"next","method":"ping"}`), "", "", ""); status != http.StatusOK || !strings.Contains(string(messages[0]), `"next"`) {
			t.Fatalf("the next request: status %d: %s", status, messages)
		}
	})
}

// handed posts a message to a handler, without a network.
func handed(t *testing.T, h http.Handler, body []byte, era, method, name string) (status int, messages [][]byte) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for header, value := range map[string]string{mcp.HeaderProtocolVersion: era, mcp.HeaderMethod: method, mcp.HeaderName: name} {
		if value != "" {
			r.Header.Set(header, value)
		}
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec.Code, messagesIn(t, rec.Header().Get("Content-Type"), rec.Body.Bytes())
}
