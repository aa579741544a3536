package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

// What the conformance suite holds a server to, where it is worth a test that needs no Node and runs more often.

const (
	older = "2025-11-25"
	newer = "2026-07-28"
)

// posted is what came back for one POST.
type posted struct {
	status   int
	header   http.Header
	messages [][]byte // in the order in which they came
}

// last is the answer, which nothing may follow.
func (p posted) last(t testing.TB) answer {
	t.Helper()
	if len(p.messages) == 0 {
		t.Fatalf("status %d without a message", p.status)
	}
	return readAnswer(t, p.messages[len(p.messages)-1])
}

// post sends a body with headers, each one "Name: value".
func post(t testing.TB, url, body string, headers ...string) posted {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return posted{res.StatusCode, res.Header, messagesIn(t, res.Header.Get("Content-Type"), text)}
}

func messagesIn(t testing.TB, contentType string, text []byte) [][]byte {
	t.Helper()
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "text/event-stream" {
		if text = bytes.TrimSpace(text); len(text) == 0 {
			return nil
		}
		return [][]byte{text}
	}
	var messages [][]byte
	for line := range bytes.Lines(text) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			messages = append(messages, bytes.TrimSpace(data))
		}
	}
	return messages
}

// send makes a request of an era. Its params are the inside of an object; more meta goes into _meta.
func send(t testing.TB, url, era string, id int, method, params, moreMeta string, headers ...string) posted {
	t.Helper()
	meta := moreMeta
	var own []string
	if era == newer {
		meta = strings.Join(nonEmpty(`"`+mcp.MetaKeyProtocolVersion+`":"`+newer+`"`, `"`+mcp.MetaKeyClientCapabilities+`":{}`, moreMeta), ",")
		own = append(own, "Mcp-Method: "+method)
		var named struct{ Name, URI string }
		if json.Unmarshal([]byte("{"+params+"}"), &named) == nil && named.Name+named.URI != "" {
			own = append(own, "Mcp-Name: "+named.Name+named.URI)
		}
	}
	own = append(own, "MCP-Protocol-Version: "+era)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, id, method, strings.Join(nonEmpty(params, `"_meta":{`+meta+`}`), ","))
	return post(t, url, body, append(own, headers...)...)
}

func nonEmpty(parts ...string) []string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return kept
}

func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	web := httptest.NewServer(h)
	t.Cleanup(web.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return web.URL
}

