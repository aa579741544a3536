package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// openTurn opens a turn and returns its handle.
func (p *pipe) openTurn() string {
	p.t.Helper()
	a := p.ask(0, "handle_ticket", `{"ticket":"My vase is broken."}`)
	turn, _ := a.Result.Meta[metaTurn].(string)
	if turn == "" || a.Result.IsError || a.Result.StructuredContent != nil || len(a.Result.Content) != 1 {
		p.t.Fatalf("opening a turn: %s", a.line)
	}
	return turn
}

// ways are the ways in which a pick tool takes a pick.
var ways = map[string]func(turn, option, args string) string{
	"args as an object": func(turn, option, args string) string {
		return fmt.Sprintf(`{"turn":%q,"call":%q,"args":%s}`, turn, option, args)
	},
	"args as text": func(turn, option, args string) string {
		quoted, _ := json.Marshal(args)
		return fmt.Sprintf(`{"turn":%q,"call":%q,"args":%s}`, turn, option, quoted)
	},
	"a reply in prose": func(turn, option, args string) string {
		reply, _ := json.Marshal(fmt.Sprintf("I looked at it.\n{\"call\": %q, \"args\": %s}", option, args))
		return fmt.Sprintf(`{"turn":%q,"text":%s}`, turn, reply)
	},
	"flattened": func(turn, option, args string) string {
		inner := strings.TrimSuffix(strings.TrimPrefix(args, "{"), "}")
		if inner == "" {
			return fmt.Sprintf(`{"turn":%q,"call":%q}`, turn, option)
		}
		return fmt.Sprintf(`{"turn":%q,"call":%q,%s}`, turn, option, inner)
	},
}

// TestAPickHasTheContentOfTheCall compares the bytes of both ways, for every kind of content block, for failures and for panics.
func TestAPickHasTheContentOfTheCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, option, pick, args string
		flat                       bool // a way that flattens reaches the same arguments
	}{
		{"lookup_order", "look", "pick_read", `{"order_id":"A-1042"}`, true},
		{"media", "media", "pick_read", `{"n":9007199254740993}`, true},
		{"media", "media", "pick_destructive", `{}`, true},
		{"nothing", "nothing", "pick_read", `{}`, true},
		{"boom", "boom", "pick_read", `{}`, true},
		{"add_note", "note", "pick_write", `{"order_id":"A-1","text":"Called <b>&"}`, false},
		{"add_note", "note", "pick_destructive", `{"order_id":"A-1","text":""}`, false},
	} {
		for name, way := range ways {
			if name == "flattened" && !c.flat {
				continue
			}
			t.Run(c.option+" "+c.pick+" "+name, func(t *testing.T) {
				t.Parallel()
				p := connect(t, newDesk().server(t, Options{}))
				native := p.ask(1, c.method, c.args)
				picked := p.ask(2, c.pick, way(p.openTurn(), c.option, c.args))
				comparePaths(t, native, picked)
				p.end()
			})
		}
	}
}

func comparePaths(t interface {
	Errorf(string, ...any)
	Fatalf(string, ...any)
}, native, picked answer) {
	if native.Error != nil || picked.Error != nil || len(picked.Result.Content) == 0 {
		t.Fatalf("native %s\npicked %s", native.line, picked.line)
	}
	if diff := cmp.Diff(texts(native.Result.Content), texts(picked.Result.Content[1:])); diff != "" {
		t.Errorf("native and picked content differ:\n%s", diff)
	}
	if native.Result.IsError != picked.Result.IsError {
		t.Errorf("isError: native %v, picked %v", native.Result.IsError, picked.Result.IsError)
	}
	if picked.Result.StructuredContent != nil {
		t.Errorf("a pick has structured content: %s", picked.line)
	}
	if bytes.Contains(picked.line, []byte("hunter2")) || bytes.Contains(native.line, []byte("hunter2")) {
		t.Errorf("the text of a panic got out")
	}
}

// reference is what a failure is called in the log; each run has its own.
var reference = regexp.MustCompile(`ref [0-9A-Z]+`)

func texts(blocks []json.RawMessage) []string {
	list := make([]string, len(blocks))
	for i, b := range blocks {
		list[i] = reference.ReplaceAllString(string(b), "ref X")
	}
	return list
}

