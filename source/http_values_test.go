package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/validate"
)

// hostile values, and where they can't stand: in a path they would be a step, in a header they would end it.
var hostile = []struct {
	value  string
	path   bool // refused in a path
	header bool // refused in a header
}{
	{value: ".", path: true}, {value: "..", path: true}, {value: "", path: true},
	{value: "%2e%2e", path: true}, {value: "%2E.", path: true}, {value: ".%2e", path: true}, {value: "%252e%252e", path: true}, {value: "%25252e%2e", path: true},
	{value: "../admin", path: true}, {value: "a/../b", path: true}, {value: "/..", path: true}, {value: "../", path: true}, {value: "a/.", path: true},
	{value: `..\admin`, path: true}, {value: `a\..\b`, path: true}, {value: "..%2fadmin", path: true}, {value: "..%5cadmin", path: true}, {value: "%2e%2e%2f%2e%2e", path: true},
	{value: "..;", path: true}, {value: "..;/admin", path: true}, {value: ".;v=1", path: true}, {value: "..%3b", path: true},
	{value: ".. ", path: true, header: true}, {value: "..\x00", path: true, header: true}, {value: "..%00", path: true}, {value: "\t..", path: true, header: true},
	{value: "%c0%ae%c0%ae", path: true}, {value: "..%c0%af", path: true},
	{value: "..."}, {value: ".hidden"}, {value: "a..b"}, {value: "a."}, {value: "1.5"}, {value: "..a"},
	{value: "/"}, {value: "a/b"}, {value: "//evil.example/"}, {value: "a?b"}, {value: "?x=1"}, {value: "a#b"}, {value: "#"}, {value: `a\b`}, {value: `\\evil.example`},
	{value: "%"}, {value: "a%b"}, {value: "%2F"}, {value: "a%2Fb"}, {value: "%00"}, {value: "%0d%0aX-Evil: 1"}, {value: "%zz"}, {value: "a;b"}, {value: "a&b=c"}, {value: "&admin=1"}, {value: "a=b"}, {value: "a+b"}, {value: "a b"},
	{value: "a\r\nX-Evil: 1", header: true}, {value: "a\nX-Evil: 1", header: true}, {value: "a\rb", header: true}, {value: "x HTTP/1.1\r\nHost: evil\r\n\r\nGET /", header: true},
	{value: "a\tb", header: true}, {value: "a\x00b", header: true}, {value: "\x1b[31m", header: true}, {value: "a\x7fb", header: true}, {value: "\n", header: true},
	{value: " a", header: true}, {value: "a ", header: true}, {value: "\u00a0a"},
	{value: "ü"}, {value: "日本"}, {value: "😀"}, {value: "a\u2028b"}, {value: "a\u202eb"}, {value: "\ufeffa"}, {value: "．．"}, {value: "a／b"},
	{value: `'`}, {value: `"`}, {value: "`id`"}, {value: "$(id)"}, {value: "${HOME}"}, {value: "; ls"}, {value: "| cat"}, {value: "&& ls"}, {value: "<script>"}, {value: "</x>"}, {value: "' OR 1=1 --"},
	{value: "{v}"}, {value: "{{v}}"}, {value: `{"a":1}`}, {value: "[1]"}, {value: "null"}, {value: "true"}, {value: "1e309"}, {value: `a\"b`}, {value: `","admin":true,"x":"`},
	{value: "http://evil.example/"}, {value: "@evil.example"}, {value: ":80"}, {value: "user:pass@evil"}, {value: "*"}, {value: "~"}, {value: "-rf"}, {value: "a,b"}, {value: "env:HOME"}, {value: "file:/etc/passwd"},
	{value: strings.Repeat("a", 2000)}, {value: strings.Repeat("é/", 1000)},
}

// position is one place in which a value may stand, and what has to arrive there.
type position struct {
	name    string
	file    string
	refused func(i int) bool
	arrives func(t *testing.T, request, value string)
}

