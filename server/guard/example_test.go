package guard_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"

	"github.com/mcp-decide/mcp-decide/server/guard"
)

// A handler behind a guard sees only requests that may come in, and knows who asks.
func Example() {
	g, err := guard.New(guard.Options{
		Tokens: []guard.Token{{Name: "desk", Secret: "an-example-of-a-secret", Roles: []string{"agent"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	g.Handle("/echo", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, status, err := guard.ReadBody(w, r)
		if err != nil {
			http.Error(w, err.Error(), status)
			return
		}
		caller, _ := guard.CallerOf(r.Context())
		fmt.Fprintf(w, "%s says %s", caller.ID, body)
	}))
	g.HandleOpen("/healthz", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))

	s, err := guard.NewServer(g, guard.ServerOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, l) }()

	url := "http://" + l.Addr().String()
	show(http.MethodGet, url+"/healthz", nil)
	show(http.MethodPost, url+"/echo", nil)
	show(http.MethodPost, url+"/echo", http.Header{"Authorization": {"Bearer an-example-of-a-secret"}})
	show(http.MethodPost, url+"/echo", http.Header{"Authorization": {"Bearer an-example-of-a-secret"}, "Origin": {"https://elsewhere.example"}})

	stop()
	fmt.Println(<-served)
	// Output:
	// 200 ok
	// 401 A token is needed, in the header Authorization: Bearer TOKEN.
	// 200 token:desk says hello
	// 403 This server does not answer pages of that origin. Whoever runs it can add the origin to allowed_origins.
	// <nil>
}

func show(method, url string, header http.Header) {
	r, err := http.NewRequest(method, url, strings.NewReader("hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	maps.Copy(r.Header, header)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.StatusCode, strings.TrimSpace(string(answer)))
}