// parityMethods are methods of every kind, with all that a parameter can say.
func parityMethods() []registry.Method {
	word := func(name, value string) registry.Keyword {
		return registry.Keyword{Name: name, Value: json.RawMessage(value)}
	}
	return []registry.Method{
		{
			Name: "check", Summary: "Look something up.", Effect: registry.Read,
			Params: []registry.Param{
				{Name: "id", Type: registry.String, Keywords: []registry.Keyword{word("pattern", `"^[A-Z]-[0-9]+$"`)}},
				{Name: "level", Type: registry.Integer, Default: json.RawMessage("1"), Keywords: []registry.Keyword{word("minimum", "0"), word("maximum", "5")}},
				{Name: "queue", Type: registry.String, Optional: true, Enum: raws(`"billing"`, `"legal"`)},
				{Name: "either", Optional: true, Schema: json.RawMessage(`{"type":["integer","null","object"]}`)},
				{Name: "who", Type: registry.String, From: "caller.id"},
			},
			Returns: &registry.Param{Schema: json.RawMessage(`{"type":"object","required":["queue"]}`)},
			Run: func(_ context.Context, a registry.Args) (any, error) {
				delete(a, "who")
				return map[string]any(a), nil
			},
			Refuse: func(a registry.Args) []validate.Problem {
				if a["id"] != "A-13" {
					return nil
				}
				return []validate.Problem{{Kind: validate.BadArgs, Path: "args.id", Expected: "another order", Read: "one that is locked"}}
			},
		},
		{
			Name: "plan", Summary: "Write a plan.", Effect: registry.Write,
			Params: []registry.Param{
				{Name: "steps", Type: registry.Array, Keywords: []registry.Keyword{word("maxItems", "2")}, Items: &registry.Param{Type: registry.Object, Fields: []registry.Param{
					{Name: "id", Type: registry.String}, {Name: "level", Type: registry.Number, Optional: true},
				}}},
				{Name: "level", Type: registry.Number, Optional: true, Keywords: []registry.Keyword{word("exclusiveMinimum", "0")}},
			},
			Run: func(_ context.Context, a registry.Args) (any, error) { return map[string]any(a), nil },
		},
		{
			Name: "wipe", Summary: "Wipe all.", Effect: registry.Destructive, Params: []registry.Param{{Name: "level", Type: registry.Integer, Optional: true}},
			Run: func(_ context.Context, a registry.Args) (any, error) {
				if a["level"] != nil {
					return nil, errors.New("no such level")
				}
				panic("secret=hunter2")
			},
		},
		{Name: "agreed", Summary: "Needs a person.", Effect: registry.Write, Approval: &registry.Approval{Reason: "It costs money."},
			Run: func(context.Context, registry.Args) (any, error) { return "done", nil }},
		{Name: "note", Kind: registry.Form, Summary: "A note.", Params: []registry.Param{
			{Name: "id", Type: registry.String, Keywords: []registry.Keyword{word("minLength", "2"), word("maxLength", "3")}},
			{Name: "level", Type: registry.Integer, Default: json.RawMessage("7")},
		}},
		{Name: "over", Kind: registry.Value, Summary: "The end.", Constant: json.RawMessage(`{"b":1.50,"a":"<&>"}`)},
	}
}

func parityDecision() decide.Decision {
	d := decide.Decision{Name: "handle_ticket", Summary: "Settle a ticket.", Prompt: "Pick one.", MaxRetries: 1,
		Params: []registry.Param{{Name: "ticket", Type: registry.String, Optional: true}}}
	for _, m := range parityMethods() {
		d.Options = append(d.Options, decide.Option{Name: m.Name, Method: m.Name, Again: m.Name == "check" || m.Name == "over"})
	}
	return d
}

