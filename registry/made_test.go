package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shareable is a method with everything that is made once.
func shareable() Method {
	m := digestible()
	m.Returns = &Param{Type: Object, Fields: []Param{{Name: "total", Type: Number}}}
	m.Params = append(m.Params, Param{Name: "token", Type: Integer, From: "env:TOKEN", Fill: fillWith(json.Number("7"))})
	return m
}

func fillWith(v any) Fill { return func(context.Context, Caller) (any, error) { return v, nil } }

// seen is all that can be told of a prepared method.
func seen(t *testing.T, m *Method) map[string]string {
	t.Helper()
	all := map[string]string{"schema": string(m.InputSchema()), "output": string(m.OutputSchema()), "digest": m.Digest()}
	visible, err := schemaOf(m.Visible())
	if err != nil {
		t.Fatal(err)
	}
	all["visible"] = string(visible)
	for i, args := range []string{`{}`, `{"order_id":"A1","to":{"description":"x"}}`, `{"order_id":"B1","amount":2,"token":1}`, `{"order_id":"A1","amount":60,"lines":[{"a":"x"}],"more":1}`} {
		bound, err := m.Check(json.RawMessage(args))
		all[fmt.Sprint("args ", i)] = fmt.Sprint(string(bound.Canonical()), bound.Dropped, err)
		if err != nil {
			continue
		}
		_, err = Call(t.Context(), Request{Method: m, Args: json.RawMessage(args), Caller: Caller{ID: "os:1"}})
		all[fmt.Sprint("call ", i)] = fmt.Sprint(err)
	}
	return all
}

// A method that shares what was made of another one is what it is without, whatever differs between the two.
func TestShare(t *testing.T) {
	t.Parallel()
	first := shareable()
	first.Run = nothing
	first.Params[5].Fill = fillWith(json.Number("1"))
	ready := prepared(t, first)
	changes := map[string]func(*Method){
		"nothing":    func(*Method) {},
		"the body":   func(m *Method) { m.Run = func(context.Context, Args) (any, error) { return 1, nil } },
		"name":       func(m *Method) { m.Name, m.Summary, m.Effect = "other", "Other.", Write },
		"if":         func(m *Method) { m.Approval.If = json.RawMessage(`{"amount":{"minimum":2}}`) },
		"always":     func(m *Method) { m.Approval.If = nil },
		"never":      func(m *Method) { m.Approval = nil },
		"result":     func(m *Method) { m.Returns = nil },
		"other":      func(m *Method) { m.Returns.Fields[0].Type = Integer },
		"no params":  func(m *Method) { m.Params, m.Approval = nil, nil },
		"visible":    func(m *Method) { m.Params[4].From = "" },
		"fills":      func(m *Method) { m.Params[5].Fill = fillWith("SECRET") }, // of another type: refused
		"an enum":    func(m *Method) { m.Params[1].Enum = raws(`"1"`, `2`, `60`) },
		"a wording":  func(m *Method) { m.Params[0].Description = "Other." },
		"a pattern":  func(m *Method) { m.Params[0].Keywords[0].Value = json.RawMessage(`"^B"`) },
		"an order":   func(m *Method) { m.Params[0], m.Params[1] = m.Params[1], m.Params[0] },
		"one deeper": func(m *Method) { m.Params[3].Items.Fields[0].Optional = true },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain, sharing := shareable(), shareable()
			change(&plain)
			change(&sharing)
			sharing.Share(ready)
			got := prepared(t, sharing)
			if diff := cmp.Diff(seen(t, prepared(t, plain)), seen(t, got)); diff != "" {
				t.Errorf("-alone +sharing\n%s", diff)
			}
			if shares := got.made == ready.made; shares != (name == "nothing" || name == "the body" || name == "name" || name == "fills") {
				t.Errorf("it shares: %v", shares)
			}
		})
	}
	t.Run("nothing can fill", func(t *testing.T) {
		t.Parallel()
		m := shareable()
		m.Share(ready)
		m.Params[5].Fill = nil
		if _, err := Prepare(m); err == nil {
			t.Error("a hidden parameter that nothing fills was taken")
		}
	})
	t.Run("not prepared", func(t *testing.T) {
		t.Parallel()
		m := shareable()
		m.Share(ready)
		if _, err := Call(t.Context(), Request{Method: &m}); err == nil || m.InputSchema() != nil || m.Visible() != nil || m.Digest() != "" {
			t.Error("a method that only shares counts as prepared")
		}
	})
}

// All that a parameter holds is in the mark, also what may come to it later; else a method could share what was made of another.
func TestMarkHoldsEverything(t *testing.T) {
	t.Parallel()
	seen := map[mark]string{}
	mark := func(name string, p Param) {
		t.Helper()
		got := markOf(&Method{Params: []Param{p}})
		if other, ok := seen[got]; ok {
			t.Errorf("%s is not in the mark, it is that of %s", name, other)
		}
		seen[got] = name
	}
	mark("nothing", Param{})
	param := reflect.TypeFor[Param]()
	for i := range param.NumField() {
		var p Param
		value := reflect.ValueOf(&p).Elem().Field(i)
		switch v := value.Addr().Interface().(type) {
		case *bool:
			*v = true
		case *Fill:
			*v = fillWith(1)
		case **Param:
			*v = &Param{}
		default:
			if value.Kind() == reflect.String {
				value.SetString("x")
				break
			}
			value.Set(reflect.MakeSlice(value.Type(), 0, 1))
			mark(param.Field(i).Name+", empty", p)
			value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		}
		mark(param.Field(i).Name, p)
	}
	// Two texts beside each other are not the two others that are as long together.
	mark("ab, c", Param{Name: "ab", Description: "c"})
	mark("a, bc", Param{Name: "a", Description: "bc"})
}
