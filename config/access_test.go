package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a file says about serving over HTTP, as values.
func TestServingOverHTTP(t *testing.T) {
	t.Parallel()
	f, err := Parse("serving.yaml", "", goodFiles(t)["testdata/good/serving.yaml"])
	if err != nil {
		t.Fatal(err)
	}
	access := []Access{
		{Name: "desk", Token: "env:DESK_TOKEN", Roles: []string{"agent"}, Pos: Pos{8, 3}},
		{Name: "lead", Token: "file:lead.token", Roles: []string{"agent", "approver"}, Pos: Pos{9, 3}},
		{Name: "night-shift", Token: "env:NIGHT_TOKEN", Pos: Pos{10, 3}},
	}
	if diff := cmp.Diff(access, f.Access); diff != "" {
		t.Errorf("access: -want +got\n%s", diff)
	}
	http := HTTPServer{
		AllowedHosts:   []string{"desk.example", "desk.example:8443", "192.0.2.7", "[2001:db8::1]:8443", "desk.local"},
		AllowedOrigins: []string{"https://desk.example", "http://localhost:6274", "vscode-webview://abc", "https://[2001:db8::1]:8443"},
		Resource:       "https://desk.example/mcp",
		Issuers:        []string{"https://id.example", "http://127.0.0.1:9000/realm"},
	}
	if diff := cmp.Diff(http, f.HTTP); diff != "" {
		t.Errorf("http: -want +got\n%s", diff)
	}
}

// A map without entries means nobody, and is not the same as no map: one random token must not come in its place.
func TestNobodyIsNotNothing(t *testing.T) {
	t.Parallel()
	for text, nobody := range map[string]bool{"access: {}": true, "http: {}": false} {
		f, err := Parse("f.yaml", "", []byte(small+"\n"+text+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Access) > 0 || (f.Access != nil) != nobody {
			t.Errorf("%s: access is %#v", text, f.Access)
		}
	}
}

// Whatever is wrong with an entry, no message holds the secret that somebody wrote there.
func TestNoMessageHoldsAToken(t *testing.T) {
	t.Parallel()
	const canary = "canary-canary-canary"
	for _, text := range []string{
		"access: {desk: {token: " + canary + "}}",
		"access: {desk: " + canary + "}",
		"access: {desk: [" + canary + "]}",
		"access: {desk: {token: [" + canary + "]}}",
		"access: {desk: {token: {" + canary + ": 1}}}",
		"access: " + canary,
		"access: {desk: {token: 'Bearer " + canary + "'}}",
		"http: {resource: 'https://u:" + canary + "@desk.example'}",
		"http: {resource: 'http://u:" + canary + "@desk.example:x'}",
		"http: {allowed_hosts: ['u:" + canary + "@desk.example']}",
		"http: {allowed_origins: ['https://u:" + canary + "@desk.example']}",
		"http: {issuers: ['https://u:" + canary + "@id.example/?x']}",
	} {
		f, err := Parse("f.yaml", "", []byte(small+"\n"+text+"\n"))
		if err == nil {
			t.Errorf("%s is taken", text)
		}
		if got := said(f, err); strings.Contains(got, canary) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
