package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcp-decide/mcp-decide/config"
)

// ordersDesk starts an endpoint for the scripts, and gives its address: it looks up orders for those who show the token, takes
// refunds, and says at /log what it was asked for.
func ordersDesk(t *testing.T) string {
	var mu sync.Mutex
	var log []string
	mux := http.NewServeMux()
	mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer orders-token" {
			http.Error(w, "no such token: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		if r.PathValue("id") != "A-1042" {
			http.Error(w, "no order "+r.PathValue("id"), http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"order_id":"A-1042","total":39.90,"asked_by":%q}`, strings.Map(letters, r.Header.Get("X-Desk")))
	})
	mux.HandleFunc("POST /refunds", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/orders/A-1042", http.StatusFound) })
	mux.HandleFunc("GET /log", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprint(w, strings.Join(log, "\n"))
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		log = append(log, r.Method+" "+r.RequestURI)
		mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// letters keeps what names the kind of a caller: the number behind it differs from machine to machine.
func letters(r rune) rune {
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// The endpoint in the starter file is a comment, and would work if it were none.
func TestStarterEndpoint(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll("\n"+string(demoYAML), "\n  #   ", "\n    ")
	text = strings.ReplaceAll(text, "\n  # lookup_order:", "\n  lookup_order:")
	f, err := config.Parse("demo.yaml", "", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range f.Methods {
		if m.Name == "lookup_order" && m.HTTP != nil && m.HTTP.Auth.Bearer == "env:ORDERS_TOKEN" && len(f.Warnings) == 0 {
			return
		}
	}
	t.Errorf("no lookup_order, or warnings: %v", f.Warnings)
}
