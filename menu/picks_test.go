package menu

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// decidedPick is what is said of a reply that the original reads by accident, wrongly, or by a rule that is not ours.
type decidedPick struct {
	why     string
	want    outcome // zero = the original's
	refused string  // a part of the error, when the options can't be registered here

	tells   string // a part of what the picker is told
	shows   string // a part of the full menu
	dropped string // the path of an unknown key that is left out and traced
	value   string // what the pick gives back, as JSON

	rule string // ours, that stands over a line tagged contract; for such lines alone
}

func picks(call, args string) outcome    { return outcome{Call: call, Args: json.RawMessage(args)} }
func refuses(kind validate.Kind) outcome { return outcome{Error: kind} }

var (
	ambiguous  = refuses(validate.Ambiguous)
	unreadable = refuses(validate.BadArgs)
	mismatch   = refuses(validate.TypeMismatch)
	done       = picks("done", `{}`)
	greetAda   = picks("greet", `{"name": "ada"}`)
)

// decidedPicks has an entry for every line that is not contract, and for contract lines over which a rule of ours stands.
var decidedPicks = map[string]decidedPick{
	// several picks, mentions and quotes: never one of them by chance
	"fence-python":                 {why: "a fence for another language holds a quote", want: ambiguous},
	"fence-first-wins":             {why: "two picks that differ", want: ambiguous},
	"fence-beats-earlier-bare":     {why: "two picks that differ, wherever they stand", want: ambiguous},
	"fence-two-objects":            {why: "two picks that differ in one fence", want: ambiguous},
	"first-bare-wins":              {why: "objects inside a sentence are mentions", want: ambiguous},
	"quoted-menu-first":            {why: "objects inside a sentence are mentions", want: ambiguous},
	"quoted-user-text":             {why: "objects inside a sentence are mentions, the user's words too", want: ambiguous},
	"array-top":                    {why: "two picks that differ in one list", want: ambiguous},
	"alias-order-call-first":       {why: "two call keys with different values", want: ambiguous},
	"alias-order-action-function":  {why: "two call keys with different values", want: ambiguous},
	"unbalanced-outer":             {why: "an object inside a broken one is a part of it", want: ambiguous},
	"stray-quote-in-prose":         {why: "an object inside a broken one is a part of it", want: ambiguous},
	"odd-quote-inside-brace-prose": {why: "an object inside a sentence is a mention", want: ambiguous},
	"dup-key-call":                 {why: "quirk refused: one key with two values", want: ambiguous},
	"dup-key-args":                 {why: "quirk refused: one key with two values", want: ambiguous},
	"markdown-inline-code":         {why: "an object inside a sentence is a mention", want: ambiguous},
	"latex-braces":                 {why: "an object inside a sentence is a mention", want: ambiguous},
	"think-tags":                   {why: "thinking is never read", want: picks("done", `{}`), value: `"CONVERSATION_OVER"`},

	// damage is named and never read from inside
	"fence-trailing-comma":  {why: "a trailing comma has one reading", want: done, value: `"CONVERSATION_OVER"`},
	"single-quotes":         {why: "single quotes have one reading", want: done, value: `"CONVERSATION_OVER"`},
	"escaped-json":          {why: "one level of escaping too many has one reading", want: done, value: `"CONVERSATION_OVER"`},
	"unbalanced":            {why: "nothing can be hidden behind a missing brace when the option takes no arguments", want: done, value: `"CONVERSATION_OVER"`},
	"raw-newline-in-string": {why: "a raw line break in a string has one reading", want: picks("greet", `{"name": "a\nb"}`)},
	"comment-json":          {why: "a comment has one reading", want: done, value: `"CONVERSATION_OVER"`},
	"invalid-outer-inner-alias": {why: "the object is mended as a whole, and nothing inside it is a pick of its own", want: picks("emit_plan", `{"steps": [{"action": "click", "target": "x"}], "rationale": "r"}`),
		value: `{"decision": "emit_plan", "steps": [{"action": "click", "target": "x"}], "rationale": "r"}`},
	"nan":                 {why: "NaN is no JSON number", want: unreadable},
	"infinity":            {why: "a number that overflows is refused, never rounded", want: unreadable},
	"huge-int":            {why: "a number beyond all bounds is refused, never rounded", want: unreadable},
	"deep-nesting":        {why: "nesting is bounded", want: unreadable},
	"nested-alias-poison": {why: "nothing inside an object is a pick of its own", want: refuses(validate.NoAction)},
	"lone-surrogate":      {why: "quirk refused: half a character is read as U+FFFD, which stands for it in these vectors too"},

	// forms of calls and of arguments
	"openai-shape":         {why: "a known form of tool calls", want: greetAda},
	"call-list":            {why: "a list is no name", want: refuses(validate.UnknownCall)},
	"args-false":           {why: "quirk refused: false is no argument object", want: unreadable},
	"args-zero":            {why: "quirk refused: 0 is no argument object", want: unreadable},
	"args-empty-string":    {why: "quirk kept: null, an empty text and an empty list mean no arguments"},
	"args-empty-list":      {why: "quirk kept: null, an empty text and an empty list mean no arguments"},
	"args-string":          {why: "a text that holds the argument object is decoded", want: greetAda},
	"args-flattened":       {why: "known parameters beside the call key are its arguments", want: greetAda},
	"args-alias-arguments": {why: "the usual other words for args are read", want: picks("search", `{"q": "cats", "limit": 3}`)},
	"args-alias-input":     {why: "the usual other words for args are read", want: greetAda},

	// the checks behind the reader
	"type-str-null":           {why: "the default is used", want: picks("scalars", `{}`), rule: "null for an optional parameter means not given"},
	"typo-arg-with-default":   {why: "an unknown key that is near no absent parameter is left out and traced; a near one is refused, see TestMisspeltArgumentsAreNamed", dropped: "args.query"},
	"type-untyped-int":        {why: "quirk kept: a parameter without a type is text, and the menu says so", tells: `Write it in quotes, like "5"`, shows: `u(a: string)`},
	"enum-int-as-shown":       {why: "the menu shows the literals that the checks want, and the refusal says how to write the one that was meant", tells: `Write the number without quotes, like 10`, shows: `n: 5 | 10 | 15`},
	"enum-untyped-int":        {why: "listed values are brought to their parameter's type when it is registered, and shown so; they can be met", tells: `Write it in quotes, like "1"`, shows: `v: "1" | "2"`},
	"enum-untyped-str":        {why: "listed values are brought to their parameter's type when it is registered", want: picks("unt", `{"v": "1"}`)},
	"enum-null-member":        {why: "null in the list means that it may be left out", want: picks("tri", `{}`)},
	"enum-empty-not-enforced": {why: "quirk kept: an empty list of values lists nothing, and the menu shows none", shows: `ee(v: string)`},
	"schema-extra-nested-kept": {why: "quirk refused: unknown keys are left out at any depth", want: picks("emit_plan", `{"steps": [{"action": "a", "target": "b"}], "rationale": "x"}`), dropped: "args.steps[0].evil",
		value: `{"decision": "emit_plan", "steps": [{"action": "a", "target": "b"}], "rationale": "x"}`},
	"schema-empty-resolves-to-name": {why: "quirk refused: a schema option gives an object, with fields or without", value: `{"decision": "noop"}`},
	"schema-empty-object-field":     {why: "quirk kept: a form that says nothing is text, and the menu says so", tells: `expected a text, got an empty object`, shows: `m(box: string)`},
	"schema-string-type-unchecked":  {why: "a type given by name is checked", want: mismatch},
	"int-exponent":                  {why: "quirk kept: an integer is a JSON number without fraction or exponent", tells: `Write it without point and exponent, like 100`},
	"int-beyond-int64":              {why: "an integer beyond 64 bits is refused, never rounded", want: mismatch},
	"type-optional":                 {why: "every type is checked", want: mismatch},
	"type-list-of-str":              {why: "every type is checked", want: mismatch},
	"type-literal":                  {why: "every type is checked", want: refuses(validate.EnumViolation)},
	"type-string-annotation":        {why: "every type is checked, however the annotation is written", want: mismatch},
	"hidden-from-model-wins":        {why: "hidden values come from the host alone", want: unreadable, tells: `user_id is filled in by the server; leave it out`},
	"hidden-from-model-no-check":    {why: "hidden values come from the host alone", want: unreadable, tells: `user_id is filled in by the server; leave it out`},
	"auto-overrides-model":          {why: "a model that sends an injected value is told so", want: unreadable, tells: `runtime is filled in by the server; leave it out`},

	// option sets that can't be registered
	"schema-field-named-decision":   {why: "it would overwrite the option's name in the result", refused: "can't have a field of that name"},
	"schema-type-is-list-crash":     {why: "a type is one name", refused: "one type name"},
	"schema-caveat-meta":            {why: "quirk refused: a type name as description is a mistake", refused: "type name"},
	"schema-unknown-type":           {why: "quirk refused: a type that nobody can check is none", refused: "no type name"},
	"context-missing":               {why: "quirk refused: whoever registers the method is told, not the model", refused: "nothing can fill"},
	"context-without-the-name":      {why: "whoever registers the method is told, not the model", refused: "nothing can fill"},
	"context-does-not-fill-visible": {why: "another option of the set has a hidden parameter that is not in the context", refused: "nothing can fill", rule: "a hidden required parameter that nothing can fill is refused at registration"},
	"positional-only":               {why: "they can't be called by name", refused: "positional_only"},
	"varargs-missing":               {why: "variadic parameters can't be called by name", refused: "var_positional"},
	"varargs-given":                 {why: "variadic parameters can't be called by name", refused: "var_keyword"},
}

