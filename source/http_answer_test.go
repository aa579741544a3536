package source

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/registry"
)

// answering is an answer with a body of that type.
func answering(status, media, body string, headers ...string) string {
	if media != "" {
		headers = append(headers, "Content-Type: "+media)
	}
	return fmt.Sprintf("HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s", status, strings.Join(append(headers, ""), "\r\n"), len(body), body)
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// X5 for a bomb. What an answer comes to: its text, or why there is none, and whether that counts as failed or as unknown where a
// call may have changed something.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const secret = "orders-token-hunter2"
	big := strings.Repeat("0123456789abcdef", maxAnswer/16)
	for _, c := range []struct{ name, answer, state, want string }{
		{"JSON", answering("200 OK", "application/json; charset=utf-8", " {\"b\": 1.50, \"a\": [null, \"x\x7f\"]}\n"), "done", "{\"b\": 1.50, \"a\": [null, \"x\\u007f\"]}"},
		{"problem JSON", answering("201 Created", "application/vnd.api+JSON", `[1]`), "done", `[1]`},
		{"JSON with a mark", answering("200 OK", "application/json", "\ufeff{}"), "done", `{}`},
		{"JSON that is none", answering("200 OK", "application/json", "<html>"), "failed", "m failed: it answered 200 OK, but its body is not the JSON that it says it is: "},
		{"JSON twice", answering("200 OK", "application/json", `{"a":1,"a":2}`), "failed", "m failed: it answered 200 OK, but its body is not the JSON that it says it is: "},
		{"blank JSON", answering("200 OK", "application/json", " \n"), "done", ""},
		{"text", answering("200 OK", "text/html", "<p>ü\x1b[31m\r\nx</p>\n"), "done", "<p>ü\\x1b[31m\r\nx</p>\n"},
		{"no type", answering("200 OK", "", "plain"), "done", "plain"},
		{"an odd type", answering("200 OK", "text/;;=", "plain"), "done", "plain"},
		{"XML picture", answering("200 OK", "image/svg+xml", "<svg/>"), "done", "<svg/>"},
		{"another script", answering("200 OK", "text/plain; charset=iso-8859-1", "gr\xfc\xdfe"), "failed", "m failed: it answered 200 OK, but its body is 5 bytes of text/plain; charset=iso-8859-1, which is not text in UTF-8"},
		{"bytes", answering("200 OK", "application/octet-stream; x=\"\u202e\"", "\x00\xff"), "failed", "m failed: it answered 200 OK, but its body is 2 bytes of application/octet-stream; x=\"\\u202e\", which"},
		{"bytes of a type", answering("200 OK", "application/pdf", "%PDF\xff"), "failed", "m failed: it answered 200 OK, but its body is 5 bytes of application/pdf, which is not text in UTF-8"},
		{"bytes of no type", answering("200 OK", "", "\xff"), "failed", "m failed: it answered 200 OK, but its body is 1 bytes of no declared type, which is not text in UTF-8"},
		{"nothing", "HTTP/1.1 204 No Content\r\n\r\n", "done", ""},
		{"empty", answering("200 OK", "application/json", ""), "done", ""},
		{"gzip", answering("200 OK", "text/plain", gzipped("packed"), "Content-Encoding: gzip"), "done", "packed"},
		{"gzip cut off", answering("200 OK", "text/plain", gzipped("packed")[:15], "Content-Encoding: gzip"), "unknown", "It is not known whether m took effect: it answered 200 OK, but not to its end: the connection was lost in the middle of it"},
		{"another compression", answering("200 OK", "text/plain", "\x0b\x02\x80x\x03", "Content-Encoding: br"), "failed", "m failed: it answered 200 OK, but its body is compressed in a way that was not asked for"},
		{"a bomb", answering("200 OK", "text/plain", gzipped(big+big), "Content-Encoding: gzip"), "done", "0123"},
		{"a bomb of JSON", answering("200 OK", "application/json", gzipped(`"`+big+big+`"`), "Content-Encoding: gzip"), "failed", "m failed: it answered 200 OK, but its JSON has more than 4194304 bytes"},
		{"a bomb in a failure", answering("500 No", "text/plain", gzipped(big+big), "Content-Encoding: gzip"), "failed", "m failed: it answered 500 Internal Server Error: 0123"},
		{"long JSON", answering("200 OK", "application/json", `"`+big+`"`), "failed", "m failed: it answered 200 OK, but its JSON has more than 4194304 bytes"},
		{"long bytes", answering("200 OK", "application/zip", "\xff"+big), "failed", "m failed: it answered 200 OK, but its body is more than 4194304 bytes of application/zip, which is not text in UTF-8"},
		{"long picture", answering("200 OK", "image/png", big+"x"), "failed", "m failed: it answered 200 OK, but its body has more than 4194304 bytes"},
		{"not found", answering("404 Not Found", "application/json", `{"error": "no order A-1042"}`), "failed", `m failed: it answered 404 Not Found: {"error": "no order A-1042"}`},
		{"foreign words", answering("418 I am \x1b[31mred", "text/plain", "a\nb\x1b"), "failed", `m failed: it answered 418 I'm a teapot:\na\nb\x1b`},
		{"an odd status", answering("599 x", "", ""), "failed", "m failed: it answered 599"},
		{"bytes in a failure", answering("500 x", "image/png", "\x00\xff"), "failed", "m failed: it answered 500 Internal Server Error"},
		{"a secret in a failure", answering("401 Unauthorized", "text/plain", "no such token: "+secret+", for os:7777 and "+strings.Repeat("é", 3000)+secret), "failed", "m failed: it answered 401 Unauthorized: no such token: ***, for *** and é"},
		{"from the middle", answering("502 Bad Gateway", "text/plain", "gone"), "unknown", "It is not known whether m took effect: it answered 502 Bad Gateway: gone"},
		{"too late for the middle", answering("504 x", "", ""), "unknown", "It is not known whether m took effect: it answered 504 Gateway Timeout"},
		{"not now", answering("503 x", "", ""), "failed", "m failed: it answered 503 Service Unavailable"},
		{"a redirect", answering("302 Found", "text/plain", "to evil", "Location: http://evil.example/"+secret), "failed", "m failed: it answered 302 Found; redirects are not followed"},
		{"a permanent one", answering("308 x", "", "", "Location: /"), "failed", "m failed: it answered 308 Permanent Redirect; redirects are not followed"},
		{"not modified", "HTTP/1.1 304 x\r\n\r\n", "failed", "m failed: it answered 304 Not Modified; redirects are not followed"},
		{"another protocol", "HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", "failed", "m failed: it answered 101 Switching Protocols"},
		{"early words", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + fine, "done", "fine"},
	} {
		for _, effect := range []string{"read", "write"} {
			t.Run(c.name+", "+effect, func(t *testing.T) {
				t.Parallel()
				s := serve(t, "127.0.0.1:0", func(c_ net.Conn, _ string, _ int) bool {
					_, _ = io.WriteString(c_, c.answer) // it may hang up before the end
					return false
				})
				m := prepared(t, online(t, map[string]string{"TOKEN": secret}), s.Addr().String(), "effect: "+effect+
					"\nparams: {who: {type: string, from: caller.id}, pin?: {type: string, secret: true}}\nhttp: {url: \"http://HOST/\", auth: {bearer: env:TOKEN}, headers: {X-Who: \"{who}{pin}\"}}")
				state, text := called(t, m, `{"pin": "os:7777"}`)
				want, wantState := c.want, c.state
				if wantState == "unknown" && effect == "read" {
					want, wantState = strings.Replace(want, "It is not known whether m took effect:", "m failed:", 1), "failed"
				}
				if string(state) != wantState || !strings.HasPrefix(text, want) {
					t.Errorf("%s: %.300q\nwant %s: %q", state, text, wantState, want)
				}
				if c.name == "a bomb" && !strings.HasSuffix(text, "abcdef\n[cut: the first 4194304 bytes]") {
					t.Errorf("it does not say that it was cut: %q", text[len(text)-100:])
				}
				if strings.Contains(text, secret[:12]) || strings.Contains(text, "evil") || len(text) > 35_000 {
					t.Errorf("%.300q", text)
				}
				if requests, _ := s.seen(); len(requests) != 1 {
					t.Errorf("%d requests", len(requests))
				}
			})
		}
	}
}