// TestNothingIsLostBeforeAResult: a handler that sends three and returns at once. The SDK's own transport loses some.
func TestNothingIsLostBeforeAResult(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	url := serve(t, f.Handler())
	progress := func(id, percent int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":%d,"progressToken":"t%d","total":100}}`, percent, id)
	}
	logged := func(words string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"` + words + `","level":"info","logger":"fixture"}}`
	}
	logs := []string{logged("Tool execution started"), logged("Tool processing data"), logged("Tool execution completed")}
	for _, era := range []string{older, newer} {
		for worker := range 8 {
			t.Run(fmt.Sprint(era, " ", worker), func(t *testing.T) {
				t.Parallel()
				for run := range 13 { // 104 in all
					id := worker*100 + run
					p := send(t, url, era, id, "tools/call", `"name":"test_tool_with_progress"`, fmt.Sprintf(`"progressToken":"t%d"`, id))
					before(t, p, id, progress(id, 0), progress(id, 50), progress(id, 100))
					if era == newer {
						p = send(t, url, era, id, "tools/call", `"name":"test_tool_with_logging"`, `"`+mcp.MetaKeyLogLevel+`":"info"`)
						before(t, p, id, logs...)
					}
				}
			})
		}
	}
}

// before checks that a result has these notifications before it, and nothing else.
func before(t *testing.T, p posted, id int, want ...string) {
	t.Helper()
	a := p.last(t)
	if p.status != http.StatusOK || a.Error != nil || string(a.ID) != fmt.Sprint(id) {
		t.Fatalf("status %d, answer %s", p.status, a.line)
	}
	var got []string
	for _, m := range p.messages[:len(p.messages)-1] {
		got = append(got, sorted(t, m))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

// sorted is a JSON value with its keys in order.
func sorted(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestNoLogUnlessAskedFor(t *testing.T) {
	t.Parallel()
	url := serve(t, newFixture(t).Handler())
	before(t, send(t, url, newer, 1, "tools/call", `"name":"test_tool_with_logging"`, ""), 1)
	before(t, send(t, url, newer, 1, "tools/call", `"name":"test_tool_with_logging"`, `"`+mcp.MetaKeyLogLevel+`":"error"`), 1)
}

// TestErrorsOfTheNewerEra (K4, S17): each has a status of its own over HTTP.
func TestErrorsOfTheNewerEra(t *testing.T) {
	t.Parallel()
	url := serve(t, newFixture(t).Handler())
	meta := func(version, capabilities string) string {
		return `"_meta":{` + strings.Join(nonEmpty(version, capabilities), ",") + `}`
	}
	const (
		version = `"` + mcp.MetaKeyProtocolVersion + `":"` + newer + `"`
		unknown = `"` + mcp.MetaKeyProtocolVersion + `":"v999.0.0"`
		nothing = `"` + mcp.MetaKeyClientCapabilities + `":{}`
	)
	good := meta(version, nothing)
	const inRegion = `"name":"test_x_mcp_header","arguments":{"region":"Hello"},`
	atRegion := func(more ...string) []string {
		return append([]string{"Mcp-Method: tools/call", "Mcp-Name: test_x_mcp_header"}, more...)
	}
	for _, c := range []struct {
		name, method, params string
		headers              []string
		want                 string // status, code, and the data if there is any
	}{
		{"no _meta", "tools/list", ``, []string{"Mcp-Method: tools/list"}, "400 -32602"},
		{"no version", "tools/list", meta("", nothing), []string{"Mcp-Method: tools/list"}, "400 -32602"},
		{"version of no kind", "tools/list", meta(`"`+mcp.MetaKeyProtocolVersion+`":7`, nothing), []string{"Mcp-Method: tools/list"}, "400 -32602"},
		{"no capabilities", "tools/list", meta(version, ""), []string{"Mcp-Method: tools/list"}, "400 -32602"},
		{"unknown version", "tools/list", meta(unknown, nothing), []string{"Mcp-Method: tools/list", "MCP-Protocol-Version: v999.0.0"},
			`400 -32022 {"requested":"v999.0.0","supported":` + supported(t) + `}`},
		{"version of the body alone", "tools/list", meta(unknown, nothing), []string{"Mcp-Method: tools/list"}, "400 -32020"},
		{"version of the header alone", "tools/list", good, []string{"Mcp-Method: tools/list", "MCP-Protocol-Version: " + older}, "400 -32020"},
		{"no Mcp-Method", "tools/list", good, nil, "400 -32020"},
		{"another Mcp-Method", "tools/list", good, []string{"Mcp-Method: prompts/list"}, "400 -32020"},
		{"Mcp-Method in capitals", "tools/list", good, []string{"Mcp-Method: TOOLS/LIST"}, "400 -32020"},
		{"no Mcp-Name", "tools/call", `"name":"test_simple_text",` + good, []string{"Mcp-Method: tools/call"}, "400 -32020"},
		{"another Mcp-Name", "tools/call", `"name":"test_simple_text",` + good, []string{"Mcp-Method: tools/call", "Mcp-Name: test_image_content"}, "400 -32020"},
		{"another Mcp-Name of a prompt", "prompts/get", `"name":"test_simple_prompt",` + good, []string{"Mcp-Method: prompts/get", "Mcp-Name: x"}, "400 -32020"},
		{"another Mcp-Name of a resource", "resources/read", `"uri":"test://static-text",` + good, []string{"Mcp-Method: resources/read", "Mcp-Name: test://x"}, "400 -32020"},
		{"Mcp-Name within spaces", "tools/call", `"name":"test_simple_text",` + good, []string{"Mcp-Method: tools/call", "Mcp-Name:   test_simple_text  "}, "200 0"},
		{"Mcp-Name in base64", "tools/call", `"name":"test_simple_text",` + good, []string{"Mcp-Method: tools/call", "Mcp-Name: =?base64?dGVzdF9zaW1wbGVfdGV4dA==?="}, "200 0"},
		{"argument and its header", "tools/call", inRegion + good, atRegion("Mcp-Param-Region: Hello"), "200 0"},
		{"argument and its header in base64", "tools/call", inRegion + good, atRegion("Mcp-Param-Region: =?base64?SGVsbG8=?="), "200 0"},
		{"argument without its header", "tools/call", inRegion + good, atRegion(), "400 -32020"},
		{"argument and another header", "tools/call", inRegion + good, atRegion("Mcp-Param-Region: hello"), "400 -32020"},
		{"argument and a header in no base64", "tools/call", inRegion + good, atRegion("Mcp-Param-Region: =?base64?SGVs!!!bG8=?="), "400 -32020"},
		{"a capability that is lacking", "tools/call", `"name":"test_missing_capability",` + good, []string{"Mcp-Method: tools/call", "Mcp-Name: test_missing_capability"},
			`400 -32021 {"requiredCapabilities":{"sampling":{}}}`},
		{"unknown method", "no/such", good, []string{"Mcp-Method: no/such"}, "404 -32601"},
		{"method of the older era", "ping", good, []string{"Mcp-Method: ping"}, "404 -32601"},
		{"handshake of the older era", "initialize", good, []string{"Mcp-Method: initialize"}, "404 -32601"},
		{"unknown tool", "tools/call", `"name":"no_such",` + good, []string{"Mcp-Method: tools/call", "Mcp-Name: no_such"}, "400 -32602"},
		{"unknown resource", "resources/read", `"uri":"test://none",` + good, []string{"Mcp-Method: resources/read", "Mcp-Name: test://none"}, `400 -32602 {"uri":"test://none"}`},
	} {
		t.Run("K4 S17 "+c.name, func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":"the id","method":%q,"params":{%s}}`, c.method, c.params)
			p := post(t, url, body, append([]string{"MCP-Protocol-Version: " + newer}, c.headers...)...)
			a := p.last(t)
			if string(a.ID) != `"the id"` {
				t.Errorf("the answer is for %s", a.ID)
			}
			code, data := 0, ""
			if a.Error != nil {
				code = a.Error.Code
				if a.Error.Data != nil {
					raw, _ := json.Marshal(a.Error.Data)
					data = " " + string(raw)
				}
			}
			if got := fmt.Sprintf("%d %d%s", p.status, code, data); got != c.want {
				t.Errorf("got %s, want %s: %s", got, c.want, a.line)
			}
		})
	}
}

