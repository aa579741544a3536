package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// TestAFloodOfOneMethod: who calls one method too often is told when to come again. Other methods and other callers
// do not notice (K11).
func TestAFloodOfOneMethod(t *testing.T) {
	t.Parallel()
	reg := registry.New()
	for _, m := range newDesk().methods() {
		if err := reg.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	eng := decide.New(reg, decide.Options{Rate: registry.Rate{Calls: 50, Per: time.Second}, Now: func() time.Time { return now }})
	s := serverOf(t, eng, Options{})
	h := overHTTP(t, s)
	h.Config.Handler = as(s)
	call := func(caller, method string) (ran bool, retry float64) {
		r := postOf(t, h.URL, []byte(callLine(1, method, `{}`)))
		r.Header.Set("X-Caller", caller)
		resp, err := h.Client().Do(r)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		text := messagesOf(t, resp)[0]
		var a struct {
			Result struct {
				IsError bool
				Meta    map[string]any `json:"_meta"`
			}
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatal(err)
		}
		if a.Result.IsError && (a.Result.Meta[metaError] != "gated" || !strings.Contains(text, "Try again in")) {
			t.Fatal(text)
		}
		retry, _ = a.Result.Meta[metaRetry].(float64)
		return !a.Result.IsError, retry
	}
	ran := 0
	for range 60 {
		ok, retry := call("a", "nothing")
		if ok {
			ran++
		} else if retry <= 0 || retry > 1000 {
			t.Fatalf("come again in %v ms", retry)
		}
	}
	if ran != 50 {
		t.Errorf("%d of 60 calls at one moment ran, want 50", ran)
	}
	for caller, method := range map[string]string{"a": "media", "b": "nothing"} {
		if ok, _ := call(caller, method); !ok {
			t.Errorf("%s's %s suffers from the flood", caller, method)
		}
	}
}
