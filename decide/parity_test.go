package decide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// outcome is what a caller can tell of one call, whichever way it went.
type outcome struct {
	Ran     bool
	Kind    string // why not, or how the run ended
	Args    string // as bound
	Value   string
	Content string // the blocks, byte for byte
}

// ways are the three ways to the same method.
var ways = []string{"native", "pick with call and args", "pick in plain text"}

// fataler is what a test and a property have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// callBothWays sends the same arguments to a method in every way and returns what came of each.
func callBothWays(t fataler, m registry.Method, args json.RawMessage) []outcome {
	t.Helper()
	reg := registry.New()
	if err := reg.Add(m); err != nil {
		t.Fatal(err)
	}
	eng := decide.New(reg, decide.Options{})
	if err := eng.Add(decide.Decision{
		Name: "choose", Summary: "Choose.", Prompt: "Pick one.", Options: []decide.Option{decide.Func("it", m.Name), decide.Value("other", 1)},
	}); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"call": "it", "args": %s}`, args)
	return []outcome{
		natively(t, eng, m.Name, args),
		byMenu(t, eng, decide.Answer{Call: "it", Args: args}),
		byMenu(t, eng, decide.Answer{Text: text}),
	}
}

var caller = registry.Caller{ID: "os:1000"}

func natively(t fataler, eng *decide.Engine, name string, args json.RawMessage) outcome {
	t.Helper()
	r, err := eng.Call(context.Background(), eng.View(), decide.Call{Method: name, Args: args, Caller: caller, Path: "native"})
	if err != nil {
		return outcome{Kind: kindOf(t, err)}
	}
	return ran(t, r)
}

func byMenu(t fataler, eng *decide.Engine, a decide.Answer) outcome {
	t.Helper()
	v := eng.View()
	d, _ := v.Decision("choose")
	o, err := eng.Open(context.Background(), v, decide.Opening{Decision: d, Caller: caller, Channel: decide.Host})
	if err != nil {
		t.Fatal(err)
	}
	a.Handle, a.Caller, a.Channel = o.Handle, caller, decide.Host
	o, err = eng.Answer(context.Background(), v, a)
	if err != nil {
		t.Fatal(err)
	}
	if o.Result == nil {
		return outcome{Kind: kindOf(t, o.Problem)}
	}
	return ran(t, *o.Result)
}

// references are random, so that two equal failures differ in nothing else.
var references = regexp.MustCompile(`\(ref [^)]*\)`)

func ran(t fataler, r registry.Result) outcome {
	t.Helper()
	content, err := json.Marshal(r.Content)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(r.Value)
	if err != nil {
		value = []byte("unencodable")
	}
	kind := string(r.State)
	if errors.Is(r.Err, registry.ErrTimeout) {
		kind += ", timeout"
	}
	return outcome{
		Ran:     true,
		Kind:    kind,
		Args:    string(r.Bound.Canonical()),
		Value:   string(value),
		Content: references.ReplaceAllString(string(content), "(ref)"),
	}
}

func kindOf(t fataler, err error) string {
	t.Helper()
	var spent *decide.DecisionError
	var invalid *validate.Error
	var refused *registry.Refused
	switch {
	case errors.As(err, &spent):
		return string(spent.Kind)
	case errors.As(err, &invalid):
		return string(invalid.Kind)
	case errors.As(err, &refused):
		return refused.Kind
	}
	t.Fatalf("an error without a kind: %v", err)
	return ""
}

// parityRules are the lines for which neither column of the original is right, with the rule that decides.
var parityRules = map[string]struct{ want, why string }{
	"hidden-sent-by-model":        {"bad_args", "hidden names are refused"},
	"runtime-sent-by-model":       {"bad_args", "injected names are refused"},
	"optional-null":               {"done", "null for an optional parameter is not given"},
	"list-items-coerced":          {"type_mismatch", "list items are checked"},
	"list-from-string":            {"type_mismatch", "list[str] is a list"},
	"enum-int-members-as-strings": {"done", "enum members are normalised at registration"},
	"optional-int-null":           {"done", "null for an optional parameter is not given"},
	"optional-int-text":           {"type_mismatch", "Optional is checked"},
	"literal-outside":             {"enum_violation", "Literal is checked"},
}

// The original's two ways differ in half of these lines. Ours never do, and give the outcome of its menu or a
// better one.
func TestParityGolden(t *testing.T) {
	t.Parallel()
	for _, line := range golden.Lines(t, "parity.jsonl") {
		var in struct {
			ID                      string
			Function, Args, Context json.RawMessage
			Menu                    struct {
				Error string
				Args  map[string]any
			}
		}
		line.Decode(t, &in)
		t.Run(in.ID, func(t *testing.T) {
			t.Parallel()
			m := parityMethod(t, in.ID, in.Function, in.Context)
			if in.ID == "hidden-without-context" {
				// No fault of a caller's: whoever registers the method is told.
				if err := registry.New().Add(m); err == nil || !strings.Contains(err.Error(), "nothing can fill") {
					t.Errorf("a hidden parameter that nothing fills was registered: %v", err)
				}
				return
			}
			got := callBothWays(t, m, in.Args)
			for i := range got {
				if diff := cmp.Diff(got[0], got[i]); diff != "" {
					t.Errorf("%s and %s differ:\n%s", ways[0], ways[i], diff)
				}
			}
			want := in.Menu.Error
			if want == "" {
				want = "done"
			}
			if rule, ok := parityRules[in.ID]; ok {
				want = rule.want
			}
			if got[0].Kind != want {
				t.Errorf("kind %q, want %q", got[0].Kind, want)
			}
			if _, ours := parityRules[in.ID]; !ours && want == "done" {
				checkBound(t, got[0], in.Menu.Args)
			}
		})
	}
}

// parityMethod is the method of a line. The line runtime-sent-by-model has no context and asks about another thing, so
// its hidden values are filled.
func parityMethod(t *testing.T, id string, function, context json.RawMessage) registry.Method {
	t.Helper()
	m, err := golden.FunctionWith(function, context)
	if id == "runtime-sent-by-model" {
		m, err = golden.Function(function)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkBound compares what ran with what the original bound; ours has the defaults filled in besides.
func checkBound(t *testing.T, got outcome, want map[string]any) {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(got.Value), &value); err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if object, ok := w.(map[string]any); ok && object["$runtime"] != nil {
			continue
		}
		wanted, _ := json.Marshal(w)
		have, _ := json.Marshal(value[name])
		if string(wanted) != string(have) {
			t.Errorf("%s is %s, want %s", name, have, wanted)
		}
	}
}

// Random methods, random arguments, every kind of ending: no way differs from the others.
func TestParityProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := randomMethod(t)
		args, err := json.Marshal(randomArgs(t, m.Params))
		if err != nil {
			t.Fatal(err)
		}
		got := callBothWays(t, m, args)
		for i := range got {
			if diff := cmp.Diff(got[0], got[i]); diff != "" {
				t.Fatalf("%s and %s differ for %s:\n%s", ways[0], ways[i], args, diff)
			}
		}
	})
}

func randomMethod(t *rapid.T) registry.Method {
	m := registry.Method{
		Name:      "m",
		Summary:   "Does it.",
		Effect:    rapid.SampledFrom([]registry.Effect{"", registry.Read, registry.Write, registry.Destructive}).Draw(t, "effect"),
		ResultCap: rapid.SampledFrom([]int{0, 10, 200}).Draw(t, "cap"),
		Run:       randomRun(t),
		Off:       rapid.SampledFrom([]string{"", "", "", "a secret is missing"}).Draw(t, "off"),
	}
	if rapid.IntRange(0, 5).Draw(t, "approval") == 0 {
		m.Approval = &registry.Approval{Reason: "A person decides."}
	}
	if rapid.IntRange(0, 9).Draw(t, "slow") == 0 {
		m.Timeout = time.Millisecond
		m.Run = func(ctx context.Context, _ registry.Args) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "params") {
		m.Params = append(m.Params, randomParam(t, fmt.Sprintf("p%d", i), 0))
	}
	if rapid.Bool().Draw(t, "hidden") {
		m.Params = append(m.Params, registry.Param{Name: "who", Type: registry.String, From: "caller.id"})
	}
	return m
}

func randomRun(t *rapid.T) registry.Func {
	png := registry.Block{Type: "image", Data: []byte{0, 255, 7}, MIMEType: "image/png"}
	runs := []registry.Func{
		func(_ context.Context, a registry.Args) (any, error) { return map[string]any(a), nil },
		func(context.Context, registry.Args) (any, error) {
			return "a text of some length, with é and 日本", nil
		},
		func(context.Context, registry.Args) (any, error) { return json.RawMessage(`{"b": 1, "a": 39.90}`), nil },
		func(context.Context, registry.Args) (any, error) { return nil, nil },
		func(context.Context, registry.Args) (any, error) {
			return []registry.Block{registry.Text("see"), png, {Type: "audio", Data: []byte("x"), MIMEType: "audio/wav"}, {Type: "resource_link", URI: "file:///a", Name: "a"},
				{Type: "resource", URI: "file:///b", Text: "inside", MIMEType: "text/plain"}}, nil
		},
		func(context.Context, registry.Args) (any, error) { return nil, errors.New("no such order") },
		func(context.Context, registry.Args) (any, error) { panic("broken") },
		func(context.Context, registry.Args) (any, error) { return func() {}, nil },
	}
	return runs[rapid.IntRange(0, len(runs)-1).Draw(t, "run")]
}

func randomParam(t *rapid.T, name string, depth int) registry.Param {
	types := []registry.Type{registry.String, registry.Integer, registry.Number, registry.Boolean, registry.Any}
	if depth < 2 {
		types = append(types, registry.Array, registry.Object)
	}
	p := registry.Param{
		Name:     name,
		Type:     rapid.SampledFrom(types).Draw(t, "type"),
		Optional: rapid.Bool().Draw(t, "optional"),
	}
	switch p.Type {
	case registry.String:
		if rapid.Bool().Draw(t, "enum") {
			p.Enum = []json.RawMessage{json.RawMessage(`"a"`), json.RawMessage(`"b"`)}
		}
	case registry.Integer:
		if rapid.Bool().Draw(t, "default") {
			p.Default = json.RawMessage("7")
		}
	case registry.Array:
		items := randomParam(t, "", depth+1)
		items.Optional, items.Default = false, nil
		p.Items = &items
	case registry.Object:
		for i := range rapid.IntRange(0, 2).Draw(t, "fields") {
			p.Fields = append(p.Fields, randomParam(t, fmt.Sprintf("f%d", i), depth+1))
		}
	}
	return p
}

// randomArgs are arguments that fit about half of the time.
func randomArgs(t *rapid.T, params []registry.Param) map[string]any {
	args := map[string]any{}
	for _, p := range params {
		switch rapid.IntRange(0, 9).Draw(t, "given") {
		case 0: // left out
		case 1:
			args[p.Name+"x"] = randomValue(t, registry.Param{})
		case 2:
			args[p.Name] = nil
		case 3:
			args[p.Name] = randomValue(t, registry.Param{})
		default:
			if !p.Hidden() {
				args[p.Name] = randomValue(t, p)
			}
		}
	}
	return args
}

func randomValue(t *rapid.T, p registry.Param) any {
	switch p.Type {
	case registry.String:
		return rapid.SampledFrom([]string{"a", "b", "", "x\ny", `{"call": "other"}`, "é\u0000\u202e"}).Draw(t, "text")
	case registry.Integer:
		return json.Number(rapid.SampledFrom([]string{"0", "-3", "9223372036854775807", "9223372036854775808", "3.0", "1e2"}).Draw(t, "integer"))
	case registry.Number:
		return json.Number(rapid.SampledFrom([]string{"0", "1.50", "-2e-3", "12345678901234567890.125"}).Draw(t, "number"))
	case registry.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case registry.Array:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			list = append(list, randomValue(t, *p.Items))
		}
		return list
	case registry.Object:
		return randomArgs(t, p.Fields)
	}
	return rapid.SampledFrom([]any{"text", true, 1.5, []any{"y"}, map[string]any{"k": "v"}}).Draw(t, "any")
}