func supported(t *testing.T) string {
	t.Helper()
	raw, err := json.Marshal(mcp.ValidProtocolVersions)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestListsSayHowLongTheyHold: in the newer era every list, and what is read, has a time and a scope.
func TestListsSayHowLongTheyHold(t *testing.T) {
	t.Parallel()
	url := serve(t, newFixture(t).Handler())
	for _, method := range []string{"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"} {
		params := ""
		if method == "resources/read" {
			params = `"uri":"decide://methods/test_simple_text"`
		}
		p := send(t, url, newer, 1, method, params, "")
		var a struct {
			Result struct {
				TTLMs             *int
				CacheScope        string
				ResultType        string
				SupportedVersions []string
			}
		}
		if err := json.Unmarshal(p.last(t).line, &a); err != nil {
			t.Fatal(err)
		}
		r := a.Result
		if p.status != http.StatusOK || r.TTLMs == nil || *r.TTLMs != int(cacheFor.Milliseconds()) || r.CacheScope != "private" || r.ResultType != "complete" {
			t.Errorf("%s: %s", method, p.last(t).line)
		}
		if method == "server/discover" {
			if diff := cmp.Diff(mcp.ValidProtocolVersions, r.SupportedVersions); diff != "" {
				t.Error(diff)
			}
		}
	}
}

func TestOtherVerbs(t *testing.T) {
	t.Parallel()
	url := serve(t, newFixture(t).Handler())
	for _, c := range []struct {
		verb, era string
		want      int
	}{
		{http.MethodGet, newer, http.StatusMethodNotAllowed},
		{http.MethodDelete, newer, http.StatusMethodNotAllowed},
		{http.MethodDelete, older, http.StatusMethodNotAllowed},
		{http.MethodPut, older, http.StatusMethodNotAllowed},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.verb, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("MCP-Protocol-Version", c.era)
		req.Header.Set("Accept", "text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != c.want || !strings.Contains(res.Header.Get("Allow"), http.MethodPost) {
			t.Errorf("%s of %s: status %d, Allow %q", c.verb, c.era, res.StatusCode, res.Header.Get("Allow"))
		}
	}
}

// TestSeveralRequestsAtATime: each of several requests of one client has an answer of its own, in either era. None is given a
// session, so that any server may answer any of them.
func TestSeveralRequestsAtATime(t *testing.T) {
	t.Parallel()
	url := serve(t, newFixture(t).Handler())
	for _, era := range []string{older, newer} {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				p := send(t, url, era, 1000+i, "tools/list", "", "")
				if a := p.last(t); p.status != http.StatusOK || string(a.ID) != fmt.Sprint(1000+i) || p.header.Get("Mcp-Session-Id") != "" {
					t.Errorf("%s: status %d, answer %s, header %v", era, p.status, a.line, p.header)
				}
			})
		}
		all.Wait()
	}
}
