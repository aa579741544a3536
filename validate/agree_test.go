package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"pgregory.net/rapid"
)

// Random schemas over few keys and values, so that values often fit, or nearly.
var (
	someKeys    = rapid.SampledFrom([]string{"a", "b", "type", "a/b", "ü~", "properties"})
	someTexts   = rapid.SampledFrom([]string{"", "a", "A", "ab", "abc", "5", "true", "2025-01-31", "äöü", "x\n"})
	someNumbers = rapid.SampledFrom([]string{"0", "-0", "1", "2", "5", "-3", "0.5", "2.5", "1e1", "1E-2", "2.0", "9007199254740993", "9007199254740992.5"})
	someTypes   = rapid.SampledFrom([]string{"string", "number", "integer", "boolean", "array", "object", "null"})
)

func someValue(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 5
		if depth > 0 {
			kinds = 8
		}
		switch rapid.IntRange(0, kinds).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2, 3:
			return json.Number(someNumbers.Draw(t, "number"))
		case 4, 5:
			return someTexts.Draw(t, "text")
		case 6:
			return append([]any{}, rapid.SliceOfN(someValue(depth-1), 0, 3).Draw(t, "list")...)
		}
		return map[string]any(rapid.MapOfN(someKeys, someValue(depth-1), 0, 4).Draw(t, "object"))
	})
}

// drawers draw the value of one word each.
func drawers() map[string]func(t *rapid.T, depth int) any {
	return map[string]func(t *rapid.T, depth int) any{
		"type": func(t *rapid.T, _ int) any {
			names := rapid.SliceOfNDistinct(someTypes, 1, 3, rapid.ID).Draw(t, "types")
			if len(names) == 1 {
				return names[0]
			}
			return names
		},
		"enum":             func(t *rapid.T, _ int) any { return rapid.SliceOfN(someValue(1), 1, 4).Draw(t, "enum") },
		"const":            func(t *rapid.T, _ int) any { return someValue(1).Draw(t, "const") },
		"minimum":          drawBound,
		"maximum":          drawBound,
		"exclusiveMinimum": drawBound,
		"exclusiveMaximum": drawBound,
		"multipleOf": func(t *rapid.T, _ int) any {
			return json.Number(rapid.SampledFrom([]string{"1", "2", "0.5"}).Draw(t, "step"))
		},
		"minLength":     drawCount,
		"maxLength":     drawCount,
		"minItems":      drawCount,
		"maxItems":      drawCount,
		"minProperties": drawCount,
		"maxProperties": drawCount,
		"minContains":   drawCount,
		"pattern":       func(t *rapid.T, _ int) any { return somePatterns.Draw(t, "pattern") },
		"format": func(t *rapid.T, _ int) any {
			return rapid.SampledFrom([]string{"date", "uri", "email", "mine"}).Draw(t, "format")
		},
		"required":              drawKeys,
		"uniqueItems":           func(t *rapid.T, _ int) any { return rapid.Bool().Draw(t, "unique") },
		"properties":            drawSchemas(someKeys),
		"patternProperties":     drawSchemas(somePatterns),
		"dependentSchemas":      drawSchemas(someKeys),
		"dependentRequired":     func(t *rapid.T, d int) any { return map[string]any{someKeys.Draw(t, "if"): drawKeys(t, d)} },
		"additionalProperties":  drawSchema,
		"unevaluatedProperties": drawSchema,
		"propertyNames":         drawSchema,
		"items":                 drawSchema,
		"contains":              drawSchema,
		"unevaluatedItems":      drawSchema,
		"not":                   drawSchema,
		"if":                    drawSchema,
		"then":                  drawSchema,
		"else":                  drawSchema,
		"prefixItems":           drawList,
		"allOf":                 drawList,
		"anyOf":                 drawList,
		"oneOf":                 drawList,
		"$ref": func(t *rapid.T, _ int) any {
			return rapid.SampledFrom([]string{"#/$defs/a", "#/$defs/b", "#/properties/a", "#b"}).Draw(t, "ref")
		},
		"title":   func(t *rapid.T, _ int) any { return "a title" },
		"default": func(t *rapid.T, _ int) any { return someValue(1).Draw(t, "default") },
		"x-mine":  func(t *rapid.T, _ int) any { return 1 },
	}
}

