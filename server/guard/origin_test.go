package guard

import "testing"

func TestParseOrigin(t *testing.T) {
	t.Parallel()
	app := func(scheme, port string) origin { return origin{scheme, host{"app.example.com", port}} }
	for _, tc := range []struct {
		in   string
		want origin // zero = refused
	}{
		{"https://app.example.com", app("https", "443")},
		{"HTTPS://App.Example.Com.", app("https", "443")},
		{"https://app.example.com:443", app("https", "443")},
		{"https://app.example.com:80", app("https", "80")},
		{"http://app.example.com", app("http", "80")},
		{"vscode-webview://app.example.com", app("vscode-webview", "")},
		{"a+b-c.9://app.example.com", app("a+b-c.9", "")},
		{"http://[::1]:1", origin{"http", host{"[::1]", "1"}}},
		{"null", origin{}},
		{"", origin{}},
		{"app.example.com", origin{}},
		{"//app.example.com", origin{}},
		{"://app.example.com", origin{}},
		{"9http://app.example.com", origin{}},
		{"+http://app.example.com", origin{}},
		{"ht/tp://app.example.com", origin{}},
		{"ht tp://app.example.com", origin{}},
		{"http:/app.example.com", origin{}},
		{"http://", origin{}},
		{"http://app.example.com/", origin{}},
		{"http://app.example.com?", origin{}},
		{"http://app.example.com#", origin{}},
		{"http://u@app.example.com", origin{}},
		{"http://http://app.example.com", origin{}},
		{"\u212Attp://app.example.com", origin{}},
	} {
		got, ok := parseOrigin(tc.in)
		if got != tc.want || ok != (tc.want != origin{}) {
			t.Errorf("parseOrigin(%q) = %v, %v; want %v", tc.in, got, ok, tc.want)
		}
	}
}
