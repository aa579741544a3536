package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcp-decide/mcp-decide/registry"
)

// TestEndpointLimits: more than a request holds is refused in one line each, before anything is made of it.
func TestEndpointLimits(t *testing.T) {
	t.Parallel()
	_, err := Parse("c.yaml", "", []byte("methods:\n"+
		"  a: {summary: Do it., effect: read, http: {url: \"https://api.example/"+strings.Repeat("a/../", 1600)+"\"}}\n"+
		"  b: {summary: Do it., effect: write, http: {method: POST, url: \"https://api.example/\", body: ["+strings.Repeat("1, ", 2000)+"]}}\n"+
		"  c: {summary: Do it., effect: read, http: {url: \"https://api.example/\", headers: {"+numbered("\"X %d\": 1, ", 1100)+"},\n"+
		"    query: {"+numbered("q%d: 1, ", 2000)+"}}}\n"))
	want := `c.yaml:2:50: methods.a.http.url: the text has 8020 characters, more than 8000. Say it shorter
c.yaml:3:95: methods.b.http.body: more than 2000 values in one body. Let the caller give them as one parameter
c.yaml:4:83: methods.c.http.headers: 101 entries, more than 100. Split it
c.yaml:5:12: methods.c.http.query: 235 entries, more than 200. Split it`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

// TestEndpointValues: what a file says of a request, as values.
func TestEndpointValues(t *testing.T) {
	t.Parallel()
	f, err := Parse("c.yaml", "", []byte(`methods:
  m:
    summary: Do it.
    effect: write
    open_world: false
    params: {a: {description: A value here.}, o: {type: object, description: More of it.}}
    http:
      method: POST
      url: "HTTPS://Api.Example:8443/v1/{a}.json/?q={a}&flag"
      query: {x: "{a}", key: env:KEY}
      headers: {X-A: 1, X-B: "file:b"}
      body: {t: "<{a}>", o: "{o}", n: [1.50, null], none: {}}
      auth: {basic: env:LOGIN}
      allow_private: true
`))
	if err != nil {
		t.Fatal(err)
	}
	parse := func(s string) registry.Template {
		parsed, err := registry.ParseTemplate(s)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	text := parse("<{a}>")
	want := &Endpoint{
		Method: "POST",
		URL: Address{Scheme: "https", Host: "api.example:8443", Path: []registry.Template{parse("v1"), parse("{a}.json"), parse("")},
			Query: []registry.Template{parse("q={a}"), parse("flag")}},
		Query:   []Field{{Name: "x", Value: parse("{a}")}, {Name: "key", Reference: "env:KEY"}},
		Headers: []Field{{Name: "X-A", Value: parse("1")}, {Name: "X-B", Reference: "file:b"}},
		Body: &Body{Value: &Value{Members: []Member{
			{"t", Value{Text: &text}}, {"o", Value{Param: "o"}},
			{"n", Value{Items: []Value{{Raw: []byte("1.50")}, {Raw: []byte("null")}}}}, {"none", Value{Members: []Member{}}},
		}}},
		Auth: Auth{Basic: "env:LOGIN"}, AllowPrivate: true,
	}
	if diff := cmp.Diff(want, f.Methods[0].HTTP, cmpopts.IgnoreTypes(Pos{}), cmp.Transformer("template", registry.Template.String)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if !f.Methods[0].OpenWorld {
		t.Error("a method that calls an endpoint does not count as open")
	}
}