var (
	somePatterns = rapid.SampledFrom([]string{"a", "^a$", "^[a-z]+$", "[0-9]", "^$"})
	commonWords  = []string{"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems",
		"maxItems", "minProperties", "maxProperties", "pattern", "format", "required", "properties", "additionalProperties", "items", "title", "default"}
)

func drawBound(t *rapid.T, _ int) any { return json.Number(someNumbers.Draw(t, "bound")) }
func drawCount(t *rapid.T, _ int) any { return rapid.IntRange(0, 3).Draw(t, "count") }
func drawKeys(t *rapid.T, _ int) any {
	return append([]string{}, rapid.SliceOfNDistinct(someKeys, 0, 3, rapid.ID).Draw(t, "keys")...)
}
func drawSchema(t *rapid.T, depth int) any { return someSchema(t, depth-1, nil) }
func drawList(t *rapid.T, depth int) any {
	var list []any
	for range rapid.IntRange(1, 3).Draw(t, "length") {
		list = append(list, someSchema(t, depth-1, nil))
	}
	return list
}

func drawSchemas(keys *rapid.Generator[string]) func(*rapid.T, int) any {
	return func(t *rapid.T, depth int) any {
		m := map[string]any{}
		for range rapid.IntRange(1, 3).Draw(t, "size") {
			m[keys.Draw(t, "key")] = someSchema(t, depth-1, nil)
		}
		return m
	}
}

// someSchema draws a schema of the given words; nil = of the words drawn for the whole.
func someSchema(t *rapid.T, depth int, of []string) any {
	if depth <= 0 || rapid.IntRange(0, 9).Draw(t, "bool") == 0 {
		if depth > 0 || rapid.Bool().Draw(t, "leaf") {
			return rapid.IntRange(0, 3).Draw(t, "true") > 0
		}
	}
	if of == nil {
		of = sortedKeys(drawers())
		if rapid.Bool().Draw(t, "common") {
			of = commonWords
		}
	}
	m := map[string]any{}
	for _, word := range rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, 4, rapid.ID).Draw(t, "words") {
		m[word] = drawers()[word](t, depth)
	}
	return m
}

func someDocument(t *rapid.T, of []string) []byte {
	doc, ok := someSchema(t, 3, of).(map[string]any)
	if !ok {
		doc = map[string]any{}
	}
	if of == nil {
		doc["$defs"] = map[string]any{"a": someSchema(t, 1, nil), "b": map[string]any{"$anchor": "b", "type": "string"}}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plainLibrary compiles with the library alone, set up here once more from its manual.
func plainLibrary(text []byte) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat = jsonschema.Draft2020, true
	c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errors.New("no") }
	if err := c.AddResource("mem://s", bytes.NewReader(text)); err != nil {
		return nil, err
	}
	return c.Compile("mem://s")
}