// randomArgs are arguments of the methods above, as they are written. About half of them fit.
func randomArgs(t *rapid.T) string {
	value := func(field string) string {
		fits := map[string][]string{
			"id": {`"A-1"`, `"B-22"`, `"A-13"`}, "level": {"1", "5", "0.5"}, "queue": {`"legal"`, `"billing"`}, "either": {"null", `{"a":1}`, "3"},
			"steps": {`[]`, `[{"id":"x"}]`, `[{"id":"x","level":2},{"id":"y","idd":1}]`, `[{"id":1},{},{"id":"z","Level":1}]`},
		}[field]
		if fits == nil || rapid.IntRange(0, 3).Draw(t, "fits") == 0 {
			fits = []string{`"x"`, `""`, `1`, `1.0`, `1e2`, `-0`, `9007199254740993`, `null`, `true`, `[]`, `{}`, `"ä\u2028"`, `"Legal"`}
		}
		return rapid.SampledFrom(fits).Draw(t, field)
	}
	names := []string{"id", "id", "level", "queue", "either", "steps", "steps", "who", "extra", "ID", "levl"}
	var members []string
	for _, f := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 4, rapid.ID[string]).Draw(t, "fields") {
		members = append(members, fmt.Sprintf("%q:%s", f, value(f)))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// TestEveryPickEqualsItsCall tries every kind of method with arguments at random, in every way and through every pick tool.
// What is not run natively is not run by a pick either, and the problems are the same, line by line. A tool below the
// option's effect runs nothing.
func TestEveryPickEqualsItsCall(t *testing.T) {
	t.Parallel()
	reg, effects := registry.New(), map[string]registry.Effect{}
	for _, m := range parityMethods() {
		effects[m.Name] = effectOf(&m)
		if err := reg.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	eng := decide.New(reg, decide.Options{}) // with ids of its own: many turns are opened
	if err := eng.Add(parityDecision()); err != nil {
		t.Fatal(err)
	}
	p := connect(t, serverOf(t, eng, Options{}))
	rapid.Check(t, func(t *rapid.T) {
		args := randomArgs(t)
		method := rapid.SampledFrom([]string{"check", "check", "plan", "wipe", "agreed", "note", "over"}).Draw(t, "method")
		way := rapid.SampledFrom(slices.Sorted(maps.Keys(ways))).Draw(t, "way")
		class := rapid.SampledFrom([]registry.Effect{registry.Destructive, registry.Destructive, registry.Write, registry.Read}).Draw(t, "class")

		native := p.ask(1, method, args)
		picked := p.ask(2, decide.PickTool(class), ways[way](p.openTurn(), method, args))
		kind := native.Result.Meta[metaError]
		if !class.Covers(effects[method]) {
			if picked.Result.Meta[metaError] != "ceiling" || !picked.Result.IsError {
				t.Fatalf("%s goes beyond its tool: %s", method, picked.line)
			}
			return
		}
		if kind == nil {
			comparePaths(t, native, picked)
			goesOn := method == "check" || method == "over"
			if state := picked.Result.Meta[metaState]; !native.Result.IsError && (state == "open") != goesOn {
				t.Fatalf("the turn is %v behind %s", state, method)
			}
			return
		}
		if picked.Result.Meta[metaError] != kind || !picked.Result.IsError {
			t.Fatalf("args %s\nnative %s\npicked %s", args, native.line, picked.line)
		}
		if diff := cmp.Diff(problemLines(native.text(0)), problemLines(picked.text(0))); diff != "" {
			t.Fatalf("the problems of %s differ:\n%s", args, diff)
		}
	})
	p.end()
}

// problemLines are the lines of the first paragraph that each say one problem.
func problemLines(text string) []string {
	paragraph, _, _ := strings.Cut(text, "\n\n")
	var list []string
	for line := range strings.SplitSeq(paragraph, "\n") {
		if strings.HasPrefix(line, "- ") {
			list = append(list, line)
		}
	}
	return list
}

func TestThePickToolIsACeiling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		option, args, tool, names string // names = the right tool, "" when this one is right
	}{
		{"look", `{"order_id":"A-1"}`, "pick_read", ""},
		{"look", `{"order_id":"A-1"}`, "pick_write", ""},
		{"note", `{"order_id":"A-1","text":"x"}`, "pick_read", "pick_write"},
		{"note", `{"order_id":"A-1","text":"x"}`, "pick_write", ""},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_read", "pick_destructive"},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_write", "pick_destructive"},
		{"refund", `{"order_id":"A-1","amount":5}`, "pick_destructive", ""},
		{"close", `{}`, "pick_destructive", ""},
	} {
		for name, way := range ways {
			if name == "flattened" && c.option == "note" {
				continue
			}
			t.Run(c.option+" "+c.tool+" "+name, func(t *testing.T) {
				t.Parallel()
				p := connect(t, newDesk().server(t, Options{}))
				turn := p.openTurn()
				a := p.ask(2, c.tool, way(turn, c.option, c.args))
				if a.Result.IsError != (c.names != "") || !strings.Contains(a.text(0), c.names) {
					t.Fatalf("got %s", a.line)
				}
				if c.names == "" {
					p.end()
					return
				}
				again, _ := a.Result.Meta[metaTurn].(string) // the refusal left the turn open
				if a := p.ask(3, c.names, way(again, c.option, c.args)); a.Result.IsError {
					t.Errorf("the right tool: %s", a.line)
				}
				p.end()
			})
		}
	}
}
