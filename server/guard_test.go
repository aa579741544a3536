package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + `}}`
	}
	for _, c := range []struct {
		name, line string
		want       string // method and key of the id, or code, id and a part of the text
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "ping n1"},
		{"text id", `{"jsonrpc":"2.0","id":"1","method":"ping"}`, "ping s1"},
		{"escaped id is the same id", `{"jsonrpc":"2.0","id":"\u0061","method":"ping"}`, "ping sa"},
		{"empty text id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, "ping s"},
		{"id beyond float64", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "ping n9007199254740993"},
		{"negative id", `{"jsonrpc":"2.0","id":-4,"method":"ping"}`, "ping n-4"},
		{"id last, as some clients write it", `{"method":"ping","params":{},"jsonrpc":"2.0","id":7}`, "ping n7"},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "notifications/initialized "},
		{"null params", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, "tools/list n1"},
		{"answer to a request of ours", `{"jsonrpc":"2.0","id":1,"result":{}}`, " n1"},
		{"answer with the id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}`, " "},
		{"answer with an id of no kind", `{"jsonrpc":"2.0","id":{},"result":{}}`, " "},
		{"answer without id and version", `{"result":null}`, " "},
		{"notification with a list", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`, "notifications/cancelled "},
		{"call as a notification", `{"jsonrpc":"2.0","method":"tools/call"}`, "tools/call "},
		{"longest number as id", `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 300) + `,"method":"ping"}`, "ping n" + strings.Repeat("9", 300)},
		{"unknown keys pass", `{"jsonrpc":"2.0","id":1,"method":"ping","trace":[1]}`, "ping n1"},
		{"lone surrogate of a cut reply", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"text":"\ud83d"}}}`, "tools/call n1"},
		{"arguments may have any keys", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"ID":1,"Method":2}}}`, "tools/call n1"},
		{"depth at the limit", deep(200), "ping n1"},

		{"not JSON", `hello`, "-32700 null not JSON"},
		{"cut", `{"jsonrpc":"2.0","id":1,"method":"pi`, "-32700 1 not JSON"},
		{"trailing text", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, "-32700 1 after the end"},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", "-32700 1 UTF-8"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600 null batches"},
		{"broken batch", `[{"jsonrpc":`, "-32700 null not JSON"},
		{"scalar", `42`, "-32600 null one JSON object"},
		{"two scalars", `42 43`, "-32700 null after the end"},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `-32600 1 "jsonrpc" must be "2.0"`},
		{"no version", `{"id":1,"method":"ping"}`, `-32600 1 "jsonrpc" must be "2.0"`},
		{"no method", `{"jsonrpc":"2.0","id":1}`, `-32600 1 "method" is missing`},
		{"method no text", `{"jsonrpc":"2.0","id":1,"method":["ping"]}`, `-32600 1 "method" must be a text`},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, "-32600 1 a method and an answer"},
		{"params a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, "-32600 1 params must be an object"},
		{"id object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "-32600 null an id is a text or an integer"},
		{"id list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, "-32600 null an id is"},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, "-32600 null an id is"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "-32600 null an id is"},
		{"id fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "-32600 null an id is"},
		{"id exponent", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, "-32600 null an id is"},
		{"id too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 600) + `","method":"ping"}`, "-32600 null longer than 512"},
		{"id beyond what is read as a number", `{"jsonrpc":"2.0","id":` + strings.Repeat("9", 301) + `,"method":"ping"}`, "-32600 null more than 300"},
		{"METHOD", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, `-32600 1 the key "METHOD" must be written "method"`},
		{"Params beside method", `{"jsonrpc":"2.0","id":1,"method":"ping","Params":{}}`, `-32600 1 must be written "params"`},
		{"Unicode fold of a key", `{"jsonrpc":"2.0","id":1,"method":"ping","paramſ":{}}`, `-32600 1 must be written "params"`},
		{"escaped fold of a key", `{"jsonrpc":"2.0","id":1,"method":"ping","param\u017f":{}}`, `-32600 1 must be written "params"`},
		{"NAME", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","NAME":"b"}}`, `-32600 1 must be written "name"`},
		{"Kelvin sign", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","tasK":{}}}`, `-32600 1 must be written "task"`},
		{"Name in ref", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","Name":"x"}}}`, `-32600 1 must be written "name"`},
		{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, "-32600 1 stands twice"},
		{"method twice, escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/list"}`, "-32600 1 stands twice"},
		{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, "-32600 null stands twice"},
		{"name twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, "-32600 1 stands twice"},
		{"twice inside the arguments", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a","arguments":{"x":{"y":1,"y":2}}},"id":9}`, "-32600 9 stands twice"},
		{"call without a name", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, "-32602 1 needs params.name"},
		{"call without params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "-32602 1 needs params.name"},
		{"call whose name is no text", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}`, "-32602 1 needs params.name"},
		{"too deep", deep(201), "-32600 1 nested 201 deep"},
		{"brackets in a text are not depth", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("[", 300) + `\"["}`, strings.Repeat("[", 300) + `"[ n1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, f := readMessage([]byte(c.line))
			got := m.method + " " + m.id.key
			if f != nil {
				id, _ := json.Marshal(f.reply().ID)
				got = fmt.Sprintf("%d %s %s", f.code, id, f.text)
			}
			if f == nil && got != c.want || f != nil && !matches(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// matches reports whether a refusal has the code and id that were wanted, and the part of the text.
func matches(got, want string) bool {
	g, w := strings.SplitN(got, " ", 3), strings.SplitN(want, " ", 3)
	return len(g) == 3 && len(w) == 3 && g[0] == w[0] && g[1] == w[1] && strings.Contains(g[2], w[2])
}

func TestReadMessageTakesTheArgumentsOut(t *testing.T) {
	t.Parallel()
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":12345678901234567890},"name":"x","arguments": {"n": 1e400, "big": 9007199254740993} },"more":1}`
	m, f := readMessage([]byte(line))
	if f != nil {
		t.Fatal(f)
	}
	got := []string{m.name, string(m.args), string(m.progress), string(m.raw)}
	want := []string{"x", `{"n": 1e400, "big": 9007199254740993}`, "12345678901234567890",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":12345678901234567890},"name":"x","arguments": {} },"more":1}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTooLongFindsTheID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, head, tail, want string }{
		{"first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"a":"aaaa`, `aaaa"}}}`, "7"},
		{"last", `{"method":"tools/call","params":{"name":"x","arguments":{"a":"aaaa`, `aaaa"}},"jsonrpc":"2.0","id":"q-1"}`, `"q-1"`},
		{"nested only", `{"method":"tools/call","params":{"arguments":{"a":"aaaa`, `aaaa","id":3}}}`, "null"},
		{"inside a text", `{"method":"tools/call","params":{"arguments":{"a":"aaaa`, `aaaa,\"id\":3}"}}}`, "null"},
		{"no object", `[1,2,3`, `,4]`, "null"},
	} {
		long := &tooLong{head: []byte(c.head), tail: []byte(c.tail)}
		if got, _ := json.Marshal(long.id()); string(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// FuzzGuard holds the guard against encoding/json, by which the SDK reads: what the guard lets through must
// mean the same to both.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"\ud83d"}]},"_meta":{"progressToken":3}}}`,
		`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
		`[1]`, `{}`, `{"id":{}}`, "\xff", `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"paramſ":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, refused := readMessage(line)
		if refused != nil {
			if !bytes.HasPrefix([]byte(fmt.Sprint(refused.code)), []byte("-32")) || refused.text == "" {
				t.Fatalf("a refusal without code or text: %+v", refused)
			}
			return
		}
		if m.method == "" || m.id.key == "" {
			return // an answer or a notification: the SDK never sees it
		}
		var sdk struct {
			JSONRPC string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Method  string          `json:"method"`
			Params  struct {
				Name      any             `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
				RequestID json.RawMessage `json:"requestId"`
				Meta      any             `json:"_meta"`
			} `json:"params"`
		}
		if err := json.Unmarshal(line, &sdk); err != nil {
			t.Fatalf("let through what the SDK can't read: %v", err)
		}
		name := ""
		if text, ok := sdk.Params.Name.(string); ok {
			name = text
		}
		if sdk.Method != m.method || sdk.JSONRPC != "2.0" || string(sdk.ID) != string(m.id.raw) || name != m.name {
			t.Fatalf("the SDK reads %+v, the guard %+v", sdk, m)
		}
		if m.method == methodCall {
			if !bytes.Equal(sdk.Params.Arguments, m.args) {
				t.Fatalf("the SDK reads the arguments %s, the guard %s", sdk.Params.Arguments, m.args)
			}
			sdk.Params.Arguments = nil
			if err := json.Unmarshal(m.raw, &sdk); err != nil {
				t.Fatalf("the message without arguments can't be read: %v", err)
			}
			if a := string(sdk.Params.Arguments); a != "" && a != "{}" {
				t.Fatalf("the arguments were not cut out: %s", m.raw)
			}
		}
	})
}
