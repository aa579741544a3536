package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// doubling is a chain of references in which each level visits the next one twice.
func doubling(levels int, last string) string {
	var b strings.Builder
	b.WriteString(`{"$defs":{`)
	for i := range levels {
		fmt.Fprintf(&b, `"l%d":{"allOf":[{"$ref":"#/$defs/l%d"},{"$ref":"#/$defs/l%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"l%d":%s},"$ref":"#/$defs/l0"}`, levels, last)
	return b.String()
}

func chain(n int, link func(i int) string, last string) string {
	var b strings.Builder
	b.WriteString(`{"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"l%d":%s,`, i, link(i))
	}
	fmt.Fprintf(&b, `"l%d":%s},"$ref":"#/$defs/l0"}`, n, last)
	return b.String()
}

func TestCompileRefusesBombs(t *testing.T) {
	t.Parallel()
	repeat := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return strings.Join(items, ",")
	}
	property := func(i int) string { return fmt.Sprintf(`"p%d":true`, i) }
	number := func(i int) string { return fmt.Sprint(i) }
	for name, tt := range map[string]struct {
		schema string
		at     string
		want   string // "" = taken
	}{
		"doubling, 12 levels":  {doubling(12, `{"type":"string"}`), "", ""},
		"doubling, 16 levels":  {doubling(16, `{"type":"string"}`), "", "20,000 visits"},
		"doubling, 24 levels":  {doubling(24, `{"type":"string"}`), "", "20,000 visits"},
		"doubling, 600 levels": {doubling(600, `{"type":"string"}`), "", "20,000 visits"},
		"doubling through lists": {chain(24, func(i int) string {
			return fmt.Sprintf(`{"items":{"$ref":"#/$defs/l%d"},"contains":{"$ref":"#/$defs/l%d"}}`, i+1, i+1)
		}, `{}`), "", "20,000 visits"},
		"a long chain on one value":   {chain(70, func(i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/l%d"}`, i+1) }, `{}`), "", "one inside the other"},
		"a long chain into values":    {chain(70, func(i int) string { return fmt.Sprintf(`{"items":{"$ref":"#/$defs/l%d"}}`, i+1) }, `{}`), "", ""},
		"60 schemas deep":             {strings.Repeat(`{"items":`, 60) + "{}" + strings.Repeat("}", 60), "", ""},
		"65 schemas deep":             {strings.Repeat(`{"items":`, 65) + "{}" + strings.Repeat("}", 65), strings.Repeat("/items", 64), "nested deeper than 64"},
		"100,000 schemas deep":        {strings.Repeat(`{"items":`, 100_000) + "{}" + strings.Repeat("}", 100_000), strings.Repeat("/items", 200), "nested deeper than 200"},
		"512 properties":              {`{"properties":{` + repeat(512, property) + `}}`, "", ""},
		"513 properties":              {`{"properties":{` + repeat(513, property) + `}}`, "/properties", "513 properties"},
		"1,000 listed values":         {`{"enum":[` + repeat(1000, number) + `]}`, "", ""},
		"1,001 listed values":         {`{"enum":[` + repeat(1001, number) + `]}`, "/enum", "1001 values"},
		"513 required names":          {`{"required":[` + repeat(513, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `]}`, "/required", "513 names"},
		"a pattern of 1,000":          {`{"pattern":"` + strings.Repeat("a", 1000) + `"}`, "", ""},
		"a pattern of 1,001":          {`{"pattern":"` + strings.Repeat("a", 1001) + `"}`, "/pattern", "1001 characters"},
		"2,001 schemas":               {`{"anyOf":[` + repeat(2001, func(int) string { return "{}" }) + `]}`, "", "more than 2000 schemas"},
		"a name of 501 bytes":         {`{"properties":{"` + strings.Repeat("a", 501) + `":true}}`, "/properties/" + strings.Repeat("a", 501), "longer than 500 bytes"},
		"a megabyte and a byte":       {`{"title":"` + strings.Repeat("a", maxSchemaText) + `"}`, "", "at most 1048576"},
		"a bound of a million digits": {`{"minimum":1e1000001}`, "/minimum", "beyond an exponent of 308"},
		"a loop through nothing":      {`{"properties":{"a":{"anyOf":[{"$ref":"#/properties/a"},{}]}}}`, "/properties/a/anyOf/0/$ref", "leads back to itself"},
		"a loop through lists":        {`{"items":{"$ref":"#"}}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Compile([]byte(tt.schema))
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var refused *SchemaError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want a refusal with %q", err, tt.want)
			}
			if got := refused.Faults[0].Pointer; got != tt.at {
				t.Errorf("the place is %q, want %q", got, tt.at)
			}
		})
	}
}

// The work of refusing is counted in the schemas looked at: each once.
func TestCostIsCountedOnce(t *testing.T) {
	t.Parallel()
	const levels = 300
	doc, fault := decodeOrdered([]byte(doubling(levels, `{}`)))
	if fault != nil {
		t.Fatal(fault)
	}
	r := newReader()
	root := r.schema(doc, "", nil, apart, 1)
	r.links(doc)
	c := coster{cost: map[*node]int{}, deep: map[*node]int{}}
	if got := c.visits(root); got <= maxCost {
		t.Errorf("the cost is %d, want more than %d", got, maxCost)
	}
	if got, most := len(c.cost), len(r.nodes); got > most {
		t.Errorf("%d schemas were looked at, there are %d", got, most)
	}
}

// A reference out of the document is refused before anything is opened, and the error
// tells nothing of what is there. The library would be stopped too.
func TestNothingIsOpened(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(file, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"file://" + file, file, "file://" + file + "#/type", "http://127.0.0.1:9/s", "https://json-schema.org/draft/2020-12/schema", "urn:x", "", "x#/y", "//host/x"} {
		schema := must(json.Marshal(map[string]any{"properties": map[string]any{"a": map[string]any{"$ref": ref}}}))
		_, err := Compile(schema)
		var refused *SchemaError
		if !errors.As(err, &refused) || refused.Faults[0].Pointer != "/properties/a/$ref" {
			t.Errorf("%q: got %v", ref, err)
		}
		if ref == "" || strings.HasPrefix(ref, "https://json-schema.org") {
			continue // to the library these two lead nowhere outside
		}
		if _, err := compile(map[string]any{"$ref": ref}); err == nil {
			t.Errorf("%q: the library opened it", ref)
		}
	}
}

func TestCheckIsBounded(t *testing.T) {
	t.Parallel()
	nested := func(n int) any {
		var v any = "end"
		for range n {
			v = map[string]any{"c": v}
		}
		return v
	}
	nestedKey := func(n int) any {
		v := any("end")
		for range n {
			v = map[string]any{strings.Repeat("k", 100): v}
		}
		return v
	}
	list := func(n int, item any) any {
		all := make([]any, n)
		for i := range all {
			all[i] = item
		}
		return all
	}
	twice := `{"$defs":{"t":{"allOf":[{"properties":{"c":{"$ref":"#/$defs/t"}}},{"properties":{"c":{"$ref":"#/$defs/t"}}}]}},"$ref":"#/$defs/t"}`
	years := "P" + strings.Repeat("1Y", 2_000_000)
	for name, tt := range map[string]struct {
		schema string
		value  any
		want   string // in the problem; "" = passes
	}{
		"a doubling loop, shallow":        {twice, nested(10), ""},
		"a doubling loop, deep":           {twice, nested(150), "takes too long"},
		"a single loop, deep":             {`{"properties":{"c":{"$ref":"#"}}}`, nested(150), ""},
		"many values, many alternatives":  {`{"items":{"anyOf":[` + strings.Repeat(`{"type":"integer"},`, 1000) + `{}]}}`, list(100_000, "a"), "takes too long"},
		"many values, a plain schema":     {`{"items":{"type":"string","maxLength":3}}`, list(300_000, "a"), ""},
		"many values, a long enum":        {`{"items":{"enum":[0.5,` + strings.Repeat(`1e300,`, 998) + `1]}}`, list(100_000, json.Number("2")), "takes too long"},
		"many unique values in one":       {`{"uniqueItems":true}`, list(300_000, "a"), "takes too long"},
		"a long key above many":           {`{"patternProperties":{"":{"items":{"type":"integer"}}}}`, map[string]any{strings.Repeat("k", 1_000_000): list(10_000, json.Number("1"))}, "takes too long"},
		"a slow pattern on a long text":   {`{"pattern":"(?:x{1,30}y){1,30}z$"}`, strings.Repeat("xxxy", 100_000), "takes too long"},
		"a duration of four megabytes":    {`{"format":"duration"}`, years, "a duration"},
		"a pattern as text, too long":     {`{"format":"regex"}`, strings.Repeat("(a{1000})", 1000), "a regular expression"},
		"a million digits":                {`{"type":"integer"}`, json.Number("1e1000001"), "beyond an exponent of 308"},
		"a million digits, multipleOf":    {`{"multipleOf":2}`, json.Number("1e1000001"), "beyond an exponent of 308"},
		"300,000 digits":                  {`{"minimum":2}`, json.Number(strings.Repeat("9", 300_000)), "longer than 40 characters"},
		"no number":                       {`{"minimum":2}`, json.Number("0x10"), "is no JSON number"},
		"nested 100,000 deep":             {`{"properties":{"c":{"$ref":"#"}},"uniqueItems":true}`, nested(100_000), "nested deeper than 200"},
		"a Go type that is no JSON":       {`{"type":"object"}`, map[string]string{}, "no decoded JSON"},
		"a Go type deep inside":           {`{"allOf":[{"type":"object"}]}`, map[string]any{"a": []any{struct{}{}}}, "no decoded JSON"},
		"a fault under a long path":       {`{"type":["object","integer"],"additionalProperties":{"$ref":"#"}}`, nestedKey(150), `args…["kkkkkkkkkkk`},
		"a float that was not decoded so": {`{"type":"number"}`, 1.5, "no decoded JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := mustCompile(t, tt.schema).Check("args", tt.value)
			if tt.want == "" {
				if problems != nil {
					t.Fatalf("got %v", problems[0])
				}
				return
			}
			if len(problems) != 1 || !strings.Contains(problems[0].String(), tt.want) {
				t.Fatalf("got %.300v, want %q", problems, tt.want)
			}
		})
	}
}

func TestZeroSchemaTakesNothing(t *testing.T) {
	t.Parallel()
	var none *Schema
	if none.Check("args", nil) == nil || new(Schema).Check("args", nil) == nil {
		t.Error("a schema that was not compiled takes a value")
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer","maximum":5}},"required":["a"],"additionalProperties":false}`, `{"a":6.0,"b":[]}`},
		{`{"oneOf":[{"const":1},{"enum":["a",null]},{"items":{"$ref":"#"}}]}`, `[[["a",2]]]`},
		{`{"patternProperties":{"^x":{"format":"date"}},"propertyNames":{"maxLength":2},"unevaluatedProperties":false}`, `{"x1":"b","abc":1}`},
		{`{"prefixItems":[{"not":{"type":"null"}}],"contains":{"minimum":1},"uniqueItems":true}`, `[null,1,1.0]`},
		{`{"if":{"required":["a"]},"then":{"dependentRequired":{"a":["b"]}},"else":false}`, `{"a":1}`},
		{`{"$defs":{"t":{"allOf":[{"properties":{"c":{"$ref":"#/$defs/t"}}}]}},"$ref":"#/$defs/t"}`, `{"c":{"c":1}}`},
		{`{"pattern":"(?i)[^a]{2,}$","minLength":3,"multipleOf":0.1}`, `"aä"`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		s, err := Compile(schema)
		if err != nil {
			var refused *SchemaError
			if !errors.As(err, &refused) || len(refused.Faults) == 0 {
				t.Fatalf("%#v is no *SchemaError", err)
			}
			return
		}
		v, err := Decode(value)
		if err != nil {
			return
		}
		e, err := s.ready().engine()
		if err != nil {
			t.Fatalf("taken, but the library refuses: %v", err)
		}
		problems := s.Check("args", v)
		if len(problems) > maxProblems {
			t.Fatalf("%d problems", len(problems))
		}
		if problems != nil {
			_ = NewError("s", problems...).Fix()
		}
		if affordable(s.ready().root, v) && s.ready().root.always == nil && (e.root.Validate(v) == nil) != (problems == nil) {
			t.Fatalf("problems: %v, the library says otherwise", problems)
		}
	})
}