var positions = []position{
	{"path", `http: {url: "http://HOST/a/{v}/z"}`, func(i int) bool { return hostile[i].path }, func(t *testing.T, request, value string) {
		target := target(request)
		segments := strings.Split(target, "/")
		if len(segments) != 4 || segments[1] != "a" || segments[3] != "z" {
			t.Fatalf("the path is %q", target)
		}
		if got, err := url.PathUnescape(segments[2]); err != nil || got != value {
			t.Errorf("%q arrives as %q, %v", value, got, err)
		}
		if odd := strings.Trim(segments[2], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%"); odd != "" {
			t.Errorf("%q stands in the path as it is", odd)
		}
	}},
	{"query of the address", `http: {url: "http://HOST/?q=%3C{v}&z=1"}`, nil, func(t *testing.T, request, value string) {
		if want := "/?q=%3C" + url.QueryEscape(value) + "&z=1"; target(request) != want {
			t.Errorf("got %q, want %q", target(request), want)
		}
	}},
	{"query", `http: {url: "http://HOST/", query: {q: "<{v}", z: 1}}`, nil, func(t *testing.T, request, value string) {
		if want := "/?q=%3C" + url.QueryEscape(value) + "&z=1"; target(request) != want {
			t.Errorf("got %q, want %q", target(request), want)
		}
	}},
	{"header", `http: {url: "http://HOST/", headers: {X-V: "{v}", X-Z: z}}`, func(i int) bool { return hostile[i].header }, func(t *testing.T, request, value string) {
		head, _, _ := strings.Cut(request, "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		if len(lines) != 7 || lines[4] != "X-V: "+value || lines[5] != "X-Z: z" {
			t.Errorf("got %q", lines)
		}
	}},
	{"JSON", `http: {method: POST, url: "http://HOST/", body: {v: "{v}", w: "<{v}>", z: 1}}`, nil, func(t *testing.T, request, value string) {
		want := fmt.Sprintf(`{"v":%s,"w":%s,"z":1}`, inJSON(value), inJSON("<"+value+">"))
		if got := bodyOf(request); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}},
	{"form", `http: {method: POST, url: "http://HOST/", headers: {Content-Type: application/x-www-form-urlencoded}, body: {v: "{v}", z: 1}}`, nil, func(t *testing.T, request, value string) {
		if got, want := bodyOf(request), "v="+url.QueryEscape(value)+"&z=1"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}},
	{"text", `http: {method: POST, url: "http://HOST/", body: "<{v}>"}`, nil, func(t *testing.T, request, value string) {
		if got := bodyOf(request); got != "<"+value+">" {
			t.Errorf("got %q", got)
		}
	}},
}

// X5, CVE 20, 21: whatever a value holds, it arrives as it is and where the file put it, or it is refused before anything is sent.
func TestValuesStayInTheirPlace(t *testing.T) {
	t.Parallel()
	for _, p := range positions {
		t.Run("X5 CVE 20 21 "+p.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "127.0.0.1:0", says(fine))
			m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\nparams: {v: {type: string}}\n"+p.file)
			for i, h := range hostile {
				before, _ := s.seen()
				state, text := called(t, m, `{"v": `+inJSON(h.value)+`}`)
				after, _ := s.seen()
				if p.refused != nil && p.refused(i) {
					if state != "refused" || len(after) > len(before) {
						t.Errorf("%q: %s, %s", h.value, state, text)
					}
					continue
				}
				if state != "done" || len(after) != len(before)+1 {
					t.Errorf("%q: %s, %s", h.value, state, text)
					continue
				}
				p.arrives(t, after[len(after)-1], h.value)
			}
		})
	}
}

