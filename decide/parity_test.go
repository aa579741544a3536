package decide_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcp-decide/mcp-decide/decide"
	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// outcome is what a caller can tell of one call, whichever way it went.
type outcome struct {
	Ran        bool
	Kind       string   // why not, or how the run ended
	Problems   []string // what was wrong with the arguments, or why the call was refused
	Args       string   // as bound
	Value      string
	Structured string
	Content    string // the blocks, byte for byte
}

// ways are the three ways to the same method.
var ways = []string{"native", "pick with call and args", "pick in plain text"}

// fataler is what a test and a property have in common.
type fataler interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// circumstances are what stands around a call in whichever way it comes.
type circumstances struct {
	again   bool            // the option says "then: again"
	ceiling registry.Effect // of the call, and of the tool that a pick came through
	often   bool            // the method may be called once an hour, and was called before
}

// callBothWays sends the same arguments to a method in every way and returns what came of each.
func callBothWays(t fataler, m registry.Method, args json.RawMessage, c circumstances) []outcome {
	t.Helper()
	if c.often {
		m.Rate = registry.Rate{Calls: 1, Per: time.Hour}
	}
	return []outcome{
		natively(t, parityEngine(t, m, args, c), m.Name, args, c),
		byMenu(t, parityEngine(t, m, args, c), decide.Answer{Call: "it", Args: args}, c),
		byMenu(t, parityEngine(t, m, args, c), decide.Answer{Text: fmt.Sprintf(`{"call": "it", "args": %s}`, args)}, c),
	}
}

func parityEngine(t fataler, m registry.Method, args json.RawMessage, c circumstances) *decide.Engine {
	t.Helper()
	reg := registry.New()
	if err := reg.Add(m); err != nil {
		t.Fatal(err)
	}
	eng := decide.New(reg, decide.Options{})
	if err := eng.Add(decide.Decision{
		Name: "choose", Summary: "Choose.", Prompt: "Pick one.",
		Options: []decide.Option{{Name: "it", Method: m.Name, Again: c.again}, decide.Value("other", 1)},
	}); err != nil {
		t.Fatal(err)
	}
	if c.often {
		natively(t, eng, m.Name, args, c) // arguments that do not fit are not counted, in either way
	}
	return eng
}

var caller = registry.Caller{ID: "os:1000"}

func natively(t fataler, eng *decide.Engine, name string, args json.RawMessage, c circumstances) outcome {
	t.Helper()
	r, err := eng.Call(context.Background(), eng.View(), decide.Call{Method: name, Args: args, Caller: caller, Path: "native", Ceiling: c.ceiling})
	if err != nil {
		return notRun(t, err)
	}
	return ran(t, r)
}

func byMenu(t fataler, eng *decide.Engine, a decide.Answer, c circumstances) outcome {
	t.Helper()
	v := eng.View()
	d, _ := v.Decision("choose")
	o, err := eng.Open(context.Background(), v, decide.Opening{Decision: d, Caller: caller, Channel: decide.Host})
	if err != nil {
		t.Fatal(err)
	}
	a.Handle, a.Caller, a.Channel, a.Ceiling = o.Handle, caller, decide.Host, c.ceiling
	o, err = eng.Answer(context.Background(), v, a)
	if err != nil {
		t.Fatal(err)
	}
	if o.Result == nil {
		return notRun(t, o.Problem)
	}
	if c.again && o.Result.State == registry.Done && (o.State != decide.Open || o.Handle == a.Handle) {
		t.Fatalf("the turn does not go on behind a look: %s, %s", o.State, o.Handle)
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
		Ran:        true,
		Kind:       kind,
		Args:       string(r.Bound.Canonical()),
		Value:      string(value),
		Structured: string(r.Structured),
		Content:    references.ReplaceAllString(string(content), "(ref)"),
	}
}

// notRun is the outcome of an error that says that nothing ran.
func notRun(t fataler, err error) outcome {
	t.Helper()
	var spent *decide.DecisionError
	var invalid *validate.Error
	var refused *registry.Refused
	switch {
	case errors.As(err, &spent):
		return outcome{Kind: string(spent.Kind), Problems: lines(spent.Problems)}
	case errors.As(err, &invalid):
		return outcome{Kind: string(invalid.Kind), Problems: lines(invalid.Problems)}
	case errors.As(err, &refused) && refused.Kind == "ceiling":
		return outcome{Kind: refused.Kind} // the words name the tool to take instead
	case errors.As(err, &refused):
		// A turn says besides what to do about it.
		said, _, _ := strings.Cut(refused.Message, " A person has to agree first, and")
		return outcome{Kind: refused.Kind, Problems: []string{strings.TrimSuffix(said, ".")}}
	}
	t.Fatalf("an error without a kind: %v", err)
	return outcome{}
}

func lines(problems []validate.Problem) []string {
	list := make([]string, len(problems))
	for i, p := range problems {
		list[i] = string(p.Kind) + ": " + p.String()
	}
	return list
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
	left := maps.Clone(parityRules)
	for _, line := range golden.Lines(t, "parity.jsonl") {
		delete(left, line.ID)
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
			got := callBothWays(t, m, in.Args, circumstances{})
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
				if rule.want == want && want != "done" { // what is bound differs there
					t.Error("the table decides what the original does too")
				}
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
	for id := range left {
		t.Errorf("the table decides %q, which is no line", id)
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