// hasFloatedInteger reports whether v holds a number that the library takes as an
// integer and this package does not: the one wanted difference.
func hasFloatedInteger(v any) bool {
	switch v := v.(type) {
	case json.Number:
		r, _ := new(big.Rat).SetString(v.String())
		return r.IsInt() && !isInteger(v.String())
	case []any:
		for _, item := range v {
			if hasFloatedInteger(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if hasFloatedInteger(item) {
				return true
			}
		}
	}
	return false
}

func TestCheckAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	passed, failed, refusals := 0, 0, 0
	for name, of := range map[string][]string{"common": commonWords, "all": nil} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			text := someDocument(t, of)
			s, err := Compile(text)
			library, libraryErr := plainLibrary(text)
			if err != nil {
				refusals++
				if !strings.Contains(err.Error(), "leads back to itself") && !strings.Contains(err.Error(), "there is no schema at") {
					t.Fatalf("refused: %v\nschema %s", err, text)
				}
				return
			}
			if libraryErr != nil {
				t.Fatalf("taken, but the library refuses: %v\nschema %s", libraryErr, text)
			}
			for range 5 {
				v := someValue(3).Draw(t, "value")
				if hasFloatedInteger(v) && bytes.Contains(text, []byte(`"integer"`)) {
					continue
				}
				want := library.Validate(v) == nil
				problems := s.Check("args", v)
				if want != (problems == nil) {
					t.Fatalf("library passes: %v, problems %v\nschema %s\nvalue %s", want, problems, text, literal(v))
				}
				wellWorded(t, s, v, problems)
				if want {
					passed++
				} else {
					failed++
				}
			}
		}))
	}
	if passed < 50 || failed < 50 {
		t.Errorf("%d values passed and %d failed: too few to show anything (%d schemas refused)", passed, failed, refusals)
	}
}

// wellWorded holds the promises about every problem. A schema that has rested says the same again.
func wellWorded(t *rapid.T, s *Schema, v any, problems []Problem) {
	s.Rest()
	again := s.Check("args", v)
	if len(again) != len(problems) {
		t.Fatalf("a second check says otherwise:\n%v\n%v", problems, again)
	}
	for i, p := range problems {
		line := p.String()
		switch {
		case again[i] != p:
			t.Fatalf("a second check says otherwise:\n%s\n%s", line, again[i])
		case p.Kind != MissingRequired && p.Kind != TypeMismatch && p.Kind != EnumViolation:
			t.Fatalf("kind %q of %s", p.Kind, line)
		case !strings.HasPrefix(p.Path, "args"), p.Expected == "" && p.Hint == "", strings.ContainsAny(line, "\n\r\x1b"), len(line) > 2000:
			t.Fatalf("badly worded: %q", line)
		case strings.Contains(line, "a value that fits \"") || strings.Contains(line, "fits the schema"):
			t.Fatalf("not explained: %s\nvalue %s", line, literal(v))
		case p.Example != "" && !json.Valid([]byte(p.Example)):
			t.Fatalf("example %s is no JSON", p.Example)
		}
	}
}

// What an example says passes: put in the place of the faulty value, it leaves no problem there.
func TestExamplesPass(t *testing.T) {
	t.Parallel()
	shown := 0
	t.Run("", rapid.MakeCheck(func(t *rapid.T) {
		s, err := Compile(someDocument(t, commonWords))
		if err != nil {
			t.Skip(err)
		}
		for range 10 {
			v := someValue(2).Draw(t, "value")
			for _, f := range faultsOf(t, s, v) {
				shown += checkExample(t, s, v, f)
			}
		}
	}))
	if shown < 50 {
		t.Errorf("only %d examples were shown", shown)
	}
}

// checkExample returns how many examples it saw.
func checkExample(t *rapid.T, s *Schema, v any, f fault) int {
	x := explainer{schema: s.ready(), engine: must(s.ready().engine()), value: v, left: maxVisits}
	p := x.word("args", &f)
	n := f.node
	if p.Kind == MissingRequired {
		n = n.property(f.name)
	}
	if p.Example == "" || n == nil {
		return 0
	}
	example := mustDecode(t, p.Example)
	if n.always != nil && *n.always || n.plain && n.fits(example, &meter{left: maxVisits}) {
		return 1
	}
	if compiled := x.engine.at[n.at]; compiled == nil || compiled.Validate(example) != nil {
		t.Fatalf("%s\nthe example does not pass at %q", p, n.at)
	}
	return 1
}

func faultsOf(t *rapid.T, s *Schema, v any) []fault {
	e := must(s.ready().engine())
	var invalid *jsonschema.ValidationError
	if !errors.As(e.root.Validate(v), &invalid) {
		return nil
	}
	x := explainer{schema: s.ready(), engine: e, value: v, left: maxVisits}
	return x.faults(invalid)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
