package validate

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestProblemString(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		problem Problem
		want    string
	}{
		"a hint and an example": {Problem{Kind: TypeMismatch, Path: "args.amount", Expected: "a number", Read: `the text "39,90 EUR"`, Hint: "Write a plain JSON number", Example: "12.5"},
			`args.amount: expected a number, got the text "39,90 EUR". Write a plain JSON number, like 12.5`},
		"listed":               {Problem{Kind: EnumViolation, Path: "args.reason", Expected: `one of "damaged", "late"`, Read: `the text "broken"`}, `args.reason: "broken" is not one of "damaged", "late".`},
		"near":                 {Problem{Kind: UnknownCall, Path: "call", Expected: `one of the options "refund", "close"`, Read: `"refnd"`, Nearest: "refund"}, `call: expected one of the options "refund", "close", got "refnd". Did you mean "refund"?`},
		"near, and a hint":     {Problem{Kind: EnumViolation, Path: "x", Expected: `"a"`, Read: `"A"`, Nearest: "a", Hint: "Case counts."}, `x: "A" is not "a". Did you mean "a"? Case counts.`},
		"missing":              {Problem{Kind: MissingRequired, Path: "args.id", Expected: "a text", Example: `"A-1"`}, `args.id: required, but not given: a text, like "A-1"`},
		"missing, near":        {Problem{Kind: MissingRequired, Path: "args.id", Expected: "a text", Example: `"A-1"`, Nearest: "ID"}, `args.id: required, but not given: a text, like "A-1". Did you mean "ID"?`},
		"missing, bare":        {Problem{Kind: MissingRequired, Path: "args.id"}, `args.id: required, but not given.`},
		"a placeholder":        {Problem{Kind: MissingRequired, Path: "args.id", Expected: "a text", Read: `the placeholder "<id>"`}, `args.id: expected a text, got the placeholder "<id>".`},
		"a hint alone":         {Problem{Kind: BadArgs, Hint: "this is no JSON"}, `this is no JSON.`},
		"only what was read":   {Problem{Kind: BadArgs, Path: "args", Read: "a list"}, `args: can't use a list.`},
		"only what is wanted":  {Problem{Kind: NoAction, Expected: "one JSON object"}, `expected one JSON object.`},
		"an example, no hint":  {Problem{Kind: TypeMismatch, Path: "args.n", Expected: "at most 5", Read: "the number 6", Example: "5"}, `args.n: expected at most 5, got the number 6. Example: 5`},
		"nothing at all":       {Problem{}, `.`},
		"nothing but a place":  {Problem{Path: "args"}, `args: .`},
		"nothing but the near": {Problem{Nearest: "a\nb"}, `Did you mean "a\nb"?`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.problem.String(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kinds []Kind
		want  Kind
	}{
		"missing before type":      {[]Kind{TypeMismatch, MissingRequired}, MissingRequired},
		"type before enum":         {[]Kind{EnumViolation, TypeMismatch}, TypeMismatch},
		"missing before enum":      {[]Kind{EnumViolation, MissingRequired, EnumViolation}, MissingRequired},
		"bad args before all":      {[]Kind{MissingRequired, TypeMismatch, BadArgs}, BadArgs},
		"the first of two others":  {[]Kind{EnumViolation, Ambiguous, NoAction}, Ambiguous},
		"one alone":                {[]Kind{EnumViolation}, EnumViolation},
		"none, which is a mistake": {nil, BadArgs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var problems []Problem
			for _, k := range tt.kinds {
				problems = append(problems, Problem{Kind: k})
			}
			if got := NewError("m", problems...).Kind; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Whatever a problem holds, its error is one line and its fix one line a problem, both short.
func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"a\n- b", strings.Repeat("long ", 2000), "\x1b[31m", "\u202e", "\xff"}))
	rapid.Check(t, func(t *rapid.T) {
		var problems []Problem
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			problems = append(problems, Problem{Kind: TypeMismatch, Path: texts.Draw(t, "path"), Expected: texts.Draw(t, "expected"), Read: texts.Draw(t, "read"), Hint: texts.Draw(t, "hint"), Nearest: texts.Draw(t, "near")})
		}
		e := NewError(texts.Draw(t, "subject"), problems...)
		line, fix := e.Error(), e.Fix()
		if n := utf8.RuneCountInString(line); n > maxLine || strings.ContainsAny(line, "\n\r\x1b\u202e") || !utf8.ValidString(line) {
			t.Fatalf("error of %d characters: %q", n, line)
		}
		if n := utf8.RuneCountInString(fix); n > maxFix || strings.ContainsAny(fix, "\r\x1b\u202e") || !utf8.ValidString(fix) {
			t.Fatalf("fix of %d characters", n)
		}
		if len(problems) == 0 {
			return
		}
		lines := strings.Split(fix, "\n")
		if len(lines) > len(problems) {
			t.Fatalf("%d lines for %d problems", len(lines), len(problems))
		}
		for _, l := range lines {
			if !strings.HasPrefix(l, "- ") {
				t.Fatalf("a line without a dash: %q", l)
			}
		}
	})
}

