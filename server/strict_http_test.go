package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcp-decide/mcp-decide/registry"
)

// counted is a server with one method, which counts how often it runs.
func counted(t *testing.T) (url string, runs *atomic.Int64) {
	t.Helper()
	runs = new(atomic.Int64)
	m := registry.Method{Name: "count", Summary: "Count.", Effect: registry.Write, Run: func(context.Context, registry.Args) (any, error) {
		return runs.Add(1), nil
	}}
	return serve(t, serverOf(t, engineOf(t, []registry.Method{m}), Options{}).Handler()), runs
}

// TestWhatIsNotServedOverHTTP (S5, S6, S18, K4, CVE 6, 18): messages that two readers could read differently, and others that can't be taken, get a status and a code,
// run nothing, and leave the server to the next one.
func TestWhatIsNotServedOverHTTP(t *testing.T) {
	t.Parallel()
	url, runs := counted(t)
	const (
		params = `"params":{"name":"count","arguments":{}}`
		rest   = `"method":"tools/call",` + params + `}`
		call   = `{"jsonrpc":"2.0","id":1,` + rest
	)
	cases := []struct {
		name, body string
		want       string // status, code and id
	}{
		// Keys that are known but for their case.
		{"S5 K4 CVE 6 METHOD", `{"jsonrpc":"2.0","id":1,"METHOD":"tools/call",` + params + `}`, "400 -32600 1"},
		{"S5 K4 CVE 6 METHOD beside method", `{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call",` + params + `}`, "400 -32600 1"},
		{"S5 K4 CVE 6 Params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 Params beside params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"Params":{"name":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 NAME", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 NAME beside name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","NAME":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 Arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","Arguments":{}}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 ID", `{"jsonrpc":"2.0","ID":1,` + rest, "400 -32600 null"},
		{"S5 K4 CVE 6 JSONRPC", `{"JSONRPC":"2.0","id":1,` + rest, "400 -32600 1"},
		{"S5 K4 CVE 6 long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","paramſ":{"name":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 escaped long s", `{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"count"}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 Kelvin sign", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","tasK":{}}}`, "400 -32600 1"},
		{"S5 K4 CVE 6 PROTOCOLVERSION in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_META":{}}}`, "400 -32600 1"},

		// Keys that stand twice.
		{"S6 K4 CVE 6 method twice", `{"jsonrpc":"2.0","id":1,"method":"ping",` + rest, "400 -32600 1"},
		{"S6 K4 CVE 6 method twice, once escaped", `{"jsonrpc":"2.0","id":1,"m\u0065thod":"ping",` + rest, "400 -32600 1"},
		{"S6 K4 CVE 6 name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"count"}}`, "400 -32600 1"},
		{"S6 K4 CVE 6 params twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},` + params + `}`, "400 -32600 1"},
		{"S6 K4 CVE 6 id twice", `{"jsonrpc":"2.0","id":1,"id":2,` + rest, "400 -32600 null"},
		{"S6 K4 CVE 6 a key of the arguments twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"a":1,"a":1}}}`, "400 -32600 1"},
		{"S6 K4 CVE 6 version twice in _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_meta":{"k":1,"k":1}}}`, "400 -32600 1"},

		// Ids of no kind.
		{"S18 id object", `{"jsonrpc":"2.0","id":{},` + rest, "400 -32600 null"},
		{"S18 id list", `{"jsonrpc":"2.0","id":[1],` + rest, "400 -32600 null"},
		{"S18 id null", `{"jsonrpc":"2.0","id":null,` + rest, "400 -32600 null"},
		{"S18 id true", `{"jsonrpc":"2.0","id":true,` + rest, "400 -32600 null"},
		{"S18 id fraction", `{"jsonrpc":"2.0","id":1.5,` + rest, "400 -32600 null"},
		{"S18 id too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 600) + `",` + rest, "400 -32600 null"},

		// No message of the protocol.
		{"CVE 18 nothing", ``, "400 -32700 null"},
		{"CVE 18 white space", " \n\t ", "400 -32700 null"},
		{"CVE 18 no JSON", `tools/call count`, "400 -32700 null"},
		{"CVE 18 cut off", call[:len(call)-1], "400 -32700 1"},
		{"CVE 18 text behind", call + `x`, "400 -32700 1"},
		{"CVE 18 two messages", call + "\n" + call, "400 -32700 1"},
		{"CVE 18 batch", `[` + call + `]`, "400 -32600 null"},
		{"CVE 18 number", `7`, "400 -32600 null"},
		{"CVE 18 broken UTF-8", strings.Replace(call, `"count"`, "\"count\xff\"", 1), "400 -32700 1"},
		{"CVE 18 too deep", strings.Replace(call, `"arguments":{}`, `"arguments":`+strings.Repeat(`{"a":`, 300)+`1`+strings.Repeat(`}`, 300), 1), "400 -32600 1"},
		{"CVE 18 NUL", call + "\x00", "400 -32700 1"},
		{"CVE 18 single quotes", `{'jsonrpc':'2.0'}`, "400 -32700 null"},
		{"CVE 18 comment", `{"jsonrpc":"2.0",/**/"id":1,` + rest, "400 -32700 null"},
		{"CVE 18 version 1.0", strings.Replace(call, "2.0", "1.0", 1), "400 -32600 1"},
		{"CVE 18 no version", `{"id":1,` + rest, "400 -32600 1"},
		{"CVE 18 no method", `{"jsonrpc":"2.0","id":1}`, "400 -32600 1"},
		{"CVE 18 method of no kind", `{"jsonrpc":"2.0","id":1,"method":7}`, "400 -32600 1"},
		{"CVE 18 params of no kind", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, "400 -32600 1"},
		{"CVE 18 a method and an answer", strings.Replace(call, `"id":1`, `"id":1,"result":{}`, 1), "400 -32600 1"},
	}
	t.Run("each", func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				for _, era := range []string{"", older, newer} {
					refused(t, url, era, c.body, c.want)
				}
			})
		}
	})
	if n := runs.Load(); n != 0 {
		t.Errorf("%d of these have run", n)
	}
	for i, body := range []string{call, "\ufeff" + call, " \r\n" + call + "\n"} {
		if a := post(t, url, body).last(t); a.Error != nil || runs.Load() != int64(i)+1 {
			t.Errorf("the next one is not served: %s", a.line)
		}
	}
}

func refused(t *testing.T, url, era, body, want string) {
	t.Helper()
	var headers []string
	if era != "" {
		headers = []string{"MCP-Protocol-Version: " + era}
	}
	if era == newer {
		headers = append(headers, "Mcp-Method: tools/call", "Mcp-Name: count")
	}
	p := post(t, url, body, headers...)
	a := p.last(t)
	if a.Error == nil {
		t.Fatalf("%s: status %d: %s", era, p.status, a.line)
	}
	if got := fmt.Sprintf("%d %d %s", p.status, a.Error.Code, a.ID); got != want {
		t.Errorf("%s: got %s, want %s: %s", era, got, want, a.line)
	}
}

// TestWhatIsNoJSONOverHTTP (S3, CVE 8): only application/json is read, since a page of another site may send the others without asking.
func TestWhatIsNoJSONOverHTTP(t *testing.T) {
	t.Parallel()
	url, runs := counted(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}}`
	for _, c := range []struct {
		contentType string
		want        int
	}{
		{"application/json", http.StatusOK},
		{"application/json; charset=utf-8", http.StatusOK},
		{"APPLICATION/JSON", http.StatusOK},
		{"", http.StatusBadRequest},
		{"text/plain", http.StatusBadRequest},
		{"text/plain; application/json", http.StatusBadRequest},
		{"application/x-www-form-urlencoded", http.StatusBadRequest},
		{"multipart/form-data; boundary=x", http.StatusBadRequest},
		{"application/jsonp", http.StatusBadRequest},
	} {
		before := runs.Load()
		if p := post(t, url, call, "Content-Type: "+c.contentType); p.status != c.want {
			t.Errorf("%q: status %d, want %d", c.contentType, p.status, c.want)
		}
		ran := int64(0)
		if c.want == http.StatusOK {
			ran = 1
		}
		if runs.Load() != before+ran {
			t.Errorf("%q: it ran %d times", c.contentType, runs.Load()-before)
		}
	}
}

// TestNotificationsAndAnswersOverHTTP: they have no answer, whatever is in them, and those of a stranger do nothing.
func TestNotificationsAndAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	url, runs := counted(t)
	for name, body := range map[string]string{
		"notification":            `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"unknown notification":    `{"jsonrpc":"2.0","method":"notifications/no/such"}`,
		"cancel of nothing":       `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		"call without an id":      `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"count"}}`,
		"answer nobody waits for": `{"jsonrpc":"2.0","id":"x","result":{}}`,
		"error nobody waits for":  `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`,
	} {
		p := post(t, url, body)
		if p.status != http.StatusAccepted || len(p.messages) > 0 || runs.Load() > 0 {
			t.Errorf("%s: status %d, %d messages, %d runs", name, p.status, len(p.messages), runs.Load())
		}
	}
}

// TestIDsComeBackAsTheyWereWritten: beyond what a float64 holds too.
func TestIDsComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	url, _ := counted(t)
	for _, id := range []string{`1`, `"1"`, `""`, `-4`, `9007199254740993`, `"\u0061"`, strings.Repeat("9", 300)} {
		p := post(t, url, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`)
		var a struct{ ID json.RawMessage }
		if err := json.Unmarshal(p.last(t).line, &a); err != nil {
			t.Fatal(err)
		}
		if string(a.ID) != id {
			t.Errorf("%s came back as %s", id, a.ID)
		}
	}
}