// TestPicksOfTheOriginal reads the original's vectors: each gives what the original gave, or what the table decides.
func TestPicksOfTheOriginal(t *testing.T) {
	t.Parallel()
	left := maps.Clone(decidedPicks)
	for _, line := range golden.Lines(t, "picks.jsonl") {
		var v pickVector
		line.Decode(t, &v)
		decided, is := decidedPicks[line.ID]
		delete(left, line.ID)
		if problem := decided.flaw(line.Tag, is); problem != "" {
			t.Errorf("%s (%s): %s", line.ID, line.Tag, problem)
		}
		options, err := goldenOptions(v.Options, v.Context)
		if decided.refused != "" || err != nil {
			if decided.refused == "" || err == nil || !strings.Contains(err.Error(), decided.refused) {
				t.Errorf("%s: the options give the error %v, want %q", line.ID, err, decided.refused)
			}
			continue
		}
		want := v.outcome(t, options)
		if !decided.want.isZero() {
			if decided.want.equal(want) {
				t.Errorf("%s: the table says nothing that the original does not", line.ID)
			}
			want = decided.want
		}
		got := readOutcome(v.Reply, options, Reading{})
		if !got.equal(want) {
			t.Errorf("%s (%s): got %s, want %s", line.ID, line.Tag, got, want)
		}
		decided.check(t, line.ID, v, options)
	}
	for id := range left {
		t.Errorf("the table decides %q, which is no line", id)
	}
}

