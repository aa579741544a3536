package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
)

// listed is a tool as a client reads it.
type listed struct {
	Name        string
	Title       string
	Description string
	InputSchema json.RawMessage
	Annotations struct {
		ReadOnlyHint, DestructiveHint, IdempotentHint, OpenWorldHint *bool
	}
}

// toolsOf lists the tools of a server by its wire.
func toolsOf(t testing.TB, s *Server) []listed {
	t.Helper()
	var answer struct {
		Result struct{ Tools []listed }
	}
	if err := json.Unmarshal(listLine(t, s), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result.Tools
}

func listLine(t testing.TB, s *Server) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func names(tools []listed) []string {
	var list []string
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return list
}

func TestTheToolListStaysTheSame(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := d.server(t, Options{})
	first := listLine(t, s)
	p := connect(t, s)
	for i := range 100 {
		p.ask(2*i, "handle_ticket", `{"ticket":"x"}`)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if got := p.next().line; !bytes.Equal(got, bytes.TrimSpace(first)) {
			t.Fatalf("list %d differs:\n%s", i, cmp.Diff(string(first), string(got)))
		}
	}
	p.end()
	if again := listLine(t, newDesk().server(t, Options{})); !bytes.Equal(again, first) {
		t.Errorf("another server's list differs:\n%s", cmp.Diff(string(first), string(again)))
	}
}

func TestParametersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	var params []registry.Param
	var want []string
	for _, c := range "zebra" + "QXK" + "mid" {
		name := string(c) + fmt.Sprint(len(params))
		want = append(want, name)
		params = append(params, registry.Param{Name: name, Type: registry.String, Description: "One."})
	}
	s := serverOf(t, engineOf(t, []registry.Method{{Name: "m", Summary: "One method.", Effect: registry.Read, Params: params, Run: nop}}), Options{})
	got := regexp.MustCompile(`"([a-zQXK]\d+)":\{`).FindAllSubmatch(listLine(t, s), -1)
	var order []string
	for _, g := range got {
		order = append(order, string(g[1]))
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}

func nop(context.Context, registry.Args) (any, error) { return "ok", nil }

func TestHints(t *testing.T) {
	t.Parallel()
	method := func(name string, e registry.Effect, idempotent, open bool) registry.Method {
		return registry.Method{Name: name, Summary: "A method.", Effect: e, Idempotent: idempotent, OpenWorld: open, Run: nop}
	}
	methods := []registry.Method{
		method("r", registry.Read, false, false),
		method("r_open", registry.Read, false, true),
		method("w", registry.Write, false, false),
		method("w_idem", registry.Write, true, false),
		method("d", registry.Destructive, false, false),
		method("d_idem_open", registry.Destructive, true, true),
		method("unsaid", "", false, false),
		{Name: "v", Summary: "A value.", Kind: registry.Value, Constant: json.RawMessage(`1`), Run: func(context.Context, registry.Args) (any, error) { return 1, nil }},
	}
	decision := decide.Decision{Name: "choose", Summary: "Choose one.", Prompt: "Choose.", Options: []decide.Option{
		decide.Func("a", "r"), decide.Func("b", "w"), decide.Func("c", "d_idem_open"),
	}}
	got := map[string]string{}
	for _, tool := range toolsOf(t, serverOf(t, engineOf(t, methods, decision), Options{})) {
		a := tool.Annotations
		if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Fatalf("%s: a hint is left out", tool.Name)
		}
		if *a.ReadOnlyHint && *a.DestructiveHint {
			t.Errorf("%s: read-only and destructive", tool.Name)
		}
		if tool.Title == "" || tool.Description == "" {
			t.Errorf("%s: no title or description", tool.Name)
		}
		got[tool.Name] = hintText(*a.ReadOnlyHint, *a.DestructiveHint, *a.IdempotentHint, *a.OpenWorldHint)
	}
	want := map[string]string{
		"r":                "read-only idempotent",
		"r_open":           "read-only idempotent open",
		"w":                "",
		"w_idem":           "idempotent",
		"d":                "destructive",
		"d_idem_open":      "destructive idempotent open",
		"unsaid":           "destructive",
		"v":                "read-only idempotent",
		"choose":           "read-only",
		"pick_read":        "read-only idempotent",
		"pick_write":       "",
		"pick_destructive": "destructive open",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func hintText(readOnly, destructive, idempotent, open bool) string {
	var words []string
	for _, h := range []struct {
		on   bool
		word string
	}{{readOnly, "read-only"}, {destructive, "destructive"}, {idempotent, "idempotent"}, {open, "open"}} {
		if h.on {
			words = append(words, h.word)
		}
	}
	return strings.Join(words, " ")
}

func TestWhichToolsThereAre(t *testing.T) {
	t.Parallel()
	methods := []registry.Method{
		{Name: "r", Summary: "Reads.", Effect: registry.Read, Run: nop},
		{Name: "w_menu", Summary: "Writes.", Effect: registry.Write, Offer: registry.OfferMenu, Run: nop},
		{Name: "d_both", Summary: "Destroys.", Effect: registry.Destructive, Offer: registry.OfferBoth, Run: nop},
		{Name: "off", Summary: "Is off.", Effect: registry.Read, Off: "no secret", Run: nop},
	}
	choose := func(options ...decide.Option) []decide.Decision {
		return []decide.Decision{{Name: "choose", Summary: "Choose.", Prompt: "Choose.", Options: options}}
	}
	none := choose(decide.Func("x", "w_menu"))
	none[0].None = true
	for _, c := range []struct {
		name      string
		offer     registry.Offer
		decisions []decide.Decision
		want      string
	}{
		{"no decision", "", nil, "d_both r"},
		{"a read option", "", choose(decide.Func("x", "r")), "choose d_both pick_read r"},
		{"a value option", "", choose(decide.Value("x", 1)), "choose d_both pick_read r"},
		{"a write option", "", choose(decide.Func("x", "w_menu")), "choose d_both pick_write r"},
		{"a write option or none of these", "", none, "choose d_both pick_read pick_write r"},
		{"two classes", "", choose(decide.Func("x", "r"), decide.Func("y", "d_both")), "choose d_both pick_destructive pick_read r"},
		{"an option that is off", "", choose(decide.Func("x", "off"), decide.Func("y", "d_both")), "choose d_both pick_destructive r"},
		{"everything by menu", registry.OfferMenu, choose(decide.Func("x", "r")), "choose pick_read"},
		{"everything native", registry.OfferNative, nil, "d_both r w_menu"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serverOf(t, engineOf(t, methods, c.decisions...), Options{Offer: c.offer})
			if got := strings.Join(names(toolsOf(t, s)), " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A client may remember a tool that is off by now.
func TestAToolThatIsOff(t *testing.T) {
	t.Parallel()
	p := connect(t, serverOf(t, engineOf(t, []registry.Method{
		{Name: "off", Summary: "Is off.", Effect: registry.Read, Off: "no secret", Run: nop},
		{Name: "off_by_menu", Summary: "Is off.", Effect: registry.Read, Off: "no secret", Offer: registry.OfferMenu, Run: nop},
	}), Options{}))
	for id, tc := range []struct{ tool, want string }{
		{"off", `"message":"the tool \"off\" can't be called now: no secret","data":{"mcp-decide/error":"gated"}`},
		{"off_by_menu", `there is no tool named \"off_by_menu\"`},
		{"of", `there is no tool named \"of\"`},
	} {
		if a := p.ask(id, tc.tool, `{}`); a.Error == nil || !strings.Contains(string(a.line), tc.want) {
			t.Errorf("%s: %s", tc.tool, a.line)
		}
	}
	p.end()
}

func TestNamesThatCanNotBe(t *testing.T) {
	t.Parallel()
	m := func(name string, o registry.Offer) registry.Method {
		return registry.Method{Name: name, Summary: "A method.", Effect: registry.Read, Offer: o, Run: nop}
	}
	d := func(name string) decide.Decision {
		return decide.Decision{Name: name, Summary: "Choose.", Prompt: "Choose.", Options: []decide.Option{decide.Value("x", 1)}}
	}
	for _, c := range []struct {
		name      string
		methods   []registry.Method
		decisions []decide.Decision
		want      []string // parts of the error; nil = none
	}{
		{"a method and a decision", []registry.Method{m("x", "")}, []decide.Decision{d("x")}, []string{`decision "x"`, `method "x"`}},
		{"a method by menu and a decision", []registry.Method{m("x", registry.OfferMenu)}, []decide.Decision{d("x")}, []string{`decision "x"`, `method "x"`}},
		{"a method and a helper", []registry.Method{m("pick_write", "")}, nil, []string{`method "pick_write"`, "tool"}},
		{"a decision and a helper to come", nil, []decide.Decision{d("find_options")}, []string{`decision "find_options"`, "tool"}},
		{"a method and a decision that looks like it", []registry.Method{m("get_order", "")}, []decide.Decision{d("get_0rder")}, []string{`decision "get_0rder"`, `"get_order"`, "look-alike"}},
		{"a method that looks like a helper", []registry.Method{m("p1ck_destructive", "")}, nil, []string{`method "p1ck_destructive"`, "looks like", `"pick_destructive"`}},
		{"a method by menu that looks like a helper", []registry.Method{m("PICK_READ", registry.OfferMenu)}, nil, []string{`method "PICK_READ"`, "looks like", `"pick_read"`}},
		{"a decision that looks like a helper", nil, []decide.Decision{d("find_opti0ns")}, []string{`decision "find_opti0ns"`, `"find_options"`}},
		{"a name that no tool may have", []registry.Method{m("Lookup", "")}, nil, []string{`method "Lookup"`, "a to z"}},
		{"the same by menu", []registry.Method{m("Lookup", registry.OfferMenu)}, nil, nil},
		{"a decision with such a name", nil, []decide.Decision{d("wählen")}, []string{`decision "wählen"`, "a to z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := New(engineOf(t, c.methods, c.decisions...), Options{})
			if (err != nil) != (c.want != nil) {
				t.Fatalf("got %v", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestALaterMethodIsSeen(t *testing.T) {
	t.Parallel()
	reg := registry.New()
	eng := decide.New(reg, decide.Options{})
	s := serverOf(t, eng, Options{})
	add := func(name string) {
		if err := reg.Add(registry.Method{Name: name, Summary: "A method.", Effect: registry.Read, Run: nop}); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(toolsOf(t, s)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	add("later")
	if got := names(toolsOf(t, s)); !slices.Equal(got, []string{"later"}) {
		t.Errorf("got %v", got)
	}
	add("pick_read") // can't be offered: the lists stay
	if got := names(toolsOf(t, s)); !slices.Equal(got, []string{"later"}) {
		t.Errorf("got %v", got)
	}
}

func TestInstructions(t *testing.T) {
	t.Parallel()
	many := make([]*decide.Decision, 40)
	for i := range many {
		many[i] = &decide.Decision{Name: fmt.Sprintf("decision_with_quite_a_long_name_%d", i)}
	}
	all := []registry.Effect{registry.Read, registry.Write, registry.Destructive}
	for _, c := range []struct {
		name, author, notice string
		catalog              catalog
		want, not            []string
	}{
		{"nothing", "", "", catalog{}, nil, []string{"turn"}},
		{"the author first, the notice last", "Settle tickets.", "The demo runs.", catalog{decisions: many[:1], picks: all[:1]},
			[]string{"^Settle tickets.\n\nHow turns work", "pick_read for [read]", "\n\nThe demo runs.$"}, []string{"pick_write"}},
		{"all classes", "", "", catalog{decisions: many[:2], picks: all}, []string{"pick_read for [read], pick_write for [write] or pick_destructive for [destructive]"}, nil},
		{"too long", strings.Repeat("ä", 3000), strings.Repeat("ö", 3000), catalog{decisions: many, picks: all}, []string{"…\n\nHow turns work", "or others", "quoted data"}, nil},
		{"escapes", "a\x1b[31mb\u202ec", "", catalog{}, []string{"a[31mbc"}, []string{"\x1b", "\u202e"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := instructions(c.author, c.notice, &c.catalog)
			if len(got) >= 2048 {
				t.Errorf("%d bytes", len(got))
			}
			for _, want := range c.want {
				if !strings.Contains("^"+got+"$", want) {
					t.Errorf("%q does not hold %q", got, want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(got, not) {
					t.Errorf("%q holds %q", got, not)
				}
			}
		})
	}
}
