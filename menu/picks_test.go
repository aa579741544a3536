package menu

import (
	"encoding/json"
	"testing"

	"github.com/mcp-decide/mcp-decide/internal/golden"
	"github.com/mcp-decide/mcp-decide/registry"
	"github.com/mcp-decide/mcp-decide/validate"
)

// refusedOptions are option sets that can't be registered here, so nothing is read with them.
const refusedOptions = validate.Kind("options refused")

// ours are the replies of the original's vectors that we read otherwise, by our rules. A pick is
// written with its arguments.
var ours = map[string]outcome{
	// several picks, mentions and quotes: never the first one by chance
	"fence-python":                 {Error: validate.Ambiguous},
	"fence-first-wins":             {Error: validate.Ambiguous},
	"fence-beats-earlier-bare":     {Error: validate.Ambiguous},
	"fence-two-objects":            {Error: validate.Ambiguous},
	"first-bare-wins":              {Error: validate.Ambiguous},
	"quoted-menu-first":            {Error: validate.Ambiguous},
	"quoted-user-text":             {Error: validate.Ambiguous},
	"array-top":                    {Error: validate.Ambiguous},
	"alias-order-call-first":       {Error: validate.Ambiguous},
	"alias-order-action-function":  {Error: validate.Ambiguous},
	"unbalanced-outer":             {Error: validate.Ambiguous},
	"stray-quote-in-prose":         {Error: validate.Ambiguous},
	"odd-quote-inside-brace-prose": {Error: validate.Ambiguous},
	"dup-key-call":                 {Error: validate.Ambiguous},
	"dup-key-args":                 {Error: validate.Ambiguous},
	"markdown-inline-code":         {Error: validate.Ambiguous},
	"latex-braces":                 {Error: validate.Ambiguous},
	"think-tags":                   {Call: "done", Args: json.RawMessage(`{}`)},

	// damage is named and never read from inside
	"fence-trailing-comma":      {Error: validate.BadArgs},
	"unbalanced":                {Error: validate.BadArgs},
	"raw-newline-in-string":     {Error: validate.BadArgs},
	"comment-json":              {Error: validate.BadArgs},
	"nan":                       {Error: validate.BadArgs},
	"deep-nesting":              {Error: validate.BadArgs},
	"invalid-outer-inner-alias": {Error: validate.BadArgs},
	"nested-alias-poison":       {Error: validate.NoAction},

	// forms of calls and of arguments
	"openai-shape":         {Call: "greet", Args: json.RawMessage(`{"name": "ada"}`)},
	"call-list":            {Error: validate.UnknownCall},
	"args-false":           {Error: validate.BadArgs},
	"args-zero":            {Error: validate.BadArgs},
	"args-string":          {Call: "greet", Args: json.RawMessage(`{"name": "ada"}`)},
	"args-flattened":       {Call: "greet", Args: json.RawMessage(`{"name": "ada"}`)},
	"args-alias-arguments": {Call: "search", Args: json.RawMessage(`{"q": "cats", "limit": 3}`)},
	"args-alias-input":     {Call: "greet", Args: json.RawMessage(`{"name": "ada"}`)},

	// checks behind the reader: null for an optional is not given, hidden names are refused, every type is checked
	"type-str-null":                {Call: "scalars", Args: json.RawMessage(`{}`)},
	"enum-null-member":             {Call: "tri", Args: json.RawMessage(`{}`)},
	"infinity":                     {Error: validate.BadArgs},
	"huge-int":                     {Error: validate.BadArgs},
	"int-beyond-int64":             {Error: validate.TypeMismatch},
	"type-optional":                {Error: validate.TypeMismatch},
	"type-list-of-str":             {Error: validate.TypeMismatch},
	"type-literal":                 {Error: validate.EnumViolation},
	"type-string-annotation":       {Error: validate.TypeMismatch},
	"enum-untyped-str":             {Call: "unt", Args: json.RawMessage(`{"v": "1"}`)},
	"schema-string-type-unchecked": {Error: validate.TypeMismatch},
	"hidden-from-model-wins":       {Error: validate.BadArgs},
	"hidden-from-model-no-check":   {Error: validate.BadArgs},
	"auto-overrides-model":         {Error: validate.BadArgs},

	// option sets that do not get this far
	"schema-field-named-decision":   {Error: refusedOptions},
	"schema-type-is-list-crash":     {Error: refusedOptions},
	"schema-caveat-meta":            {Error: refusedOptions},
	"schema-unknown-type":           {Error: refusedOptions},
	"context-missing":               {Error: refusedOptions},
	"context-without-the-name":      {Error: refusedOptions},
	"context-does-not-fill-visible": {Error: refusedOptions}, // another option of the set has no context
	"positional-only":               {Error: refusedOptions},
	"varargs-missing":               {Error: refusedOptions},
	"varargs-given":                 {Error: refusedOptions},
}

// TestPicksOfTheOriginal reads the original's vectors: each gives what the original gave, or what
// the table says.
func TestPicksOfTheOriginal(t *testing.T) {
	t.Parallel()
	lines := golden.Lines(t, "picks.jsonl")
	known := map[string]bool{}
	for _, line := range lines {
		known[line.ID] = true
		var c struct {
			Options, Context json.RawMessage
			Reply            string
			Outcome          struct {
				Chosen string
				Args   json.RawMessage
				Error  validate.Kind
			}
		}
		line.Decode(t, &c)
		options, err := goldenOptions(c.Options, c.Context)
		got := outcome{Error: refusedOptions}
		if err == nil {
			got = readOutcome(c.Reply, options, Reading{})
		}
		want, decided := ours[line.ID]
		if !decided {
			want = outcome{Call: c.Outcome.Chosen, Args: withoutHidden(t, c.Outcome.Args, options), Error: c.Outcome.Error}
		}
		if !got.equal(want) {
			t.Errorf("%s (%s): got %s, want %s (%v)", line.ID, line.Tag, got, want, err)
		}
	}
	for id := range ours {
		if !known[id] {
			t.Errorf("the table names %q, which is no line", id)
		}
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