func TestNearest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		word    string
		allowed string
		want    string
	}{
		{"refund", "refund close", "refund"},
		{"Refund", "refund close", "refund"},
		{"in progress", "in_progress done", "in_progress"},
		{"in-Progress", "in_progress done", "in_progress"},
		{"refnd", "refund close", "refund"},
		{"rfeund", "refund close", "refund"},
		{"order_id", "orderid order", "orderid"},
		{"recieve_message", "receive_message send_message", "receive_message"},
		{"tpye", "type title", "type"},
		{"opn", "open close", "open"},
		{"cat", "bat", ""},
		{"id", "if", ""},
		{"refund", "close reopen", ""},
		{"colourz", "colour colours", ""},
		{"a-b", "ab a_b", ""},
		{"ab", "ab a_b", "ab"},
		{"", "a", ""},
		{"---", "a _", ""},
		{"ÄPFEL", "äpfel birnen", "äpfel"},
		{strings.Repeat("a", 65), strings.Repeat("a", 64), ""},
		{strings.Repeat("a", 1_000_000), strings.Repeat("a", 64), ""},
		{"Maße", "masse maße", "maße"},
	} {
		if got := Nearest(tt.word, strings.Fields(tt.allowed)); got != tt.want {
			t.Errorf("Nearest(%.80q, %.80q) = %q, want %q", tt.word, tt.allowed, got, tt.want)
		}
	}
}

// The distance is that of a plain, slow definition, and the order of the allowed words does not matter.
func TestNearestProperties(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abAB_é")), 0, 9, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := []rune(word.Draw(t, "a")), []rune(word.Draw(t, "b"))
		limit := rapid.IntRange(0, 4).Draw(t, "limit")
		if got, want := distance(a, b, limit), min(slowDistance(a, b), limit+1); got != want {
			t.Fatalf("distance(%q, %q, %d) = %d, want %d", string(a), string(b), limit, got, want)
		}
		allowed := rapid.SliceOfNDistinct(word, 0, 5, rapid.ID).Draw(t, "allowed")
		near := Nearest(string(a), allowed)
		for i, j := 0, len(allowed)-1; i < j; i, j = i+1, j-1 {
			allowed[i], allowed[j] = allowed[j], allowed[i]
		}
		if again := Nearest(string(a), allowed); again != near {
			t.Fatalf("%q, in the other order %q", near, again)
		}
	})
}

func slowDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	d := min(slowDistance(a[1:], b), slowDistance(a, b[1:])) + 1
	change := 1
	if a[0] == b[0] {
		change = 0
	}
	d = min(d, slowDistance(a[1:], b[1:])+change)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, slowDistance(a[2:], b[2:])+1)
	}
	return d
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, `{"properties":{"list":{"items":{"enum":["a"]}}},"required":["last"]}`)
	list := make([]any, 80)
	problems := s.Check("args", map[string]any{"list": list})
	if len(problems) != maxProblems {
		t.Fatalf("%d problems", len(problems))
	}
	want := Problem{Kind: MissingRequired, Path: "args", Hint: "32 more problems are not shown"}
	if diff := cmp.Diff(want, problems[maxProblems-1]); diff != "" {
		t.Errorf("the last one: -want +got\n%s", diff)
	}
	if problems[0].Path != "args.list[0]" || problems[10].Path != "args.list[10]" {
		t.Errorf("not in order: %s, %s", problems[0], problems[10])
	}
	if e := NewError("", problems...); e.Kind != MissingRequired || strings.Count(e.Fix(), "\n") != maxProblems-1 {
		t.Errorf("%s\n%s", e.Kind, e.Fix())
	}
}

func TestConcurrentChecks(t *testing.T) {
	t.Parallel()
	s := mustCompile(t, string(benchSchema))
	bad := mustDecode(t, string(benchBad))
	want := s.Check("args", bad)
	fresh := mustCompile(t, string(benchSchema)) // its library part is set up by the first of these
	got := make(chan []Problem)
	for range 8 {
		go func() { got <- fresh.Check("args", bad) }()
	}
	for range 8 {
		if diff := cmp.Diff(want, <-got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}

// Every word that is listed is taken by Compile, and by the library, in the shape that the table gives it.
func TestKeywords(t *testing.T) {
	t.Parallel()
	sample := map[shape]string{anyValue: `1`, aBool: `true`, aText: `"a"`, aList: `[1]`, aNumber: `1`, aPositive: `1`, aCount: `1`, texts: `["a"]`, aType: `"string"`, aPattern: `"a"`,
		aReference: `"#/$defs/a"`, anAnchor: `"a"`, aSchema: `{}`, schemas: `[{}]`, schemaMap: `{"a":{}}`, patternMap: `{"a":{}}`, textsMap: `{"a":["b"]}`, eitherMap: `{"a":["b"],"c":{}}`}
	for _, name := range Keywords() {
		schema := `{"` + name + `":` + sample[words[name].shape]
		if name == "$schema" {
			schema = `{"$schema":"http://json-schema.org/draft-07/schema#"`
		}
		if name != "$defs" {
			schema += `,"$defs":{"a":true}`
		}
		if _, err := mustCompile(t, schema+"}").ready().engine(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A word with whatever value: what Compile takes, the library takes.
func TestWordsOfAnyShape(t *testing.T) {
	t.Parallel()
	names := append(Keywords(), "id", "$dynamicAnchor", "additionalItems", "nullable")
	odd := rapid.SampledFrom([]string{"2.0", "1e2", "-1", "1e30", "[]", "[{}]", "[1,1]", `["a","a"]`, `"("`, `"#"`, `"#/"`, `"#a b"`, `"1a"`, `"a#b"`, `""`, `{"a":1}`, `{"(":{}}`, `{"a":[1]}`, `{"a":["b","b"]}`, `[[]]`, `{"a":{"type":1}}`})
	taken := 0
	t.Run("", rapid.MakeCheck(func(t *rapid.T) {
		doc := map[string]any{}
		for range rapid.IntRange(1, 3).Draw(t, "words") {
			value := rapid.OneOf(someValue(2), rapid.Map(odd, func(s string) any { return json.RawMessage(s) })).Draw(t, "value")
			doc[rapid.SampledFrom(names).Draw(t, "name")] = value
		}
		text := must(json.Marshal(doc))
		s, err := Compile(text)
		if err != nil {
			return
		}
		taken++
		if _, err := s.ready().engine(); err != nil {
			t.Fatalf("%s is taken, but the library says %v", text, err)
		}
		if _, err := plainLibrary(must(json.Marshal(without(doc, "$schema", "$id")))); err != nil {
			t.Fatalf("%s is taken, but the library alone says %v", text, err)
		}
	}))
	if taken == 0 {
		t.Error("no schema was taken")
	}
}

func without(m map[string]any, keys ...string) map[string]any {
	m = maps.Clone(m)
	for _, key := range keys {
		delete(m, key)
	}
	return m
}