// pickVector is a line of picks.jsonl.
type pickVector struct {
	Options, Context json.RawMessage
	Reply            string
	Outcome          struct {
		Chosen         string
		Args, Resolved json.RawMessage
		Error          validate.Kind
	}
}

// outcome is what the original made of the reply, without what the host fills in.
func (v pickVector) outcome(t *testing.T, options []registry.Option) outcome {
	return outcome{Call: v.Outcome.Chosen, Args: withoutHidden(t, v.Outcome.Args, options), Error: v.Outcome.Error}
}

// flaw says what an entry lacks. Each line has one that is not contract, and what the original does wrongly is
// not decided by doing the same.
func (d decidedPick) flaw(tag string, is bool) string {
	differs := d.refused != "" || !d.want.isZero()
	better := differs || d.tells+d.shows+d.dropped+d.value != ""
	switch {
	case !is && tag == "contract":
		return ""
	case !is:
		return "it is not decided"
	case d.why == "":
		return "decided without a reason"
	case (tag == "contract") != (d.rule != ""):
		return "a contract line, and no other, needs a rule that stands over it"
	case tag == "contract" && !differs:
		return "a contract line is read as the original reads it, so there is nothing to decide"
	case tag != "quirk" && !better:
		return "nothing of ours is better than the original here"
	}
	return ""
}

