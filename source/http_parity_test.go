package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// come is what a caller can tell of one call, whichever way it went.
type come struct {
	State    registry.State
	Problems []string
	Content  []registry.Block
	Request  string // that the endpoint saw
}

// The same arguments give the same request and the same result, natively and by a pick from the menu.
func TestBothWaysSendTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t, "127.0.0.1:0", func(c net.Conn, request string, _ int) bool {
		status := map[byte]string{'0': "404 x", '1': "302 x", '2': "502 x"}[request[len(request)-3]]
		if status == "" {
			status = "200 OK"
		}
		body, _ := json.Marshal(request)
		return says(answering(status, "application/json", string(body)))(c, "", 0)
	})
	h := online(t, map[string]string{"TOKEN": "canary-token"})
	methods := map[string]*registry.Method{}
	for _, effect := range []string{"read", "write"} {
		methods[effect] = prepared(t, h, s.Addr().String(), "effect: "+effect+`
params: {p: {type: string}, o?: {type: string}, n: {type: integer}, who: {type: string, from: caller.id}}
http:
  method: POST
  url: "http://HOST/{p}?o={o}"
  headers: {X-O: "{o}", X-Who: "{who}"}
  auth: {bearer: env:TOKEN}
  body: {p: "{p}", o: "{o}", n: "{n}"}`)
	}
	values := []string{}
	for _, h := range hostile {
		if !slices.Contains([]string{"...", "<script>"}, h.value) { // in a pick, a placeholder is a value not given
			values = append(values, h.value)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := methods[rapid.SampledFrom([]string{"read", "write"}).Draw(t, "effect")]
		args := map[string]any{"p": rapid.SampledFrom(values).Draw(t, "p"), "n": rapid.IntRange(0, 9).Draw(t, "n")}
		if rapid.Bool().Draw(t, "optional") {
			args["o"] = rapid.SampledFrom(values).Draw(t, "o")
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		want := come{}
		for i, way := range []func(*rapid.T, *registry.Method, json.RawMessage) come{natively, byPick, byText} {
			before, _ := s.seen()
			got := way(t, m, raw)
			if after, _ := s.seen(); len(after) > len(before) {
				got.Request = after[len(after)-1]
			}
			if i == 0 {
				want = got
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: way %d: -native +menu\n%s", raw, i, diff)
			}
		}
		if (want.Request == "") != (want.State == "") {
			t.Fatalf("%s: state %q, request %q", raw, want.State, want.Request)
		}
	})
}

var parityCaller = registry.Caller{ID: "os:7"}

func engine(t *rapid.T, m *registry.Method) *decide.Engine {
	t.Helper()
	reg := registry.New()
	if err := reg.Add(*m); err != nil {
		t.Fatal(err)
	}
	eng := decide.New(reg, decide.Options{})
	if err := eng.Add(decide.Decision{Name: "choose", Summary: "Choose.", Prompt: "Pick one.",
		Options: []decide.Option{{Name: "it", Method: m.Name}, decide.Value("other", 1)}}); err != nil {
		t.Fatal(err)
	}
	return eng
}

func natively(t *rapid.T, m *registry.Method, args json.RawMessage) come {
	t.Helper()
	eng := engine(t, m)
	r, err := eng.Call(t.Context(), eng.View(), decide.Call{Method: m.Name, Args: args, Caller: parityCaller, Path: "native"})
	if err != nil {
		return come{Problems: problemsOf(t, err)}
	}
	return come{State: r.State, Content: r.Content}
}

func byPick(t *rapid.T, m *registry.Method, args json.RawMessage) come {
	return byMenu(t, m, decide.Answer{Call: "it", Args: args})
}

func byText(t *rapid.T, m *registry.Method, args json.RawMessage) come {
	return byMenu(t, m, decide.Answer{Text: fmt.Sprintf(`{"call": "it", "args": %s}`, args)})
}

func byMenu(t *rapid.T, m *registry.Method, a decide.Answer) come {
	t.Helper()
	eng := engine(t, m)
	v := eng.View()
	d, _ := v.Decision("choose")
	o, err := eng.Open(t.Context(), v, decide.Opening{Decision: d, Caller: parityCaller, Channel: decide.Host})
	if err != nil {
		t.Fatal(err)
	}
	a.Handle, a.Caller, a.Channel = o.Handle, parityCaller, decide.Host
	if o, err = eng.Answer(t.Context(), v, a); err != nil {
		t.Fatal(err)
	}
	if o.Result == nil {
		return come{Problems: problemsOf(t, o.Problem)}
	}
	return come{State: o.Result.State, Content: o.Result.Content}
}

func problemsOf(t *rapid.T, err error) []string {
	t.Helper()
	var invalid *validate.Error
	var spent *decide.DecisionError
	var problems []validate.Problem
	switch {
	case errors.As(err, &spent):
		problems = spent.Problems
	case errors.As(err, &invalid):
		problems = invalid.Problems
	default:
		t.Fatalf("an error without a kind: %v", err)
	}
	var lines []string
	for _, p := range problems {
		lines = append(lines, p.String())
	}
	return lines
}