func TestAnswersThatAreBlocks(t *testing.T) {
	t.Parallel()
	for media, want := range map[string]registry.Block{
		"image/png":              registry.Image([]byte("\x89PNG\x00"), "image/png"),
		"Audio/Ogg; codecs=opus": registry.Audio([]byte("\x89PNG\x00"), "audio/ogg"),
	} {
		s := serve(t, "127.0.0.1:0", says(answering("200 OK", media, "\x89PNG\x00")))
		m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\nhttp: {url: \"http://HOST/\"}")
		r, err := call(t, t.Context(), m, `{}`)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]registry.Block{want}, r.Content); diff != "" {
			t.Errorf("%s: -want +got\n%s", media, diff)
		}
	}
}

// HEAD asks whether something is there; the answer has no body, whatever length it declares.
func TestHead(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"200 OK": "done: ", "404 x": "failed: m failed: it answered 404 Not Found"} {
		s := serve(t, "127.0.0.1:0", says("HTTP/1.1 "+status+"\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"))
		m := prepared(t, online(t, nil), s.Addr().String(), "effect: read\nhttp: {method: HEAD, url: \"http://HOST/x\"}")
		if state, text := called(t, m, `{}`); string(state)+": "+text != want {
			t.Errorf("%s: %s", state, text)
		}
	}
}
