package source

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
	"github.com/mcp-decide/mcp-decide/registry"
)

// FuzzURL: whatever an address and its values are, the request goes to the host that the file names, its path has as
// many segments as the file's, nothing is added to its query or its headers, and what is read back of it are the values.
func FuzzURL(f *testing.F) {
	for _, h := range hostile {
		f.Add("http://127.0.0.1:9000/orders/{a}/x{b}.json?q={a}&r=-{b}&flag", h.value, h.value, h.value)
		f.Add("https://api.example/{a}", h.value, "b", "c")
		f.Add(h.value, "a", "b", "c")
		f.Add("https://api.example/"+h.value+"{a}", "a", "b", "c")
	}
	h := online(f, nil)
	f.Fuzz(func(t *testing.T, address, a, b, c string) {
		if !ascii(address) {
			return // refused, or a placeholder that names no parameter
		}
		file := "methods:\n  m:\n    summary: Call it.\n    effect: read\n    params: {a: {type: string}, b: {type: string}, c: {type: string}}\n    http: {url: " +
			inJSON(address) + ", query: {c: \"{c}\"}, headers: {X-C: \"<{c}>\"}}\n"
		parsed, err := config.Parse("c.yaml", "", []byte(file))
		if err != nil {
			return
		}
		e := endpointIn(h, parsed)
		args := registry.Args{"a": a, "b": b, "c": c}
		filled := e.fill(args)
		if len(filled.misfits) > 0 {
			return
		}
		for _, misfit := range e.refuse(registry.Args{"a": a, "b": b, "c": c}) {
			t.Errorf("refused, and yet filled: %s", misfit)
		}
		reached := onWire(t, e, filled)
		scheme, rest, _ := strings.Cut(address, "://")
		host, rest := cutAt(rest, "/?")
		if got := e.scheme + "://" + reached.Host; got != strings.ToLower(scheme+"://"+host) {
			t.Fatalf("goes to %q", got)
		}
		route, query := cutAt(rest, "?")
		checkPath(t, reached, route, args)
		checkQuery(t, reached, query, args)
		if got := reached.Header["X-C"]; len(got) != 1 || got[0] != "<"+c+">" || len(reached.Header) != 3 {
			t.Errorf("%q arrives as %q among %v", c, got, reached.Header)
		}
	})
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || r < ' ' })
}

func cutAt(s, any string) (before, after string) {
	if i := strings.IndexAny(s, any); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

func endpointIn(h host, f *config.File) *endpoint {
	b := builder{host: h, configured: &f.Methods[0]}
	m := f.Methods[0].Method
	return b.endpoint(f.Methods[0].HTTP, &m)
}

// onWire writes a request as it is sent, and reads it as a server does.
func onWire(t *testing.T, e *endpoint, f filled) *http.Request {
	t.Helper()
	var wire bytes.Buffer
	if err := e.request(context.Background(), f).Write(&wire); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(&wire)
	reached, err := http.ReadRequest(r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Buffered() > 0 {
		t.Fatal("there is more than one request")
	}
	return reached
}

// checkPath compares a path, segment by segment, with its template.
func checkPath(t *testing.T, reached *http.Request, route string, args registry.Args) {
	t.Helper()
	if route == "" {
		route = "/"
	}
	target, _ := cutAt(reached.RequestURI, "?")
	got, want := strings.Split(target, "/"), strings.Split(route, "/")
	if len(got) != len(want) {
		t.Fatalf("%q has other segments than %q", target, route)
	}
	for i := range want {
		values := registry.Args{}
		for name, value := range args {
			values[name] = url.PathEscape(value.(string)) // another way to write it that reads the same
		}
		expected, err := registry.ParseTemplate(want[i])
		if err != nil {
			t.Fatal(err)
		}
		text, _ := expected.Expand(values)
		wanted, err1 := url.PathUnescape(text)
		read, err2 := url.PathUnescape(got[i])
		if err1 != nil || err2 != nil || read != wanted {
			t.Errorf("segment %q reads as %q, want %q", got[i], read, wanted)
		}
		if len(expected.Params()) > 0 && (read == "." || read == ".." || strings.Contains("/"+read+"/", "/../")) {
			t.Errorf("segment %q is a step", got[i])
		}
	}
	if reached.URL.Path != "" && !strings.HasPrefix(reached.URL.Path, "/") {
		t.Errorf("the path is %q", reached.URL.Path)
	}
}

// checkQuery compares the pairs of a query with those of its template, and the one beside it.
func checkQuery(t *testing.T, reached *http.Request, query string, args registry.Args) {
	t.Helper()
	_, sent := cutAt(reached.RequestURI, "?")
	pairs := strings.Split(strings.TrimPrefix(sent, "?"), "&")
	var templates []string
	if query != "" {
		templates = strings.Split(query[1:], "&")
	}
	if len(pairs) != len(templates)+1 {
		t.Fatalf("%q has other pairs than %q", sent, query)
	}
	for i, text := range append(templates, "c={c}") {
		name, value, _ := strings.Cut(text, "=")
		gotName, gotValue, _ := strings.Cut(pairs[i], "=")
		values := registry.Args{}
		for name, value := range args {
			values[name] = strings.ReplaceAll(url.PathEscape(value.(string)), "+", "%2B")
		}
		expected, err := registry.ParseTemplate(value)
		if err != nil {
			t.Fatal(err)
		}
		filled, _ := expected.Expand(values)
		wanted, err1 := url.QueryUnescape(filled)
		read, err2 := url.QueryUnescape(gotValue)
		if gotName != strings.NewReplacer("{{", "{", "}}", "}").Replace(name) || err1 != nil || err2 != nil || read != wanted {
			t.Errorf("%q reads as %q, want %q", pairs[i], read, wanted)
		}
	}
}
