package otlp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFromEnv(t *testing.T) {
	t.Parallel()
	const p = "OTEL_EXPORTER_OTLP_"
	on := func(url string) *Settings { return &Settings{URL: url, Headers: http.Header{}} }
	for name, tc := range map[string]struct {
		env  map[string]string
		want *Settings // nil = off, or an error
		err  string    // what stands in it; "" = none
	}{
		"nothing":                {map[string]string{}, nil, ""},
		"blank":                  {map[string]string{p + "ENDPOINT": "  "}, nil, ""},
		"headers alone":          {map[string]string{p + "HEADERS": "nonsense"}, nil, ""},
		"endpoint":               {map[string]string{p + "ENDPOINT": "http://127.0.0.1:4318"}, on("http://127.0.0.1:4318/v1/traces"), ""},
		"endpoint with a path":   {map[string]string{p + "ENDPOINT": "https://c.example/otlp/"}, on("https://c.example/otlp/v1/traces"), ""},
		"endpoint with a query":  {map[string]string{p + "ENDPOINT": "https://c.example/?a=b"}, on("https://c.example/v1/traces?a=b"), ""},
		"traces endpoint":        {map[string]string{p + "TRACES_ENDPOINT": "https://c.example/x", p + "ENDPOINT": "http://other"}, on("https://c.example/x"), ""},
		"traces endpoint, bare":  {map[string]string{p + "TRACES_ENDPOINT": "https://c.example"}, on("https://c.example/"), ""},
		"disabled":               {map[string]string{p + "ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "TRUE"}, nil, ""},
		"no traces":              {map[string]string{p + "ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, nil, ""},
		"http/json":              {map[string]string{p + "ENDPOINT": "http://c", p + "PROTOCOL": "http/json"}, on("http://c/v1/traces"), ""},
		"grpc":                   {map[string]string{p + "ENDPOINT": "http://c", p + "PROTOCOL": "grpc"}, nil, p + `PROTOCOL is "grpc": spans are sent as http/json alone`},
		"protobuf":               {map[string]string{p + "ENDPOINT": "http://c", p + "PROTOCOL": "http/protobuf"}, nil, "http/json alone"},
		"grpc, but not here":     {map[string]string{p + "ENDPOINT": "http://c", p + "PROTOCOL": "grpc", p + "TRACES_PROTOCOL": "http/json"}, on("http://c/v1/traces"), ""},
		"grpc for traces":        {map[string]string{p + "ENDPOINT": "http://c", p + "TRACES_PROTOCOL": "grpc"}, nil, p + "TRACES_PROTOCOL"},
		"grpc, and off":          {map[string]string{p + "PROTOCOL": "grpc"}, nil, ""},
		"no scheme":              {map[string]string{p + "ENDPOINT": "canary:4318"}, nil, p + "ENDPOINT is no address"},
		"another scheme":         {map[string]string{p + "TRACES_ENDPOINT": "ftp://canary"}, nil, p + "TRACES_ENDPOINT is no address"},
		"no host":                {map[string]string{p + "ENDPOINT": "http:///canary"}, nil, "no address"},
		"not to be read":         {map[string]string{p + "ENDPOINT": "http://canary:port"}, nil, "no address"},
		"a password":             {map[string]string{p + "ENDPOINT": "http://me:canary@c"}, nil, "put it into " + p + "HEADERS"},
		"headers without a name": {map[string]string{p + "ENDPOINT": "http://c", p + "HEADERS": "a=b,=canary"}, nil, p + "HEADERS: entry 2"},
		"headers with a blank":   {map[string]string{p + "ENDPOINT": "http://c", p + "HEADERS": "a b=canary"}, nil, "entry 1"},
		"headers that break":     {map[string]string{p + "ENDPOINT": "http://c", p + "HEADERS": "a=canary%0d%0ab:c"}, nil, "entry 1"},
		"headers badly escaped":  {map[string]string{p + "ENDPOINT": "http://c", p + "HEADERS": "a=canary%zz"}, nil, "entry 1"},
		"headers without =":      {map[string]string{p + "ENDPOINT": "http://c", p + "TRACES_HEADERS": "canary"}, nil, p + "TRACES_HEADERS: entry 1"},
		"all": {map[string]string{p + "ENDPOINT": "http://c", p + "HEADERS": " authorization = Basic%20YQ%3D%3D , x-scope=a=b,", "OTEL_SERVICE_NAME": " desk "},
			&Settings{URL: "http://c/v1/traces", Headers: http.Header{"Authorization": {"Basic YQ=="}, "X-Scope": {"a=b"}}, Service: "desk"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := FromEnv(func(name string) string { return tc.env[name] })
			if tc.err == "" && err != nil || tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "canary")) {
				t.Fatalf("error %v, want %q", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
