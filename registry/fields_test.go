package registry

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type address struct {
	Street string `json:"street" desc:"With the number."`
	Zip    string `json:"zip,omitempty" pattern:"^[0-9]{5}$"`
}

type base struct {
	ID string `json:"id"`
}

type tree struct {
	Left *tree `json:"left,omitempty"`
}

type forest struct {
	Trees []tree `json:"trees"`
}

func TestTypedInput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   reflect.Type
		want string // properties and required
	}{
		{"nothing", reflect.TypeFor[struct{}](), `{}`},
		{"scalars", reflect.TypeFor[struct {
			S string
			B bool    `json:"b"`
			I int     `json:"i"`
			F float32 `json:"f"`
		}](), `{"S":{"type":"string"},"b":{"type":"boolean"},"i":{"type":"integer"},"f":{"type":"number"}},"required":["S","b","i","f"]`},
		{"widths", reflect.TypeFor[struct {
			A int8   `json:"a"`
			B uint32 `json:"b"`
			C uint64 `json:"c"`
			D int16  `json:"d" minimum:"1"`
		}](), `{"a":{"type":"integer","minimum":-128,"maximum":127},"b":{"type":"integer","minimum":0,"maximum":4294967295},` +
			`"c":{"type":"integer","minimum":0},"d":{"type":"integer","maximum":32767,"minimum":1}},"required":["a","b","c","d"]`},
		{"optional", reflect.TypeFor[struct {
			A string  `json:"a,omitempty"`
			B int     `json:"b,omitzero"`
			C *bool   `json:"c"`
			D string  `json:"d" optional:"true"`
			E float64 `json:"e" default:"1.50"`
		}](), `{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"boolean"},"d":{"type":"string"},"e":{"type":"number","default":1.50}}`},
		{"words", reflect.TypeFor[struct {
			A string   `json:"a" desc:"What." label:"A" enum:"x, y" placeholder:"x" default:"y"`
			B int      `json:"b" enum:"5,10" placeholder:"5"`
			C string   `json:"c" enum:"[\"a,b\", \"c\"]" multiline:"true" secret:"true"`
			D []string `json:"d" enum:"p,q" minItems:"1" uniqueItems:"true"`
			E string   `json:"e" format:"email" maxLength:"9" yaml:"E,flow"`
		}](), `{"a":{"type":"string","title":"A","description":"What.","enum":["x","y"],"default":"y","examples":["x"]},` +
			`"b":{"type":"integer","description":"e.g. 5","enum":[5,10],"examples":[5]},"c":{"type":"string","enum":["a,b","c"]},` +
			`"d":{"type":"array","items":{"type":"string","enum":["p","q"]},"minItems":1,"uniqueItems":true},` +
			`"e":{"type":"string","format":"email","maxLength":9}},"required":["b","c","d","e"]`},
		{"texts as defaults", reflect.TypeFor[struct {
			A string `json:"a" default:"10"`
			B string `json:"b" default:"\"quoted\""`
			C []int  `json:"c" default:"[1, 2]"`
		}](), `{"a":{"type":"string","default":"10"},"b":{"type":"string","default":"quoted"},"c":{"type":"array","default":[1,2],"items":{"type":"integer"}}}`},
		{"nested", reflect.TypeFor[struct {
			To    address            `json:"to"`
			All   []*address         `json:"all"`
			Pair  [2]int             `json:"pair"`
			Extra map[string]float64 `json:"extra"`
			Any   map[int]any        `json:"any"`
		}](), `{"to":{"type":"object","properties":{"street":{"type":"string","description":"With the number."},"zip":{"type":"string","pattern":"^[0-9]{5}$"}},` +
			`"required":["street"],"additionalProperties":false},"all":{"type":"array","items":{"type":"object","properties":{"street":{"type":"string",` +
			`"description":"With the number."},"zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["street"],"additionalProperties":false}},` +
			`"pair":{"type":"array","items":{"type":"integer"},"minItems":2,"maxItems":2},"extra":{"type":"object","additionalProperties":{"type":"number"}},` +
			`"any":{"type":"object","propertyNames":{"pattern":"^(0|-?[1-9][0-9]*)$"}}},"required":["to","all","pair","extra","any"]`},
		{"special types", reflect.TypeFor[struct {
			At   time.Time       `json:"at"`
			Raw  json.RawMessage `json:"raw"`
			Any  any             `json:"any"`
			N    json.Number     `json:"n"`
			IP   netip.Addr      `json:"ip"`
			Data []byte          `json:"data"`
		}](), `{"at":{"type":"string","format":"date-time"},"raw":{},"any":{},"n":{"type":"number"},"ip":{"type":"string"},` +
			`"data":{"type":"string","contentEncoding":"base64"}},"required":["at","raw","any","n","ip","data"]`},
		{"embedded, hidden and left out", reflect.TypeFor[struct {
			base
			Desk   string   `json:"desk" from:"caller.id"`
			Never  chan int `json:"-"`
			inner  int
			Second address
		}](), `{"id":{"type":"string"},"Second":{"type":"object","properties":{"street":{"type":"string","description":"With the number."},` +
			`"zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["street"],"additionalProperties":false}},"required":["id","Second"]`},
	} {
		params, err := paramsOf(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got, err := schemaOf(params)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := `{"type":"object","properties":` + c.want + `,"additionalProperties":false}`
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", c.name, diff)
		}
	}
}

func TestTypedInputRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		in   reflect.Type
		want []string
	}{
		{"channel", reflect.TypeFor[struct {
			A struct {
				C chan int `json:"c"`
			} `json:"a"`
		}](), []string{"a.c: chan int has no JSON form"}},
		{"function, complex, uintptr", reflect.TypeFor[struct {
			F func()
			C complex128
			U uintptr
		}](), []string{"F: func() has no JSON form", "C: complex128 has no", "U: uintptr has no"}},
		{"interface", reflect.TypeFor[struct{ E []error }](), []string{"E.items: error has methods"}},
		{"recursive", reflect.TypeFor[tree](), []string{"left: registry.tree contains itself"}},
		{"recursive in a map", reflect.TypeFor[struct{ M map[string]forest }](), []string{"M.values.trees.items.left: registry.tree contains itself"}},
		{"map keys", reflect.TypeFor[struct{ M map[bool]int }](), []string{"M: keys of type bool"}},
		{"unexported", reflect.StructOf([]reflect.StructField{
			{Name: "a", PkgPath: "p", Type: reflect.TypeFor[int](), Tag: `json:"a"`}, {Name: "b", PkgPath: "p", Type: reflect.TypeFor[int](), Tag: `desc:"B."`},
		}), []string{"a: the field has tags but is not exported", "b: the field has tags but is not exported"}},
		{"two fields of one name", reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"id"`}, {Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"id"`},
		}), []string{"id: struct", "two fields of that JSON name"}},
		{"pointer to unexported", reflect.TypeFor[struct{ *base }](), []string{"base: a pointer to the unexported registry.base can't be filled"}},
		{"json string option", reflect.TypeFor[struct {
			N int `json:"n,string"`
		}](), []string{`n: the json option "string" hides the type`}},
		{"tag form", reflect.StructOf([]reflect.StructField{{Name: "N", Type: reflect.TypeFor[int](), Tag: "json:n"}}), []string{"N: struct tag: the text of json is not in double quotes"}},
		{"tag values", reflect.TypeFor[struct {
			A int    `json:"a" minimum:"low"`
			B int    `json:"b" enum:"1,two"`
			C string `json:"c" secret:"yes"`
			D int    `json:"d" default:"ten"`
			E string `json:"e" minimum:"1"`
			F int    `json:"f" multiline:"true"`
			G string `json:"g" maxLength:"-1"`
		}](), []string{`a.minimum: "low" is not JSON; write a number`, `b.enum.1: "two" is not an integer`, `c.secret: "yes" is neither true nor false`,
			`d.default: "ten" is not JSON`, `e.minimum: minimum says nothing about a string`, `f.multiline: multiline is for strings`, `g.maxLength: maxLength is a whole number from 0`}},
	} {
		_, err := paramsOf(c.in)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q in it", c.name, err, want)
			}
		}
	}
}

type report struct {
	Name   string            `json:"name" desc:"Whose."`
	Kind   *string           `json:"kind" enum:"a,b"`
	Note   *string           `json:"note"`
	Next   *address          `json:"next,omitempty"`
	Lines  []address         `json:"lines"`
	Counts map[string]int8   `json:"counts"`
	Data   []byte            `json:"data"`
	Extra  map[string][]byte `json:"extra,omitempty"`
	At     time.Time         `json:"at"`
	Any    error             `json:"any"`
}

func TestTypedOutput(t *testing.T) {
	t.Parallel()
	returns, err := returnsOf(reflect.TypeFor[*report]())
	if err != nil {
		t.Fatal(err)
	}
	got, err := schemaOfParam(*returns)
	if err != nil {
		t.Fatal(err)
	}
	address := `"properties":{"street":{"type":"string","description":"With the number."},"zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["street"],"additionalProperties":false}`
	want := `{"type":"object","properties":{"name":{"type":"string","description":"Whose."},"kind":{"type":["string","null"],"enum":["a","b",null]},` +
		`"note":{"type":["string","null"]},"next":{"type":"object",` + address + `,"lines":{"type":["array","null"],"items":{"type":"object",` + address + `},` +
		`"counts":{"type":["object","null"],"additionalProperties":{"type":"integer"}},"data":{"type":["string","null"],"contentEncoding":"base64"},` +
		`"extra":{"type":"object","additionalProperties":{"type":["string","null"],"contentEncoding":"base64"}},"at":{"type":"string","format":"date-time"},"any":{}},` +
		`"required":["name","lines","counts","data","at","any"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
