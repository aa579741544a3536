package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is sent, byte for byte. \r is left out of the expectations.
func TestRequestOnTheWire(t *testing.T) {
	t.Parallel()
	words := strings.NewReplacer("UA\n", "User-Agent: mcp-decide\n", "ACCEPT\n", "Accept: application/json, text/*;q=0.9, */*;q=0.5\n",
		"END", "Accept-Encoding: gzip\n\n", "LAST", "Accept-Encoding: gzip\nConnection: close\n\n")
	for _, c := range []struct{ name, file, args, want string }{
		{"the example of the reference", `
effect: read
params:
  order_id: {type: string, description: "The order's number.", pattern: "^[A-Z]-[0-9]+$", placeholder: A-1042}
  desk: {type: string, from: caller.id}
http:
  url: "http://HOST/orders/{order_id}"
  headers: {X-Desk: "{desk}"}
  auth: {bearer: env:ORDERS_TOKEN}
timeout: 5s`, `{"order_id": "A-1042"}`,
			"GET /orders/A-1042 HTTP/1.1\nHost: HOST\nUA\nACCEPT\nAuthorization: Bearer orders-token\nX-Desk: os:7\nEND"},
		{"every place of an address", `
effect: read
params: {a: {type: string}, b: {type: string}, n: {type: number}, o?: {type: string}, l: {type: array, items: string}}
http:
  url: "http://HOST/v1.0/{a}.{b}/%7Eall;v=1/{n}/?q=x-{a}&flag&o={o}&l={l}&lang=en%20us"
  query: {"a b": "100 % {a}", oo: "{o}", key: env:KEY, limit: 20, deep: true}`,
			`{"a": "x/y z", "b": "ü", "n": 1.50, "l": ["a&b", "c"]}`,
			"GET /v1.0/x%2Fy%20z.%C3%BC/%7Eall;v=1/1.50/?q=x-x%2Fy+z&flag&l=%5B%22a%26b%22%2C%22c%22%5D&lang=en%20us&a+b=100+%25+x%2Fy+z&key=the%26key&limit=20&deep=true HTTP/1.1\nHost: HOST\nUA\nACCEPT\nEND"},
		{"no path, and headers of its own", `
effect: read
params: {o?: {type: string}, s: {type: string}}
http:
  url: "http://HOST"
  headers: {user-agent: desk/1, accept: text/csv, X-O: "{o}", X-S: "<{s}>", X-Key: "file:key", X-Empty: "", cookie: a=b}`, `{"s": "é\"\\"}`,
			"GET / HTTP/1.1\nHost: HOST\nUser-Agent: desk/1\nAccept: text/csv\nCookie: a=b\nX-Empty: \nX-Key: from a file\nX-S: <é\"\\>\nEND"},
		{"JSON", `
effect: write
params: {s: {type: string}, n: {type: integer}, o?: {type: string}, m: {type: object, fields: {k: number}}, b: {type: boolean}}
http:
  method: POST
  url: "http://HOST/x"
  body: {s: "{s}", t: "<{s}>", n: "{n}", o: "{o}", p: "{o}{s}", m: {m: "{m}", b: "{b}", l: ["{o}", "{n}", [], {}], raw: [1.50, null, true, "{{}}"]}}
  auth: {basic: env:LOGIN}`, `{"s": "a\"b<\u2028\n", "n": 9007199254740993, "m": {"k": 1e3}, "b": false}`,
			"POST /x HTTP/1.1\nHost: HOST\nUA\nContent-Length: LEN\nACCEPT\nAuthorization: Basic ZGVzazpwYXNzOndvcmQ=\nContent-Type: application/json\nLAST" +
				`{"s":"a\"b<\u2028\n","t":"<a\"b<\u2028\n>","n":9007199254740993,"m":{"m":{"k":1e3},"b":false,"l":[9007199254740993,[],{}],"raw":[1.50,null,true,"{}"]}}`},
		{"a form", `
effect: write
params: {s: {type: string}, n: {type: integer}, o?: {type: string}}
http:
  method: PUT
  url: "http://HOST/x"
  headers: {Content-Type: application/x-www-form-urlencoded}
  body: {"s s": "{s}", n: "{n}-{s}", o: "{o}", fixed: 1.50, none: null}`, `{"s": "a&b=c ü", "n": 3}`,
			"PUT /x HTTP/1.1\nHost: HOST\nUA\nContent-Length: LEN\nACCEPT\nContent-Type: application/x-www-form-urlencoded\nLAST" +
				"s+s=a%26b%3Dc+%C3%BC&n=3-a%26b%3Dc+%C3%BC&fixed=1.50&none="},
		{"a text", `
effect: write
params: {s: {type: string}}
http: {method: PATCH, url: "http://HOST/x", body: "- {s}\n"}`, `{"s": "a\r\nb"}`,
			"PATCH /x HTTP/1.1\nHost: HOST\nUA\nContent-Length: LEN\nACCEPT\nContent-Type: text/plain; charset=utf-8\nLAST- a\nb\n"},
		{"a whole value", `
effect: write
params: {v: {type: object}}
http: {method: POST, url: "http://HOST/x", body: "{v}"}`, `{"v": {"b": [1.0], "a": null}}`,
			"POST /x HTTP/1.1\nHost: HOST\nUA\nContent-Length: LEN\nACCEPT\nContent-Type: application/json\nLAST" + `{"a":null,"b":[1.0]}`},
		{"no value, no body", `
effect: write
params: {v?: {type: object}}
http: {method: POST, url: "http://HOST/x", body: "{v}"}`, `{}`,
			"POST /x HTTP/1.1\nHost: HOST\nUA\nContent-Length: 0\nACCEPT\nLAST"},
		{"nothing to send", `
effect: destructive
params: {id: {type: integer}}
http: {method: DELETE, url: "http://HOST/x/{id}"}`, `{"id": -1}`,
			"DELETE /x/-1 HTTP/1.1\nHost: HOST\nUA\nACCEPT\nLAST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "127.0.0.1:0", says(fine))
			h := online(t, map[string]string{"ORDERS_TOKEN": "orders-token", "KEY": "the&key", "LOGIN": "desk:pass:word"})
			if err := os.WriteFile(filepath.Join(h.dir, "key"), []byte("from a file\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			m := prepared(t, h, s.Addr().String(), c.file)
			if !m.OpenWorld {
				t.Error("it does not say that it talks to others")
			}
			if state, text := called(t, m, c.args); state != "done" || text != "fine" {
				t.Fatalf("%s: %s", state, text)
			}
			requests, _ := s.seen()
			if len(requests) != 1 {
				t.Fatalf("%d requests", len(requests))
			}
			_, body, _ := strings.Cut(requests[0], "\r\n\r\n")
			want := strings.NewReplacer("HOST", s.Addr().String(), "LEN", itoa(len(body))).Replace(words.Replace(c.want))
			if diff := cmp.Diff(want, strings.ReplaceAll(requests[0], "\r\n", "\n")); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