// check holds what is told, shown, left out and given back against the entry and, for what is given back, against the original.
func (d decidedPick) check(t *testing.T, id string, v pickVector, options []registry.Option) {
	pick, err := Parse(v.Reply, options, Reading{})
	var bound registry.Bound
	i := slices.IndexFunc(options, func(o registry.Option) bool { return o.Name == pick.Name })
	if err == nil {
		bound, err = options[i].Method.Check(pick.Args)
	}
	var told interface{ Fix() string }
	if d.tells != "" && (!errors.As(err, &told) || !strings.Contains(told.Fix(), d.tells)) {
		t.Errorf("%s: %q is not told: %v", id, d.tells, err)
	}
	if menu := Render(Full, options); !strings.Contains(menu, d.shows) {
		t.Errorf("%s: %q is not in the menu:\n%s", id, d.shows, menu)
	}
	if dropped := strings.Join(bound.Dropped, " "); d.dropped != "" && d.dropped != dropped {
		t.Errorf("%s: %q is left out, want %q", id, dropped, d.dropped)
	}
	if err != nil || v.Outcome.Resolved == nil {
		return
	}
	res, err := registry.Call(context.Background(), registry.Request{Method: options[i].Method, Args: pick.Args})
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(res.Value)
	if err != nil {
		t.Fatal(err)
	}
	want := string(v.Outcome.Resolved)
	if d.value != "" {
		want = d.value
	}
	if byValue(value) != byValue([]byte(want)) {
		t.Errorf("%s: it gives back %s, want %s", id, value, want)
	}
}

// goldenOptions are the options of a line, prepared.
func goldenOptions(set, context json.RawMessage) ([]registry.Option, error) {
	options, err := golden.OptionsWith(set, context)
	for i := range options {
		m := *options[i].Method
		if m.Summary == "" {
			m.Summary = "Has no summary."
		}
		ready, bad := registry.Prepare(m)
		if bad != nil {
			return nil, bad
		}
		options[i].Method = ready
	}
	return options, err
}

// withoutHidden drops the arguments that the host fills in: they are never in a pick.
func withoutHidden(t *testing.T, args json.RawMessage, options []registry.Option) json.RawMessage {
	t.Helper()
	if args == nil {
		return nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil {
		t.Fatal(err)
	}
	for _, o := range options {
		for i := range o.Method.Params {
			if p := &o.Method.Params[i]; p.Hidden() {
				delete(given, p.Name)
			}
		}
	}
	left, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestMisspeltArgumentsAreNamed: a key that is near an absent parameter is a slip, whether the parameter is required or
// not. The original takes the default without a word.
func TestMisspeltArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	options := describedOptions(t, []byte(`[{"name": "search", "summary": "Search.", "effect": "read",
		"params": {"query": {"type": "str", "default": "everything"}, "limit": {"type": "int", "default": 10}, "from_year?": "int"}}]`))
	for key, near := range map[string]string{"querry": "query", "Query": "query", "limti": "limit", "fromYear": "from_year", "from-year": "from_year"} {
		for _, reply := range []string{`{"call": "search", "args": {"` + key + `": 3}}`, `{"call": "search", "` + key + `": 3}`} {
			pick, err := Parse(reply, options, Reading{})
			if err == nil {
				_, err = options[0].Method.Check(pick.Args)
			}
			var told interface{ Fix() string }
			if kindOfError(err) != validate.BadArgs || !errors.As(err, &told) || !strings.Contains(told.Fix(), near) {
				t.Errorf("%s: got %v, want bad_args that names %s", reply, err, near)
			}
		}
	}
}