// CVE 20: a value that is a part of a segment is judged with what stands around it.
func TestPartsOfASegment(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", says(fine))
	h := online(t, nil)
	for _, c := range []struct{ path, a, b, want string }{
		{"{a}{b}", ".", ".", ""},
		{"{a}{b}", "%2", "e.", ""},
		{"{a}{b}", "a", ".", "/a."},
		{".{a}", ".", "x", ""},
		{".{a}", "git", "x", "/.git"},
		{"v{a}.json", "..", "x", "/v...json"},
		{"v{a}.json", "/../x", "x", ""},
		{"v{a}.json", "1/2", "x", "/v1%2F2.json"},
		{"{a};v={b}", "..", "1", ""},
		{"{a};v={b}", "x", "..", "/x;v=.."},
		{"%2e{a}", ".", "x", ""},
		{"{a}", "%", "x", "/%25"},
		{"{a}/{b}", "..", "..", ""},
	} {
		m := prepared(t, h, s.Addr().String(), "effect: read\nparams: {a: {type: string}, b: {type: string}}\nhttp: {url: \"http://HOST/"+c.path+"\", query: {b: \"{b}\"}}")
		before, _ := s.seen()
		state, text := called(t, m, fmt.Sprintf(`{"a": %s, "b": %s}`, inJSON(c.a), inJSON(c.b)))
		after, _ := s.seen()
		if c.want == "" {
			if state != "refused" || len(after) > len(before) || !strings.Contains(text, "args.") {
				t.Errorf("%s of %q and %q: %s, %s", c.path, c.a, c.b, state, text)
			}
			continue
		}
		if got, _, _ := strings.Cut(target(after[len(after)-1]), "?"); state != "done" || got != c.want {
			t.Errorf("%s of %q and %q: %s, %q", c.path, c.a, c.b, state, got)
		}
	}
}

// What can't be sent is said with its place, for whoever gave it, and with no value of the server's.
func TestUnsendableValuesAreRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", says(fine))
	m := prepared(t, online(t, nil), s.Addr().String(), `
effect: read
params: {a: {type: string}, b: {type: string}, c?: {type: string}, d?: {type: string}, who: {type: string, from: caller.id}}
http: {url: "http://HOST/{a}/{who}{b}", query: {c: "{c}"}, headers: {X-A: "{d}{who}", X-B: "{b}"}}`)
	for _, c := range []struct{ args, want string }{
		{`{"a": "..", "b": "x\ny"}`, `args.a: expected another value, got one that makes a step in the path, such as "..". Give the name or number alone.
args.b: expected another value, got one that holds what a header can't carry: a line end, another control character, or blanks at its ends. Write it on one line.`},
		{`{"a": "", "b": "b", "d": "\u0000"}`, `args.a: expected another value, got one that is empty, and the path needs it.`},
		{`{"a": "a", "b": "b", "c": ` + inJSON(strings.Repeat("é", 8000)) + `}`, `args.c: expected another value, got one that makes the address longer than the 32768 bytes that a request may have. Say it shorter.`},
		{`{"a": "a", "b": ` + inJSON(strings.Repeat("b", 17000)) + `}`, `args.b: expected another value, got one that is longer than the 16384 bytes that a header may have. Say it shorter.`},
	} {
		_, err := m.Check(json.RawMessage(c.args))
		var invalid *validate.Error
		if !errors.As(err, &invalid) {
			t.Errorf("%.80s: %v", c.args, err)
			continue
		}
		if got := strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(invalid.Fix()), "\n- ", "\n"), "- "); got != c.want {
			t.Errorf("%.80s:\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
	// What stands beside a value of the server's is seen when that is known.
	if state, text := called(t, m, `{"a": "a", "b": "b", "d": "\u0000"}`); state != "not_run" || !strings.Contains(text, "args.d holds what a header can't carry") {
		t.Errorf("%s: %s", state, text)
	}
	if requests, _ := s.seen(); len(requests) > 0 {
		t.Errorf("%d requests were sent", len(requests))
	}
}

// A body that is too long is refused like any other value, in a line and not in 4 MiB.
func TestBodyTooLong(t *testing.T) {
	t.Parallel()
	m := prepared(t, online(t, nil), "127.0.0.1:1", "effect: write\nparams: {a: {type: string}, b: {type: string}}\nhttp: {method: POST, url: \"http://HOST/\", body: {a: \"{a}\", b: \"{b}\"}}")
	state, text := called(t, m, `{"a": "a", "b": "`+strings.Repeat("b", maxSent)+`"}`)
	if state != "refused" || !strings.Contains(text, "args.b") || len(text) > 500 {
		t.Errorf("%s: %.500s", state, text)
	}
}

func target(request string) string { return strings.Split(request, " ")[1] }

func bodyOf(request string) string {
	_, body, _ := strings.Cut(request, "\r\n\r\n")
	return body
}

func inJSON(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return "null"
	}
	return strings.TrimSpace(b.String())
}
