package main

import (
	"net"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
)

// Where it listens, by what is written; a name is looked up once, so that what is checked is what is bound.
func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"127.0.0.1:8787":   "127.0.0.1:8787",
		"127.0.0.1:0":      "127.0.0.1:0",
		"localhost:8787":   "127.0.0.1:8787",
		"[::1]:8787":       "[::1]:8787",
		":8787":            ":8787",
		"0.0.0.0:80":       "0.0.0.0:80",
		"8787":             "",
		"localhost":        "",
		"127.0.0.1:":       "",
		"127.0.0.1:-1":     "",
		"127.0.0.1:65536":  "",
		"127.0.0.1:http":   "",
		"127.0.0.1:80/mcp": "",
		"::1:8787":         "",
		"http://[::1]:80":  "",
		"a b:80":           "",
	} {
		got, err := address(t.Context(), text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q is taken for %v", text, got)
		case want == "" && !strings.Contains(err.Error(), text):
			t.Errorf("%q: the error does not name it: %v", text, err)
		case want != "" && (err != nil || got.String() != want):
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}

// What the configuration has to say before the server can be reached that way.
func TestHowFarItIsOpen(t *testing.T) {
	t.Parallel()
	local, named := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, []string{"desk.example"}
	some := []config.Access{{Name: "desk"}}
	for name, tc := range map[string]struct {
		addr            *net.TCPAddr
		unauthenticated bool
		hosts           []string
		access          []config.Access
		refused         string
	}{
		"this machine":                          {local, false, nil, nil, ""},
		"this machine, by version 6":            {&net.TCPAddr{IP: net.IPv6loopback}, false, nil, nil, ""},
		"this machine, another of its numbers":  {&net.TCPAddr{IP: net.IPv4(127, 1, 2, 3)}, false, nil, nil, ""},
		"this machine, everybody":               {local, true, nil, nil, ""},
		"this machine, everybody, with names":   {local, true, named, nil, ""},
		"this machine, some":                    {local, false, nil, some, ""},
		"this machine, some and everybody":      {local, true, nil, some, "leave out one of them"},
		"this machine, nobody":                  {local, false, nil, []config.Access{}, "nobody could connect"},
		"this machine, nobody and everybody":    {local, true, nil, []config.Access{}, "leave out one of them"},
		"every address":                         {&net.TCPAddr{}, false, nil, some, "allowed_hosts"},
		"every address of version 6":            {&net.TCPAddr{IP: net.IPv6unspecified}, false, nil, some, "allowed_hosts"},
		"another address":                       {&net.TCPAddr{IP: net.IPv4(192, 0, 2, 7)}, false, nil, some, "allowed_hosts"},
		"a private address":                     {&net.TCPAddr{IP: net.IPv4(10, 0, 0, 7)}, false, nil, some, "allowed_hosts"},
		"every address, named":                  {&net.TCPAddr{}, false, named, some, ""},
		"every address, named, a printed token": {&net.TCPAddr{}, false, named, nil, ""},
		"every address, named, everybody":       {&net.TCPAddr{}, true, named, nil, "--allow-unauthenticated lets everybody in"},
		"every address, everybody":              {&net.TCPAddr{}, true, nil, nil, "--allow-unauthenticated lets everybody in"},
	} {
		l := &listening{text: "ADDR", addr: tc.addr, unauthenticated: tc.unauthenticated}
		err := l.check(&config.File{Access: tc.access, HTTP: config.HTTPServer{AllowedHosts: tc.hosts}})
		if (err == nil) != (tc.refused == "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
			t.Errorf("%s: %v, want %q", name, err, tc.refused)
		}
	}
}

// The address that clients are told.
func TestURL(t *testing.T) {
	t.Parallel()
	bound := func(ip net.IP) net.Addr { return &net.TCPAddr{IP: ip, Port: 8787} }
	for _, tc := range []struct {
		at    net.Addr
		hosts []string
		cert  string
		want  string
	}{
		{bound(net.IPv4(127, 0, 0, 1)), nil, "", "http://127.0.0.1:8787"},
		{bound(net.IPv6loopback), []string{"desk.example"}, "", "http://[::1]:8787"},
		{bound(net.IPv4zero), []string{"desk.example", "b.example"}, "", "http://desk.example:8787"},
		{bound(net.IPv6unspecified), []string{"desk.example:443"}, "c", "https://desk.example:443"},
		{bound(net.IPv6unspecified), []string{"[2001:db8::1]"}, "c", "https://[2001:db8::1]:8787"},
		{bound(net.IPv4(192, 0, 2, 7)), []string{"desk.example"}, "c", "https://192.0.2.7:8787"},
	} {
		l := &listening{cert: tc.cert}
		if got := l.url(tc.at, tc.hosts); got != tc.want {
			t.Errorf("%v, %v: %s, want %s", tc.at, tc.hosts, got, tc.want)
		}
	}
}
